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
    {"seed": 16, "vocab": 5000, "settings": {"typical_p": 0.3}},
    {"seed": 17, "vocab": 1000, "settings": {"typical_p": 0.95, "top_k": 300}},
    {"seed": 18, "vocab": 5000, "settings": {"top_n_sigma": 2.2}},
    {"seed": 19, "vocab": 1000, "settings": {"xtc_probability": 1, "xtc_threshold": 0.02, "top_k": 200}},
    {"seed": 20, "vocab": 300, "settings": {"temperature": 0.9, "dynatemp_range": 0.5, "dynatemp_exponent": 1.7}},
    {"seed": 21, "vocab": 20, "history": 120, "settings": {"no_repeat_ngram_size": 2}},
    {"seed": 22, "vocab": 30, "history": 200,
     "settings": {"dry_multiplier": 0.7, "dry_base": 1.6, "dry_allowed_length": 1, "dry_sequence_breakers": []}},
    {"seed": 23, "vocab": 300, "history": 400,
     "settings": {"frequency_penalty": 0.4, "presence_penalty": 0.3, "frequency_window": 90, "frequency_prompt": True,
                  "top_k": 80}},
    {"seed": 24, "vocab": 5000, "settings": {"mirostat": 2, "mirostat_tau": 4}},
    {"seed": 25, "vocab": 5000, "settings": {"mirostat": 1, "mirostat_tau": 5}},
    {"seed": 26, "vocab": 1000,
     "settings": {"sampler_order": ["top_p", "min_p", "temperature", "top_k"], "temperature": 1.8, "top_p": 0.9,
                  "min_p": 0.03, "top_k": 60}},
    {"seed": 27, "vocab": 1000, "history": 90,
     "settings": {"profile": "llama.cpp", "repetition_penalty": 1.2, "presence_penalty": 0.4}},
]
ORDER = ["logit_bias", "repetition_penalty", "frequency_presence", "dry", "no_repeat_ngram", "temperature", "top_k",
         "typical_p", "top_p", "min_p", "top_n_sigma", "xtc", "mirostat"]
# What the profile llama.cpp stands for.
LLAMA_CPP = {"temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05, "repetition_window": 64,
             "frequency_window": 64, "frequency_prompt": True,
             "sampler_order": ["logit_bias", "repetition_penalty", "frequency_presence", "dry", "top_n_sigma", "top_k",
                               "typical_p", "top_p", "min_p", "xtc", "temperature"]}


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


class Chain:
    """Ids and logits of what is left, by id; each sampler is a method of its name."""

    def __init__(self, logits, prompt, generated, settings):
        self.s, self.prompt, self.generated, self.vocab = settings, prompt, generated, len(logits)
        self.ids, self.logits = np.arange(len(logits)), logits.copy()

    def get(self, name, off):
        return self.s.get(name, off)

    def window(self, text, size):
        return text if size < 0 else text[max(0, len(text) - size):]

    def keep(self, which):
        self.ids, self.logits = self.ids[which], self.logits[which]

    def best_first(self):
        return np.lexsort((self.ids, -self.logits))

    def keep_prefix(self, order, mass):
        n = int(np.searchsorted(np.cumsum(softmax(self.logits)[order]), mass)) + 1
        self.keep(np.sort(order[:n]))

    def logit_bias(self):
        for token, bias in self.get("logit_bias", {}).items():
            at = self.ids == int(token)
            self.logits[at] = -np.inf if bias == -100 else self.logits[at] + bias
        self.keep(np.isfinite(self.logits))

    def repetition_penalty(self):
        said = np.isin(self.ids, self.window(self.prompt + self.generated, self.get("repetition_window", -1)))
        penalty, x = self.get("repetition_penalty", 1.0), self.logits
        self.logits = np.where(said, np.where(x > 0, x / penalty, x * penalty), x)

    def frequency_presence(self):
        text = (self.prompt if self.get("frequency_prompt", False) else []) + self.generated
        text = self.window(text, self.get("frequency_window", -1))
        counts = np.bincount(np.array(text, dtype=int), minlength=self.vocab)[self.ids]
        self.logits = self.logits - self.get("frequency_penalty", 0.0) * counts
        self.logits = self.logits - self.get("presence_penalty", 0.0) * (counts > 0)

    def dry(self):
        text, longest = self.prompt + self.generated, {}
        for i, token in enumerate(text):
            n = 0
            while n < i and text[i - 1 - n] == text[-1 - n]:
                n += 1
            longest[token] = max(n, longest.get(token, 0))
        for i, token in enumerate(self.ids):
            beyond = longest.get(token, 0) - self.get("dry_allowed_length", 2)
            if beyond >= 0:
                self.logits[i] -= self.get("dry_multiplier", 0.0) * self.get("dry_base", 1.75) ** beyond

    def no_repeat_ngram(self):
        n, text = self.get("no_repeat_ngram_size", 0), self.prompt + self.generated
        if n:
            runs = {tuple(text[i:i + n]) for i in range(len(text) - n + 1)}
            end = tuple(text[len(text) - n + 1:])
            self.keep(np.array([end + (int(i),) not in runs for i in self.ids]))

    def temperature(self):
        t, reach, p = self.get("temperature", 1.0), self.get("dynatemp_range", 0.0), softmax(self.logits)
        if reach:
            entropy = -(p * np.log(p)).sum() / np.log(len(p))
            low = max(0.0, t - reach)
            t = low + (t + reach - low) * entropy ** self.get("dynatemp_exponent", 1.0)
        self.logits = self.logits / t

    def top_k(self):
        if self.get("top_k", 0):
            self.keep(np.sort(self.best_first()[:self.s["top_k"]]))

    def typical_p(self):
        if self.get("typical_p", 1.0) < 1:
            surprise = -np.log(softmax(self.logits))
            distance = np.abs(surprise - (softmax(self.logits) * surprise).sum()).round(9)
            self.keep_prefix(np.lexsort((self.ids, -self.logits, distance)), self.s["typical_p"])

    def top_p(self):
        if "top_p" in self.s:
            self.keep_prefix(self.best_first(), self.s["top_p"])

    def min_p(self):
        p = softmax(self.logits)
        self.keep(p >= self.get("min_p", 0.0) * p.max())

    def top_n_sigma(self):
        if self.get("top_n_sigma", 0.0):
            self.keep(self.logits >= self.logits.max() - self.s["top_n_sigma"] * self.logits.std())

    def xtc(self):
        if self.get("xtc_probability", 0.0):
            n = int((softmax(self.logits) >= self.get("xtc_threshold", 0.1)).sum())
            self.keep(np.sort(self.best_first()[max(0, n - 1):]))

    def mirostat(self):
        """The first draw: mu is twice the target."""
        mu, order = 2 * self.get("mirostat_tau", 5.0), self.best_first()
        p = softmax(self.logits)[order]
        if self.get("mirostat", 0) == 2:
            self.keep(np.sort(order[:max(1, int((-np.log2(p) <= mu).sum()))]))
        if self.get("mirostat", 0) == 1:
            m = min(100, len(p))
            t, b = np.log(np.arange(2, m + 1) / np.arange(1, m)), np.log(p[:m - 1] / p[1:m])
            s = (t * b).sum() / (t * t).sum()
            k = ((s - 1) * 2 ** mu / (1 - self.vocab ** (1 - s))) ** (1 / s)
            self.keep(np.sort(order[:max(1, int(k))]))


def chain(logits, prompt, generated, settings):
    if settings.get("profile") == "llama.cpp":
        settings = {**LLAMA_CPP, **settings}
    left = Chain(logits, prompt, generated, settings)
    for name in settings.get("sampler_order", ORDER):
        getattr(left, name)()
    return left.ids.tolist(), softmax(left.logits).tolist()


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
