#!/usr/bin/env python3
"""A catalogue of one's own (KELDA_CATALOG): what it recommends is held against the settings that there are."""

import hashlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import KeldaCase, main, tiny_model  # noqa: E402


class Knobs(KeldaCase):
    def environment(self, values):
        """Of a catalogue whose one model, which is here already, recommends these values."""
        weights = tiny_model().read_bytes()
        place = self.folder / "cache/kelda/models/toy"
        place.mkdir(parents=True, exist_ok=True)
        (place / "x.gguf").write_bytes(weights)
        entry = {
            "name": "toy", "title": "A toy", "architecture": "llama",
            "licence": {"name": "Toy terms", "spdx": None, "url": "https://example.org/terms", "consent_required": False},
            "files": [{"name": "x.gguf", "bytes": len(weights), "sha256": hashlib.sha256(weights).hexdigest()}],
            "memory": {"n_layers": 2, "n_kv_heads": 2, "head_dim": 16, "n_ctx_train": 256},
            "knobs": {"values": values, "source": "the test"},
            "sources": [{"kind": "hub", "repo": "org/repo", "revision": "main", "files": ["x.gguf"]}],
        }
        path = self.write("catalogue.json", json.dumps({"default": "toy", "models": [entry]}))
        return {"KELDA_CATALOG": str(path), "XDG_CACHE_HOME": str(self.folder / "cache")}

    def test_they_are_set_and_told(self):
        env = self.environment({"temperature": 0.5, "top_k": 7})
        result = self.works("run", "toy", "a", "--raw", "--max-tokens", 1, "--json", env=env)
        settings = result.json()["settings"]
        self.assertEqual((settings["temperature"]["value"], settings["top_k"]["value"]), (0.5, 7))
        self.assertIn("(the test)", result.err)
        self.assertEqual(len(self.works("models", "--json", env=env).json()["models"]), 1)

    def test_one_that_is_none_or_out_of_its_range_is_refused_wherever_the_catalogue_is_used(self):
        for name, value, says in (("foo", 1, 'unknown field "foo"'), ("temperatur", 1, 'did you mean "temperature"?'),
                                  ("temperature", -1, "temperature must be"), ("top_k", 1.5, "top_k must be"),
                                  ("top_k", 1e300, "top_k must be"), ("stop", 1, "stop must be")):
            env = self.environment({name: value})
            for command in (("run", "toy", "a"), ("run", "toy", "a", "--temperature", 0), ("run", "toy", "a", "--profile", "hf"),
                            ("chat", "toy"), ("pull", "toy"), ("models",), ("models", "--json"), ("models", "--path", "toy")):
                with self.subTest(knob=name, command=command):
                    self.refused(*command, env=env,
                                 says=("catalogue.json (KELDA_CATALOG)", 'models[0].knobs.values (of "toy")', says))


if __name__ == "__main__":
    main()
