#!/usr/bin/env python3
"""kelda bench: which tests it runs and what it prints. No speed is asserted."""

import re
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import TINY_WINDOW, KeldaCase, main, tiny_model  # noqa: E402

ROW = re.compile(r"^(\S+) +([0-9]+\.[0-9]) tok/s$", re.M)


class Bench(KeldaCase):
    def bench(self, *arguments):
        return self.works("bench", tiny_model(), *arguments)

    def bench_refused(self, *arguments, **options):
        return self.refused("bench", tiny_model(), *arguments, **options)

    def test_text_has_a_row_per_test(self):
        result = self.bench("--tests", "pp16,tg4,pp8@d32,tg2@d16", "-r", 2)
        rows = ROW.findall(result.out)
        self.assertEqual([name for name, _ in rows], ["pp16", "tg4", "pp8@d32", "tg2@d16"])
        self.assertTrue(all(float(speed) > 0 for _, speed in rows), result)
        self.assertEqual(len(result.out.splitlines()), 4)

    def test_json_keeps_every_run(self):
        result = self.bench("--tests", "pp16,tg4", "-r", 3, "--json")
        self.assertEqual([row["test"] for row in result.json()], ["pp16", "tg4"])
        for row in result.json():
            self.assertEqual(len(row["runs"]), 3)
            self.assertTrue(all(speed > 0 for speed in row["runs"]))
            self.assertEqual(row["tok_s"], statistics.median(row["runs"]))

    def test_json_of_an_even_number_of_runs_is_their_median(self):
        for row in self.bench("--tests", "pp16", "-r", 2, "--json").json():
            self.assertAlmostEqual(row["tok_s"], statistics.median(row["runs"]), delta=1e-6 * row["tok_s"])

    def test_quiet_and_threads(self):
        self.assertEqual(self.bench("--tests", "pp4", "-r", 1, "-q", "-t", 3).err, "")

    def test_whole_window(self):
        self.bench("--tests", f"pp{TINY_WINDOW},pp{TINY_WINDOW - 1}@d1,tg1@d{TINY_WINDOW - 1}", "-r", 1)

    def test_beyond_the_window(self):
        for test in ("pp257", "tg257", "pp1@d256", "pp200@d57", "pp9223372036854775807",
                     "pp9223372036854775807@d9223372036854775807", "tg1@d9223372036854775807"):
            with self.subTest(test=test):
                self.bench_refused("--tests", test, "-r", 1, says=(test, str(TINY_WINDOW)))

    def test_a_smaller_window_counts(self):
        self.bench("--tests", "pp32", "--window", 32, "-r", 1)
        self.bench_refused("--tests", "pp33", "--window", 32, "-r", 1, says=("pp33", "32"))
        self.bench_refused("--tests", "pp8", "--window", TINY_WINDOW + 1, "-r", 1, says=str(TINY_WINDOW))

    def test_refused_before_anything_is_printed(self):
        self.bench_refused("--tests", "pp4,pp257", "-r", 1, says="pp257")

    def test_words_that_are_no_test(self):
        for tests in ("", ",", "pp", "tg", "pp0", "tg-1", "pp8@", "pp8@d", "pp8@d-1", "pp8@8", "xx8", "8", "pp8,", ",pp8",
                      "pp1.5", "pp8x", "PP8", "pp 8", "pp99999999999999999999"):
            with self.subTest(tests=tests):
                self.bench_refused("--tests", tests, "-r", 1, says="--tests")

    def test_flags(self):
        for repetitions in ("0", "-1", "1001", "x"):
            self.bench_refused("-r", repetitions, says="--repetitions")
        self.bench_refused("--test", "pp8", says=("--test", "did you mean --tests?"))
        self.refused("bench", says="model is required")

    def test_the_real_model(self):
        (row,) = self.works("bench", self.model(), "--tests", "pp8", "-r", 1, "--json").json()
        self.assertEqual((row["test"], row["tok_s"]), ("pp8", row["runs"][0]))


if __name__ == "__main__":
    main()
