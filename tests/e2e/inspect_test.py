#!/usr/bin/env python3
"""kelda inspect: what is in a model file, and what running it takes."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import (  # noqa: E402
    KV_BYTES_PER_TOKEN, VOCAB_SIZE, KeldaCase, kelda, main, malformed_folder, tiny_model)

COLUMNS = ("LEARNED", "CONFIG", "STATE")
TENSOR = re.compile(r"^  (\S+) +(\S+) +\[([0-9, ]+)\] +at byte +([0-9]+), +([0-9]+) bytes$", re.M)


class RealModel(KeldaCase):
    def test_memory_in_three_columns(self):
        out = self.works("inspect", self.model()).out
        memory = out[out.index("\nMemory\n"):]
        for column in COLUMNS:
            self.assertRegex(memory, rf"(?m)^  {column} +[0-9.]+ (MB|B)\b")
        self.assertIn(f"{KV_BYTES_PER_TOKEN} bytes per token", memory)

    def test_network_and_formats(self):
        out = self.works("inspect", self.model()).out
        self.assertIn("30 layers, hidden 576, FFN 1536, 9 heads of 64 over 3 KV heads, vocabulary 49152, window 8192", out)
        self.assertIn("33 metadata keys, 272 tensors", out)
        for form, count in (("f32", 61), ("q4_1", 210), ("q8_0", 1)):
            self.assertRegex(out, rf"(?m)^  {form} +{count} tensors")

    def test_the_structure_is_drawn_with_shapes_parameters_and_bytes(self):
        out = self.works("inspect", self.model()).out
        for line in (r"├─ embedding +28,311,552 +30.1 MB", r"├─ 30 blocks +106,202,880 ", r"│  ├─ attention +26,559,360 ",
                     r"│  │    \(9 query heads of 64 over 3 KV heads\)", r"│  │    ffn_down.weight +576 × 1536 +26,542,080 +16.6 MB  q4_1",
                     r"│    output.weight +49152 × 576 +0 +0 bytes  the same as token_embd.weight", r"▼ +134,515,008 +96.6 MB"):
            self.assertRegex(out, rf"(?m)^  {line}")
        told = self.works("inspect", self.model(), "--json").json()
        self.assertEqual(sum(part["parameters"] for part in told["structure"]), 134_515_008)
        self.assertEqual(sum(part["bytes"] for part in told["structure"]), sum(t["bytes"] for t in told["tensors"]))

    def test_every_tensor_is_listed_on_request(self):
        self.assertEqual(TENSOR.findall(self.works("inspect", self.model()).out), [])
        listed = TENSOR.findall(self.works("inspect", self.model(), "--tensors").out)
        self.assertEqual(len(listed), 272)
        self.assertEqual(len({name for name, *_ in listed}), 272)
        embedding = next(x for x in listed if x[0] == "token_embd.weight")
        self.assertEqual(embedding[1:3], ("q8_0", f"{VOCAB_SIZE}, 576"))
        self.assertEqual(int(embedding[4]), VOCAB_SIZE * 576 // 32 * 34)

    def test_json(self):
        result = self.works("inspect", self.model(), "--json")
        self.assertEqual(result.err, "")
        shown = result.json()
        self.assertEqual((shown["container"], shown["bytes"]), ("GGUF v3", Path(self.model()).stat().st_size))
        self.assertEqual((len(shown["metadata"]), len(shown["tensors"])), (33, 272))
        self.assertEqual(shown["config"], {
            "architecture": "llama", "n_layers": 30, "hidden_size": 576, "intermediate_size": 1536, "n_heads": 9,
            "n_kv_heads": 3, "head_dim": 64, "vocab_size": VOCAB_SIZE, "n_ctx_train": 8192, "role": "decoder"})
        memory = shown["memory"]
        self.assertEqual(memory["kv_bytes_per_token"], KV_BYTES_PER_TOKEN)
        self.assertEqual(memory["kv_bytes_full_window"], 8192 * KV_BYTES_PER_TOKEN)
        self.assertTrue(0 < memory["config_bytes"] < 10_000)
        self.assertTrue(0 < memory["largest_window"] <= 8192)

    def test_learned_bytes_are_those_of_a_run(self):
        told = self.works("inspect", self.model(), "--json").json()["memory"]["learned_bytes"]
        run = self.works("run", self.model(), "a", "--raw", "--max-tokens", 1, "--json", "-q").json()
        self.assertEqual(told, run["timings"]["learned_bytes"])

    def test_long_values_whole_on_request(self):
        key = "tokenizer.ggml.tokens"
        short = self.works("inspect", self.model(), "--json").json()["metadata"][key]
        whole = self.works("inspect", self.model(), "--json", "--all-values").json()["metadata"][key]
        self.assertEqual((short["type"], short["length"], len(short["first"])), ("array of string", VOCAB_SIZE, 6))
        self.assertEqual(short["first"][0], "<|endoftext|>")
        self.assertEqual((len(whole), whole[:6]), (VOCAB_SIZE, short["first"]))

    def test_metadata_has_the_types_of_the_file(self):
        metadata = self.works("inspect", self.model(), "--json").json()["metadata"]
        self.assertEqual(metadata["general.architecture"], "llama")
        self.assertEqual(metadata["llama.block_count"], 30)
        self.assertEqual(metadata["llama.attention.layer_norm_rms_epsilon"], 1e-5)
        self.assertIs(metadata["tokenizer.ggml.add_bos_token"], False)

    def test_needs_the_header_alone(self):
        with open(self.model(), "rb") as file:
            start = file.read(1_785_664 + 1024)  # the data begins at byte 1,785,664
        cut = self.write("cut.gguf", start)
        self.refused("inspect", cut, says=(str(cut), "token_embd.weight"))


class TinyModel(KeldaCase):
    def test_text(self):
        out = self.works("inspect", tiny_model(), "--tensors").out
        self.assertTrue(out.startswith(f"{tiny_model()}\nGGUF v3"))
        self.assertRegex(out, r'general\.name +string +"tiny llama"')
        self.assertIn("2 layers, hidden 64, FFN 128, 4 heads of 16 over 2 KV heads, vocabulary 300, window 256", out)
        self.assertEqual(len(TENSOR.findall(out)), 20)
        for column in COLUMNS:
            self.assertIn(f"\n  {column}", out)

    def test_json_tensors(self):
        tensors = self.works("inspect", tiny_model(), "--json").json()["tensors"]
        up = next(t for t in tensors if t["name"] == "blk.1.ffn_up.weight")
        self.assertEqual((up["format"], up["shape"], up["bytes"]), ("q4_0", [128, 64], 128 * 64 // 32 * 18))
        self.assertEqual(self.works("inspect", tiny_model(), "--json").json()["memory"]["kv_bytes_per_token"], 256)

    def test_a_file_that_cannot_run_can_be_looked_at(self):
        file = malformed_folder() / "version_3_is_fine.gguf"
        result = kelda("inspect", file)
        self.assertEqual(result.code, 2, result)
        self.assertRegex(result.out, r"test\.number +u32 +7")
        self.assertIn(f'kelda: error: {file}: architecture "none" (general.architecture)', result.err)
        result = kelda("inspect", file, "--json")
        self.assertEqual(result.code, 2, result)
        self.assertIn(f'kelda: error: {file}: architecture "none" (general.architecture)', result.err)
        shown = result.json()
        self.assertEqual((shown["container"], shown["metadata"]["test.number"]), ("GGUF v3", 7))
        self.assertIn("tensors", shown)
        self.assertNotIn("memory", shown)

    def test_texts_of_the_file_cannot_steer_the_terminal(self):
        """Escape sequences in names and values are shown, not sent."""
        tiny, small = tiny_model().read_bytes(), (malformed_folder() / "version_3_is_fine.gguf").read_bytes()
        files = {"name": tiny.replace(b"tiny llama", b"tin\x1b[2Jama"), "architecture": small.replace(b"none", b"\x1b[2J"),
                 "key": small.replace(b"test.number", b"te\x1b[2Jumber"),
                 "tensor": tiny.replace(b"blk.1.ffn_up.weight", b"blk.1.f\x1b[2Jp.weight"),
                 "piece": tiny.replace(b"<|im_start|>", b"<|\x1b[2J\x9b2J|>", 1)}
        for what, content in files.items():
            path = self.write(f"{what}.gguf", content)
            for arguments in (("inspect", path, "--tensors", "--all-values"), ("inspect", path, "--json"),
                              ("run", path, "--raw", "a", "--max-tokens", "1"), ("logits", path, "--ids", "1", "--top", "300")):
                result = kelda(*arguments)
                with self.subTest(what=what, command=arguments[0]):
                    self.assertIn(result.code, (0, 2), result)
                    sent = [line for line in result.out.splitlines() + result.err.splitlines() if "\x1b" in line]
                    self.assertEqual(sent, [])


class Refusals(KeldaCase):
    def test_flags_that_do_not_exist(self):
        self.refused("inspect", tiny_model(), "--tensor", says=("--tensor", "did you mean --tensors?"))
        self.refused("inspect", says="model is required")

    def test_what_is_not_a_model_file(self):
        text = self.write("notes.txt", "just some text\n")
        self.refused("inspect", text, says=(str(text), "not a GGUF file"))
        self.refused("inspect", self.folder, says=(str(self.folder), "directory"))
        self.refused("inspect", "/dev/null", says="not a regular file")
        self.refused("inspect", self.folder / "gone.gguf", says=("gone.gguf", "no such file"))


if __name__ == "__main__":
    main()
