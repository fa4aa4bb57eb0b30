#!/usr/bin/env python3
"""What becomes of a prompt that does not fit: refused, truncated, summarised, split; in run and in chat."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import KeldaCase, kelda, main, tiny_model  # noqa: E402

PARAGRAPHS = "zzzz zz\n\nqqqq\n\nxxxx x"
GREEDY = ("--temperature", 0, "--ignore-eos")
SENTENCES = ("The miller went to the market and bought a sack of grain. ", "A boat came down the river in the rain. ",
             "Nobody saw the fox behind the barn. ", "The bell of the church rang in the evening. ")


def prose(n_paragraphs):
    """Paragraphs of four sentences, about 45 tokens each."""
    return "\n\n".join(f"Chapter {i + 1}. " + "".join(SENTENCES).strip() for i in range(n_paragraphs))


class ContextCase(KeldaCase):
    def answer(self, prompt, *arguments, model=None, **options):
        answer = self.works("run", model or tiny_model(), prompt, "--json", "-q", *GREEDY, *arguments, **options).json()
        context, usage = answer["context"], answer["usage"]
        self.assertEqual(context["prompt_given"],
                         context["prompt_kept"] + context["prompt_dropped"] + context["prompt_summarised"])
        self.assertEqual(context["window"],
                         context["prompt_kept"] + context["prompt_added"] + len(answer["ids"]) + context["left"])
        if context["runs"] == 0:
            self.assertEqual(usage["prompt_tokens"], context["prompt_kept"])
        else:
            self.assertGreater(usage["prompt_tokens"], context["prompt_kept"] + context["prompt_added"])
            self.assertGreater(usage["passes"], len(answer["ids"]))
        return answer


class Refused(ContextCase):
    def test_refusing_is_the_default(self):
        self.refused("run", tiny_model(), "z" * 300, says=("tokens", "the window is 256"))
        self.refused("run", tiny_model(), "--raw", "z" * 65, "--window", 64, "--context-policy", "refuse",
                     says="the prompt has 65 tokens and the window is 64")

    def test_what_excludes_each_other_is_named(self):
        for other in ("--logprobs", "--prompt-logprobs"):
            self.refused("run", tiny_model(), "a", "--json", "--context-policy", "split", other, 0,
                         says=("split", other.strip("-").replace("-", "_")))
        self.refused("run", tiny_model(), "a", "--context-policy", "summarize", "--time-limit", 3, says=("summarize", "time_limit"))
        self.refused("run", tiny_model(), "a", "--context-policy", "trunkate", says='did you mean "truncate"?')
        self.refused("run", tiny_model(), "--raw", "z" * 300, "--context-policy", "split", says="raw")
        self.refused("run", tiny_model(), "z" * 300, "--context-policy", "split", says="no empty line")
        self.refused("run", tiny_model(), "a", "--context-policy", "truncate", "--answer-room", 256, says="answer_room")

    def test_settings_without_effect_are_told(self):
        answer = self.answer("a", "--max-tokens", 1, "--context-keep", "start")
        self.assertIn("context_keep has no effect: context_policy is refuse", answer["notices"])

    def test_a_system_message_that_is_too_long_is_refused_by_every_policy(self):
        for policy in ("truncate", "summarize"):
            self.refused("run", tiny_model(), "hi", "--system", "z" * 250, "--context-policy", policy, "--max-tokens", 4,
                         says=("the window is 256", "the system message"))


class Truncated(ContextCase):
    def cut(self, prompt, window, *arguments):
        return self.answer(prompt, "--raw", "--window", window, "--max-tokens", 4, "--context-policy", "truncate", *arguments)

    def test_what_is_read_is_the_kept_end_or_start(self):
        self.assertEqual(self.answer(PARAGRAPHS, "--raw", "--max-tokens", 4)["usage"]["prompt_tokens"], 21)
        for arguments, kept in (((), "qqqq\n\nxxxx x"), (("--context-keep", "start"), "zzzz zz\n\nqqqq")):
            n = self.answer(kept, "--raw", "--max-tokens", 4)["usage"]["prompt_tokens"]
            answer = self.cut(PARAGRAPHS, n + 4, *arguments)
            self.assertEqual(answer["ids"], self.answer(kept, "--raw", "--max-tokens", 4)["ids"])
            self.assertEqual(answer["context"]["prompt_kept"], n)
            self.assertGreater(answer["context"]["prompt_dropped"], 0)
            self.assertRegex(answer["notices"][0], r"context_policy truncate: dropped the \w+ of the prompt \(cut at a paragraph\)")

    def test_to_the_token(self):
        for n, dropped in ((60, 0), (61, 1), (62, 2)):  # of 64, 4 are for the answer
            self.assertEqual(self.cut("z" * n, 64)["context"]["prompt_dropped"], dropped, n)
        self.assertEqual(self.cut("z" * 60, 64)["notices"], [])
        room = self.cut("z" * 64, 64, "--answer-room", 10)["context"]
        self.assertEqual((room["prompt_kept"], room["left"]), (54, 6))

    def test_a_huge_max_tokens_takes_a_quarter(self):
        answer = self.answer("z" * 64, "--raw", "--window", 64, "--max-tokens", 1000, "--context-policy", "truncate")
        self.assertEqual(answer["context"]["prompt_kept"], 48)
        self.assertEqual(len(answer["ids"]), 16)
        self.assertTrue(any("max_tokens 1000 was clamped to 16" in n for n in answer["notices"]), answer["notices"])

    def test_the_question_of_a_long_message_is_kept_with_the_template(self):
        answer = self.answer("\n\n".join(["zqzqzqzq"] * 40) + "\n\nwhy", "--context-policy", "truncate", "--max-tokens", 4)
        self.assertIn("the beginning of the longest message (cut at a paragraph)", answer["notices"][0])
        self.assertGreater(answer["context"]["prompt_kept"], 200)

    def test_notes_go_to_stderr(self):
        result = self.works("run", tiny_model(), "--raw", "z" * 300, "--context-policy", "truncate", "--max-tokens", 2)
        self.assertIn("note: context_policy truncate: dropped", result.err)


class Condensed(ContextCase):
    def test_summarising_bills_its_runs_and_keeps_within_the_window(self):
        text = prose(20) + "\n\nWho went to the market?"
        arguments = ("--window", 512, "--max-tokens", 16, "--context-policy", "summarize")
        answer = self.answer(text, *arguments, model=self.model())
        context = answer["context"]
        self.assertGreater(context["prompt_summarised"], 0)
        self.assertEqual(context["prompt_dropped"], 0)
        self.assertGreater(context["prompt_added"], 0)
        self.assertLessEqual(context["prompt_added"], 512 // 4 + 40)
        self.assertGreater(context["runs"], 1)
        self.assertRegex(answer["notices"][0], "context_policy summarize: condensed the beginning of the longest message")
        again = self.answer(text, *arguments, model=self.model())
        self.assertEqual((again["ids"], again["usage"]), (answer["ids"], answer["usage"]))

    def test_splitting_reads_all_and_shows_the_answer_at_once(self):
        text = prose(20) + "\n\nWho went to the market?"
        arguments = ("--window", 512, "--max-tokens", 16, "--context-policy", "split")
        answer = self.answer(text, *arguments, model=self.model())
        self.assertGreater(answer["context"]["runs"], 2)
        self.assertGreater(answer["usage"]["prompt_tokens"], answer["context"]["prompt_given"], "overlaps are read twice")
        self.assertRegex(answer["notices"][0], r"context_policy split: read the message in \d+ pieces")
        shown = self.works("run", self.model(), text, *GREEDY, *arguments, "-q")
        self.assertEqual(shown.out, answer["text"] + "\n")


class Chats(ContextCase):
    def chat(self, *lines, options=()):
        return kelda("chat", tiny_model(), *GREEDY, "--max-tokens", 6, *options,
                     stdin="".join(line + "\n" for line in lines).encode())

    def test_the_oldest_turns_go_and_that_is_told_once(self):
        path = self.folder / "talk.json"
        lines = [f"message number {i}" for i in range(12)]
        result = self.chat(*lines, "/stats", f"/save {path}", options=("--context-policy", "truncate"))
        self.assertEqual(result.code, 0, result)
        told = [int(n or 1) for n in re.findall(r"note: context_policy truncate: dropped the (?:(\d+) )?oldest turn", result.err)]
        self.assertGreater(len(told), 1, result.err)
        self.assertEqual(told, sorted(set(told)), "each time more than before")
        self.assertRegex(result.err, r"of \d+ tokens given: kept \d+, dropped (?!0)\d+, summarised 0 in 0 \(0 runs\)")
        self.assertEqual(len(json.loads(path.read_text())["messages"]), 24, "what is saved is all of it")

    def test_without_a_policy_the_way_out_is_named(self):
        result = self.chat("z" * 300)
        self.assertEqual(result.code, 2)
        self.assertIn("the window is 256", result.err)

    def test_a_conversation_is_summarised_and_goes_on(self):
        # Refused where the window is too small for it; the real model has room.
        lines = [f"{i}. {''.join(SENTENCES)}Say yes." for i in range(9)]
        result = kelda("chat", self.model(), *GREEDY, "--max-tokens", 8, "--window", 512, "--context-policy", "summarize",
                       stdin="".join(line + "\n" for line in [*lines, "/stats"]).encode())
        self.assertEqual(result.code, 0, result)
        self.assertIn("note: context_policy summarize: condensed the", result.err)
        self.assertRegex(result.err, r"summarised (?!0)\d+ in (?!0)\d+ \(\d+ runs?\)")


if __name__ == "__main__":
    main()
