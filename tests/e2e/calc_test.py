#!/usr/bin/env python3
"""kelda calc: the worked values, the same of models, and what is refused. No speed is asserted."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import KV_BYTES_PER_TOKEN, TINY_WINDOW, KeldaCase, main, tiny_encoder, tiny_model  # noqa: E402

SEVEN_B = ("--layers", 32, "--width", 4096, "--heads", 32)


class CalcCase(KeldaCase):
    def calc(self, *arguments):
        return self.works("calc", *arguments, "--json").json()

    def calc_refused(self, *arguments, **options):
        return self.refused("calc", *arguments, **options)


class StatedShapes(CalcCase):
    def test_kv(self):
        small = self.calc("kv", "--layers", 12, "--width", 768, "--bytes", 2, "--tokens", 1024)["result"]
        self.assertEqual((small["token_bytes"], small["sequence_bytes"]), (36_864, 36 << 20))
        large = self.calc("kv", *SEVEN_B, "--bytes", 2, "--tokens", 4096, "--sequences", 32)["result"]
        self.assertEqual((large["token_bytes"], large["sequence_bytes"], large["batch_bytes"]), (524_288, 2 << 30, 64 << 30))
        grouped = self.calc("kv", *SEVEN_B, "--kv-heads", 8, "--tokens", 4096, "--sequences", 32)["result"]
        self.assertEqual(grouped["token_bytes"], 131_072)
        self.assertEqual(grouped["batch_bytes"], 16 << 30)
        self.assertEqual(grouped["by_kv_heads"]["mha"], 524_288)
        self.assertEqual(grouped["by_kv_heads"]["mqa"], 16_384)
        self.assertEqual(grouped["formats"]["f32"]["token_bytes"], 262_144)
        self.assertEqual(grouped["formats"]["q8"]["token_bytes"], 131_072 // 64 * 34)

    def test_kv_text_names_units(self):
        out = self.works("calc", "kv", *SEVEN_B, "--tokens", 4096).out
        self.assertRegex(out, r"one sequence +2,147,483,648 bytes = 2\.15 GB = 2\.00 GiB")
        self.assertRegex(out, r"this build has no such cache(.|\n)* q4\*: 4 bits")

    def test_kv_of_a_window(self):
        result = self.calc("kv", "--layers", 2, "--heads", 1, "--head-dim", 64, "--window", 512, "--tokens", 4096)["result"]
        self.assertEqual(result["sequence_bytes"], 512 * 2 * 64 * 2 * 2)
        self.assertEqual(result["growth"]["512"], {"bytes": 262_144, "bytes_without_windows": 262_144})
        self.assertEqual(result["growth"]["4096"], {"bytes": 262_144, "bytes_without_windows": 8 * 262_144})

    def test_cost(self):
        result = self.calc("cost", "--tokens", 1000)["result"]
        self.assertEqual((result["naive"]["token_passes"], result["cached"]["token_passes"]), (500_500, 1000))
        result = self.calc("cost", "--tokens", 50, "--prompt", 12)["result"]
        self.assertEqual((result["passes"], result["cached"]["decode_steps"], result["cached"]["token_passes"]), (50, 49, 61))

    def test_roofline(self):
        one = self.calc("roofline", "--params", "7e9", "--bytes", 2, "--bandwidth", 1000)["result"]
        self.assertAlmostEqual(one["ms_per_token"], 14)
        self.assertAlmostEqual(one["tokens_per_s"], 71.4, delta=0.05)
        told = self.calc("roofline", *SEVEN_B, "--params", "7e9", "--bandwidth", 1000, "--tokens", 4096, "--sequences", 32)
        self.assertAlmostEqual(told["result"]["ms_per_token"], 16.15, delta=0.005)
        self.assertAlmostEqual(told["result"]["batch"]["ms"], 82.7, delta=0.05)
        self.assertAlmostEqual(told["result"]["batch"]["times_one"], 6.2, delta=0.05)
        self.assertAlmostEqual(told["result"]["bends"]["by_caches"], 6.52, delta=0.005)
        (note,) = told["notes"]
        self.assertIn("6.2 times the throughput of one sequence, not 32", note)

    def test_roofline_measures_the_bandwidth_that_is_not_stated(self):
        told = self.calc("roofline", "--params", "1e9")
        self.assertGreater(told["given"]["bandwidth_gb_s"], 0.01)
        self.assertGreater(told["given"]["int8_peak"], 0.01)
        self.assertAlmostEqual(told["result"]["ms_per_token"], 2e9 / told["given"]["bandwidth_gb_s"] / 1e6, delta=1e-3)

    def test_attention(self):
        result = self.calc("attention", "--lengths", "1000,8000")["result"]["lengths"]
        self.assertEqual((result["1000"]["scores"], result["8000"]["scores"]), (10**6, 64 * 10**6))
        self.assertEqual(result["1000"]["causal_scores"], 500_500)

    def test_quant(self):
        told = self.calc("quant", "--params", "7e9")["result"]["bits"]
        self.assertEqual([told[b]["nominal_bytes"] for b in ("16", "8", "4")], [14 * 10**9, 7 * 10**9, 35 * 10**8])
        self.assertEqual([told[b]["scaled_bytes"] for b in ("8", "4")], [7_437_500_000, 3_937_500_000])
        self.assertEqual(told["8"]["step"], 1 / 127)
        self.assertRegex(self.works("calc", "quant", "--params", "7e9").out, r"7,437,500,000 bytes = 7\.44 GB = 6\.93 GiB")


class Models(CalcCase):
    def test_kv_measured_is_what_the_allocator_hands_out(self):
        told = self.calc("kv", tiny_model(), "--tokens", 128, "--sequences", 3)
        self.assertEqual(told["result"]["token_bytes"], 256)
        self.assertEqual(told["measured"], {"allocated_bytes": 128 * 256, "allocated_batch_bytes": 3 * 128 * 256})
        self.assertEqual(told["result"]["batch_bytes"], told["measured"]["allocated_batch_bytes"])

    def test_kv_of_the_real_model(self):
        told = self.calc("kv", self.model(), "--tokens", 4096)
        self.assertEqual(told["result"]["token_bytes"], KV_BYTES_PER_TOKEN)
        self.assertEqual(told["measured"]["allocated_bytes"], 4096 * KV_BYTES_PER_TOKEN)

    def test_cost_measured_counts_what_the_formula_says(self):
        told = self.calc("cost", tiny_model(), "--measure", "--lengths", "8,50")
        for length, naive in (("8", 36), ("50", 1275)):
            measured = told["measured"]["lengths"][length]
            self.assertEqual((measured["naive"]["token_passes"], measured["cached"]["token_passes"]), (naive, int(length)))
            self.assertEqual(measured["cached"]["passes"], int(length))
            self.assertIs(measured["same_tokens"], True)
            self.assertEqual(told["result"]["lengths"][length]["naive"]["token_passes"], naive)

    def test_roofline_measured(self):
        told = self.calc("roofline", tiny_model(), "--measure", "--depths", "20,128", "--rounds", 1, "-t", 1)
        for depth in ("20", "128"):
            self.assertGreater(told["measured"]["depths"][depth]["ms"], 0)
            self.assertGreater(told["result"]["depths"][depth]["ms"], 0)

    def test_attention_measured(self):
        told = self.calc("attention", tiny_model(), "--measure", "--lengths", "32,64,128")["measured"]["lengths"]
        self.assertGreater(told["64"]["times_as_long"], 0)
        self.assertLess(told["128"]["scratch_bytes"], 16 * told["32"]["scratch_bytes"])

    def test_quant_of_a_file_is_its_tensors(self):
        stored = self.calc("quant", tiny_model())["measured"]
        tensors = self.works("inspect", tiny_model(), "--json").json()["tensors"]
        self.assertEqual(stored["all"]["bytes"], sum(t["bytes"] for t in tensors))
        self.assertEqual(stored["formats"]["q4_0"]["bits_per_weight"], 4.5)
        self.assertEqual(stored["formats"]["f32"]["bits_per_weight"], 32)


class Refusals(CalcCase):
    def test_neither_or_both(self):
        self.calc_refused("kv", says=("give a model, or state a shape", "--layers"))
        self.calc_refused("kv", tiny_model(), "--layers", 3, says=("--layers", "not both"))
        self.calc_refused("roofline", tiny_model(), "--params", "7e9", says=("--params", "not both"))
        self.calc_refused("roofline", tiny_model(), "--bandwidth", 10, "--measure", says=("--bandwidth", "--measure"))
        self.calc_refused("roofline", tiny_model(), "--peak", 10, says="--peak")
        self.calc_refused("cost", "--measure", says="--measure takes a model")

    def test_heads_that_do_not_divide(self):
        self.calc_refused("kv", "--layers", 2, "--width", 64, "--heads", 8, "--kv-heads", 3, says=("--kv-heads", "8", "3"))
        self.calc_refused("kv", "--layers", 2, "--width", 65, "--heads", 8, says=("--width", "8", "65"))
        self.calc_refused("kv", "--layers", 2, "--width", 64, "--kv-heads", 2, says=("--kv-heads", "--heads"))

    def test_what_is_missing(self):
        self.calc_refused("kv", "--width", 64, says="--layers is needed")
        self.calc_refused("kv", "--layers", 2, says="--width is needed")
        self.calc_refused("quant", "--layers", 2, says="--params is needed")
        self.calc_refused("roofline", "--layers", 2, "--width", 64, "--bandwidth", 1, says="--params is needed")

    def test_absurd_numbers(self):
        self.calc_refused("kv", *SEVEN_B, "--tokens", 1 << 40, "--sequences", 10**9, says="the bytes of the KV cache: more than 64 bits")
        self.calc_refused("cost", "--tokens", 1 << 40, says="the token passes of naive decoding: more than 64 bits")
        self.calc_refused("attention", "--lengths", 1 << 40, says="the attention scores: more than 64 bits")
        for arguments in (("--layers", 0), ("--layers", -1), ("--layers", "x"), ("--width", 10**12), ("--tokens", 0), ("--bytes", 0),
                          ("--bytes", "nan"), ("--bytes", 17), ("--bytes", 0.3)):
            with self.subTest(arguments=arguments):
                self.calc_refused("kv", "--heads", 2, *arguments, says=arguments[0])
        for value in ("0", "-1", "inf", "nan", "1e99", "1.5", "seven"):
            self.calc_refused("quant", "--params", value, says="--params")

    def test_lengths(self):
        for lengths in ("", ",", "0", "8,", "x", "-1", "99999999999999999999"):
            self.calc_refused("attention", "--lengths", lengths, says="--lengths")
        self.calc_refused("cost", tiny_model(), "--measure", "--lengths", TINY_WINDOW, says=("--lengths", str(TINY_WINDOW)))
        self.calc_refused("roofline", tiny_model(), "--measure", "--depths", "1", says="--depths")
        self.calc_refused("roofline", tiny_model(), "--measure", "--depths", str(TINY_WINDOW), says=("--depths", str(TINY_WINDOW)))

    def test_encoders(self):
        for name in ("kv", "cost", "roofline"):
            self.calc_refused(name, tiny_encoder(), says="is an encoder")

    def test_words(self):
        self.calc_refused(says="kv, cost, roofline, attention, quant")
        self.calc_refused("rooflin", says="did you mean roofline?")
        result = self.calc_refused("kv", "--layer", 2, says="did you mean --layers?")
        self.assertIn("See: kelda calc kv --help", result.err)


if __name__ == "__main__":
    main()
