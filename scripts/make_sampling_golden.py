#!/usr/bin/env python3
"""Writes tests/golden/sampling_chain.json: what is left after the chain of samplers, and with which probability.

An independent implementation with numpy, in double precision: every case sorts the whole vocabulary. The logits come
from a generator of integers that the test repeats, so they need no space; they are exact in float32 and hold ties.

Usage: make_sampling_golden.py [OUTPUT]
"""
import json
import os
import sys

import numpy as np

CASES = [
    {"seed": 1, "vocab": 1000, "settings": {"top_k": 40}},
    {"seed": 2, "vocab": 1000, "settings": {"top_k": 1}},
    {"seed": 3, "vocab": 5000, "settings": {"top_p": 0.9}},
    {"seed": 4, "vocab": 5000, "settings": {"top_p": 0.999}},
    {"seed": 5, "vocab": 300, "settings": {"top_p": 0.000001}},
    {"seed": 6, "vocab": 1000, "settings": {"min_p": 0.05}},
    {"seed": 7, "vocab": 200, "settings": {}},
    {"seed": 8, "vocab": 200, "settings": {"temperature": 1000}},
    {"seed": 9, "vocab": 300, "settings": {"temperature": 1000, "top_p": 0.5}},
    {"seed": 10, "vocab": 5000, "settings": {"temperature": 0.3, "top_p": 0.999}},
    {"seed": 11, "vocab": 5000, "settings": {"temperature": 1.5, "top_k": 100, "top_p": 0.9, "min_p": 0.02}},
    {"seed": 12, "vocab": 1000, "history": 200, "settings": {"repetition_penalty": 1.3, "top_k": 60}},
    {"seed": 13, "vocab": 1000, "history": 400,
     "settings": {"repetition_penalty": 1.3, "repetition_window": 120, "top_k": 60}},
    {"seed": 14, "vocab": 300, "history": 400,
     "settings": {"frequency_penalty": 0.4, "presence_penalty": -0.3, "top_k": 80}},
    {"seed": 15, "vocab": 5000, "history": 300,
     "settings": {"logit_bias": {"17": 12.5, "18": -100, "2999": 9}, "repetition_penalty": 1.2,
                  "repetition_window": 64, "frequency_penalty": 0.2, "presence_penalty": 0.1, "temperature": 1.2,
                  "top_k": 200, "top_p": 0.95, "min_p": 0.001}},
]


def integers(seed):
    x = seed
    while True:
        x = (x * 1664525 + 1013904223) % 2**32
        yield x >> 16


def make_inputs(case):
    stream = integers(case["seed"])
    logits = np.array([(sum(next(stream) for _ in range(4)) - 131072) / 8192 for _ in range(case["vocab"])])
    ids = [next(stream) % case["vocab"] for _ in range(case.get("history", 0))]
    return logits, ids[: len(ids) // 2], ids[len(ids) // 2:]


def softmax(logits):
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def chain(logits, prompt, generated, settings):
    ids = np.arange(len(logits))
    for token, bias in settings.get("logit_bias", {}).items():
        logits[int(token)] = -np.inf if bias == -100 else logits[int(token)] + bias
    window = settings.get("repetition_window", -1)
    text = prompt + generated
    said = np.unique(text if window < 0 else text[max(0, len(text) - window):]).astype(int)
    penalty = settings.get("repetition_penalty", 1.0)
    logits[said] = np.where(logits[said] > 0, logits[said] / penalty, logits[said] * penalty)
    counts = np.bincount(np.array(generated, dtype=int), minlength=len(logits))
    logits -= settings.get("frequency_penalty", 0.0) * counts + settings.get("presence_penalty", 0.0) * (counts > 0)
    logits /= settings.get("temperature", 1.0)

    order = np.argsort(-logits, kind="stable")  # ties by the lowest id
    ids, logits = ids[order], logits[order]
    possible = np.isfinite(logits)
    ids, logits = ids[possible], logits[possible]
    k = settings.get("top_k", 0)
    if k:
        ids, logits = ids[:k], logits[:k]
    if "top_p" in settings:
        n = int(np.searchsorted(np.cumsum(softmax(logits)), settings["top_p"])) + 1
        ids, logits = ids[:n], logits[:n]
    if "min_p" in settings:
        p = softmax(logits)
        ids, logits = ids[p >= settings["min_p"] * p[0]], logits[p >= settings["min_p"] * p[0]]
    p = softmax(logits)
    order = np.argsort(ids)
    return ids[order].tolist(), p[order].tolist()


def main():
    default = os.path.join(os.path.dirname(__file__), "..", "tests", "golden", "sampling_chain.json")
    path = sys.argv[1] if len(sys.argv) > 1 else default
    rows = []
    for case in CASES:
        logits, prompt, generated = make_inputs(case)
        ids, p = chain(logits, prompt, generated, case["settings"])
        rows.append({**case, "ids": ids, "probabilities": [float(f"{x:.9g}") for x in p]})
        print(f"seed {case['seed']}: {len(ids)} left", file=sys.stderr)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"made_by": "scripts/make_sampling_golden.py", "numpy": "%s", "cases": [\n' % np.__version__)
        file.write(",\n".join(json.dumps(row, separators=(",", ":")) for row in rows))
        file.write("\n]}\n")


if __name__ == "__main__":
    main()
