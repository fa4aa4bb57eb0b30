#!/usr/bin/env python3
"""Writes src/text/unicode_tables.h: what the tokenizers ask about characters, pinned.

Everything is asked, code point by code point, from the `tokenizers` package (Hugging Face), so that a text is cut and
normalised as the models were trained, whatever Unicode version the libraries of this machine carry. Several classes
look alike and are not: the package's regex engine, its Digits, its BERT rules and its normalisers each have their own
tables, of different Unicode versions.

    make_unicode_tables.py           rewrite the header and tests/golden/tokenizer_unicode.json
    make_unicode_tables.py --check   exit with 1 if either differs
"""
import json
import pathlib
import sys
import unicodedata

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "src/text/unicode_tables.h"
GOLDEN = ROOT / "tests/golden/tokenizer_unicode.json"
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
CHUNK = 4096


def members_of_regex(pattern):
    """The code points that `pattern` matches: those that removing its matches takes away."""
    cutter = pre_tokenizers.Split(Regex(pattern), behavior="removed")
    found = []
    for i in range(0, len(CODE_POINTS), CHUNK):
        chunk = CODE_POINTS[i:i + CHUNK]
        kept = set()
        for _, (begin, end) in cutter.pre_tokenize_str("".join(map(chr, chunk))):
            kept.update(range(begin, end))
        found += [c for j, c in enumerate(chunk) if j not in kept]
    return found


def members_of_digits():
    """The code points that Digits cuts out: between two letters each, only they stand alone."""
    cutter = pre_tokenizers.Digits(individual_digits=True)
    found = []
    for i in range(0, len(CODE_POINTS), CHUNK):
        text = "aa" + "aa".join(map(chr, CODE_POINTS[i:i + CHUNK])) + "aa"
        found += [ord(piece) for piece, _ in cutter.pre_tokenize_str(text) if len(piece) == 1]
    return found


def check_byte_level(letters, numbers, spaces):
    """ByteLevel compiles the GPT-2 regex by itself: hold its classes against the probed ones."""
    cutter = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    classes = [("a", letters), ("1", numbers), ("!", set(CODE_POINTS) - letters - numbers - spaces)]
    for c in CODE_POINTS:
        for mate, members in classes:
            joined = len(cutter.pre_tokenize_str(mate + chr(c))) == 1
            if joined != (c in members):
                sys.exit(f"ByteLevel classes U+{c:04X} differently beside {mate!r}")


def dropped_by(normalizer):
    return [c for c in CODE_POINTS if normalizer.normalize_str(chr(c)) == ""]


def members_of_pieces(cutter, n_pieces):
    """Between two letters, the code points that make `n_pieces` pieces."""
    return [c for c in CODE_POINTS if len(cutter.pre_tokenize_str("a" + chr(c) + "a")) == n_pieces]


def members_of_added_word():
    """The code points beside which a single_word token is not found."""
    t = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    t.add_tokens([AddedToken("#", single_word=True, normalized=False)])
    before, after = [], []
    for c in CODE_POINTS:
        if c != ord("#"):
            if 1 not in t.encode(chr(c) + "#").ids:
                before.append(c)
            if 1 not in t.encode("#" + chr(c)).ids:
                after.append(c)
    if before != after:
        sys.exit("single_word sees other words before than after")
    return before


def members_of_stripped():
    """The blanks that an added token with rstrip takes with it."""
    t = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    t.add_tokens([AddedToken("#", rstrip=True, normalized=False)])
    return [c for c in CODE_POINTS if c != ord("#") and len(t.encode("#" + chr(c)).ids) == 1]


def bert(**on):
    off = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    return normalizers.BertNormalizer(**{**off, **on})


def members_not_normalised():
    """Code points that the package's normal forms leave alone and a newer Unicode might not: they are not assigned in
    this Python's version, or it normalises them."""
    nfd, nfkd = normalizers.NFD(), normalizers.NFKD()
    high_mark = "\u0345"  # combining class 240: every lower class moves before it
    found, newer = [], []
    for c in CODE_POINTS:
        ch = chr(c)
        theirs = [nfd.normalize_str(ch), nfkd.normalize_str(ch), nfd.normalize_str("a" + high_mark + ch)]
        ours = [unicodedata.normalize("NFD", ch), unicodedata.normalize("NFKD", ch),
                unicodedata.normalize("NFD", "a" + high_mark + ch)]
        inert = theirs == [ch, ch, "a" + high_mark + ch]
        if inert and (theirs != ours or unicodedata.category(ch) == "Cn"):
            found.append(c)
        elif theirs != ours:
            newer.append(c)
    if newer:
        print(f"normalised in another way by Unicode {unicodedata.unidata_version}: "
              + " ".join(f"U+{c:04X}" for c in newer))
    return found


def lowercase_rows(normalizer):
    """(first, last, stride, difference) of the code points whose lower case is one other code point."""
    rows = []
    for c in CODE_POINTS:
        low = normalizer.normalize_str(chr(c))
        if low == chr(c):
            continue
        if len(low) != 1:
            if c != 0x130:
                sys.exit(f"U+{c:04X} has a lower case of {len(low)} code points")
            continue
        difference = ord(low) - c
        if rows and rows[-1][3] == difference:
            first, last, stride, _ = rows[-1]
            if c - last in (1, 2) and (first == last or c - last == stride):
                rows[-1] = (first, c, c - last, difference)
                continue
        rows.append((c, c, 1, difference))
    return rows


def ranges(members):
    out = []
    for c in members:
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def fnv1a(pairs):
    h = 0xCBF29CE484222325
    for pair in pairs:
        for value in pair:
            for byte in value.to_bytes(4, "little", signed=value < 0):
                h = (h ^ byte) * 0x100000001B3 % 2**64
    return f"{h:016x}"


def table(name, comment, items, kind="CodeRange"):
    lines, line = [], " "
    for item in items:
        item = f" {{{item}}},"
        if len(line) + len(item) > 110:
            lines.append(line)
            line = " "
        line += item
    lines.append(line)
    return f"// {comment}\ninline constexpr {kind} {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


HEAD = """// Generated by scripts/make_unicode_tables.py; do not edit. Classes of characters as sorted, inclusive ranges of
// code points, equal to those of Hugging Face tokenizers {version}. Data table: exempt from the line limit.
#pragma once

#include <cstdint>

namespace kelda::text {{

struct CodeRange {{
  uint32_t lo, hi;
}};
// Every stride-th code point of [lo, hi] has the lower case that lies `difference` further.
struct LowercaseRange {{
  uint32_t lo, hi, stride;
  int32_t difference;
}};

// clang-format off
"""


def main():
    letters, numbers = members_of_regex(r"\p{L}"), members_of_regex(r"\p{N}")
    spaces, numeric = members_of_regex(r"\s"), members_of_digits()
    check_byte_level(set(letters), set(numbers), set(spaces))
    if members_of_stripped() != spaces:
        sys.exit("rstrip takes other blanks than \\s matches")
    if members_of_pieces(pre_tokenizers.WhitespaceSplit(), 2) != spaces:
        sys.exit("WhitespaceSplit cuts at other blanks than \\s matches")
    punctuation = members_of_pieces(pre_tokenizers.BertPreTokenizer(), 3)
    if members_of_pieces(pre_tokenizers.Punctuation(), 3) != punctuation:
        sys.exit("Punctuation and BertPreTokenizer differ")
    if members_of_pieces(pre_tokenizers.BertPreTokenizer(), 2) != spaces:
        sys.exit("BertPreTokenizer cuts at other blanks than \\s matches")
    cleaned = bert(clean_text=True)
    dropped = dropped_by(cleaned)
    if [c for c in CODE_POINTS if cleaned.normalize_str(chr(c)) == " "] != sorted(set(spaces) - set(dropped)):
        sys.exit("clean_text takes other characters for blanks than \\s matches")
    padded = bert(handle_chinese_chars=True)
    added_word = members_of_added_word()
    classes = [
        ("kLetters", r"\p{L}", letters),
        ("kNumbers", r"\p{N}", numbers),
        ("kWhitespace", r"\s", spaces),
        ("kNumeric", "what Digits cuts out", numeric),
        ("kUpper", r"\p{Lu}", members_of_regex(r"\p{Lu}")),
        ("kLower", r"\p{Ll}", members_of_regex(r"\p{Ll}")),
        ("kTitle", r"\p{Lt}", members_of_regex(r"\p{Lt}")),
        ("kModifierLetters", r"\p{Lm}", members_of_regex(r"\p{Lm}")),
        ("kOtherLetters", r"\p{Lo}", members_of_regex(r"\p{Lo}")),
        ("kMarks", r"\p{M}", members_of_regex(r"\p{M}")),
        ("kNonspacing", r"\p{Mn}", members_of_regex(r"\p{Mn}")),
        ("kDecimals", r"\p{Nd}", members_of_regex(r"\d")),
        ("kPunctuation", r"\p{P}", members_of_regex(r"\p{P}")),
        ("kSymbols", r"\p{S}", members_of_regex(r"\p{S}")),
        ("kHan", r"\p{Han}", members_of_regex(r"\p{Han}")),
        ("kWord", r"\w", members_of_regex(r"\w")),
        ("kAddedWord", "the word characters of single_word and of the pre-tokenizer Whitespace", added_word),
        ("kBertPunctuation", "what BertPreTokenizer and Punctuation cut out", punctuation),
        ("kBertDropped", "what clean_text drops", dropped),
        ("kBertChinese", "what handle_chinese_chars puts blanks around",
         [c for c in CODE_POINTS if padded.normalize_str(chr(c)) == f" {chr(c)} "]),
        ("kBertAccents", "what BERT's strip_accents drops after NFD", dropped_by(bert(strip_accents=True))),
        ("kAccents", "what StripAccents drops", dropped_by(normalizers.StripAccents())),
        ("kNotNormalised", "what the normal forms leave alone, though a newer Unicode may not", members_not_normalised()),
    ]
    whitespace_cutter = pre_tokenizers.Whitespace()
    word, space = set(added_word), set(spaces)
    for c in CODE_POINTS:
        n = len(whitespace_cutter.pre_tokenize_str("a" + chr(c) + "a"))
        if n != (1 if c in word else 2 if c in space else 3):
            sys.exit(f"Whitespace sees U+{c:04X} otherwise than single_word")
    if [c for c in CODE_POINTS if bert(lowercase=True).normalize_str(chr(c)) != normalizers.Lowercase().normalize_str(chr(c))]:
        sys.exit("BERT has another lower case")
    lowercase = lowercase_rows(normalizers.Lowercase())
    hexed = lambda pairs: (f"0x{lo:X}, 0x{hi:X}" for lo, hi in pairs)
    header = (
        HEAD.format(version=tokenizers.__version__)
        + "\n".join(table(name, f"{what}: {len(m)} code points", hexed(ranges(m))) for name, what, m in classes)
        + "\n" + table("kLowercase", "lower case, but for U+0130, whose lower case is U+0069 U+0307",
                       (f"0x{a:X}, 0x{b:X}, {s}, {d}" for a, b, s, d in lowercase), "LowercaseRange")
        + "// clang-format on\n\n}  // namespace kelda::text\n"
    )
    golden = {name: {"code_points": len(m), "ranges": len(ranges(m)), "fnv1a": fnv1a(ranges(m))}
              for name, _, m in classes}
    golden_text = json.dumps({"made_by": "scripts/make_unicode_tables.py",
                              "oracle": f"tokenizers {tokenizers.__version__}", "classes": golden,
                              "lowercase": {"ranges": len(lowercase), "fnv1a": fnv1a(lowercase)}}, indent=1) + "\n"
    different = False
    for path, text in ((HEADER, header), (GOLDEN, golden_text)):
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                print(f"{path.relative_to(ROOT)} differs")
                different = True
        else:
            path.write_text(text)
    sys.exit(1 if different else 0)


main()
