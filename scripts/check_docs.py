#!/usr/bin/env python3
"""Keeps the documents true: every path in back-ticks exists, every relative link and its heading resolve, the commands of
README.md and CONTRIBUTING.md can be run, documents and scripts that comments refer to exist, docs/reference/environment.md
lists the environment variables that the sources read, and generated pages are what the binary writes today.

    scripts/check_docs.py [--root DIR] [--binary KELDA]

Back-ticked paths may hold <placeholders>, NAME, FORMAT, LAYER, * and {alternatives}; they are looked up from the root, from src/ and from
the document's own folder. What a command makes (build/…) is not looked up.
"""

import argparse
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

from source_text import CODE_FOLDERS, SKIPPED, files

CODE_ENDINGS = (".h", ".cpp", ".py", ".sh", ".md", ".cmake", ".txt")
FENCE = re.compile(r"^(```|~~~)")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"(?<!\!)\[[^\]\n]*\]\(([^)\s]+)\)")
PATH = re.compile(r"[\w.@<*{-][\w./<>*{},@+-]*")
MADE = ("build/", ".cache/")
ENVIRONMENT = "docs/reference/environment.md"  # written by hand, unlike the other pages of that folder
GETENV = re.compile(r"\bgetenv\(\s*([^()]*?)\s*\)")
LISTED = re.compile(r"^\| `(\w+)` \|")
NAMED_IN_CODE = re.compile(r"(?<![\w/.-])(docs/(?:[\w.-]+/)*[\w.-]*[a-z][\w.-]*\.md|scripts/[\w./-]+\.(?:py|sh))\b")


def split_fences(text: str):
    """(prose lines, fenced lines), each as (number, line)."""
    prose, fenced, inside = [], [], False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line.strip()):
            inside = not inside
        else:
            (fenced if inside else prose).append((number, line))
    return prose, fenced


def alternatives(pattern: str) -> list[str]:
    """a/{b,c}.h → a/b.h, a/c.h"""
    parts = re.split(r"\{([^{}]*)\}", pattern)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def anchor(heading: str) -> str:
    plain = re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", lambda m: m.group(1) or "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


class Checker:
    def __init__(self, root: Path, binary: Path | None = None):
        self.root = root
        self.binary = binary
        self.problems: list[str] = []
        self.known = {p.name for p in root.iterdir()} if root.exists() else set()
        if (root / "src").exists():
            self.known |= {p.name for p in (root / "src").iterdir() if p.is_dir()}

    def documents(self):
        for path in sorted(self.root.rglob("*.md")):
            if not SKIPPED.intersection(path.relative_to(self.root).parts):
                yield path

    def complain(self, path: Path, line: int, what: str):
        self.problems.append(f"{path.relative_to(self.root).as_posix()}:{line}: {what}")

    def is_path(self, span: str) -> bool:
        """Whether a back-ticked span claims that a file or folder exists."""
        if not PATH.fullmatch(span) or span.startswith(MADE) or "//" in span or "<<" in span:
            return False
        if "/" in span:
            return span.split("/")[0] in self.known or span.rstrip("*").endswith(CODE_ENDINGS)
        return span in self.known and "." in span or (span.endswith((".md", ".sh")) and "<" not in span)

    def exists(self, span: str, document: Path) -> bool:
        pattern = re.sub(r"<[^<>]*>|NAME|FORMAT|LAYER", "*", span).rstrip("/")
        for name in alternatives(pattern):
            places = (self.root, self.root / "src", document.parent)
            if not any(self.matches(place, name) for place in places):
                return False
        return True

    @staticmethod
    def matches(place: Path, name: str) -> bool:
        if "*" in name:
            return any(True for _ in place.glob(name))
        return (place / name).exists()

    def check_prose(self, path: Path, prose):
        for number, line in prose:
            for span in SPAN.findall(line):
                if self.is_path(span) and not self.exists(span, path):
                    self.complain(path, number, f"`{span}` does not exist")
            for target in LINK.findall(re.sub(SPAN, "", line)):
                self.check_link(path, number, target)

    def check_link(self, path: Path, number: int, target: str):
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            return
        name, _, heading = target.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists():
            self.complain(path, number, f"link to {target}: no such file")
        elif heading and file.suffix == ".md" and heading not in self.anchors(file):
            self.complain(path, number, f"link to {target}: no such heading")

    @staticmethod
    def anchors(file: Path) -> set[str]:
        prose, _ = split_fences(file.read_text(encoding="utf-8"))
        return {anchor(line.lstrip("#")) for _, line in prose if re.match(r"#{1,6} ", line)}

    def check_commands(self, path: Path, fenced):
        makefile = self.root / "Makefile"
        targets = set(re.findall(r"^([\w-]+):", makefile.read_text(), re.M)) if makefile.exists() else set()
        commands = {p.stem.removesuffix("_command") for p in (self.root / "apps/kelda/commands").glob("*.cpp")}
        presets = self.presets()
        for number, line in fenced:
            words = line.strip().removeprefix("$ ").split()
            if not words:
                continue
            if words[0] == "make":
                named = [w for w in words[1:] if re.fullmatch(r"[\w-]+", w) and not w.startswith("-")][:1]
                if named and named[0] not in targets:
                    self.complain(path, number, f"make {named[0]}: the Makefile has no such target")
            elif re.fullmatch(r"(\./)?[\w.]+/[\w./-]+", words[0]) and not words[0].removeprefix("./").startswith(MADE):
                if not (self.root / words[0]).exists():
                    self.complain(path, number, f"{words[0]} does not exist")
            elif words[0] == "cmake" and "--preset" in words[:-1]:
                if (preset := words[words.index("--preset") + 1]) not in presets:
                    self.complain(path, number, f"CMakePresets.json has no preset {preset}")
            elif words[0].split("/")[-1] == "kelda":
                if len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]) and words[1] not in commands:
                    self.complain(path, number, f"kelda {words[1]}: no file in apps/kelda/commands")

    def check_comments(self):
        for path in files(self.root, (*CODE_FOLDERS, "cmake", "scripts"), {".h", ".cpp", ".cmake", ".txt", ".sh"}):
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                for name in NAMED_IN_CODE.findall(line):
                    if not (self.root / name).exists():
                        self.complain(path, number, f"{name} does not exist")

    def check_environment(self):
        """The first table of the page and the sources name the same variables."""
        page, listed, read = self.root / ENVIRONMENT, {}, {}
        for path in files(self.root, ("src", "apps"), {".h", ".cpp"}):
            text = path.read_text(encoding="utf-8")
            for call in GETENV.finditer(text):
                number = text.count("\n", 0, call.start()) + 1
                if name := re.fullmatch(r'"(\w+)"', call[1]):
                    read.setdefault(name[1], (path, number))
                else:
                    self.complain(path, number, "getenv of a name that is not written out")
        if page.exists():
            first_table = page.read_text(encoding="utf-8").split("\n## ")[0]
            listed = {row[1]: n for n, line in enumerate(first_table.split("\n"), 1) if (row := LISTED.match(line))}
        for name in sorted(read.keys() - listed.keys()):
            self.complain(*read[name], f"{name}: {ENVIRONMENT} does not list it")
        for name in sorted(listed.keys() - read.keys()):
            self.complain(page, listed[name], f"{name}: no source reads it")

    def presets(self) -> set[str]:
        path = self.root / "CMakePresets.json"
        if not path.exists():
            return set()
        return {p["name"] for p in json.loads(path.read_text())["configurePresets"]}

    def check_generated(self):
        """docs/reference/X.md is what `kelda docs X` writes."""
        for path in sorted((self.root / "docs/reference").glob("*.md")):
            if path == self.root / ENVIRONMENT:
                continue
            made = subprocess.run([self.binary, "docs", path.stem], capture_output=True, text=True, timeout=60)
            if made.returncode != 0:
                self.complain(path, 1, f"kelda docs {path.stem} failed: {made.stderr.strip()}")
            elif made.stdout != path.read_text(encoding="utf-8"):
                self.complain(path, 1, f"not fresh; run: {self.binary.name} docs {path.stem} > docs/reference/{path.name}")

    def run(self) -> list[str]:
        for path in self.documents():
            prose, fenced = split_fences(path.read_text(encoding="utf-8"))
            self.check_prose(path, prose)
            if path.name in ("README.md", "CONTRIBUTING.md"):
                self.check_commands(path, fenced)
        self.check_comments()
        self.check_environment()
        if self.binary:
            self.check_generated()
        return self.problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--binary", type=Path, help="the kelda program, to check the generated pages")
    arguments = parser.parse_args()
    problems = Checker(arguments.root, arguments.binary).run()
    print("\n".join(problems) if problems else "documents: true", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
