#!/usr/bin/env python3
"""kelda run: what it writes, where, and how it ends."""

import itertools
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import (  # noqa: E402
    BINARY, CAPITAL, CAPITAL_FIRST_LOGPROB, CAPITAL_IDS, CAPITAL_TEXT, COUNT, COUNT_TEXT, GREEDY, KV_BYTES_PER_TOKEN,
    PATIENCE_S, TINY_END_ID, TINY_WINDOW, KeldaCase, main, start, tiny_model, wait_until_handled)

LLAMAS = "🦙🦙🦙🦙🦙🦙🦙🦙"  # SmolLM2 goes on with more of them, three tokens each
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class RunCase(KeldaCase):
    def tiny(self, *arguments, **options):
        return self.works("run", tiny_model(), "--raw", *arguments, **options)

    def tiny_json(self, *arguments, **options):
        return self.tiny("--json", "-q", "--logprobs", 0, *arguments, **options).json()

    def greedy(self, prompt, *arguments, **options):
        return self.works("run", self.model(), prompt, *GREEDY, *arguments, **options)

    def greedy_json(self, prompt, *arguments, **options):
        return self.greedy(prompt, "--json", "-q", "--logprobs", 0, *arguments, **options).json()

    def tiny_refused(self, *arguments, **options):
        return self.refused("run", tiny_model(), "--raw", "a", "--max-tokens", "2", *arguments, **options)


class Answers(RunCase):
    def test_greedy_continuation_is_the_models(self):
        answer = self.greedy_json(CAPITAL, "--max-tokens", 24)
        self.assertEqual((answer["text"], answer["ids"]), (CAPITAL_TEXT, CAPITAL_IDS))
        self.assertAlmostEqual(answer["logprobs"][0]["logprob"], CAPITAL_FIRST_LOGPROB, delta=0.02)
        self.assertEqual(self.greedy_json(COUNT, "--max-tokens", 32)["text"], COUNT_TEXT)

    def test_text_goes_to_stdout_and_the_rest_to_stderr(self):
        result = self.greedy(CAPITAL, "--max-tokens", 24)
        self.assertEqual(result.out, CAPITAL_TEXT + "\n")
        for word in ("tok/s", "learned", "KV cache", "peak", "24 tokens are 24 passes: 1 prefill, 23 decode steps"):
            self.assertIn(word, result.err)
        self.assertIn("cut at 24 tokens by --max-tokens\n", result.err)
        quiet = self.greedy(CAPITAL, "--max-tokens", 24, "-q")
        self.assertEqual((quiet.out, quiet.err), (CAPITAL_TEXT + "\n", ""))

    def test_what_cut_the_answer_is_told(self):
        endless = ("a", "--ignore-eos", "--seed", 1)
        self.assertIn("cut at 1 token by --max-tokens\n", self.tiny(*endless, "--max-tokens", 1).err)
        self.assertRegex(self.tiny(*endless, "--window", 8).err, r"cut at \d tokens by the end of the window\n")
        self.assertRegex(self.tiny(*endless, "--time-limit", 1e-9).err, r"cut at \d+ tokens? by --time-limit\n")
        self.assertNotIn("cut at", self.tiny(*endless, "--max-tokens", 0).err)
        self.assertNotIn("cut at", self.tiny("a", "--temperature", 0, "--logit-bias", "2=100").err)

    def test_threads_do_not_change_a_bit(self):
        answers = [self.greedy_json(CAPITAL, "--max-tokens", 8, "-t", t) for t in (1, 2, 3, 8)]
        for answer in answers:
            self.assertEqual(answer["ids"], CAPITAL_IDS[:8])
            self.assertEqual(answer["logprobs"], answers[0]["logprobs"])  # ==: the same bits

    def test_scalar_path_gives_the_same_bits(self):
        fast, scalar = (self.greedy_json(CAPITAL, "--max-tokens", 3, env={"KELDA_ISA": isa}) for isa in (None, "scalar"))
        self.assertEqual((fast["ids"], fast["logprobs"]), (scalar["ids"], scalar["logprobs"]))

    def test_same_seed_same_text_whatever_the_threads(self):
        def ids(seed, threads):
            return self.tiny_json("hello", "--temperature", 1, "--max-tokens", 24, "--seed", seed, "-t", threads)["ids"]

        self.assertEqual(ids(7, 1), ids(7, 3))
        self.assertNotEqual(ids(7, 1), ids(8, 1))

    def test_reported_seed_gives_the_answer_again(self):
        first = self.tiny_json("hello", "--temperature", 1, "--max-tokens", 24)
        again = self.tiny_json("hello", "--temperature", 1, "--max-tokens", 24, "--seed", first["seed"])
        self.assertEqual((again["ids"], again["seed"]), (first["ids"], first["seed"]))
        other = self.tiny_json("hello", "--temperature", 1, "--max-tokens", 24, "--seed", -1)
        self.assertNotEqual(other["seed"], first["seed"])

    def test_sampling_the_real_model_repeats(self):
        arguments = (self.model(), CAPITAL, "--raw", "--temperature", 1, "--seed", 42, "--max-tokens", 12, "-q")
        self.assertEqual(self.works("run", *arguments, "-t", 1).out, self.works("run", *arguments, "-t", 2).out)

    def test_json_has_every_part(self):
        answer = self.greedy_json(CAPITAL, "--max-tokens", 4, "--seed", 5)
        self.assertEqual(answer["text"], " Paris.\n\n")
        self.assertEqual(answer["ids"], CAPITAL_IDS[:4])
        self.assertEqual([t["id"] for t in answer["logprobs"]], answer["ids"])
        self.assertEqual(answer["usage"], {"prompt_tokens": 5, "completion_tokens": 4, "passes": 4, "prefill_passes": 1,
                                           "decode_passes": 3})
        self.assertEqual(answer["context"],
                         {"window": 8192, "prompt_given": 5, "prompt_kept": 5, "prompt_dropped": 0, "prompt_summarised": 0,
                          "prompt_added": 0, "prompt_cached": 0, "left": 8192 - 9, "runs": 0})
        self.assertEqual((answer["seed"], answer["finish_reason"], answer["stop"]), (5, "length", ""))
        self.assertEqual((answer["finish_detail"], answer["prompt_logprobs"]), ("max_tokens", None))
        self.assertRegex("".join(answer["notices"]), "^seed has no effect: temperature 0")
        set_by_flag = {name: s["value"] for name, s in answer["settings"].items() if s["from"] == "flag"}
        self.assertEqual(set_by_flag, {"temperature": 0, "max_tokens": 4, "seed": 5, "logprobs": 0})
        self.assertEqual({s["from"] for s in answer["settings"].values()}, {"flag", "default"})
        self.assertIsNone(answer["error"])
        for key in ("load_ms", "ttft_ms", "prompt_tok_s", "generation_tok_s", "learned_bytes", "kv_bytes",
                    "peak_resident_bytes"):
            self.assertGreater(answer["timings"][key], 0, key)

    def test_json_is_one_line_on_stdout(self):
        result = self.tiny("a", "--json", "--max-tokens", 2)
        self.assertEqual(result.raw_out.count(b"\n"), 1)
        self.assertTrue(result.raw_out.endswith(b"}\n"))

    def test_settings_that_were_not_asked_for_are_told(self):
        result = self.tiny("a", "--json", "--max-tokens", 2, "--top-p", 0.5)
        self.assertRegex(result.err, r"settings: temperature [0-9.]+ \(\w")
        sources = {name: s["from"] for name, s in result.json()["settings"].items()}
        self.assertEqual((sources["top_p"], sources["max_tokens"]), ("flag", "flag"))
        self.assertNotIn(sources["temperature"], ("flag", "default"))

    def test_knobs_without_effect_are_told(self):
        result = self.tiny("a", "--temperature", 0, "--top-k", 5, "--max-tokens", 2, "--json")
        self.assertIn("note: top_k has no effect", result.err)
        self.assertEqual(len(result.json()["notices"]), 1)


class Prompts(RunCase):
    def test_argument_flag_and_stdin_are_the_same(self):
        arguments = ("--json", "-q", "--temperature", 0, "--max-tokens", 6, "--logprobs", 0)
        answers = [self.tiny(*arguments, "the hat").json(),
                   self.tiny(*arguments, "--prompt", "the hat").json(),
                   self.tiny(*arguments, "-p", "the hat").json(),
                   self.tiny(*arguments, "-", stdin=b"the hat").json(),
                   self.tiny(*arguments, stdin=b"the hat").json()]
        for answer in answers:
            self.assertEqual((answer["ids"], answer["logprobs"]), (answers[0]["ids"], answers[0]["logprobs"]))

    def test_prompt_may_look_like_a_flag(self):
        for arguments in (("--prompt", "--json"), ("--prompt=--json",), ("--", "--json")):
            result = self.tiny("--max-tokens", 1, "--temperature", 0, *arguments)
            self.assertIn("prompt 5 tokens", result.err)  # - - j s on

    def test_prompt_is_fed_to_the_last_byte(self):
        self.assertEqual(self.tiny_json("-", "--max-tokens", 0, stdin=b"z\0z\n")["usage"]["prompt_tokens"], 4)

    def test_special_tokens_only_on_request(self):
        self.assertEqual(self.tiny_json("<|im_start|>", "--max-tokens", 0)["usage"]["prompt_tokens"], 11)  # "ar" is one
        self.assertEqual(self.tiny_json("<|im_start|>", "--max-tokens", 0, "--special")["usage"]["prompt_tokens"], 1)

    def test_two_prompts_are_refused(self):
        self.refused("run", tiny_model(), "--raw", "x", "--prompt", "y", says="the prompt is given twice")
        self.refused("run", tiny_model(), "--raw", "x", "y", says='unexpected argument "y"')

    def test_no_prompt_is_refused(self):
        for arguments in ((), ("",), ("-",), ("--prompt", "")):
            self.refused("run", tiny_model(), "--raw", *arguments, says="no prompt")

    def test_an_empty_prompt_does_not_wait_for_stdin(self):
        for arguments in (("",), ("--prompt", "")):
            with start("run", tiny_model(), "--raw", *arguments, stdin=subprocess.PIPE) as process:
                try:
                    code = process.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    self.fail(f"run --raw {arguments} reads stdin although a prompt, an empty one, was given")
                self.assertEqual(code, 2)
                self.assertIn(b"prompt", process.stderr.read())

    def test_invalid_utf8_is_named_by_its_byte(self):
        for text, byte in ((b"a\xffb", 1), (b"\x80", 0), (b"ab\xe2\x82", 2), (b"\xc0\xaf", 0), (b"x\xed\xa0\x80", 1),
                           (b"\xf4\x90\x80\x80", 0)):
            self.refused("run", tiny_model(), "--raw", "-", stdin=text, says=f"stdin: invalid UTF-8 at byte {byte}")
        self.refused("run", tiny_model(), "--raw", b"a\xffb".decode("utf-8", "surrogateescape"),
                     says="prompt: invalid UTF-8 at byte 1")

    def test_bytes_around_the_buffers_end_are_whole(self):
        # 65,536 bytes are read at a time; a character lies across that.
        text = b"z" * 65535 + "é".encode() + b"z" * 10
        self.refused("run", tiny_model(), "--raw", "-", stdin=text, says="the prompt has 65547 tokens")
        self.refused("run", tiny_model(), "--raw", "-", stdin=text[:65536] + b"z", says="invalid UTF-8 at byte 65535")

    def test_the_chat_template_is_used_unless_raw(self):
        arguments = ("--temperature", 0, "--max-tokens", 6, "--json")
        answer = self.works("run", self.model(), "What is the capital of France?", *arguments).json()
        self.assertEqual(answer["chat_template"], "tokenizer.chat_template")
        self.assertIn("Paris", answer["text"])
        raw = self.works("run", self.model(), "--raw", "What is the capital of France?", *arguments).json()
        self.assertIsNone(raw["chat_template"])
        self.assertLess(raw["usage"]["prompt_tokens"], answer["usage"]["prompt_tokens"])

    def test_a_system_message_goes_in_front(self):
        arguments = ("--max-tokens", 1, "--json", "-q")
        with_system = self.works("run", tiny_model(), "a", "--system", "be brief", *arguments).json()
        without = self.works("run", tiny_model(), "a", *arguments).json()
        self.assertGreater(with_system["usage"]["prompt_tokens"], without["usage"]["prompt_tokens"])
        self.refused("run", tiny_model(), "--raw", "a", "--system", "be brief", says="--system")
        self.refused("run", tiny_model(), "a", "--special", says="--raw")
        for flag in ("--request", "--chat-template"):
            self.refused("run", tiny_model(), "a", flag, "", says=flag)

    def test_another_template_may_be_given(self):
        template = self.write("t.jinja", "{{ messages[0].content }}{{ '!' if add_generation_prompt }}")
        answer = self.works("run", tiny_model(), "abc", "--chat-template", template, "--max-tokens", 1, "--json").json()
        self.assertEqual(answer["usage"]["prompt_tokens"], len("abc!"))
        self.refused("run", tiny_model(), "abc", "--chat-template", self.write("bad.jinja", "{% if %}"), says="bad.jinja:1")
        self.refused("run", tiny_model(), "abc", "--chat-template", self.folder / "absent", says="absent")

    def test_prompt_beyond_the_window_names_both_counts(self):
        self.refused("run", tiny_model(), "--raw", "zq" * 50, "--window", 64,
                     says=("the prompt has 100 tokens", "the window is 64"))
        self.refused("run", tiny_model(), "--raw", "z" * 64, "--window", 64, "--max-tokens", 1,
                     says=("the prompt has 64 tokens", "the window is 64"))
        self.refused("run", tiny_model(), "--raw", "z" * 257, "--max-tokens", 0, says=("257", str(TINY_WINDOW)))

    def test_prompt_as_long_as_the_window_can_be_read(self):
        answer = self.tiny_json("z" * 64, "--window", 64, "--max-tokens", 0)
        context = answer["context"]
        self.assertEqual([context[key] for key in ("window", "prompt_given", "prompt_kept", "left")], [64, 64, 64, 0])

    def test_answer_ends_where_the_window_ends(self):
        arguments = ("z" * 60, "--window", 64, "--temperature", 0, "--ignore-eos")
        for answer in (self.tiny_json(*arguments), self.tiny_json(*arguments, "--max-tokens", 100)):
            self.assertEqual((len(answer["ids"]), answer["finish_reason"]), (4, "length"))
            self.assertEqual(answer["context"]["left"], 0)

    def test_clamping_max_tokens_is_told(self):
        result = self.tiny("z" * 60, "--window", 64, "--max-tokens", 100)
        self.assertRegex(result.err, "max_tokens 100 was clamped to 4")

    def test_window_beyond_the_trained_one_is_refused(self):
        for window in (TINY_WINDOW + 1, 1 << 30):
            self.refused("run", tiny_model(), "--raw", "a", "--window", window, says=(str(window), str(TINY_WINDOW)))
        for window in ("-1", "x", "1.5", str(1 << 31), "99999999999999999999"):
            self.tiny_refused("--window", window, says="--window")

    def test_the_real_models_window(self):
        self.refused("run", self.model(), "word " * 200, "--raw", "--window", 64, says=("64", "window"))


class MaxTokensAndStops(RunCase):
    def test_max_tokens(self):
        for n in (0, 1, 2):
            answer = self.greedy_json(CAPITAL, "--max-tokens", n)
            self.assertEqual((answer["ids"], answer["finish_reason"]), (CAPITAL_IDS[:n], "length"))
            self.assertEqual(answer["usage"]["completion_tokens"], n)
            self.assertEqual(answer["usage"]["passes"], max(n, 1))
        self.assertEqual(self.greedy(CAPITAL, "--max-tokens", 1, "-q").out, " Paris\n")

    def test_timings_say_what_was_measured_and_null_for_the_rest(self):
        rates = {"ttft_ms": 1, "prompt_tok_s": 1, "generation_tok_s": 2}  # from how many tokens on there is one
        for n in (0, 1, 2):
            answer = self.tiny_json("hello", "--max-tokens", n, "--temperature", 0, "--logit-bias", f"{TINY_END_ID}=-100")
            self.assertEqual(answer["usage"]["completion_tokens"], n)
            timings = answer["timings"]
            for key, value in timings.items():
                with self.subTest(max_tokens=n, key=key):
                    if n < rates.get(key, 0):
                        self.assertIsNone(value)
                    else:
                        self.assertGreater(value, 0)

    def test_end_token_ends_it(self):  # BR-010
        answer = self.tiny_json("a", "--temperature", 0, "--logit-bias", f"{TINY_END_ID}=100")
        self.assertEqual((answer["ids"], answer["text"]), ([TINY_END_ID], ""))
        self.assertEqual((answer["finish_reason"], answer["stop"]), ("stop", "<|im_end|>"))
        stops = ("--stop", "<|im_end|>")  # of the token's letters, not of the token
        both = self.tiny_json("a", "--temperature", 0, "--logit-bias", f"{TINY_END_ID}=100", *stops)
        self.assertEqual((both["ids"], both["text"], both["finish_reason"]), ([TINY_END_ID], "", "stop"))
        more = self.tiny_json("a", "--temperature", 0, "--logit-bias", f"{TINY_END_ID}=100", "--ignore-eos",
                              "--max-tokens", 3)
        self.assertEqual((more["ids"], more["finish_reason"]), ([TINY_END_ID] * 3, "length"))

    def test_stop_over_several_tokens_is_not_shown(self):  # BR-007
        for stop, left in (("11, 12", " 8, 9, 10, "), (", 9", " 8"), ("0, 1", " 8, 9, 1"), (" ", ""), ("8", " ")):
            result = self.greedy(COUNT, "--max-tokens", 32, "--stop", stop, "-q")
            self.assertEqual(result.out, left + "\n", stop)
        answer = self.greedy_json(COUNT, "--max-tokens", 32, "--stop", "11, 12")
        self.assertEqual((answer["text"], answer["stop"]), (" 8, 9, 10, ", "11, 12"))
        self.assertEqual(answer["finish_reason"], "stop")
        self.assertEqual(answer["usage"]["completion_tokens"], len(answer["ids"]))

    def test_of_several_stops_the_first_to_come_counts(self):
        stops = ("--stop", "12", "--stop", "10, 11", "--stop", "10")
        answer = self.greedy_json(COUNT, "--max-tokens", 32, *stops)
        self.assertEqual((answer["text"], answer["stop"]), (" 8, 9, ", "10"))

    def test_stop_that_begins_and_fails_holds_nothing_back(self):  # BR-007, BR-010
        for stop in ("11, 13", "15, 17", "7,", CAPITAL):  # the last two are in the prompt or nowhere
            self.assertEqual(self.greedy(COUNT, "--max-tokens", 32, "--stop", stop, "-q").out, COUNT_TEXT + "\n", stop)

    def test_stop_of_several_byte_tokens(self):
        answer = self.greedy_json(LLAMAS, "--max-tokens", 30, "--stop", "🦙🦙")
        self.assertEqual((answer["text"], answer["finish_reason"]), ("", "stop"))

    def test_stops_are_checked(self):
        for stop, says in (("", "empty"), ("x" * 257, "256"), (b"\xa9".decode("utf-8", "surrogateescape"), "UTF-8")):
            self.tiny_refused("--stop", stop, says=("stop", says))
        self.tiny_refused(*itertools.chain(*(("--stop", f"s{i}") for i in range(17))), says=("stop", "16"))


class Streams(RunCase):
    def chunks(self, *arguments):
        """What each read of stdout gave, as the program wrote it."""
        parts = []
        with start("run", *arguments) as process:
            while part := os.read(process.stdout.fileno(), 65536):
                parts.append(part)
            err = process.stderr.read()
        self.assertEqual(process.returncode, 0, err)
        return parts

    def test_characters_of_several_tokens_come_whole(self):  # BR-001
        arguments = (LLAMAS, "--max-tokens", 15)
        parts = self.chunks(self.model(), *GREEDY, *arguments, "-q")
        text = "".join(part.decode() for part in parts)  # each chunk alone is valid UTF-8
        self.assertEqual(text, "🦙" * 5 + "\n")
        self.assertGreater(len(parts), 2)  # streamed, not kept to the end
        self.assertEqual(self.greedy_json(*arguments)["text"] + "\n", text)

    def test_mixed_scripts_come_whole(self):  # BR-001
        prompt = "Repeat exactly: щёчки 😶‍🌫️ 漢字 🦙 →"
        arguments = (self.model(), prompt, "--temperature", 0, "--max-tokens", 48)
        text = "".join(part.decode() for part in self.chunks(*arguments, "-q"))
        self.assertRegex(text, "[а-яё]{3}")
        self.assertEqual(self.works("run", *arguments, "--json", "-q").json()["text"] + "\n", text)

    def test_a_limit_within_a_character_is_the_same_streamed_or_not(self):  # BR-002
        for n in range(1, 7):
            text = self.greedy(LLAMAS, "--max-tokens", n, "-q").out[:-1]
            answer = self.greedy_json(LLAMAS, "--max-tokens", n)
            self.assertEqual((answer["text"], answer["finish_reason"]), (text, "length"))
            self.assertEqual(text.rstrip("\ufffd"), "🦙" * (n // 3))

    def test_random_bytes_stream_as_valid_text(self):
        # Lead and continuation bytes of é and 🦙 alone, in any order: whole characters and broken ones.
        bias = ",".join(f"{3 + byte}=100" for byte in (0xC3, 0xA9, 0xF0, 0x9F))
        arguments = (tiny_model(), "a", "--raw", "--temperature", 1, "--seed", 3, "--logit-bias", bias)
        text = "".join(part.decode() for part in self.chunks(*arguments, "-q"))
        self.assertIn("é", text)
        self.assertIn("\ufffd", text)
        self.assertEqual(self.works("run", *arguments, "--json", "-q").json()["text"] + "\n", text)

    def test_no_colour_and_no_progress_in_a_pipe(self):
        for arguments in ((), ("--json",)):
            result = self.tiny("a", "--max-tokens", 2, "--temperature", 0, *arguments)
            self.assertNotIn(b"\x1b", result.raw_out)
            self.assertNotIn("\x1b", result.err)
            self.assertNotIn("\r", result.err)

    def test_no_color_on_a_terminal(self):
        master, terminal = pty.openpty()
        command = ("run", tiny_model(), "--raw", "hi", "--temperature", "0", "--max-tokens", "2")
        with start(*command, env={"NO_COLOR": "1", "TERM": "xterm"}) as plain:
            expected = plain.stdout.read()
            plain.stderr.read()
        process = subprocess.Popen([BINARY, *map(str, command)], stdin=subprocess.DEVNULL, stdout=terminal,
                                   stderr=terminal, env={**os.environ, "NO_COLOR": "1", "TERM": "xterm"})
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(master, 4096):
                shown += part
        except OSError:  # how a terminal tells that its other end is gone
            pass
        os.close(master)
        self.assertEqual(process.wait(timeout=PATIENCE_S), 0)
        self.assertIn(expected.replace(b"\n", b"\r\n"), shown)
        self.assertNotRegex(shown.decode(), COLOUR)

    def test_locale_changes_nothing(self):
        arguments = ("run", tiny_model(), "--raw", "a", "--temperature", "0.5", "--seed", "1", "--max-tokens", "6",
                     "--json", "-q", "--logprobs", 0)
        plain = self.works(*arguments, env={"LC_ALL": "C"}).json()
        listed = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
        locales = [x for x in listed if x.startswith(("de_DE", "tr_TR", "fr_FR", "C."))] or ["C"]
        for locale in locales + ["de_DE.UTF-8", "no_SUCH"]:
            answer = self.works(*arguments, env={"LC_ALL": locale}).json()
            self.assertEqual((answer["ids"], answer["logprobs"]), (plain["ids"], plain["logprobs"]), locale)
            self.refused("run", tiny_model(), "--raw", "a", "--temperature", "0,5", env={"LC_ALL": locale}, says="temperature")


class Ends(RunCase):
    ENDLESS = (*GREEDY, "--ignore-eos")

    def interrupt(self, which, status):
        with start("run", self.model(), CAPITAL, *self.ENDLESS) as process:
            first = os.read(process.stdout.fileno(), 4096)
            process.send_signal(which)
            out, err = process.communicate(timeout=PATIENCE_S)
        text = (first + out).decode()
        self.assertEqual(process.returncode, status, err)
        self.assertTrue(text.endswith("\n"))
        self.assertTrue(text[:-1])
        both = min(len(text) - 1, len(CAPITAL_TEXT))
        self.assertEqual(text[:both], CAPITAL_TEXT[:both])
        self.assertNotIn(b"error", err)

    def test_ctrl_c_keeps_the_text_so_far(self):
        self.interrupt(signal.SIGINT, 130)

    def test_termination_keeps_the_text_so_far(self):
        self.interrupt(signal.SIGTERM, 143)

    def test_ctrl_c_with_json_prints_the_object(self):
        with start("run", self.model(), CAPITAL, *self.ENDLESS, "--json", "--top-k", 5) as process:
            self.assertIn(b"note: top_k", process.stderr.readline())  # said when the answer is about to begin
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=PATIENCE_S)
        answer = json.loads(out)
        self.assertEqual((process.returncode, answer["finish_reason"]), (130, "cancelled"))
        both = min(len(answer["ids"]), len(CAPITAL_IDS))
        self.assertEqual(answer["ids"][:both], CAPITAL_IDS[:both])

    def test_ctrl_c_while_waiting_for_the_prompt(self):
        with start("run", tiny_model(), "--raw", "-", stdin=subprocess.PIPE) as process:
            wait_until_handled(process, signal.SIGINT)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=PATIENCE_S), 130)
            self.assertEqual(process.stdout.read(), b"")

    def test_a_reader_that_goes_away_ends_it_without_a_word(self):
        with start("run", self.model(), CAPITAL, *self.ENDLESS) as process:
            os.read(process.stdout.fileno(), 1)
            process.stdout.close()
            err = process.stderr.read()
        self.assertEqual((process.returncode, err), (128 + signal.SIGPIPE, b""))

    def test_output_that_cannot_be_written_is_an_error(self):
        for arguments in ((), ("--json",)):
            command = ["run", tiny_model(), "--raw", "a", "--max-tokens", "4", "-q", *arguments]
            command = [BINARY, *map(str, command)]
            with open("/dev/full", "wb") as full:
                process = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(process.returncode, 1, f"stdout on a full disk, {arguments}")
            self.assertIn(b"cannot write", process.stderr)
            process = subprocess.run(["sh", "-c", '"$0" "$@" >&-', *command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.assertEqual(process.returncode, 1, f"stdout closed, {arguments}")
            self.assertIn(b"cannot write", process.stderr)


class Memory(RunCase):
    def test_peak_is_learned_and_cache_and_a_hundred_megabytes(self):
        prompt = "The river rises in the hills above the town. " * 60
        timings = self.greedy_json(prompt, "--max-tokens", 16)["timings"]
        self.assertGreater(timings["kv_bytes"], 600 * KV_BYTES_PER_TOKEN)
        self.assertEqual(timings["kv_bytes"] % KV_BYTES_PER_TOKEN, 0)
        self.assertLessEqual(timings["peak_resident_bytes"], timings["learned_bytes"] + timings["kv_bytes"] + 100_000_000)
        self.assertGreater(timings["peak_resident_bytes"], timings["learned_bytes"])

    def test_a_short_answer_does_not_pay_for_the_whole_window(self):
        timings = self.greedy_json(CAPITAL, "--max-tokens", 4)["timings"]
        self.assertLess(timings["kv_bytes"], 1024 * KV_BYTES_PER_TOKEN)

    def test_more_threads_than_processors_still_answer(self):
        self.assertEqual(self.greedy(CAPITAL, "--max-tokens", 6, "-t", 8, "-q").out, " Paris.\n\nThe answer\n")
        self.assertEqual(self.tiny_json("a", "--temperature", 0, "--max-tokens", 6, "-t", 64)["usage"]["completion_tokens"], 6)
        for threads in ("-1", "1025", "x", "1.5"):
            self.tiny_refused("-t", threads, says="--threads")


if __name__ == "__main__":
    main()
