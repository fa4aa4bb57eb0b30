#!/usr/bin/env python3
"""kelda embed, on a tiny encoder of random weights."""

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import KeldaCase, main, malformed_folder, tiny_encoder, tiny_model  # noqa: E402

WIDTH, WINDOW = 32, 64
CAT, DOG = "the cat sat on the mat.", "The DOG sat."


def length(vector):
    return math.sqrt(sum(x * x for x in vector))


class Embed(KeldaCase):
    def vectors(self, *arguments, **options):
        result = self.works("embed", tiny_encoder(), *arguments, **options)
        return [json.loads(line) for line in result.out.splitlines()]

    def test_a_vector_per_text_each_of_length_one(self):
        vectors = self.vectors("--text", CAT, "--text", DOG)
        self.assertEqual([len(v) for v in vectors], [WIDTH, WIDTH])
        for v in vectors:
            self.assertAlmostEqual(length(v), 1, places=5)
        self.assertNotEqual(*vectors)

    def test_the_same_text_has_the_same_bits_in_any_company_on_any_threads(self):
        (alone,) = self.vectors("--text", CAT, "-t", 1)
        company = ["a" * n for n in range(1, 50)]
        for threads in (1, 2, 4):
            lines = "".join(json.dumps(t) + "\n" for t in [*company, CAT, *company, CAT]).encode()
            vectors = self.vectors("--jsonl", "-t", threads, stdin=lines)
            self.assertEqual(len(vectors), 2 * len(company) + 2)
            self.assertEqual(vectors[len(company)], alone)
            self.assertEqual(vectors[-1], alone)
        self.assertEqual(self.vectors("--text", CAT, env={"KELDA_ISA": "scalar"}), [alone])

    def test_where_texts_come_from(self):
        expected = self.vectors("--text", CAT)
        self.assertEqual(self.vectors("-", stdin=CAT.encode()), expected)
        self.assertEqual(self.vectors(stdin=CAT.encode()), expected)
        self.assertEqual(self.vectors("--jsonl", stdin=json.dumps(CAT).encode()), expected)
        self.assertEqual(self.vectors("--jsonl", stdin=b""), [])
        self.assertEqual(len(self.vectors("--text", "")), 1)  # what frames a text is there
        self.refused("embed", tiny_encoder(), "--text", "a", "--jsonl", stdin=b'"a"', says="--text")
        self.refused("embed", tiny_encoder(), "a text", says='"a text"')

    def test_words_for_special_tokens_are_text(self):
        told = self.works("embed", tiny_encoder(), "--text", "[SEP]", "--json").json()
        self.assertGreater(told["embeddings"][0]["tokens"], 3)

    def test_json_tells_what_was_done(self):
        told = self.works("embed", tiny_encoder(), "--text", CAT, "--text", "a b", "--json").json()
        self.assertEqual((told["model"], told["pooling"], told["normalized"]), ("tiny bert", "mean", True))
        self.assertEqual((told["dimensions"], told["window"]), (WIDTH, WINDOW))
        self.assertEqual([e["tokens"] for e in told["embeddings"]], [9, 4])
        self.assertEqual([e["embedding"] for e in told["embeddings"]], self.vectors("--text", CAT, "--text", "a b"))
        self.assertEqual(self.works("embed", tiny_encoder(), "--jsonl", "--json", stdin=b"").json()["embeddings"], [])

    def test_pooling_and_length_can_be_chosen(self):
        mean = self.vectors("--text", CAT)
        self.assertEqual(self.vectors("--text", CAT, "--pooling", "mean"), mean)
        cls = self.vectors("--text", CAT, "--pooling", "cls")
        self.assertNotEqual(cls, mean)
        (raw,) = self.vectors("--text", CAT, "--no-normalize")
        self.assertNotAlmostEqual(length(raw), 1, places=2)
        for a, b in zip(raw, mean[0]):
            self.assertAlmostEqual(a / length(raw), b, places=6)
        self.refused("embed", tiny_encoder(), "--text", "a", "--pooling", "max", says=("--pooling", "mean", '"max"'))

    def test_a_file_that_does_not_say_how_to_pool_needs_to_be_told(self):
        silent = malformed_folder() / "encoder_without_pooling_is_fine.gguf"
        self.refused("embed", silent, "--text", CAT, says=("bert.pooling_type", "--pooling"))
        result = self.works("embed", silent, "--text", CAT, "--pooling", "mean")
        self.assertEqual([json.loads(result.out)], self.vectors("--text", CAT))

    def test_a_text_beyond_the_window_is_refused_with_both_numbers(self):
        fits, too_long = "a " * (WINDOW - 2), "a " * (WINDOW - 1)
        self.assertEqual(len(self.vectors("--text", fits)), 1)
        self.refused("embed", tiny_encoder(), "--text", "a", "--text", too_long,
                     says=("text 2", f"{WINDOW + 1} tokens", f"window is {WINDOW}", "--truncate"))
        self.refused("embed", tiny_encoder(), "--text", "a", "--text", too_long, "--json", says="text 2")
        self.refused("embed", tiny_encoder(), "--jsonl", stdin=json.dumps(too_long).encode(), says="line 1")
        self.refused("embed", tiny_encoder(), "--text", CAT, "--window", 5, says=("9 tokens", "window is 5"))
        self.refused("embed", tiny_encoder(), "--text", CAT, "--window", WINDOW + 1, says=("--window", str(WINDOW)))

    def test_truncation_is_told(self):
        too_long = "a " * 100
        result = self.works("embed", tiny_encoder(), "--text", "a", "--text", too_long, "--truncate", "--json")
        self.assertEqual([(e["tokens"], e["read"]) for e in result.json()["embeddings"]], [(3, 3), (102, WINDOW)])
        self.assertIn(f"1 of 2 texts cut to the window of {WINDOW} tokens; the longest had 102", result.err)
        self.assertEqual(result.json()["embeddings"][1]["embedding"], self.vectors("--text", "a " * (WINDOW - 2))[0])
        self.assertEqual(self.works("embed", tiny_encoder(), "--text", "a", "--truncate").err, "")

    def test_an_empty_stdin_is_no_text(self):
        for arguments in ((), ("-",)):
            self.refused("embed", tiny_encoder(), *arguments, stdin=b"", says=("no text", "stdin is empty"))
        self.assertEqual(len(self.vectors("--jsonl", stdin=b'""\n')), 1)

    def test_a_window_without_room_for_a_text_is_refused(self):
        for window in (1, 2):
            self.refused("embed", tiny_encoder(), "--text", CAT, "--truncate", "--window", window,
                         says=(f"--window {window}", "at least 3"))
        self.works("embed", tiny_encoder(), "--text", CAT, "--truncate", "--window", 3)

    def test_faulty_lines_and_texts_are_named(self):
        for line in (b'"x', b"5", b'"\\ud83d"', b'"\xff"', b"", b'["a"]'):
            self.refused("embed", tiny_encoder(), "--jsonl", stdin=b'"fine"\n' + line + b"\n", says="line 2")
        self.refused("embed", tiny_encoder(), "-", stdin=b"ab\xffc", says="byte 2")

    def test_a_decoder_is_refused_and_so_is_an_encoder_elsewhere(self):
        self.refused("embed", tiny_model(), "--text", "a", says=("llama", "kelda run", "bert"))
        for command in (("run", "--raw", "a"), ("logits", "--text", "a"), ("bench",)):
            self.refused(command[0], tiny_encoder(), *command[1:], says=("bert", "kelda embed"))

    def test_a_vector_that_is_no_number_is_an_error(self):
        broken = malformed_folder() / "encoder_not_a_number_is_fine.gguf"
        self.refused("embed", broken, "--text", CAT, says="no number", status=1)

    def test_inspect_tells_what_it_is(self):
        told = self.works("inspect", tiny_encoder(), "--json").json()
        self.assertEqual((told["config"]["role"], told["config"]["pooling"]), ("encoder", "mean"))
        self.assertEqual(told["memory"]["kv_bytes_per_token"], 0)
        self.assertIn("kelda embed", self.works("inspect", tiny_encoder()).out)
        self.assertEqual(self.works("inspect", tiny_model(), "--json").json()["config"]["role"], "decoder")


if __name__ == "__main__":
    main()
