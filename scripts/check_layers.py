#!/usr/bin/env python3
"""Holds every #include against the layers that src/CMakeLists.txt declares, and checks the invariants of
ARCHITECTURE.md that can be read off the text: what kernels may use, who may include whom, who may print.

    scripts/check_layers.py [--root DIR]
"""

import argparse
import re
import sys
from pathlib import Path

from source_text import code_only, files, includes

SUFFIXES = {".h", ".cpp"}

# Edges that must never be declared, whatever src/CMakeLists.txt says, and why.
NEVER = {
    ("kernels", "ops"): "kernels know no threads and no views",
    ("kernels", "state"): "kernels see pointers and counts",
    ("learned", "state"): "STATE is never reachable from LEARNED",
    ("state", "learned"): "STATE does not own what was learned",
    ("quant", "files"): "a weight format does not know containers",
    ("sampling", "models"): "samplers see logits",
    ("models", "engine"): "a network does not know who batches it",
    ("models", "text"): "a network sees ids",
    ("ops", "config"): "an operation gets numbers, not the model's description",
}

THREAD_HEADERS = {"thread", "mutex", "shared_mutex", "atomic", "future", "condition_variable", "semaphore", "barrier",
                  "latch", "stop_token"}
# A function of these headers that the compiler does not inline is a weak symbol, and could carry an instruction set
# into portable code: docs/adr/0004-isa-dispatch.md.
ISA_FOLDERS = ("avx2", "avx512", "neon")
ISA_SYSTEM_HEADERS = {"immintrin.h", "float.h", "math.h", "stddef.h", "stdint.h", "string.h", "cstddef", "cstdint", "cstring", "span", "string_view", "type_traits", "utility",
                      "array"}
ISA_LAYERS = {"kernels", "quant", "tensor", "base"}

# What each C library rounds in its own way. sqrt, fma and rounding to integers are the same in all of them.
LIBM_NAMES = ("(?:a?(?:sin|cos|tan)h?|atan2|sincos|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|erfc?|[lt]gamma|"
              "lgamma_r)[fl]?")
LIBM_QUALIFIED = re.compile(rf"(?:\bstd::|(?<![\w:>])::|\b__builtin_)({LIBM_NAMES})\b")
LIBM_BARE = re.compile(rf"(?<![\w:.>~])({LIBM_NAMES})\s*\(")
# What follows that parenthesis where a function of our own with such a name is declared: nothing, or a type and a name.
NO_PARAMETER = re.compile(r"\s*\)")
PARAMETER = re.compile(r"\s*(?:const\s+)?[\w:]+[*&]*\s+\w+\s*[,)]")
EQUAL_BITS_LAYERS = {"kernels", "ops", "models", "sampling"}
# An oracle is written with other means than what it judges.
MAY_USE_LIBM = {"sampling/textbook.cpp"}
OUTPUT = re.compile(r"\bstd::(cout|cerr|clog)\b|\bfmt::print\b|(?<![\w:>.])(?:std::)?(printf|fprintf|puts|exit|_exit|abort|quick_exit)\s*\(")
MAY_ABORT = {"base/check.cpp"}
# The headers of src/files that others may include: what a model file holds, not how it is laid out.
OPEN_FILES = {"files/fingerprint.h", "files/gguf_parts.h", "files/gguf_writer.h", "files/model_file.h", "files/safetensors.h"}
GGUF_MAGIC = re.compile(r"0x46554747|0x47475546", re.I)


def parse_catalogues(text: str) -> list[str]:
    """The folders of the kelda_catalog() lines, as seen from src/."""
    return ["/".join(match) for match in re.findall(r"^kelda_catalog\((\S+)\s+(\S+)", text, re.M)]


def libm_calls(code: str):
    """(line number, name) of what a file uses of libm. A bare name counts unless the file declares it itself."""
    own = {m[1] for m in LIBM_BARE.finditer(code) if PARAMETER.match(code, m.end())}
    bare = [m for m in LIBM_BARE.finditer(code) if m[1] not in own and not NO_PARAMETER.match(code, m.end())]
    for match in [*LIBM_QUALIFIED.finditer(code), *bare]:
        yield code.count("\n", 0, match.start()) + 1, match[1]


def parse_layers(text: str, complain) -> dict[str, list[str]]:
    """The kelda_layer() lines: name to DEPENDS, in order."""
    layers: dict[str, list[str]] = {}
    without_comments = re.sub(r"#[^\n]*", "", text)
    for match in re.finditer(r"kelda_layer\(([^)]*)\)", without_comments):
        words = match.group(1).split()
        name, depends, section = words[0], [], None
        for word in words[1:]:
            if word in ("DEPENDS", "LINK"):
                section = word
            elif section == "DEPENDS":
                depends.append(word)
        for other in depends:
            if other not in layers:
                complain(f"src/CMakeLists.txt: layer {name} depends on {other}, which is not declared before it")
            if (name, other) in NEVER:
                complain(f"src/CMakeLists.txt: layer {name} must not depend on {other}: {NEVER[name, other]}")
        layers[name] = depends
    if not layers:
        complain("src/CMakeLists.txt: no kelda_layer() line")
    return layers


class Checker:
    def __init__(self, root: Path):
        self.root = root
        self.problems: list[str] = []
        declared = (root / "src/CMakeLists.txt").read_text()
        self.layers = parse_layers(declared, self.problems.append)
        self.catalogues = parse_catalogues(declared)

    def complain(self, where: str, line: int, what: str):
        self.problems.append(f"{where}:{line}: {what}")

    def check_layer_file(self, path: Path):
        where = path.relative_to(self.root).as_posix()
        inside = path.relative_to(self.root / "src")
        layer = inside.parts[0]
        if layer not in self.layers:
            self.complain(where, 1, f"src/{layer} is not a layer of src/CMakeLists.txt")
            return
        text = path.read_text()
        allowed = {layer, *self.layers[layer]}
        for line, name, quoted in includes(text):
            first = name.split("/")[0]
            if quoted and "/" not in name:
                self.complain(where, line, f'"{name}" must be written from src/, so that it names its layer')
            elif quoted and first not in self.layers:
                self.complain(where, line, f'"{name}" names no layer; system headers are written <…>')
            elif quoted and first not in allowed:
                self.complain(where, line, f"layer {layer} may not include {name} (DEPENDS {' '.join(self.layers[layer])})")
            elif not quoted and first in self.layers and "/" in name:
                self.complain(where, line, f'<{name}> is ours and is written "{name}"')
            if layer != "files":
                self.check_files_header(where, line, name)
            self.check_catalogue(where, line, inside.as_posix(), name)
        self.check_code(where, inside, text)
        if layer == "kernels":
            self.check_kernel(where, inside, text)

    def check_files_header(self, where, line, name):
        if name.startswith("files/") and name not in OPEN_FILES:
            self.complain(where, line, f"{name} is internal to src/files; open are {', '.join(sorted(OPEN_FILES))}")

    def check_catalogue(self, where, line, inside, name):
        for folder in self.catalogues:
            if inside.startswith(folder + "/") and name.startswith(folder + "/"):
                self.complain(where, line, f"files of {folder} do not include each other; share through the folder above")

    def check_code(self, where: str, inside: Path, text: str):
        layer = inside.parts[0]
        if layer in EQUAL_BITS_LAYERS and inside.as_posix() not in MAY_USE_LIBM:
            for line, name in libm_calls(code_only(text)):
                self.complain(where, line, f"{name}() differs between C libraries; base/math.h has ours")
        for line, code in enumerate(code_only(text).split("\n"), 1):
            found = OUTPUT.search(code)
            if found and inside.as_posix() not in MAY_ABORT:
                self.complain(where, line, f"the library neither prints nor exits: {found.group(0).strip()}")
            if layer != "files" and GGUF_MAGIC.search(code):
                self.complain(where, line, "only src/files knows how GGUF is laid out")

    def check_kernel(self, where: str, inside: Path, text: str):
        isa = inside.parts[1] in ISA_FOLDERS and inside.suffix == ".cpp"
        for line, name, quoted in includes(text):
            if name in THREAD_HEADERS or name == "base/thread_pool.h":
                self.complain(where, line, f"kernels know no threads: {name}")
            if isa and not quoted and name not in ISA_SYSTEM_HEADERS:
                self.complain(where, line, f"<{name}> in an instruction set's file; allowed: {', '.join(sorted(ISA_SYSTEM_HEADERS))}")
            if isa and quoted and name.split("/")[0] not in ISA_LAYERS:
                self.complain(where, line, f"{name} in an instruction set's file; allowed layers: {', '.join(sorted(ISA_LAYERS))}")
        for line, code in enumerate(code_only(text).split("\n"), 1):
            if re.search(r"\bthrow\b|\bnew\b|\bfail\(", code):
                self.complain(where, line, "kernels neither throw nor allocate")

    def check_outside(self):
        for path in files(self.root, ["apps"], SUFFIXES):
            where = path.relative_to(self.root).as_posix()
            for line, name, quoted in includes(path.read_text()):
                first = name.split("/")[0]
                if quoted and first not in self.layers and first != "apps":
                    self.complain(where, line, f'"{name}": apps include the layers of src/ and apps/, written from the root')
                self.check_files_header(where, line, name)
                if name.startswith("apps/kelda/commands/") and where.startswith("apps/kelda/commands/"):
                    self.complain(where, line, "commands do not include each other")

    def run(self) -> list[str]:
        for path in files(self.root, ["src"], SUFFIXES):
            self.check_layer_file(path)
        self.check_outside()
        return self.problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    problems = Checker(parser.parse_args().root).run()
    print("\n".join(problems) if problems else "layers: as declared", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
