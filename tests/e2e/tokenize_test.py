#!/usr/bin/env python3
"""kelda tokenize and kelda detokenize, with SmolLM2's vocabulary."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import PATIENCE_S, KeldaCase, kelda, main, start, tiny_model  # noqa: E402

MARKED = "<|im_start|>user\nHi<|im_end|>"
MARKED_IDS = [1, 4093, 198, 26843, 2]


class Tokenize(KeldaCase):
    def ids(self, *arguments, stdin=None):
        return [int(x) for x in self.works("tokenize", self.model(), *arguments, "--ids", stdin=stdin).out.split()]

    def test_special_tokens_are_parsed_unless_they_are_to_be_text(self):
        self.assertEqual(self.ids(MARKED), MARKED_IDS)
        plain = self.ids(MARKED, "--special", "text")
        self.assertFalse({0, 1, 2} & set(plain))
        self.assertEqual(self.works("detokenize", self.model(), *map(str, plain)).out, MARKED)

    def test_the_text_may_come_from_stdin_or_an_option(self):
        expected = self.ids("-- a text")
        self.assertEqual(self.ids("-", stdin=b"-- a text"), expected)
        self.assertEqual(self.ids(stdin=b"-- a text"), expected)
        self.assertEqual(self.ids("--text", "-- a text"), expected)
        self.refused("tokenize", self.model(), "a", "--text", "b", says="twice")

    def test_json_has_ids_and_pieces(self):
        told = self.works("tokenize", self.model(), "a\n🦙", "--json").json()
        self.assertEqual(told["count"], len(told["ids"]))
        self.assertEqual(len(told["ids"]), len(told["pieces"]))
        self.assertEqual(told["pieces"][:2], ["a", "\\n"])
        self.assertRegex("".join(told["pieces"]), r"\\x[0-9A-F]{2}")  # parts of a character

    def test_people_see_a_row_per_token(self):
        result = self.works("tokenize", self.model(), "Hello world")
        self.assertEqual([line.split()[0] for line in result.out.splitlines()], [str(x) for x in self.ids("Hello world")])
        self.assertIn("tokens", result.err)

    def test_lines_of_json_go_in_and_come_out_in_order(self):
        texts = ["", "a", MARKED, "é\u0301 \n", "line\nbreak", "🦙" * 50] * 200
        lines = "".join(json.dumps(t) + "\n" for t in texts).encode()
        out = self.works("tokenize", self.model(), "--jsonl", "-t", 3, stdin=lines).out.splitlines()
        self.assertEqual(len(out), len(texts))
        self.assertEqual(json.loads(out[2]), MARKED_IDS)
        back = self.works("detokenize", self.model(), "--jsonl", "--special", stdin="\n".join(out).encode()).out
        self.assertEqual([json.loads(line) for line in back.splitlines()], texts)

    def test_each_line_is_answered_while_the_next_is_not_there(self):
        for command, line, says in (("tokenize", b'"abc"\n', b"[25276]\n"), ("detokenize", b"[26843]\n", b'"Hi"\n')):
            with start(command, self.model(), "--jsonl", stdin=subprocess.PIPE) as process:
                for _ in range(3):
                    process.stdin.write(line)
                    process.stdin.flush()
                    self.assertEqual(process.stdout.readline(), says)
                process.stdin.write(line[:-1])  # the last line may lack its end
                out, _ = process.communicate(timeout=PATIENCE_S)
                self.assertEqual((out, process.returncode), (says, 0))

    def test_lines_and_arguments_exclude_each_other(self):
        self.refused("tokenize", self.model(), "--jsonl", "text", stdin=b"", says="--jsonl")
        self.refused("detokenize", self.model(), "--jsonl", "1", "2", stdin=b"", says="--jsonl")

    def test_a_word_of_any_length_takes_linear_time(self):  # BR-046; how long is a matter of text_test
        letters = "".join(chr(97 + i * i % 101 % 26) for i in range(10**6))
        for text in ("a" * 10**6, "ab" * (5 * 10**5), letters):
            out = self.works("tokenize", self.model(), "--jsonl", stdin=json.dumps(text).encode()).out
            back = self.works("detokenize", self.model(), "--jsonl", stdin=out.encode()).out
            self.assertEqual(json.loads(back), text)

    def test_what_comes_before_a_faulty_line_is_answered(self):
        for command, good, answer in (("tokenize", b'"abc"\n', b"[25276]\n"), ("detokenize", b"[26843]\n", b'"Hi"\n')):
            result = kelda(command, self.model(), "--jsonl", stdin=good * 2 + b"bad\n" + good)
            self.assertEqual((result.code, result.raw_out), (2, answer * 2))
            self.assertIn("line 3: not JSON at column 1", result.err)

    def test_a_list_of_a_million_lists_is_refused(self):
        result = kelda("detokenize", self.model(), "--jsonl", stdin=b"[" * 10**6 + b"]" * 10**6)
        self.assertEqual(result.code, 2)
        self.assertLess(len(result.err), 1000)

    def test_faulty_lines_are_named(self):
        for line in (b'"x', b"5", b'"\\ud83d"', b'"x \\ude00 y"', b'"\xff"', b""):
            self.refused("tokenize", self.model(), "--jsonl", stdin=line + b'\n"fine"\n', says="line 1")
        for line in (b"[1, 99999999]", b"[-1]", b"[1.5]", b"1", b'["a"]'):
            self.refused("detokenize", self.model(), "--jsonl", stdin=line + b"\n[1]\n", says="line 1")

    def test_text_that_is_no_utf8_is_refused_with_the_byte(self):
        self.refused("tokenize", self.model(), "-", stdin=b"ab\xffc", says="byte 2")


class Detokenize(KeldaCase):
    def test_ids_in_every_way_of_writing(self):
        for ids in (("26843", "253"), ("26843,253",), ("[26843, 253]",)):
            self.assertEqual(self.works("detokenize", self.model(), *ids).out, "Hi a")
        self.assertEqual(self.works("detokenize", self.model(), "-", stdin=b"26843 253").out, "Hi a")

    def test_special_tokens_on_request_only(self):
        self.assertEqual(self.works("detokenize", self.model(), *MARKED_IDS).out, "user\nHi")
        self.assertEqual(self.works("detokenize", self.model(), "--special", *MARKED_IDS).out, MARKED)

    def test_what_is_no_list_is_refused(self):
        for ids, says in (("[1,,2]", '"" is not'), ("1,", "after the last comma"), (",1", '"" is not'), ("[1", '"[1"'),
                          ("1]", '"1]"'), ("[[1]]", '"[1]"'), ("1 [2]", '"[2]"')):
            self.refused("detokenize", self.model(), "-", stdin=ids.encode(), says=says)
        self.assertEqual(self.works("detokenize", self.model(), "-", stdin=b"[]").out, "")

    def test_what_is_no_id_is_refused(self):
        self.refused("detokenize", self.model(), "1", "x", says="\"x\"")
        self.refused("detokenize", self.model(), "49152", says="49152")

    def test_a_vocabulary_of_a_tiny_model_will_do(self):
        self.assertEqual(self.works("detokenize", tiny_model(), "-", stdin=self.works(
            "tokenize", tiny_model(), "abc", "--ids").out.encode()).out, "abc")


if __name__ == "__main__":
    main()
