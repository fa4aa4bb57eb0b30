"""The tokenizers of tests/golden/tokenizer_tiny.json as seeds of three fuzzers."""
import json
from pathlib import Path

GOLDEN = json.loads((Path(__file__).resolve().parent.parent / "tests/golden/tokenizer_tiny.json").read_text(encoding="utf-8"))


def texts(case, count):
    return [row["text"] for row in case["rows"]][:count]


def cut_down(case, n_merges):
    """The case as a file with few merges and only the pieces that these, one text and the model need."""
    file = json.loads(json.dumps(case["tokenizer"]))
    vocabulary = json.loads(json.dumps(GOLDEN["vocabularies"][case["vocabulary"]]))
    if "merges" in vocabulary:
        vocabulary["merges"] = vocabulary["merges"][:n_merges]
        pairs = [m if isinstance(m, list) else m.split(" ") for m in vocabulary["merges"]]
        used = {p for pair in pairs for p in (*pair, "".join(pair))}
        kept = [p for p in vocabulary["vocab"] if p in used or p.startswith("<") or len(p) == 1 and p in "aeiou\u0120\u2581 "]
        vocabulary["vocab"] = {p: i for i, p in enumerate(kept)}
        for added in file.get("added_tokens", []):
            if added["content"] in vocabulary["vocab"]:
                added["id"] = vocabulary["vocab"][added["content"]]
            else:
                added["id"] = len(vocabulary["vocab"])
                vocabulary["vocab"][added["content"]] = added["id"]
    file["model"].update(vocabulary)
    return file


def of_tokenize():
    for number, case in enumerate(GOLDEN["cases"]):
        for text in texts(case, 12):
            yield bytes([number]) + text.encode()


def of_tokenizer_json():
    for case in GOLDEN["cases"]:
        for n_merges in (3, 12):
            for text in texts(case, 2):
                yield json.dumps(cut_down(case, n_merges), ensure_ascii=False).encode() + b"\0" + text.encode()


def of_vocabulary():
    byte_level = [f"1{chr(97 + i)}{p}" for i, p in enumerate(["h", "e", "l", "o", "\u0120", "he", "ll", "hell", "hello", "\u0120h"])]
    marked = [f"1{chr(97 + i)}{p}" for i, p in enumerate(["\u2581", "t", "h", "e", "\u2581t", "\u2581the", "he", "th", "\u2581\u2581"])]
    words = [f"1a{p}" for p in ["\u2581the", "\u2581don", "'", "\u2581t", "lush", "i", "\u2581\u4f60"]]
    lists = {
        "gpt2\ngpt-2": (byte_level + ["3a<|end|>", "4a<|user|>"], ["h e", "l l", "he ll", "hell o", "\u0120 h"], ["ueos_token_id 10"]),
        "gpt2\nqwen2": (byte_level + ["3a<|im_end|>"], ["h e", "l l"], ["uunknown_token_id 0", "badd_bos_token 1", "ubos_token_id 10"]),
        "gpt2\nllama-bpe": (byte_level, ["h e", "l l", "he ll"], []),
        "llama": (["2a<unk>", "3a<s>", "3a</s>"] + [f"6a<0x{b:02X}>" for b in range(256)] + marked, [],
                  ["ubos_token_id 1", "ueos_token_id 2", "uunknown_token_id 0", "badd_space_prefix 1"]),
        "llama\ndefault": (["2a<unk>", "3a<s>"] + marked, [], ["uunknown_token_id 0", "badd_space_prefix 0", "bremove_extra_whitespaces 1"]),
        "bert": (["3a[PAD]", "2a[UNK]", "3a[CLS]", "3a[SEP]"] + words, [],
                 ["uunknown_token_id 1", "ucls_token_id 2", "useperator_token_id 3", "bnormalizer.lowercase 0"]),
    }
    for kind, (pieces, merges, numbers) in lists.items():
        for text in ["hello hell", " the  don't\u4f60<s>\n", "<|im_end|>h\u00e9llo 123"]:
            yield "\1".join([kind, "\n".join(pieces), "\n".join(merges), "\n".join(numbers), text]).encode()
    # A control token that is the end of a character and a letter.
    yield b"llama\x012a<unk>\n3a\x81t\n" + "\n".join(marked).encode() + b"\1\1uunknown_token_id 0\1the the"
