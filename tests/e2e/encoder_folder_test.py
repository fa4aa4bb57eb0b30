#!/usr/bin/env python3
"""An encoder as a folder of sentence-transformers: its pooling, its length of vectors, its WordPiece tokenizer, and what is refused."""

import json
import math
import shutil
import string

from folder_test import safetensors
from support import KeldaCase, main

HIDDEN, LAYERS, INNER, WINDOW = 32, 2, 48, 64
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
PIECES = [*SPECIAL, *string.ascii_lowercase, *("##" + c for c in string.ascii_lowercase), "the", "cat", "sat", "."]
CAT = "The cát sat."  # accents are stripped, letters lowered
CAT_IDS = [SPECIAL.index("[CLS]"), *(PIECES.index(x) for x in ("the", "cat", "sat", ".")), SPECIAL.index("[SEP]")]

CONFIG = {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": HIDDEN,
          "intermediate_size": INNER, "num_hidden_layers": LAYERS, "num_attention_heads": 2, "layer_norm_eps": 1e-12,
          "max_position_embeddings": WINDOW, "type_vocab_size": 2, "vocab_size": len(PIECES), "pad_token_id": 0,
          "position_embedding_type": "absolute", "attention_probs_dropout_prob": 0.1, "hidden_dropout_prob": 0.1}
MODULES = [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
           for i, (kind, path) in enumerate([("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")])]
POOLING = {"word_embedding_dimension": HIDDEN, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True,
           "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False}


def tensors(prefix=""):
    names = {f"embeddings.{x}_embeddings.weight": (n, HIDDEN)
             for x, n in (("word", len(PIECES)), ("position", WINDOW), ("token_type", 2))}
    both = {"embeddings.LayerNorm": None, "pooler.dense": (HIDDEN, HIDDEN)}
    for i in range(LAYERS):
        p = f"encoder.layer.{i}."
        both |= {f"{p}attention.self.{x}": (HIDDEN, HIDDEN) for x in ("query", "key", "value")}
        both |= {p + "attention.output.dense": (HIDDEN, HIDDEN), p + "attention.output.LayerNorm": None,
                 p + "intermediate.dense": (INNER, HIDDEN), p + "output.dense": (HIDDEN, INNER), p + "output.LayerNorm": None}
    for name, shape in both.items():
        names |= {name + ".weight": shape or (HIDDEN,), name + ".bias": (shape or (HIDDEN,))[:1]}
    return {prefix + name: shape for name, shape in names.items()}


def tokenizer():
    added = [{"id": i, "content": x, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
             for i, x in enumerate(SPECIAL)]
    framed = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
              {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                           "lowercase": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "TemplateProcessing", "single": framed, "pair": framed,
                               "special_tokens": {x: {"id": x, "ids": [SPECIAL.index(x)], "tokens": [x]} for x in ("[CLS]", "[SEP]")}},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                      "vocab": {x: i for i, x in enumerate(PIECES)}}}


def length(vector):
    return math.sqrt(sum(x * x for x in vector))


class EncoderFolder(KeldaCase):
    def setUp(self):
        super().setUp()
        self.tiny = self.put("tiny")

    def put(self, name, config=None, modules=MODULES, pooling=POOLING, names=None):
        folder = self.folder / name
        (folder / "1_Pooling").mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(CONFIG | (config or {})))
        (folder / "model.safetensors").write_bytes(safetensors(names or tensors()))
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
        (folder / "modules.json").write_text(json.dumps(modules))
        (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))
        return folder

    def told(self, model, *arguments):
        return self.works("embed", model, "--text", CAT, "--json", "-q", *arguments).json()

    def test_it_pools_and_normalises_as_its_modules_say(self):
        told = self.told(self.tiny)
        self.assertEqual((told["pooling"], told["normalized"], told["dimensions"]), ("mean", True, HIDDEN))
        self.assertEqual(told["embeddings"][0]["tokens"], len(CAT_IDS))
        self.assertAlmostEqual(length(told["embeddings"][0]["embedding"]), 1, places=5)
        cls = POOLING | {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
        raw = self.told(self.put("cls", modules=MODULES[:2], pooling=cls))
        self.assertEqual((raw["pooling"], raw["normalized"]), ("cls", False))
        self.assertNotAlmostEqual(length(raw["embeddings"][0]["embedding"]), 1, places=2)
        chosen = self.told(self.folder / "cls", "--pooling", "mean", "--normalize")
        self.assertEqual(chosen["embeddings"], told["embeddings"])
        self.refused("embed", self.tiny, "--text", "a", "--normalize", "--no-normalize", says="--normalize")

    def test_names_may_have_a_prefix(self):
        prefixed = self.put("prefixed", names=tensors("bert."))
        self.assertEqual(len(self.told(prefixed)["embeddings"][0]["embedding"]), HIDDEN)

    def test_without_modules_pooling_must_be_chosen(self):
        (self.tiny / "modules.json").unlink()
        self.refused("embed", self.tiny, "--text", CAT, says=("bert.pooling_type", "--pooling"))
        self.assertTrue(self.told(self.tiny, "--pooling", "cls")["normalized"])

    def test_text_and_ids(self):
        self.assertEqual(self.works("tokenize", self.tiny, "--jsonl", stdin=json.dumps(CAT).encode()).json(), CAT_IDS[1:-1])

    def test_inspect_shows_it_as_the_engine_sees_it(self):
        shown = self.works("inspect", self.tiny, "--json").json()
        self.assertEqual((shown["config"]["role"], shown["config"]["pooling"]), ("encoder", "mean"))
        self.assertIn("blk.1.layer_output_norm.bias", {t["name"] for t in shown["tensors"]})
        self.assertNotIn("pooler.dense.weight", {t["name"] for t in shown["tensors"]})

    def test_what_it_cannot_do_is_named(self):
        for command in (("run", "--raw", "a"), ("logits", "--text", "a"), ("chat",), ("bench",)):
            self.refused(command[0], self.tiny, *command[1:], says=("bert", "encoder", "kelda embed"))

    def test_what_cannot_run_is_named(self):
        dense = [*MODULES[:2], MODULES[2] | {"type": "sentence_transformers.models.Dense"}]
        for number, (change, says) in enumerate([({"modules": dense}, ("modules.json", "[2].type", "Dense")),
                                                 ({"modules": MODULES[:1]}, ("modules.json", "1 modules")),
                                                 ({"pooling": POOLING | {"pooling_mode_max_tokens": True}}, ("1_Pooling/config.json", "mean+max")),
                                                 ({"config": {"hidden_act": "relu"}}, ("config.json", "hidden_act")),
                                                 ({"config": {"position_embedding_type": "relative_key"}}, "position_embedding_type"),
                                                 ({"names": tensors() | {"embeddings.mystery.weight": (4,)}}, "embeddings.mystery.weight")]):
            with self.subTest(change=list(change)):
                self.refused("embed", self.put(f"bad{number}", **change), "--text", "a", says=says)
        shutil.rmtree(self.tiny / "1_Pooling")
        self.refused("embed", self.tiny, "--text", "a", says="1_Pooling/config.json")


if __name__ == "__main__":
    main()
