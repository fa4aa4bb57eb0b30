#!/usr/bin/env python3
"""A model as a folder of Hugging Face's tools: opened by path, by the name of its repository, and refused with reasons."""

import array
import json
import math
import shutil
import struct
import tempfile
import unittest
from pathlib import Path

from support import KeldaCase, main

HIDDEN, LAYERS, HEADS, INNER, VOCAB = 32, 2, 2, 48, 260


def tensors():
    names = {"model.embed_tokens.weight": (VOCAB, HIDDEN), "model.norm.weight": (HIDDEN,)}
    for i in range(LAYERS):
        p = f"model.layers.{i}."
        names |= {p + "input_layernorm.weight": (HIDDEN,), p + "post_attention_layernorm.weight": (HIDDEN,),
                  p + "mlp.gate_proj.weight": (INNER, HIDDEN), p + "mlp.up_proj.weight": (INNER, HIDDEN),
                  p + "mlp.down_proj.weight": (HIDDEN, INNER)}
        names |= {f"{p}self_attn.{x}_proj.weight": (HIDDEN, HIDDEN) for x in "qkvo"}
    return names


def values(name, shape):
    """Any numbers will do, as long as they are always the same."""
    n, start = math.prod(shape), sum(name.encode())
    if len(shape) == 1:
        return array.array("f", [1.0] * n)
    return array.array("f", [math.sin(1.7 * i + start) / math.sqrt(shape[1]) for i in range(n)])


def safetensors(names):
    header, data = {}, b""
    for name, shape in names.items():
        part = values(name, shape).tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tokenizer():
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = [chr(b) for b in printable] + [chr(0x100 + i) for i in range(256 - len(printable))]
    vocab = {c: i for i, c in enumerate(letters)}
    end = {"id": 256, "content": "<|end|>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    split = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [end], "normalizer": None,
            "pre_tokenizer": split, "post_processor": None, "decoder": split,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                      "vocab": vocab, "merges": []}}


CONFIG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "hidden_size": HIDDEN,
          "intermediate_size": INNER, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": HEADS,
          "max_position_embeddings": 128, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "vocab_size": VOCAB,
          "tie_word_embeddings": True, "torch_dtype": "float32"}


class Folder(KeldaCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="kelda-folder-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.folder = self.put(self.root / "tiny")

    def put(self, folder, config=None, names=None):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(CONFIG | (config or {})))
        (folder / "model.safetensors").write_bytes(safetensors(names or tensors()))
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
        (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [256]}))
        (folder / "chat_template.jinja").write_text("{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[a]")
        return folder

    def test_it_runs(self):
        answer = self.works("run", self.folder, "hello", "--raw", "--temperature", 0, "--max-tokens", 5, "--json", "-q").json()
        self.assertEqual(len(answer["ids"]), 5)

    def test_its_own_chat_template_is_used(self):
        answer = self.works("run", self.folder, "hi", "--temperature", 0, "--max-tokens", 1, "--json", "-q").json()
        self.assertEqual(answer["usage"]["prompt_tokens"], len("[user]hi[a]"))

    def test_no_output_takes_the_place_of_one_of_its_files(self):
        ids = self.root / "ids.txt"
        ids.write_text("5 6\n")
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            before = (self.folder / name).read_bytes()
            self.refused("logits", self.folder, "--ids-file", ids, "--raw-out", self.folder / name,
                         says=(name, "a file of the model"))
            self.assertEqual((self.folder / name).read_bytes(), before)

    def test_its_publishers_settings_are_used_and_told(self):
        (self.folder / "generation_config.json").write_text(json.dumps({"do_sample": True, "temperature": 0.25, "typical_p": 0.5}))
        result = self.works("run", self.folder, "hi", "--max-tokens", 1, "--json")
        self.assertIn("temperature 0.25 (generation_config.json); not applied: typical_p 0.5", result.err)
        self.assertEqual(result.json()["settings"]["temperature"]["value"], 0.25)
        given = self.works("run", self.folder, "hi", "--max-tokens", 1, "--temperature", 2, "--json")
        self.assertEqual(given.json()["settings"]["temperature"]["value"], 2)
        (self.folder / "generation_config.json").write_text('{"temperature": -1}')
        self.refused("run", self.folder, "hi", says=("generation_config.json", "temperature"))

    def test_text_and_ids(self):
        ids = self.works("tokenize", self.folder, "--jsonl", "--special", "parse", stdin=b'"a<|end|>"\n').json()
        self.assertEqual(ids, [64, 256])

    def test_inspect_shows_it_as_the_engine_sees_it(self):
        shown = self.works("inspect", self.folder, "--json").json()
        self.assertEqual(shown["metadata"]["general.architecture"], "llama")
        self.assertEqual(shown["config"]["n_layers"], LAYERS)
        self.assertIn("blk.1.attn_q.weight", {t["name"] for t in shown["tensors"]})

    def test_the_cache_of_hugging_face_is_read(self):
        repo = self.root / "home/hub/models--org--tiny"
        self.put(repo / "snapshots/abc")
        (repo / "refs").mkdir()
        (repo / "refs/main").write_text("abc")
        env = {"HF_HOME": str(self.root / "home")}
        self.works("inspect", "hub:org/tiny", env=env)
        self.assertIn("org/tiny", self.works("models", env=env).out)
        self.refused("inspect", "hub:org/other", env=env, says="not in the cache")
        for relative in ({"HF_HOME": "home"}, {"HF_HUB_CACHE": "home/hub"}):
            self.works("inspect", "hub:org/tiny", env=relative, cwd=self.root)

    def test_what_it_lacks_is_named(self):
        (self.folder / "tokenizer.json").unlink()
        self.refused("run", self.folder, "x", says="tokenizer.json")
        (self.folder / "model.safetensors").unlink()
        self.refused("inspect", self.folder, says="model.safetensors")

    def test_what_cannot_run_is_named(self):
        for number, (config, says) in enumerate([({"architectures": ["MambaForCausalLM"]}, ("MambaForCausalLM", "LlamaForCausalLM")),
                                                 ({"num_attention_heads": 0}, ("num_attention_heads", "0")),
                                                 ({"num_attention_heads": 3}, ("num_attention_heads", "3")),
                                                 ({"rms_norm_eps": "small"}, "rms_norm_eps"),
                                                 ({"quantization_config": {"bits": 4}}, "quantization_config"),
                                                 ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "rope_scaling")]):
            with self.subTest(config=config):
                self.refused("run", self.put(self.root / f"bad{number}", config), "x", says=says)
        names = tensors()
        del names["model.layers.1.mlp.up_proj.weight"]
        self.refused("run", self.put(self.root / "lacking", names=names), "x", says="blk.1.ffn_up.weight")
        names = tensors() | {"model.layers.0.mystery.weight": (4,)}
        self.refused("run", self.put(self.root / "extra", names=names), "x", says="model.layers.0.mystery.weight")

    def test_a_cut_file_is_refused(self):
        path = self.folder / "model.safetensors"
        path.write_bytes(path.read_bytes()[:-10])
        self.refused("run", self.folder, "x", says="model.safetensors")


if __name__ == "__main__":
    main()
