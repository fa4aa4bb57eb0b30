"""What the check scripts share: finding the project's files and looking at C++ without its comments."""

import re
from pathlib import Path

CODE_FOLDERS = ("src", "apps", "tests", "bench", "fuzz")
SKIPPED = {".git", "build", ".cache", "__pycache__", ".clangd"}


def files(root: Path, folders, suffixes):
    """Files below root/FOLDER with one of the suffixes, sorted; build output is left out."""
    found = []
    for folder in folders:
        for path in (root / folder).rglob("*"):
            inside = path.relative_to(root).parts
            if path.is_file() and path.suffix in suffixes and not SKIPPED.intersection(inside):
                found.append(path)
    return sorted(found)


_TOKEN = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)
      |(?P<raw>R"(?P<tag>[^(\s]{0,16})\(.*?\)(?P=tag)")
      |(?P<string>"(?:[^"\\\n]|\\.)*")
      |(?P<char>'(?:[^'\\\n]|\\.)+')""",
    re.S | re.X,
)
_DIGIT_SEPARATOR = re.compile(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])")


def code_only(text: str) -> str:
    """C++ text with comments and the insides of literals blanked; line numbers stay right."""

    def blank(match):
        kept = "\n" * match.group(0).count("\n")
        return kept if match.lastgroup in ("line", "block") else '""' + kept

    return _TOKEN.sub(blank, _DIGIT_SEPARATOR.sub("", text))


_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def includes(text: str):
    """(line number, name, is_quoted) of each #include."""
    for match in _INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(2), match.group(1) == '"'
