#!/usr/bin/env python3
"""Makes tests/golden/tokenizer_cuts.json and tests/golden/tokenizer_tiny.json with Hugging Face `tokenizers`.

    make_tokenizer_rules_golden.py [OUT_DIR]

The first holds, for each way of cutting text that GGUF knows by name, the pieces that the package's own pre-tokenizer
makes of some strings. The second holds whole hand-made tokenizers, one for each kind and rule, each as its
tokenizer.json, with strings and the ids that the package gives: special tokens parsed, and as text where that differs.
Deterministic.
"""
import json
import pathlib
import random
import sys

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

ROOT = pathlib.Path(__file__).resolve().parent.parent
P, N, D = pre_tokenizers, normalizers, decoders

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
BYTES = P.ByteLevel(add_prefix_space=False, use_regex=False)
GPT2 = P.ByteLevel(add_prefix_space=False)
CAPITALS, SMALL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
CJK = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"


def splits(*patterns):
    return P.Sequence([P.Split(Regex(p), "isolated") for p in patterns] + [BYTES])


def cl100k(digits):
    return splits(rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{BLANKS}")


def o200k(end, digits):
    word = rf"[^\r\n\p{{L}}\p{{N}}]?{CAPITALS}*{SMALL}+{end}|[^\r\n\p{{L}}\p{{N}}]?{CAPITALS}+{SMALL}*{end}"
    return splits(rf"{word}|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{BLANKS}")


NAMED = {
    "gpt-2": GPT2,
    "smollm": P.Sequence([P.Digits(individual_digits=True), GPT2]),
    "llama-bpe": cl100k(r"\p{N}{1,3}"),
    "qwen2": cl100k(r"\p{N}"),
    "qwen35": splits(rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}"
                     rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{BLANKS}"),
    "gpt-4o": o200k(CONTRACTIONS + "?", r"\p{N}{1,3}"),
    "tekken": o200k("", r"\p{N}"),
    "falcon": P.Sequence([P.Punctuation("contiguous"), GPT2, P.Digits(individual_digits=False),
                          P.Split(Regex("[0-9][0-9][0-9]"), "isolated")]),
    "deepseek-coder": P.Sequence([P.Split(Regex(p), "isolated") for p in ("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK)]
                                 + [P.Digits(individual_digits=True), BYTES]),
    "deepseek-v3": splits(
        r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
        + BLANKS),
}

WRITTEN = [
    "Hello world", " Hello  world ", "it's IT'S we'LL o'clock", "iPhone 15 Pro", "12 345 6789 1234567", "HTMLParser fooBar XMLHttp",
    "a\r\n\r\nb\n \n c", "x = y+1; // c++\tcode", "\u4f60\u597d\uff0c\u4e16\u754c", "\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440!", "e\u0301a\u0308 \u0928\u092e\u0938\u094d\u0924\u0947",
    "\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea", "a \U0001fae8", "\u00bd\u00b2\u2167 \u0661\u0662\u0663", "$5 \u20ac10 a/b//c/", "x\u180ey\u200bz\u00a0w", "'\u017f \u212a", "\u01c5\u01c6\u01c4", "   ", "\t\t", "!!!???",
]
POOLS = ["abcdefghijklmnop", "abc '\n\t ", "aA1 \u00e9\u4e2d\U0001f600.'", " \n\t\r\u00a0\u3000\u0085\u180e", "0123456789 \u0661\u00b2", "'stremvld STX", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ a1",
         "\u0391\u03b1\u0410\u0430\u05d0\u0627\u0905\u3042\uac00\u4e00 \u0301", "\u0301\u0308\u0316\u200d\U0001f469 ea\u1112\u1161\u11ab"]


def strings(seed, count, extra=()):
    rng = random.Random(seed)
    yield from WRITTEN if not extra else rng.sample(WRITTEN, 7)
    for _ in range(count):
        pool = rng.choice(POOLS)
        parts = [rng.choice(pool) for _ in range(rng.randint(1, 24))]
        if extra:
            for _ in range(rng.randint(0, 4)):
                parts.insert(rng.randint(0, len(parts)), rng.choice(extra))
        yield "".join(parts)


def cuts():
    """Pieces as text: those that byte-level pre-tokenizers write in their alphabet are cut by places instead."""
    rows = {}
    for name, pre in NAMED.items():
        rows[name] = []
        for text in dict.fromkeys(strings(name, 40)):
            ends = sorted({end for _, (_, end) in pre.pre_tokenize_str(text)})
            begins = [0] + ends[:-1]
            whole = all(b == a for a, b in zip(ends, [x for _, (x, _) in pre.pre_tokenize_str(text)][1:]))
            if whole:  # Falcon can cut within a character, which places cannot tell
                rows[name].append([text, [text[b:e] for b, e in zip(begins, ends)]])
    return rows


def merged(words, rounds=60):
    """Merges learned from a few words: the most frequent pair, again and again."""
    words = [list(w) for w in words]
    merges = []
    for _ in range(rounds):
        pairs = {}
        for w in words:
            for pair in zip(w, w[1:]):
                pairs[pair] = pairs.get(pair, 0) + 1
        if not pairs:
            break
        best = max(sorted(pairs), key=pairs.get)
        merges.append(best)
        for w in words:
            i = 0
            while i + 1 < len(w):
                if (w[i], w[i + 1]) == best:
                    w[i:i + 2] = ["".join(best)]
                i += 1
    return merges


CORPUS = "the cat sat on the mat and the hat was hello hello world we're it's 'tis 1234 12 aaaa aaaaaaaa \u00e9t\u00e9 \u4e2d\u6587".split()


def vocabulary(characters, merges, extra=()):
    pieces = list(dict.fromkeys(list(extra) + list(characters) + ["".join(m) for m in merges]))
    return {p: i for i, p in enumerate(pieces)}


def byte_alphabet():
    return sorted(P.ByteLevel.alphabet())


def written_bytes(word):
    return P.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(word)[0][0]


def byte_bpe(pre=GPT2, without="", **options):
    merges = merged([written_bytes(w) for w in CORPUS] + [written_bytes(" " + w) for w in CORPUS])
    letters = [c for c in byte_alphabet() if c not in without]
    merges = [m for m in merges if not set("".join(m)) & set(without)]
    t = Tokenizer(models.BPE(vocab=vocabulary(letters, merges, ["<unk>"]), merges=merges, **options))
    t.pre_tokenizer = pre
    t.decoder = D.ByteLevel()
    return t


def marked_bpe(byte_fallback=True, **options):
    merges = merged(["\u2581" + w for w in CORPUS] + ["\u2581\u2581", "\u2581\u2581\u2581\u2581"])
    tokens = ["<unk>", "<s>", "</s>"] + ([f"<0x{b:02X}>" for b in range(256)] if byte_fallback else [])
    letters = sorted(set("".join(CORPUS) + "\u2581.,!?"))
    return Tokenizer(models.BPE(vocab=vocabulary(letters, merges, tokens), merges=merges, unk_token="<unk>", fuse_unk=True,
                                byte_fallback=byte_fallback, **options))


def spm_decoder(strip):
    steps = [D.Replace("\u2581", " "), D.ByteFallback(), D.Fuse()]
    return D.Sequence(steps + ([D.Strip(" ", 1, 0)] if strip else []))


def wordpiece(**normal):
    merges = merged([w.lower() for w in CORPUS])
    begins = sorted(set("".join(CORPUS).lower())) + ["".join(m) for m in merges] + list(".,!?'-")
    pieces = ["[UNK]", "[CLS]", "[SEP]"] + begins + ["##" + p for p in begins[:-6]]
    t = Tokenizer(models.WordPiece(vocab={p: i for i, p in enumerate(dict.fromkeys(pieces))}, unk_token="[UNK]",
                                   max_input_chars_per_word=20))
    t.normalizer = N.BertNormalizer(**normal)
    t.pre_tokenizer = P.BertPreTokenizer()
    t.decoder = D.WordPiece()
    t.add_special_tokens([AddedToken(p, special=True, normalized=False) for p in ("[UNK]", "[CLS]", "[SEP]")])
    return t


def special(t, *texts, **flags):
    t.add_special_tokens([AddedToken(x, special=True, normalized=False, **flags) for x in texts])
    return t


def with_parts(t, normalizer=None, pre=None, decoder=None, added=()):
    if normalizer is not None:
        t.normalizer = normalizer
    if pre is not None:
        t.pre_tokenizer = pre
    if decoder is not None:
        t.decoder = decoder
    if added:
        t.add_tokens(list(added))
    return t


def tiny():
    user = lambda text, **f: AddedToken(text, special=False, **{"normalized": False, **f})
    yield "byte-level", special(byte_bpe(), "<|user|>", "<|end|>")
    yield "byte-level, NFC, a Split", special(with_parts(byte_bpe(cl100k(r"\p{N}{1,3}")), N.NFC()), "<|user|>")
    yield "byte-level, a blank before", byte_bpe(P.ByteLevel(add_prefix_space=True))
    yield "byte-level, whole pieces first", byte_bpe(ignore_merges=True)
    yield "byte-level in the middle", byte_bpe(NAMED["falcon"])
    yield "byte-level, bytes missing", byte_bpe(without="xyz!")
    yield "byte-level, bytes unknown", byte_bpe(without="xyz!", unk_token="<unk>")
    yield "byte-level, bytes unknown as one", byte_bpe(without="xyz!", unk_token="<unk>", fuse_unk=True)
    for flag in ("lstrip", "rstrip", "single_word"):
        yield f"a special token with {flag}", special(byte_bpe(), "<|user|>", **{flag: True})
        yield f"an added token with {flag}", with_parts(byte_bpe(), added=[user("hat", **{flag: True})])
    yield "an added token in normalised text", with_parts(byte_bpe(), N.Lowercase(), added=[user("Hello", normalized=True)])
    yield "added tokens, the longest first", with_parts(byte_bpe(), added=[user("<a"), user("<a><b"), user("\n\n"), user("\n\n\n")])
    yield "BOS and EOS by a template", template()
    legacy = N.Sequence([N.Prepend("\u2581"), N.Replace(" ", "\u2581")])
    yield "marks, a blank before each text", special(with_parts(marked_bpe(), legacy, decoder=spm_decoder(True)), "<s>", "</s>")
    yield "marks, no blank before", special(with_parts(marked_bpe(), N.Replace(" ", "\u2581"), P.Split(" ", "merged_with_previous"),
                                                      spm_decoder(False), added=[user("\n\n"), user("<b>")]), "<s>", "</s>")
    yield "marks, no bytes", with_parts(marked_bpe(False), legacy, decoder=spm_decoder(True))
    for scheme in ("first", "always", "never"):
        yield f"Metaspace, {scheme}", special(with_parts(marked_bpe(), pre=P.Metaspace(prepend_scheme=scheme),
                                                        decoder=spm_decoder(scheme != "never")), "<s>")
    yield "Metaspace, not split", with_parts(marked_bpe(), pre=P.Metaspace(split=False), decoder=spm_decoder(True))
    yield "WordPiece", wordpiece()
    yield "WordPiece, cased", wordpiece(lowercase=False)
    yield "WordPiece, accents kept", wordpiece(strip_accents=False, handle_chinese_chars=False)
    for name, normal in (("NFD", N.NFD()), ("NFKC", N.NFKC()), ("NFKD", N.NFKD()), ("StripAccents", N.Sequence([N.NFD(), N.StripAccents()])),
                         ("Strip", N.Strip()), ("Replace by pattern", N.Replace(Regex(r"\s+"), " ")), ("Lowercase", N.Lowercase())):
        yield f"normalizer {name}", with_parts(byte_bpe(), normal)
    for behavior in ("isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"):
        for invert in (False, True):
            pre = P.Sequence([P.Split(Regex(r"[\s.']"), behavior, invert), BYTES])
            yield f"Split {behavior}{', inverted' if invert else ''}", byte_bpe(pre)
    for name, pre in (("Whitespace", P.Whitespace()), ("WhitespaceSplit", P.WhitespaceSplit()), ("Punctuation", P.Punctuation()),
                      ("Digits", P.Digits(individual_digits=False)), ("CharDelimiterSplit", P.CharDelimiterSplit("a")),
                      ("a pattern that matches nothing", P.Split(Regex(r"(?=[A-Z])"), "isolated")),
                      ("words and their borders", P.Split(Regex(r"\b\w+\b|\d+"), "isolated")),
                      ("ends of lines", P.Split(Regex(r"^\s+|\s+$"), "isolated"))):
        yield f"pre-tokenizer {name}", byte_bpe(P.Sequence([pre, BYTES]))


def template():
    t = special(byte_bpe(), "<s>", "</s>")
    ids = [(x, t.token_to_id(x)) for x in ("<s>", "</s>")]
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ids)
    return t


def tiny_case(name, t):
    added = [x.content for x in t.get_added_tokens_decoder().values()]
    extra = added + [a[:-1] for a in added] + [" ", "  ", "\n", "x", "hello", "the cat", "hat"]
    rows = []
    for text in dict.fromkeys(list(strings(name, 14, extra)) + [" <|user|> Hello", "x<|user|>Hello", "<|user|>\n\n Hello", "the hats, hat", "Hello hELLO"]):
        t.encode_special_tokens = False
        ids = t.encode(text, add_special_tokens=False).ids
        row = {"text": text, "ids": ids}
        framed = t.encode(text, add_special_tokens=True).ids
        if framed != ids:
            row["prompt"] = framed
        t.encode_special_tokens = True
        as_text = t.encode(text, add_special_tokens=False).ids
        if as_text != ids:
            row["ids_as_text"] = as_text
        if not any(x.normalized for x in t.get_added_tokens_decoder().values()):
            row["decoded"] = t.decode(ids, skip_special_tokens=True)  # else it writes the token as it was looked for
        rows.append(row)
    t.encode_special_tokens = False
    return {"name": name, "tokenizer": json.loads(t.to_str()), "rows": rows}


def without_vocabularies(cases):
    """Moves `vocab` and `merges`, which many cases share, into a list; a case has their number."""
    shared = []
    for case in cases:
        model = case["tokenizer"]["model"]
        lists = {key: model.pop(key) for key in ("vocab", "merges") if key in model}
        if lists not in shared:
            shared.append(lists)
        case["vocabulary"] = shared.index(lists)
    return shared


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/golden"
    head = {"made_by": "scripts/make_tokenizer_rules_golden.py", "oracle": f"tokenizers {tokenizers.__version__}"}

    def write(name, key, items):
        body = ",\n".join(json.dumps(x, separators=(",", ":")) for x in items)
        (out / name).write_text(json.dumps(head, separators=(",", ":"))[:-1] + f', "{key}": [\n{body}\n]}}\n')

    cases = [tiny_case(name, t) for name, t in tiny()]
    vocabularies = without_vocabularies(cases)
    write("tokenizer_cuts.json", "rows", [{"pre": name, "cuts": rows} for name, rows in cuts().items()])
    head["vocabularies"] = vocabularies
    write("tokenizer_tiny.json", "cases", cases)


if __name__ == "__main__":
    main()
