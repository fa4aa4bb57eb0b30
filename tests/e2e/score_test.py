#!/usr/bin/env python3
"""kelda score: lines of contexts and continuations in, how likely they are out."""

import json
import math
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import (  # noqa: E402
    BINARY, CAPITAL, CAPITAL_FIRST_LOGPROB, CAPITAL_IDS, CAPITAL_PROMPT_IDS, CAPITAL_TEXT, PATIENCE_S, TINY_VOCAB_SIZE,
    TINY_WINDOW, KeldaCase, environment, main, tiny_encoder, tiny_model)


class ScoreCase(KeldaCase):
    def lines(self, *items):
        return self.write("items.jsonl", "".join(json.dumps(i) + "\n" for i in items))

    def score(self, model, *items, arguments=()):
        out = self.works("score", model, self.lines(*items), "-q", *arguments).out
        return [json.loads(line) for line in out.splitlines()]

    def tiny(self, *items, **options):
        return self.score(tiny_model(), *items, **options)

    def faulty(self, line, *says, arguments=()):
        """Refused with the number of the line, before anything is scored."""
        path = self.write("items.jsonl", b'{"context": "a", "continuation": "b"}\n\n' + line + b"\n")
        self.refused("score", tiny_model(), path, *arguments, says=("items.jsonl", "line 3", *says))


class Output(ScoreCase):
    def test_what_is_read_is_not_written_over(self):
        model = self.write("model.gguf", tiny_model().read_bytes())
        items = self.lines({"context": "a", "continuation": "b"})
        symbolic, hard = self.folder / "symbolic", self.folder / "hard"
        symbolic.symlink_to(items)
        hard.hardlink_to(items)
        before = items.read_bytes()
        for out in (items, symbolic, hard, self.folder / "." / "items.jsonl"):
            with self.subTest(out=out):
                self.refused("score", model, items, "--out", out, says=("--out", out.name, "a file that is read"))
        with open(items, "rb") as stdin:
            done = subprocess.run([BINARY, "score", model, "-", "--out", items], stdin=stdin, capture_output=True, env=environment(),
                                  timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"a file that is read", done.stderr)
        self.refused("score", model, items, "--out", model, says="a file of the model")
        self.assertEqual((items.read_bytes(), model.read_bytes()), (before, tiny_model().read_bytes()))
        out = self.write("out.jsonl", "old")
        self.works("score", model, items, "--out", out, "-q")
        self.assertEqual(json.loads(out.read_text())["line"], 1)


class Scores(ScoreCase):
    def test_of_the_real_model(self):
        (line,) = self.score(self.model(), {"id": 7, "context": CAPITAL, "continuations": [" Rome", " Paris", CAPITAL_TEXT]})
        rome, paris, long = line["scores"]
        self.assertEqual((line["line"], line["id"], line["context_tokens"], line["best"]), (1, 7, 5, 1))
        self.assertAlmostEqual(paris["sum_logprob"], CAPITAL_FIRST_LOGPROB, delta=0.02)
        self.assertLess(rome["sum_logprob"], paris["sum_logprob"])
        self.assertEqual((paris["tokens"], paris["bytes"], paris["greedy"], rome["greedy"]), (1, 6, True, False))
        self.assertEqual((long["ids"], long["greedy"]), (CAPITAL_IDS, True))
        self.assertEqual(long["bytes"], len(CAPITAL_TEXT))
        self.assertEqual(long["logprobs"][0], paris["logprobs"][0])
        total = 0.0
        for logprob in long["logprobs"]:
            total += logprob
        self.assertEqual(long["sum_logprob"], total)

    def test_they_are_those_that_run_tells_of_a_prompt(self):
        text = CAPITAL + CAPITAL_TEXT
        told = self.works("run", self.model(), text, "--raw", "--max-tokens", 0, "--prompt-logprobs", 0, "--json", "-q").json()
        (line,) = self.score(self.model(), {"context": CAPITAL, "continuation": CAPITAL_TEXT})
        self.assertEqual(line["scores"][0]["logprobs"], [t["logprob"] for t in told["prompt_logprobs"][5:]])

    def test_ids_are_the_same_as_texts(self):
        texts, ids, several = self.score(
            self.model(), {"context": CAPITAL, "continuation": CAPITAL_TEXT},
            {"context_ids": CAPITAL_PROMPT_IDS, "continuation_ids": CAPITAL_IDS},
            {"context_ids": CAPITAL_PROMPT_IDS, "continuations_ids": [CAPITAL_IDS[:1], CAPITAL_IDS]})
        self.assertEqual(texts["scores"], ids["scores"])
        self.assertEqual(several["scores"][1], ids["scores"][0])
        self.assertEqual(several["scores"][0]["bytes"], 6)

    def test_neither_company_nor_order_nor_threads_change_a_bit(self):
        items = [{"context": "the the " * n, "continuations": ["a" * m + " the" for m in range(1, 5)]} for n in (1, 9, 20)]
        items += [{"context": "the the " * 20 + "x", "continuation": "yz"}]
        together = self.tiny(*items)
        for i, item in enumerate(items):
            (alone,) = self.tiny(item, arguments=("-t", 1))
            self.assertEqual(alone["scores"], together[i]["scores"])
            flat = self.tiny(*({"context": item["context"], "continuation": c}
                               for c in reversed(item.get("continuations", [item.get("continuation")]))), arguments=("-t", 3))
            self.assertEqual([f["scores"][0] for f in reversed(flat)], together[i]["scores"])
        path = self.lines(*items)
        scalar = self.works("score", tiny_model(), path, "-q", env={"KELDA_ISA": "scalar"})
        self.assertEqual([json.loads(x)["scores"] for x in scalar.out.splitlines()], [t["scores"] for t in together])

    def test_best_by_sum_and_by_byte(self):
        (line,) = self.tiny({"context": "the", "continuations": ["a", "b" * 40, "cd"]})
        sums = [s["sum_logprob"] for s in line["scores"]]
        self.assertEqual(line["best"], sums.index(max(sums)))
        per_byte = [s["sum_logprob"] / s["bytes"] for s in line["scores"]]
        self.assertEqual(line["best_per_byte"], per_byte.index(max(per_byte)))
        self.assertTrue(all(math.isfinite(s) for s in sums))

    def test_blanks_of_the_context_move_over(self):
        moved, written = self.tiny({"context": "the \n", "continuation": "end"}, {"context": "the", "continuation": " \nend"})
        self.assertEqual(moved["scores"][0]["ids"], written["scores"][0]["ids"])
        self.assertEqual(moved["scores"][0]["sum_logprob"], written["scores"][0]["sum_logprob"])
        self.assertEqual((moved["scores"][0]["bytes"], written["scores"][0]["bytes"]), (3, 5))

    def test_a_token_over_the_border_is_told(self):
        path = self.lines({"context": "the", "continuation": " x"}, {"context": "h", "continuation": "ex"})
        self.assertIn("1 pair (the first in line 2)", self.works("score", tiny_model(), path).err)
        clean = self.lines({"context": "the", "continuation": " x"})
        self.assertNotIn("note", self.works("score", tiny_model(), clean).err)

    def test_an_empty_context_is_what_begins_a_text(self):
        (line,) = self.score(self.model(), {"context": "", "continuation": "Hello"})
        self.assertEqual(line["context_tokens"], 1)
        (by_ids,) = self.score(self.model(), {"context_ids": [1], "continuation_ids": line["scores"][0]["ids"]})
        self.assertEqual(by_ids["scores"][0]["sum_logprob"], line["scores"][0]["sum_logprob"])

    def test_special_tokens_are_text_unless_asked_for(self):
        item = {"context": "a", "continuation": "<|im_end|>"}
        (plain,), (special,) = self.tiny(item), self.tiny(item, arguments=("--special",))
        self.assertGreater(plain["scores"][0]["tokens"], 3)
        self.assertEqual(special["scores"][0]["ids"], [2])


class Files(ScoreCase):
    def test_stdin_stdout_and_out_hold_the_same(self):
        path = self.lines({"context": "a", "continuation": "b"}, {"context": "c", "continuations": ["d", "e"]})
        expected = self.works("score", tiny_model(), path).out
        self.assertEqual(self.works("score", tiny_model(), "-", stdin=path.read_bytes()).out, expected)
        out = self.folder / "scores.jsonl"
        result = self.works("score", tiny_model(), path, "--out", out)
        self.assertEqual((result.out, out.read_text()), ("", expected))
        self.assertEqual(self.works("score", tiny_model(), self.write("empty", "\n\n")).out, "")

    def test_a_file_is_whole_or_not_there(self):
        bad = self.lines({"context": "a", "continuation": "b"}, {"context": "a"})
        out = self.folder / "scores.jsonl"
        self.refused("score", tiny_model(), bad, "--out", out, says="line 2")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["items.jsonl"])
        out.write_text("before")
        self.refused("score", tiny_model(), bad, "--out", out, says="line 2")
        self.assertEqual(out.read_text(), "before")
        self.refused("score", tiny_model(), self.folder / "absent", says="absent")
        self.refused("score", tiny_model(), self.lines({"context": "a", "continuation": "b"}), "--out",
                     self.folder / "no" / "such", says="such", status=1)

    def test_faulty_lines_are_named(self):
        self.faulty(b"{", "not valid JSON")
        self.faulty(b'["a"]', "JSON object")
        self.faulty(b'{"context": "a"}', "continuation")
        self.faulty(b'{"continuation": "a"}', "context")
        self.faulty(b'{"context": "a", "continuation": "b", "continuations": ["c"]}', "continuations")
        self.faulty(b'{"context": "a", "context_ids": [5], "continuation": "b"}', "context_ids")
        self.faulty(b'{"context": "a", "continuation_ids": [5]}', "continuation_ids")
        self.faulty(b'{"context_ids": [5], "continuation": "b"}', "continuation")
        self.faulty(b'{"context": "a", "continuations": []}', "continuations")
        self.faulty(b'{"context": "a", "continuation": ""}', "no tokens")
        self.faulty(b'{"context": "a", "continuation": 5}', "continuation")
        self.faulty(b'{"context": "a", "continuations": ["b", null]}', "continuations")
        self.faulty(b'{"context": "a\xff", "continuation": "b"}')
        self.faulty(b'{"context": "\\ud83d", "continuation": "b"}')
        self.faulty(b'{"context": "a", "context": "a", "continuation": "b"}', "twice")
        self.faulty(b'{"context": "a", "continuaton": "b"}', 'did you mean "continuation"')
        self.faulty(b'{"context": "a", "continuation": "b", "label": 1}', "label")
        self.faulty(b'{"context": "a", "continuation": "b", "id": [1]}', "id")
        for ids in (b"[]", b"[-1]", b"[999999]", b"[1.5]", b'["1"]', b"5"):
            self.faulty(b'{"context_ids": [5], "continuation_ids": ' + ids + b"}", "continuation_ids")
            self.faulty(b'{"context_ids": ' + ids + b', "continuation_ids": [5]}', "context_ids")
        self.faulty(b'{"context_ids": [5], "continuation_ids": [%d]}' % TINY_VOCAB_SIZE, str(TINY_VOCAB_SIZE - 1))

    def test_a_text_beyond_the_window_is_refused_with_both_counts(self):
        fits = {"context_ids": [9] * (TINY_WINDOW - 1), "continuation_ids": [9, 9]}
        self.assertEqual(len(self.tiny(fits)), 1)
        self.faulty(json.dumps({"context_ids": [9] * TINY_WINDOW, "continuation_ids": [9, 8]}).encode(),
                    f"{TINY_WINDOW} tokens", "continuation 2", f"window is {TINY_WINDOW}")
        self.faulty(b'{"context_ids": [9, 9, 9, 9, 9, 9, 9, 9], "continuation_ids": [9, 9]}', "window is 8",
                    arguments=("--window", 8))

    def test_what_cannot_be_scored_is_refused(self):
        path = self.lines({"context": "a", "continuation": "b"})
        self.refused("score", tiny_encoder(), path, says=("bert", "kelda embed"))
        self.refused("score", tiny_model(), path, "--window", TINY_WINDOW + 1, says="--window")
        self.refused("score", tiny_model(), path, "--out", "", says="--out")


if __name__ == "__main__":
    main()
