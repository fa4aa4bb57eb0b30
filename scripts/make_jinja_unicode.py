#!/usr/bin/env python3
"""Writes src/jinja/unicode_tables.h: what Python's str methods know of Unicode and utf8proc does not say.

Usage: make_jinja_unicode.py [OUTPUT]
"""
import os
import sys
import unicodedata


def ranges(wanted):
    out, start = [], None
    for c in range(0x110001):
        inside = c < 0x110000 and wanted(chr(c))
        if inside and start is None:
            start = c
        elif not inside and start is not None:
            out.append((start, c - 1))
            start = None
    return out


def special(method):
    rows = []
    for c in range(0x110000):
        mapped = getattr(chr(c), method)()
        if len(mapped) > 1:
            rows.append((c, mapped))
    return rows


def main():
    default = os.path.join(os.path.dirname(__file__), "..", "src", "jinja", "unicode_tables.h")
    path = sys.argv[1] if len(sys.argv) > 1 else default
    with open(path, "w", encoding="utf-8") as file:
        file.write("// Data table: exempt from the line limit.\n")
        file.write(f"// Made by scripts/make_jinja_unicode.py from Unicode {unicodedata.unidata_version}.\n")
        file.write("#pragma once\n\n#include <cstdint>\n\nnamespace kelda::jinja::tables {\n\n// clang-format off\n")
        file.write("struct Range { uint32_t first, last; };\nstruct Mapping { uint32_t from; uint32_t to[3]; };\n")
        digit = ranges(lambda c: c.isdigit() and not c.isdecimal())
        numeric = ranges(lambda c: c.isnumeric() and unicodedata.category(c) not in ("Nd", "Nl", "No"))
        other_lower = ranges(lambda c: c.islower() and unicodedata.category(c) != "Ll")
        other_upper = ranges(lambda c: c.isupper() and unicodedata.category(c) != "Lu")
        for name, rows in [("kDigit", digit), ("kNumeric", numeric), ("kOtherLower", other_lower),
                           ("kOtherUpper", other_upper)]:
            text = "".join(f"  {{0x{a:X}, 0x{b:X}}},\n" for a, b in rows)
            file.write(f"inline constexpr Range {name}[] = {{\n{text}}};\n")
        for name, method in [("kUpper", "upper"), ("kLower", "lower"), ("kTitle", "title"), ("kFold", "casefold")]:
            rows = "".join("  {0x%X, {%s}},\n" % (c, ", ".join(f"0x{ord(x):X}" for x in to))
                           for c, to in special(method))
            file.write(f"inline constexpr Mapping {name}[] = {{\n{rows}}};\n")
        file.write("// clang-format on\n\n}  // namespace kelda::jinja::tables\n")


if __name__ == "__main__":
    main()
