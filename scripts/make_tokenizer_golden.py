#!/usr/bin/env python3
"""Makes tests/golden/tokenizer_smollm2.json and tokenizer_utf8.json.

    make_tokenizer_golden.py MODEL.gguf [OUT_DIR]

The first holds our own strings with the ids that Hugging Face `tokenizers` gives for the vocabulary and merges of a
SmolLM2 GGUF file, with special tokens parsed and with them as text. The second holds random bytes as Python decodes
them with errors="replace". Deterministic: the same packages give the same files.
"""
import json
import pathlib
import random
import sys

import gguf
import tokenizers
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

ROOT = pathlib.Path(__file__).resolve().parent.parent
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4


def hugging_face_tokenizer(path):
    """The tokenizer that a byte-level BPE file with the pre-tokenizer "smollm" describes."""
    fields = gguf.GGUFReader(path).fields
    value = lambda key: fields["tokenizer.ggml." + key].contents()
    assert value("model") == "gpt2" and value("pre") == "smollm", "not a SmolLM2 file"
    pieces, types = value("tokens"), value("token_type")
    merges = [tuple(m.split(" ")) for m in value("merges")]
    t = Tokenizer(models.BPE(vocab={p: i for i, p in enumerate(pieces)}, merges=merges))
    t.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.add_special_tokens([AddedToken(p, special=True, normalized=False) for p, k in zip(pieces, types) if k == CONTROL])
    t.add_tokens([AddedToken(p, special=False, normalized=False) for p, k in zip(pieces, types) if k == USER_DEFINED])
    return t


WRITTEN = [
    "", " ", "  ", "   x", "x   ", " x ", "\n", "\n\n", " \n", "\n ", "\t", "\t\tx", "\r\n", "\r\n\r\n x", "\v\f", "\0", "a\0b",
    "The quick brown fox jumps over the lazy dog.", "antidisestablishmentarianism", "Mississippi", "iPhone 15 Pro",
    "it's we're they've I'm you'll he'd 's't're", "IT'S WE'RE", "'s", "''s", "' s", "can't've", "it\u2019s", "o'clock's'",
    "0", "00", "12 345", " 1 2", "a1b2", "1a", "-5", "1.5e-10", "0x1F", "1,234,567.89", "\u0663\u0664", "\u00bd\u00b2\u2167", "\u2460 \u3007", "7 7 7  7",
    "\U00011DE1\U00016FF4x", "x\u00a0y", "x\u2003y", "\u3000", "x\u0085y", "x\u180ey", "x\u200by", "x\ufeffy", "\u2028\u2029", " \u00a0 \u00a0",
    "caf\u00e9", "cafe\u0301", "na\u00efve", "Stra\u00dfe", "\u0130stanbul", "\u212a \u017f", "\ufb01\ufb02", "\u1e9b\u0323", "\u01c5",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!", "\u4f60\u597d\uff0c\u4e16\u754c", "\u3053\u3093\u306b\u3061\u306f", "\uc548\ub155\ud558\uc138\uc694", "\u1112\u1161\u11ab", "\u05e9\u05dc\u05d5\u05dd", "\u0627\u0644\u0633\u0644\u0627\u0645", "\u0928\u092e\u0938\u094d\u0924\u0947", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\u10d2\u10d0\u10db\u10d0\u10e0", "\u1a20\u1a21",
    "\U0001f642", "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\u2764\ufe0f", "\U0001fae8", "a \U0001fae8", "\U00020000\U0003134A", "\U00040000", "\U0010ffff", "\ue000",
    "int main() { return 0; }\n", "def f(x):\n    return x ** 2\n", "if (a && b || !c) {\n\t\tx += 1;\n\t}", "<div class=\"a\">&nbsp;</div>",
    "https://example.org/a?b=c&d=%20#e", "a_b-c.d@e.f", "$100 \u20ac5 \u00a37", "C:\\dir\\file", "#include <x.h>", "--flag=value", "....", "!!!???", "(((", "/* */",
    "\u2014 \u2013 \u2026 \u201cquoted\u201d", "\u2200x\u2208\u211d: x\u00b2\u22650", "\\frac{a}{b}", "{\"k\": [1, 2.0, null]}", "~~~", "`code`", "| a | b |",
    "<|im_start|>system\nYou are terse.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>", "<|im_end|", "<|im_end|><|im_end|>",
    "a<|im_start|>b", " <|im_start|> ", "<|im_<|im_end|>end|>", "<|endoftext|>", "<|ENDOFTEXT|>", "<repo_name>x<file_sep>y<filename>z", "<reponame>", "<gh_stars>100", "<empty_output>", "<jupyter_start><jupyter_text>a<jupyter_code>b",
    "<issue_start><issue_comment>c<issue_closed>", "<<|im_end|>>", "1<|im_end|>2", "'<|im_end|>s", "\n<|im_end|>\n\n", "<jupyter_script", "<|im_start|><|im_start",
    "\u0120the", "\u010a", "\u0100", "\u0143", "\u00c2\u00a0", "\ufffd", "\x04", "a\x04b", "th\x06e", "\x7f", "\x1b[0m", "\x13\x14\x16\x1d", "i\x04n",
]
RUNS = ["a", "ab", " ", "\n", "\t", "=", "-", "7", "\u00e9", "\u4e2d", "\U0001f600", " a", "a ", "\r\n", "!?", "\u00a0", "ha", "'s", "0 "]
ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz", "abc '\n\t ", "aA1 \u00e9\u4e2d\U0001f600.'", " \n\t\r\u00a0\u3000\u2003\u0085\u180e\u200b", "0123456789 \u0661\u00b2\u2167\u2460",
    "'stremvld ", "<|im_start|>end", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "\u0391\u03b1\u0410\u0430\u05d0\u0627\u0905\u3042\uac00\u4e00 ",
    "\u0301\u0308\u200d\ufe0f\U0001f469\U0001f3fda ",
]


def strings():
    yield from WRITTEN
    for unit in RUNS:
        for n in (2, 3, 5, 8, 17):
            yield unit * n
    rng = random.Random(20240229)
    for alphabet in ALPHABETS:
        for _ in range(12):
            yield "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 60)))
    for _ in range(60):  # any code points
        text = ""
        while len(text) < 12:
            c = rng.randrange(1 << rng.randint(7, 20)) if rng.random() < 0.9 else rng.randrange(0x110000)
            if not 0xD800 <= c <= 0xDFFF:
                text += chr(c)
        yield text


def write(path, head, rows):
    body = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    path.write_text(json.dumps(head)[:-1] + ', "rows": [\n' + body + "\n]}\n")


def main():
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "tests/golden"
    t = hugging_face_tokenizer(sys.argv[1])
    rows = []
    for text in dict.fromkeys(strings()):
        t.encode_special_tokens = False
        row = {"text": text, "ids": t.encode(text, add_special_tokens=False).ids}
        t.encode_special_tokens = True
        as_text = t.encode(text, add_special_tokens=False).ids
        if as_text != row["ids"]:
            row["ids_as_text"] = as_text
        rows.append(row)
    write(out / "tokenizer_smollm2.json",
          {"made_by": "scripts/make_tokenizer_golden.py", "oracle": f"tokenizers {tokenizers.__version__}"}, rows)

    rng = random.Random(7)
    pools = [range(256), [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF],
             [0xF0, 0x9F, 0x98, 0x80, 0xE2, 0x82, 0xAC, 0xC3, 0xA9, 0x41]]
    rows = []
    for i in range(600):
        data = bytes(rng.choice(pools[i % 3]) for _ in range(rng.randint(1, 14)))
        rows.append([data.hex(), data.decode("utf-8", "replace")])
    write(out / "tokenizer_utf8.json",
          {"made_by": "scripts/make_tokenizer_golden.py", "oracle": f"Python {sys.version.split()[0]} bytes.decode('utf-8', 'replace')"}, rows)


if __name__ == "__main__":
    main()
