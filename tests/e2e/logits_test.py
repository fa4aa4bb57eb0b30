#!/usr/bin/env python3
"""kelda logits: the next-token distribution, as text, JSON and raw floats."""

import math
import os
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import (  # noqa: E402
    CAPITAL, CAPITAL_FIRST_LOGPROB, CAPITAL_PROMPT_IDS, CAPITAL_TOP_IDS, TINY_VOCAB_SIZE, TINY_WINDOW, VOCAB_SIZE,
    KeldaCase, kelda, main, tiny_model)


def comma(ids):
    return ",".join(map(str, ids))


class LogitsCase(KeldaCase):
    def tiny(self, *arguments, **options):
        return self.works("logits", tiny_model(), *arguments, **options)

    def tiny_refused(self, *arguments, **options):
        return self.refused("logits", tiny_model(), *arguments, **options)

    def raw(self, lines, *arguments, model=None, **options):
        """The raw output as one list of floats per position."""
        ids = self.write("ids.txt", lines)
        out = self.folder / "out.raw"
        self.works("logits", model or tiny_model(), "--ids-file", ids, "--raw-out", out, *arguments, **options)
        data = out.read_bytes()
        width = VOCAB_SIZE if model else TINY_VOCAB_SIZE
        return [struct.unpack(f"<{width}f", data[at:at + 4 * width]) for at in range(0, len(data), 4 * width)]


class Distribution(LogitsCase):
    def test_ids_and_text_are_the_same_and_right(self):
        by_ids = self.works("logits", self.model(), "--ids", comma(CAPITAL_PROMPT_IDS), "--json", "--top", 3)
        by_text = self.works("logits", self.model(), "--text", CAPITAL, "--json", "--top", 3)
        self.assertEqual(by_ids.out, by_text.out)
        (position,) = by_ids.json()["positions"]
        self.assertEqual((position["pos"], position["ids"]), (4, CAPITAL_TOP_IDS))
        self.assertAlmostEqual(position["logprobs"][0], CAPITAL_FIRST_LOGPROB, delta=0.02)

    def test_json_shape(self):
        result = self.tiny("--ids", "5,6,7", "--json", "--top", 4, "--positions", "all")
        self.assertEqual(result.err, "")
        self.assertEqual(list(result.json()), ["positions"])
        for pos, row in enumerate(result.json()["positions"]):
            self.assertEqual(set(row), {"pos", "ids", "logprobs"})
            self.assertEqual((row["pos"], len(row["ids"]), len(row["logprobs"])), (pos, 4, 4))
            self.assertEqual(row["logprobs"], sorted(row["logprobs"], reverse=True))

    def test_probabilities_of_the_whole_vocabulary_add_up_to_one(self):
        (row,) = self.tiny("--ids", "5,6,7", "--json", "--top", TINY_VOCAB_SIZE).json()["positions"]
        self.assertEqual(sorted(row["ids"]), list(range(TINY_VOCAB_SIZE)))
        self.assertAlmostEqual(math.fsum(map(math.exp, row["logprobs"])), 1, places=9)

    def test_positions(self):
        def shown(*arguments):
            return [row["pos"] for row in self.tiny("--ids", "5,6,7,8", "--json", *arguments).json()["positions"]]

        self.assertEqual(shown(), [3])
        self.assertEqual(shown("--positions", "last"), [3])
        self.assertEqual(shown("--positions", "all"), [0, 1, 2, 3])
        self.assertEqual(shown("--positions", "2,0,2"), [0, 2])

    def test_a_position_does_not_depend_on_what_follows(self):
        short = self.tiny("--ids", "5,6", "--json").json()["positions"][0]
        long = self.tiny("--ids", comma(range(5, 205)), "--json", "--positions", "1").json()["positions"][0]
        self.assertEqual((short["ids"], short["logprobs"]), (long["ids"], long["logprobs"]))

    def test_text_output(self):
        lines = self.tiny("--ids", "5,6", "--top", 3, "--positions", "all").out.splitlines()
        self.assertEqual([line for line in lines if line.startswith("position")], ["position 0", "position 1"])
        self.assertEqual(len(lines), 8)
        for line in lines[1:4]:
            self.assertRegex(line, r'^ +[0-9]+ +-[0-9.]+ +[01]\.[0-9]{4}  ".*"$')

    def test_special_tokens_only_on_request(self):
        plain = self.tiny("--text", "<|im_start|>", "--positions", "all", "--json").json()
        special = self.tiny("--text", "<|im_start|>", "--positions", "all", "--json", "--special").json()
        self.assertEqual((len(plain["positions"]), len(special["positions"])), (11, 1))  # "ar" is one token


class RotaryPositions(LogitsCase):
    """What the override computes is that of a file which says the same: rope_override_test.cpp."""

    def logits(self, *arguments):
        return self.works("logits", tiny_model(), "--text", "abcdefgh", "--json", "-q", *arguments).json()["positions"]

    def test_they_may_be_other_than_the_files(self):
        plain = self.logits()
        self.assertEqual(self.logits("--rope-scaling", "none"), plain)
        for other in (("--rope-base", 5e5), ("--rope-scaling", "linear", "--rope-factor", 4), ("--rope-scaling", "yarn", "--rope-factor", 4)):
            self.assertNotEqual(self.logits(*other), plain, other)

    def test_the_window_grows_with_the_factor(self):
        ids = ",".join(["5"] * 400)
        self.refused("logits", tiny_model(), "--ids", ids, says="256")
        self.works("logits", tiny_model(), "--ids", ids, "--rope-scaling", "linear", "--rope-factor", 2)

    def test_what_means_nothing_is_refused(self):
        for arguments, says in ((("--rope-factor", 2), "scaling"), (("--rope-scaling", "linear"), "factor"),
                                (("--rope-scaling", "ntk"), "yarn"), (("--rope-base", "nan"), "--rope-base"),
                                (("--rope-scaling", "yarn", "--rope-factor", 0), "--rope-factor")):
            self.refused("logits", tiny_model(), "--text", "a", *arguments, says=says)


class RawOutput(LogitsCase):
    def test_size_and_values(self):
        rows = self.raw("5 6 7\n\n8\n")
        self.assertEqual(len(rows), 4)  # each line is a prompt of its own, empty ones are none
        for at, ids in ((2, "5,6,7"), (3, "8")):
            (shown,) = self.tiny("--ids", ids, "--json", "--top", TINY_VOCAB_SIZE).json()["positions"]
            norm = math.log(math.fsum(math.exp(x) for x in rows[at]))
            for token, logprob in zip(shown["ids"], shown["logprobs"]):
                self.assertAlmostEqual(rows[at][token] - norm, logprob, places=6)

    def test_what_it_says(self):
        ids, out = self.write("ids.txt", "5 6 7\n8 9\n"), self.folder / "out.raw"
        result = self.works("logits", tiny_model(), "--ids-file", ids, "--raw-out", out)
        self.assertEqual(result.out, f"n_vocab {TINY_VOCAB_SIZE}\npositions 5\n")
        self.assertEqual(out.stat().st_size, 5 * TINY_VOCAB_SIZE * 4)

    def test_what_is_read_is_not_written_over(self):
        ids = self.write("ids.txt", "5 6 7\n")
        whole = tiny_model().read_bytes()
        part = self.write("m-00001-of-00001.gguf", whole)
        other = self.write("m-00001-of-00002.gguf", b"of another set")
        link = self.folder / "link"
        link.symlink_to(part)
        for out, says in ((ids, "a file that is read"), (part, "a file of the model"), (link, "a file of the model")):
            with self.subTest(out=out.name):
                self.refused("logits", part, "--ids-file", ids, "--raw-out", out, says=("--raw-out", out.name, says))
        self.assertEqual((ids.read_text(), part.read_bytes()), ("5 6 7\n", whole))
        self.works("logits", part, "--ids-file", ids, "--raw-out", other)

    def test_same_bits_for_any_threads_and_instruction_set(self):
        lines = " ".join(map(str, range(3, 203))) + "\n7 8 9\n"
        rows = self.raw(lines, "-t", 1)
        for threads in (2, 3, 5):
            self.assertEqual(self.raw(lines, "-t", threads), rows, f"{threads} threads")
        self.assertEqual(self.raw(lines, env={"KELDA_ISA": "scalar"}), rows, "scalar")

    def test_same_bits_of_the_real_model(self):
        lines = " ".join(map(str, CAPITAL_PROMPT_IDS)) + "\n"
        rows = self.raw(lines, "-t", 1, model=self.model())
        self.assertEqual(len(rows), 5)
        self.assertEqual(rows[4].index(max(rows[4])), CAPITAL_TOP_IDS[0])
        self.assertEqual(self.raw(lines, "-t", 2, model=self.model()), rows)
        self.assertEqual(self.raw(lines, model=self.model(), env={"KELDA_ISA": "scalar"}), rows)

    def test_reference_path_is_near(self):
        lines = "5 6 7 8 9 10\n"
        for fast, reference in zip(self.raw(lines), self.raw(lines, "--compute", "reference")):
            self.assertLess(max(abs(a - b) for a, b in zip(fast, reference)), 0.5)

    def test_a_failure_leaves_no_file_and_an_old_one_as_it_was(self):
        out = self.folder / "out.raw"
        for content, says in (("5 6\n7 x\n", "line 2: 'x'"), ("5 6\n7 300\n", "300"), ("5\n-1\n", "-1"),
                              ("5\n" + "5 " * (TINY_WINDOW + 1) + "\n", f"ids.txt line 2: the prompt has {TINY_WINDOW + 1}")):
            ids = self.write("ids.txt", content)
            self.tiny_refused("--ids-file", ids, "--raw-out", out, says=says)
            self.assertEqual([x.name for x in self.folder.iterdir()], ["ids.txt"])
        out.write_bytes(b"old")
        self.tiny_refused("--ids-file", ids, "--raw-out", out)
        self.assertEqual(out.read_bytes(), b"old")
        self.assertEqual(sorted(x.name for x in self.folder.iterdir()), ["ids.txt", "out.raw"])

    def test_places_that_cannot_be_written(self):
        ids = self.write("ids.txt", "5\n")
        for out in (self.folder / "no/such/folder/x", self.folder):
            result = kelda("logits", tiny_model(), "--ids-file", ids, "--raw-out", out)
            self.assertIn(result.code, (1, 2), result)
            self.assertEqual(result.raw_out, b"", result)
            self.assertIn(str(out), result.err, result)

    def test_what_is_not_a_regular_file_is_not_replaced(self):
        ids, pipe = self.write("ids.txt", "5\n"), self.folder / "pipe"
        os.mkfifo(pipe)
        result = kelda("logits", tiny_model(), "--ids-file", ids, "--raw-out", pipe)
        self.assertTrue(pipe.is_fifo(), "the FIFO was replaced by a file; a device would have been as well")
        self.assertIn(result.code, (1, 2), result)
        self.assertIn(str(pipe), result.err, result)


class Refusals(LogitsCase):
    def test_exactly_one_source(self):
        ids = self.write("ids.txt", "5\n")
        self.tiny_refused(says=("--ids", "--text", "--ids-file"))
        by_id, by_text, by_file = ("--ids", "1"), ("--text", "a"), ("--ids-file", ids, "--raw-out", self.folder / "x")
        for one, other in ((by_id, by_text), (by_id, by_file), (by_text, by_file)):
            self.tiny_refused(*one, *other, says=(one[0], other[0]))
            self.tiny_refused(*other, *one, says=(one[0], other[0]))
        self.tiny_refused("--ids-file", ids, says=("--ids-file", "--raw-out"))
        self.tiny_refused("--ids", "1", "--raw-out", self.folder / "x", says=("--ids-file", "--raw-out"))
        self.assertFalse((self.folder / "x").exists())

    def test_ids_outside_the_vocabulary(self):
        for ids in ("300", "-1", "1,2,999", "4294967301", "-4294967291", "9223372036854775807"):
            with self.subTest(ids=ids):
                self.tiny_refused("--ids", ids, says=ids.split(",")[-1])

    def test_what_is_not_an_id(self):
        for ids in ("x", "1,x", "1.5", "0x5", "99999999999999999999"):
            self.tiny_refused("--ids", ids, says="--ids")
        for ids in (",", "1,,3", ",1", "1,", "1, ,3", "1 ,, 3"):
            with self.subTest(ids=ids):
                self.tiny_refused("--ids", ids, says=("--ids", "missing beside a comma"))
        self.tiny_refused("--ids", " ", says="no tokens")
        self.assertEqual(self.tiny("--ids", " 5 , 6\t7 ", "--json").out, self.tiny("--ids", "5,6,7", "--json").out)

    def test_positions_outside_the_prompt(self):
        for positions in ("2", "-1", "0,5", "4294967296", "9223372036854775807"):
            with self.subTest(positions=positions):
                self.tiny_refused("--ids", "5,6", "--positions", positions, says=("--positions", positions.split(",")[-1]))
        for positions in ("x", "first", "", ",", "1.5"):
            with self.subTest(positions=positions):
                self.tiny_refused("--ids", "5,6", "--positions", positions, says="--positions")

    def test_a_prompt_beyond_the_window(self):
        ids = comma([5] * (TINY_WINDOW + 1))
        self.tiny_refused("--ids", ids, says=(str(TINY_WINDOW + 1), str(TINY_WINDOW)))
        self.tiny_refused("--ids", "5,6,7,8,9", "--window", 4,
                          says=("the prompt has 5 tokens and the window is 4", "shorten the prompt to at most 4 tokens",
                                "take a larger window (--window, at most 256)"))
        self.tiny_refused("--ids", "5", "--window", TINY_WINDOW + 1, says=("--window", "[1, 256]", "or 0", "got 257"))
        self.tiny("--ids", comma([5] * TINY_WINDOW))

    def test_flags_that_would_have_no_effect(self):
        ids = self.write("ids.txt", "5\n")
        for flag in (("--json",), ("--top", 3), ("--positions", "0"), ("--special",)):
            with self.subTest(flag=flag):
                self.tiny_refused("--ids-file", ids, "--raw-out", self.folder / "x", *flag, says=flag[0])
        with self.subTest(flag="--special with ids"):
            self.tiny_refused("--ids", "5", "--special", says="--special")

    def test_values_of_flags(self):
        for top in ("0", "-1", "x", "1048577"):
            self.tiny_refused("--ids", "5", "--top", top, says="--top")
        self.tiny_refused("--ids", "5", "--compute", "fast", says=("--compute", "reference"))
        self.tiny_refused("--ids", "5", "--postions", "all", says="did you mean --positions?")
        self.tiny_refused("--text", b"a\xff".decode("utf-8", "surrogateescape"), says="UTF-8")
        self.tiny_refused("--ids-file", self.folder / "gone", "--raw-out", self.folder / "x", says="no such file")
        self.assertFalse((self.folder / "x").exists())


if __name__ == "__main__":
    main()
