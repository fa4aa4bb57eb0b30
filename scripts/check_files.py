#!/usr/bin/env python3
"""Keeps files small, tested, reachable and free of what does not belong in them.

    scripts/check_files.py [--root DIR]

  size        code has at most 500 lines; a file with "Data table: exempt from the line limit." in its first ten lines
              is exempt
  tests       src/X/foo.cpp has tests/X/foo_test.cpp, or a line in scripts/tested_elsewhere.txt, which may only shrink
  reachable   every file below tests/ is compiled by tests/CMakeLists.txt's globs, run, or named by a test or a script
  text        no paths of one person's machine, no notes to oneself, no tabs, no trailing blanks, newline at the end
"""

import argparse
import fnmatch
import re
import sys
from pathlib import Path

from source_text import SKIPPED, files

HARD_LIMIT = 500
EXEMPT = "Data table: exempt from the line limit."
CODE_SUFFIXES = {".h", ".cpp", ".py", ".sh", ".cmake"}
TEXT_SUFFIXES = CODE_SUFFIXES | {".md", ".txt", ".json", ".yml", ".yaml", ".toml"}
TEXT_NAMES = {"Makefile", "run", ".clang-format", ".clang-tidy", ".clangd", ".editorconfig", "Dockerfile", "LICENSE"}

# The number of entries of that list. Lower it when one is gone; do not raise it.
ELSEWHERE = "scripts/tested_elsewhere.txt"
MAX_ELSEWHERE = 7

# Written in halves so that this file does not contain what it looks for.
FORBIDDEN = (
    (re.compile("/" + "home/|/" + "work/|/" + "root/"), "a path of one machine"),
    (re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b"), "a note to oneself: do it, or describe it in an issue"),
)


class Checker:
    def __init__(self, root: Path, max_elsewhere: int = MAX_ELSEWHERE):
        self.root = root
        self.max_elsewhere = max_elsewhere
        self.problems: list[str] = []

    def name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def text_files(self):
        for path in sorted(self.root.rglob("*")):
            inside = path.relative_to(self.root).parts
            if SKIPPED.intersection(inside) or not path.is_file():
                continue
            if path.suffix in TEXT_SUFFIXES or path.name in TEXT_NAMES:
                yield path

    def check_text(self):
        for path in self.text_files():
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError as error:
                self.problems.append(f"{self.name(path)}: not UTF-8 at byte {error.start}")
                continue
            lines = text.split("\n")
            is_data = path.suffix in (".json", ".txt") and self.name(path).startswith("tests/")
            if text and lines[-1] != "" and not is_data:
                self.problems.append(f"{self.name(path)}: no newline at the end")
            if path.suffix in CODE_SUFFIXES and len(lines) - 1 > HARD_LIMIT and not any(EXEMPT in x for x in lines[:10]):
                self.problems.append(f"{self.name(path)}: {len(lines) - 1} lines; at most {HARD_LIMIT}: one idea per file")
            if path.suffix == ".h" and "#pragma once" not in text:
                self.problems.append(f"{self.name(path)}: no #pragma once")
            if not is_data:
                self.check_lines(path, lines)

    def check_lines(self, path: Path, lines):
        for number, line in enumerate(lines, 1):
            where = f"{self.name(path)}:{number}"
            for pattern, what in FORBIDDEN:
                if found := pattern.search(line):
                    self.problems.append(f'{where}: "{found.group(0)}": {what}')
            if line != line.rstrip():
                self.problems.append(f"{where}: blanks at the end of the line")
            if "\t" in line and path.name != "Makefile":
                self.problems.append(f"{where}: a tab")

    def elsewhere(self) -> list[tuple[str, str]]:
        """(source or pattern, test) of each line."""
        path = self.root / ELSEWHERE
        if not path.exists():
            return []
        entries = []
        for line in path.read_text().splitlines():
            words = line.split()
            if words and not line.startswith("#"):
                if len(words) != 2:
                    self.problems.append(f"{ELSEWHERE}: '{line}' is not SOURCE TEST")
                else:
                    entries.append((words[0], words[1]))
        return entries

    def test_exists(self, source: Path) -> bool:
        """tests/ mirrors src/; below a layer the test may also lie flat in the layer's folder."""
        inside = source.relative_to(self.root / "src")
        test = f"{source.stem}_test.cpp"
        layer = self.root / "tests" / inside.parts[0]
        return (self.root / "tests" / inside.parent / test).exists() or (layer / test).exists()

    def catalogues(self) -> list[str]:
        """Folders of the kelda_catalog() lines: a test named like the folder runs over every file of it."""
        text = (self.root / "src/CMakeLists.txt").read_text()
        return [f"{layer}/{folder}" for layer, folder in re.findall(r"^kelda_catalog\((\S+)\s+(\S+)", text, re.M)]

    def catalogue_test_exists(self, source: Path) -> bool:
        inside = source.relative_to(self.root / "src").as_posix()
        for folder in self.catalogues():
            layer, name = folder.split("/", 1)
            if inside.startswith(folder + "/"):
                stem = name.split("/")[-1]
                return any(
                    (self.root / "tests" / place / f"{stem}_test.cpp").exists() for place in (layer, "contract")
                )
        return False

    def check_tests(self):
        sources = files(self.root, ["src"], {".cpp"})
        untested = [x for x in sources if not self.test_exists(x) and not self.catalogue_test_exists(x)]
        covered = set()
        entries = self.elsewhere()
        for pattern, test in entries:
            found = [x for x in untested if fnmatch.fnmatchcase(self.name(x), pattern)]
            covered.update(found)
            if not (self.root / test).exists():
                self.problems.append(f"{ELSEWHERE}: {test} does not exist")
            if not found:
                self.problems.append(f"{ELSEWHERE}: {pattern} is gone or has a test of its own; remove the line")
        if len(entries) > self.max_elsewhere:
            self.problems.append(f"{ELSEWHERE}: {len(entries)} entries, at most {self.max_elsewhere}: write the test")
        elif len(entries) < self.max_elsewhere:
            self.problems.append(f"scripts/check_files.py: lower MAX_ELSEWHERE to {len(entries)}")
        for source in untested:
            if source not in covered:
                inside = source.relative_to(self.root / "src")
                self.problems.append(f"{self.name(source)}: no tests/{inside.parts[0]}/{source.stem}_test.cpp")

    def check_reachable(self):
        tests = self.root / "tests"
        if not tests.exists():
            return
        built = self.built_folders()
        named = "\n".join(
            p.read_text(encoding="utf-8", errors="replace")
            for p in self.text_files()
            if p.suffix in CODE_SUFFIXES | {".md"} or p.name in ("CMakeLists.txt", "Makefile")
        )
        for path in sorted(tests.rglob("*")):
            inside = path.relative_to(tests)
            if not path.is_file() or path.name == "CMakeLists.txt" or SKIPPED.intersection(inside.parts):
                continue
            if path.suffix == ".cpp":
                reachable = self.is_built(path, built)
                why = "no CMakeLists.txt that is in use builds it"
            elif path.name.endswith("_test.py"):
                folder = inside.parent.as_posix()
                reachable, why = folder in ("e2e", "scripts"), "Python tests live in tests/e2e or tests/scripts"
            else:
                reachable, why = self.is_named(inside, named), "no test or script names it"
            if not reachable:
                self.problems.append(f"{self.name(path)}: {why}")

    @staticmethod
    def is_named(inside: Path, named: str) -> bool:
        """The file's own name, its stem (a test may add the suffix), or its folder as a whole ("golden/gguf/")."""
        words = {inside.name, inside.stem}
        if len(inside.parts) > 2:
            words.add(inside.parent.as_posix() + "/")
        return any(re.search(r"(?<![\w])" + re.escape(word), named) for word in words)

    def built_folders(self) -> dict[Path, str]:
        """Folders whose CMakeLists.txt is in use, with its text: tests/ and what add_subdirectory() adds to it."""
        built: dict[Path, str] = {}
        waiting = [self.root / "tests"]
        while waiting:
            folder = waiting.pop()
            if folder not in built and (folder / "CMakeLists.txt").exists():
                built[folder] = (folder / "CMakeLists.txt").read_text()
                waiting += [folder / name for name in re.findall(r"add_subdirectory\(([\w/]+)", built[folder])]
        return built

    @staticmethod
    def is_built(path: Path, built: dict[Path, str]) -> bool:
        """Named in one of the CMakeLists.txt above it, or found by one of their globs (the loop over layers expanded)."""
        for folder, text in built.items():
            if not path.is_relative_to(folder):
                continue
            inside = path.relative_to(folder).as_posix()
            if re.search(r"(?<![\w/])" + re.escape(inside) + r"(?!\w)", text):
                return True
            layers = re.findall(r"foreach\(layer\s+(?:IN ITEMS\s+)?([^)]*)\)", text)
            for pattern in re.findall(r"(\S*\*\S*\.cpp)", text):
                pattern = pattern.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
                for layer in " ".join(layers).split() if "${layer}" in pattern else [""]:
                    glob = re.escape(pattern.replace("${layer}", layer)).replace(r"\*", "[^/]*")
                    if re.fullmatch(glob, inside):
                        return True
        return False

    def run(self) -> list[str]:
        self.check_text()
        self.check_tests()
        self.check_reachable()
        return self.problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    problems = Checker(parser.parse_args().root).run()
    print("\n".join(problems) if problems else "files: in order", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
