#!/usr/bin/env python3
"""kelda run: where an answer ends, what is said of it, and loops."""

import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import COUNT, COUNT_TEXT, GREEDY, TINY_END_ID, TINY_WINDOW, KeldaCase, main, tiny_model  # noqa: E402


class StopsCase(KeldaCase):
    def tiny(self, *arguments):
        return self.works("run", tiny_model(), "--raw", "ab", "--temperature", 0, *arguments)

    def tiny_json(self, *arguments):
        return self.tiny("--json", "-q", *arguments).json()

    def ended(self, *arguments):
        answer = self.tiny_json(*arguments)
        return answer["finish_reason"], answer["finish_detail"], answer["stop"]

    def tiny_refused(self, *arguments, says):
        self.refused("run", tiny_model(), "--raw", "ab", *arguments, says=says)


class Reasons(StopsCase):
    def test_each_way_to_end_has_its_words(self):
        always = ("--logit-bias", "77=100")
        self.assertEqual(self.ended("--max-tokens", 3, *always), ("length", "max_tokens", ""))
        self.assertEqual(self.ended(*always), ("length", "window", ""))
        self.assertEqual(self.ended("--logit-bias", f"{TINY_END_ID}=100"), ("stop", "end_token", "<|im_end|>"))
        piece = self.tiny_json("--max-tokens", 1, *always)["text"]
        self.assertEqual(len(piece), 1)
        self.assertEqual(self.ended("--stop-token-ids", "76,77", *always), ("stop", "stop_token", piece))
        self.assertEqual(self.ended("--stop", piece * 3, *always), ("stop", "stop_text", piece * 3))
        self.assertEqual(self.ended("--time-limit", 1e-9, *always)[:2], ("time", "time_limit"))
        self.assertEqual(self.ended("--time-limit", 1e9, "--max-tokens", 2, *always)[:2], ("length", "max_tokens"))

    def test_a_stop_token_is_in_the_ids_and_not_in_the_text(self):
        answer = self.tiny_json("--stop-token-ids", 77, "--logit-bias", "77=100")
        self.assertEqual((answer["ids"], answer["text"]), ([77], ""))
        self.assertEqual(answer["settings"]["stop_token_ids"], {"from": "flag", "value": [77]})

    def test_unknown_ids_are_named(self):
        self.tiny_refused("--stop-token-ids", "5,999999", says=("stop_token_ids", "999999", "0 to "))
        for bad in ("x", "1,", "-1", "5,5", "1.5"):
            self.tiny_refused("--stop-token-ids", bad, says="stop_token_ids")

    def test_faulty_limits_are_refused(self):
        for flag, values in (("--min-tokens", ("-1", "x", "1.5")), ("--time-limit", ("-1", "x", "nan", "inf"))):
            for value in values:
                self.tiny_refused(flag, value, says=flag[2:].replace("-", "_"))
        self.tiny_refused("--min-tokens", 3, "--max-tokens", 2, says=("min_tokens is 3", "max_tokens is 2"))
        self.tiny_refused("--min-tokens", TINY_WINDOW, says=("min_tokens", str(TINY_WINDOW)))


class MinTokens(StopsCase):
    def test_no_end_comes_before_it(self):
        ends = ("--logit-bias", f"{TINY_END_ID}=100", "--logit-bias", "77=50")
        for n in (1, 5):
            answer = self.tiny_json("--min-tokens", n, *ends)
            self.assertEqual(answer["ids"], [77] * n + [TINY_END_ID])
            self.assertEqual(answer["finish_detail"], "end_token")
        answer = self.tiny_json("--min-tokens", 4, "--stop-token-ids", 77, "--logit-bias", "77=100", "--logit-bias", "80=50")
        self.assertEqual(answer["ids"], [80] * 4 + [77])

    def test_stop_texts_count_after_it(self):
        for n in range(5):
            answer = self.works("run", self.model(), COUNT, *GREEDY, "--max-tokens", 32, "--stop", ",", "--min-tokens", n,
                                "--json", "-q").json()
            # Each character is a token of its own.
            commas = [i for i, c in enumerate(COUNT_TEXT) if c == "," and i >= n]
            self.assertEqual(answer["text"], COUNT_TEXT[:commas[0]], n)
            self.assertEqual((answer["finish_reason"], answer["stop"]), ("stop", ","))


class Stops(StopsCase):
    def test_several_that_begin_alike_in_any_order(self):  # BR-007
        for stops in itertools.permutations(("11, 12", "11, 12, 13", "11, 13")):
            flags = itertools.chain(*(("--stop", s) for s in stops))
            answer = self.works("run", self.model(), COUNT, *GREEDY, "--max-tokens", 32, *flags, "--json", "-q").json()
            self.assertEqual((answer["text"], answer["stop"]), (" 8, 9, 10, ", "11, 12"))

    def test_a_text_of_the_prompt_is_no_stop(self):  # BR-010
        answer = self.works("run", self.model(), "END " + COUNT, *GREEDY, "--max-tokens", 8, "--stop", "END", "--json",
                            "-q").json()
        self.assertEqual(len(answer["ids"]), 8)


class Passes(StopsCase):
    def test_they_are_told_at_the_end(self):
        result = self.tiny("--max-tokens", 50, "--logit-bias", "77=100")
        self.assertIn("50 tokens are 50 passes: 1 prefill, 49 decode steps\n", result.err)
        self.assertIn("1 token is 1 pass: 1 prefill, 0 decode steps\n",
                      self.tiny("--max-tokens", 1, "--logit-bias", "77=100").err)
        self.assertIn("0 tokens are 1 pass: 1 prefill, 0 decode steps\n", self.tiny("--max-tokens", 0).err)
        self.assertNotIn("passes", self.tiny("--max-tokens", 1, "-q").err)

    def test_a_long_prompt_has_several(self):
        usage = self.works("run", self.model(), "word " * 1200, "--raw", "--max-tokens", 2, "--json", "-q").json()["usage"]
        self.assertEqual((usage["prefill_passes"], usage["decode_passes"], usage["passes"]), (3, 1, 4))


class Loops(StopsCase):
    def test_one_is_told_and_not_touched(self):
        result = self.tiny("--max-tokens", 200, "--logit-bias", "77=100", "--json")
        answer = result.json()
        self.assertEqual(answer["ids"], [77] * 200)
        self.assertRegex("".join(answer["notices"]), "ends in a loop: its last 200 tokens are one token")
        self.assertRegex(result.err, "note: the answer ends in a loop.*repetition_penalty")

    def test_what_is_short_or_ends_by_itself_is_none(self):
        for arguments in (("--max-tokens", 100), ("--min-tokens", 200, "--max-tokens", 201, "--logit-bias",
                                                  f"{TINY_END_ID}=100")):
            answer = self.tiny_json("--logit-bias", "77=50", *arguments)
            self.assertEqual(answer["notices"], [])

    def test_counting_is_none(self):
        answer = self.works("run", self.model(), COUNT, *GREEDY, "--max-tokens", 200, "--json", "-q").json()
        self.assertEqual([n for n in answer["notices"] if "loop" in n], [])

    def test_a_conversation_tells_it_too(self):
        result = self.works("chat", tiny_model(), "--max-tokens", 150, "--logit-bias", "77=100", stdin=b"hello\n")
        self.assertIn("ends in a loop", result.err)


if __name__ == "__main__":
    main()
