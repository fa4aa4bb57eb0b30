#!/usr/bin/env python3
"""Writes the float32 reference values that tests/engine compares the reference path with.

An independent engine (Hugging Face transformers on PyTorch) loads the GGUF file with every weight dequantised to float32 and
runs each prompt once, then greedily. Needs: pip install torch transformers gguf accelerate sentencepiece.

usage: make_logits_golden.py MODEL.gguf OUT.json
"""
import json
import os
import sys

PROMPTS = [
    ("sky", "The colour of the sky on a clear day is", 24),
    ("list", "apple, pear, plum, cherry,", 16),
    ("code", "#include <stdio.h>\nint main(void) {\n", 32),
    ("scripts", "Grüße aus Köln — добрый день, 你好, 🙂!", 16),
    ("digits", "In 1969 the 3rd stage weighed 119,900 kg and", 16),
    ("one", "I", 8),
    ("licence", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software. " * 24, 24),
]


def main(model_path, out_path):
    import torch
    import transformers
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, name = os.path.split(os.path.abspath(model_path))
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()
    result = {"model": name, "oracle": f"transformers {transformers.__version__}, torch {torch.__version__}", "prompts": []}
    for label, text, n_greedy in PROMPTS:
        ids = tokenizer(text, return_tensors="pt").input_ids
        with torch.no_grad():
            out = model(ids, use_cache=True)
        logprobs = out.logits[0].float().log_softmax(-1)
        n = ids.shape[1]
        top = []
        for pos in sorted(set(range(min(n, 3))) | set(range(max(0, n - 3), n)) | set(range(0, n, 100))):
            values, best = logprobs[pos].topk(10)
            top.append({"pos": pos, "ids": best.tolist(), "logprobs": [round(float(v), 5) for v in values]})
        greedy, gaps, cache, logits = [], [], out.past_key_values, out.logits[0, -1]
        for _ in range(n_greedy):
            values, best = logits.topk(2)
            greedy.append(int(best[0]))
            gaps.append(round(float(values[0] - values[1]), 4))
            with torch.no_grad():
                step = model(torch.tensor([[greedy[-1]]]), past_key_values=cache, use_cache=True)
            cache, logits = step.past_key_values, step.logits[0, -1]
        result["prompts"].append({"name": label, "tokens": ids[0].tolist(), "top": top, "greedy": greedy, "greedy_gap": gaps})
    with open(out_path, "w", encoding="utf-8") as f:
        json.dump(result, f, ensure_ascii=False, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
