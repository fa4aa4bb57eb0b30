#!/usr/bin/env python3
"""Compares `kelda tokenize` with Hugging Face `tokenizers` on random strings; exits with 1 where an id differs.

    make_tokenizer_comparison.py [--kelda BINARY] [--count N] [--seed S] MODEL TOKENIZER_JSON

MODEL is what `kelda tokenize` takes: a GGUF file or a tokenizer.json. Half of the strings are sent with special tokens
parsed, half with them as text.
"""
import argparse
import json
import random
import subprocess
import sys

from tokenizers import Tokenizer

POOLS = ["abcdefghijklmnopqrstuvwxyz", "abc '\n\t ", "aA1 \u00e9\u4e2d\U0001f600.'", " \n\t\r\u00a0\u3000\u2003\u0085\u180e\u200b", "0123456789 \u0661\u00b2\u2167\u2460",
         "'stremvld ST", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ a", "\u0391\u03b1\u0410\u0430\u05d0\u0627\u0905\u3042\uac00\u4e00 ", "\u0301\u0308\u0327\u200d\ufe0f\U0001f469\U0001f3da ea\u1112\u1161\u11ab",
         "ab", "a ", "\n ", "\u01c5\u01c6\u023a\u1f88 aZ", "0123", "\r\n a"]


def strings(count, seed, added):
    rng = random.Random(seed)
    inserted = added + [a[:-1] for a in added[:8]] + ["a", " ", "  ", "\n", "1", "\u00e9", "Hello", " the"]
    for _ in range(count):
        kind = rng.random()
        if kind < 0.4:
            pool = rng.choice(POOLS)
            yield "".join(rng.choice(pool) for _ in range(rng.randint(1, 40)))
        elif kind < 0.6:
            points = (rng.randrange(1 << rng.randint(7, 20)) for _ in range(rng.randint(1, 16)))
            yield "".join(chr(c) for c in points if not 0xD800 <= c <= 0xDFFF)
        elif kind < 0.8:
            yield "".join(rng.choice(inserted) for _ in range(rng.randint(1, 8)))
        else:
            yield "".join(rng.choice(rng.choice(POOLS)) for _ in range(rng.randint(1, 40)))


def kelda_ids(args, texts, special):
    lines = "".join(json.dumps(t) + "\n" for t in texts)
    done = subprocess.run([args.kelda, "tokenize", args.model, "--jsonl", "--special", special], input=lines, text=True,
                          capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kelda", default="build/release/bin/kelda")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("model")
    parser.add_argument("tokenizer_json")
    args = parser.parse_args()
    theirs = Tokenizer.from_file(args.tokenizer_json)
    theirs.no_truncation()
    theirs.no_padding()
    added = [t.content for t in theirs.get_added_tokens_decoder().values()][:64]
    n_different = 0
    for special in ("parse", "text"):
        theirs.encode_special_tokens = special == "text"
        texts = list(strings(args.count // 2, f"{args.seed} {special}", added))
        ours = kelda_ids(args, texts, special)
        assert len(ours) == len(texts)
        for text, ids in zip(texts, ours):
            want = theirs.encode(text, add_special_tokens=False).ids
            if ids != want:
                n_different += 1
                if n_different <= 10:
                    print(f"{special} {ascii(text)}\n  kelda  {ids}\n  theirs {want}")
    print(f"{args.count - n_different} of {args.count} equal")
    sys.exit(1 if n_different else 0)


main()
