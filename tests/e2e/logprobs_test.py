#!/usr/bin/env python3
"""kelda run --json: how likely each token was, of the answer and of the prompt."""

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import (  # noqa: E402
    CAPITAL, CAPITAL_IDS, CAPITAL_PROMPT_IDS, GREEDY, TINY_VOCAB_SIZE, VOCAB_SIZE, KeldaCase, main, tiny_model)

LLAMAS = "🦙🦙🦙🦙🦙🦙🦙🦙"  # SmolLM2 goes on with more of them, three tokens each


class LogprobsCase(KeldaCase):
    def ask(self, model, *arguments):
        return self.works("run", model, "--raw", "--json", "-q", *arguments).json()

    def tiny(self, *arguments):
        return self.ask(tiny_model(), *arguments)


class Answer(LogprobsCase):
    def test_each_token_has_its_own(self):
        answer = self.ask(self.model(), CAPITAL, *GREEDY[1:], "--max-tokens", 8, "--logprobs", 3)
        self.assertEqual([t["id"] for t in answer["logprobs"]], CAPITAL_IDS[:8])
        for token in answer["logprobs"]:
            self.assertEqual(set(token), {"id", "text", "bytes", "logprob", "top"})
            self.assertEqual(bytes(token["bytes"]).decode(), token["text"])
            self.assertEqual(len(token["top"]), 3)
            self.assertEqual(token["top"][0]["id"], token["id"])  # greedy
            self.assertEqual(token["top"][0]["logprob"], token["logprob"])
            values = [t["logprob"] for t in token["top"]]
            self.assertEqual(values, sorted(values, reverse=True))
        self.assertEqual("".join(t["text"] for t in answer["logprobs"]), answer["text"])

    def test_bytes_are_exact_where_a_token_is_no_whole_character(self):
        answer = self.ask(self.model(), LLAMAS, "--temperature", 0, "--max-tokens", 6, "--logprobs", 0)
        self.assertEqual(b"".join(bytes(t["bytes"]) for t in answer["logprobs"]).decode(), "🦙🦙")
        self.assertIn("\ufffd", "".join(t["text"] for t in answer["logprobs"]))

    def test_all_of_the_vocabulary_adds_up_to_one_whatever_the_knobs(self):  # BR-031
        answers = [self.tiny("2+2=", "--max-tokens", 1, "--seed", 1, "--logprobs", TINY_VOCAB_SIZE, *knobs)
                   for knobs in (("--temperature", 0.1), ("--temperature", 1), ("--temperature", 2), ("--top-p", 0.1),
                                 ("--top-k", 1))]
        first = answers[0]["logprobs"][0]["top"]
        for answer in answers:
            (token,) = answer["logprobs"]
            self.assertEqual(token["top"], first)
            self.assertAlmostEqual(math.fsum(math.exp(t["logprob"]) for t in token["top"]), 1, places=9)
            self.assertIn(token["logprob"], [t["logprob"] for t in token["top"] if t["id"] == token["id"]])

    def test_processed_ones_are_of_what_was_drawn_from(self):  # BR-032
        answer = self.tiny("2+2=", "--max-tokens", 3, "--temperature", 1.5, "--top-k", 4, "--seed", 1, "--logprobs", 20,
                           "--processed-logprobs", "--logit-bias", "70=-100")
        for token in answer["logprobs"]:
            self.assertEqual((len(token["top"]), len(token["processed_top"])), (20, 4))  # fewer, not -inf
            self.assertAlmostEqual(math.fsum(math.exp(t["logprob"]) for t in token["processed_top"]), 1, places=9)
            self.assertIn(token["processed_logprob"],
                          [t["logprob"] for t in token["processed_top"] if t["id"] == token["id"]])
        greedy = self.tiny("2+2=", "--max-tokens", 1, "--temperature", 0, "--logprobs", 5, "--processed-logprobs")
        (token,) = greedy["logprobs"]
        self.assertEqual((token["processed_logprob"], len(token["processed_top"])), (0, 1))

    def test_nothing_is_told_that_was_not_asked_for(self):
        answer = self.tiny("a", "--max-tokens", 2)
        self.assertEqual((answer["logprobs"], answer["prompt_logprobs"]), (None, None))
        result = self.works("run", tiny_model(), "--raw", "--json", "a", "--max-tokens", 2, "--processed-logprobs")
        self.assertIn("processed_logprobs has no effect", result.err)

    def test_they_can_be_fields_of_the_request(self):
        request = self.write("r.json", json.dumps({"logprobs": 2, "prompt_logprobs": 1, "max_tokens": 2, "seed": 1}))
        by_file = self.tiny("abc", "--request", request)
        by_flag = self.tiny("abc", "--logprobs", 2, "--prompt-logprobs", 1, "--max-tokens", 2, "--seed", 1)
        for key in ("ids", "logprobs", "prompt_logprobs"):
            self.assertEqual(by_file[key], by_flag[key])

    def test_what_makes_no_sense_is_refused(self):  # BR-028
        for flag in ("--logprobs", "--prompt-logprobs"):
            name = flag[2:].replace("-", "_")
            self.refused("run", tiny_model(), "--raw", "a", flag, 1, says=("--json", flag))
            for value in ("-2", "1.5", "x", "99999999999"):
                self.refused("run", tiny_model(), "--raw", "a", "--json", flag, value, says=name)
            self.refused("run", tiny_model(), "--raw", "a", "--json", flag, 1000000, says=(name, "1000000", str(TINY_VOCAB_SIZE)))


class Prompt(LogprobsCase):
    def test_the_first_token_has_none_and_the_others_the_models(self):  # BR-026
        answer = self.ask(self.model(), CAPITAL, "--max-tokens", 0, "--prompt-logprobs", 2)
        told = answer["prompt_logprobs"]
        self.assertEqual([t["id"] for t in told], CAPITAL_PROMPT_IDS)
        self.assertEqual("".join(t["text"] for t in told), CAPITAL)
        self.assertEqual((told[0]["logprob"], told[0]["top"]), (None, []))
        self.assertEqual((answer["text"], answer["ids"], answer["finish_reason"]), ("", [], "length"))
        rows = self.works("logits", self.model(), "--text", CAPITAL, "--positions", "all", "--top", VOCAB_SIZE, "--json").json()
        for row, token in zip(rows["positions"], told[1:]):
            self.assertEqual(dict(zip(row["ids"], row["logprobs"]))[token["id"]], token["logprob"])
            self.assertEqual(row["ids"][:2], [t["id"] for t in token["top"]])

    def test_threads_and_length_do_not_change_a_bit(self):
        text = "zqxwvut " * 20
        expected = self.tiny(text, "--max-tokens", 0, "--prompt-logprobs", 3, "-t", 1)["prompt_logprobs"]
        self.assertEqual(self.tiny(text, "--max-tokens", 0, "--prompt-logprobs", 3, "-t", 3)["prompt_logprobs"], expected)
        longer = self.tiny(text + "more", "--max-tokens", 0, "--prompt-logprobs", 3)["prompt_logprobs"]
        self.assertEqual(longer[:len(expected) - 1], expected[:-1])

    def test_a_conversation_says_that_it_tells_none(self):
        result = self.works("chat", tiny_model(), "--logprobs", 3, "--max-tokens", 2, stdin=b"hello\n")
        self.assertIn("logprobs has no effect in a conversation", result.err)


if __name__ == "__main__":
    main()
