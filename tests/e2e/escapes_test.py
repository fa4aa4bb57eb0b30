#!/usr/bin/env python3
"""No text of a model file reaches the terminal as a control character: not ESC, not DEL, not the C1 controls."""

import json
import sys
import tempfile
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import KeldaCase, kelda, main, malformed_folder  # noqa: E402

WAYS = (("inspect",), ("inspect", "--tensors", "--all-values"), ("inspect", "--json", "--all-values"))


def controls(output):
    """The control characters but the newline; a byte that is not UTF-8 stays visible as one that is none."""
    text = output.decode("utf-8", "surrogateescape")
    return [f"U+{ord(c):04X}" for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cs")]


class Escapes(KeldaCase):
    @classmethod
    def setUpClass(cls):
        cls.files = [entry["file"] for entry in json.loads((malformed_folder() / "manifest.json").read_text())]

    def check(self, *arguments):
        result = kelda(*arguments)
        self.assertEqual(controls(result.raw_out), [], result)
        self.assertEqual(controls(result.err.encode()), [], result)

    def test_the_set_has_files_to_fear(self):
        hostile = [name for name in self.files if "escape" in name or "c1_control" in name]
        self.assertGreaterEqual(len(hostile), 9)
        for name in hostile:
            self.assertNotEqual(controls((malformed_folder() / name).read_bytes()), [])

    def test_inspect_shows_them_escaped(self):
        runs = [(*way, malformed_folder() / name) for name in self.files for way in WAYS]
        with ThreadPoolExecutor(4) as pool:
            for run, result in zip(runs, pool.map(lambda a: kelda(*a), runs)):
                with self.subTest(run=run):
                    self.assertEqual(controls(result.raw_out), [], result)
                    self.assertEqual(controls(result.err.encode()), [], result)

    def test_run_shows_them_escaped(self):
        for name in (name for name in self.files if "escape" in name):
            with self.subTest(file=name):
                self.check("run", malformed_folder() / name, "--raw", "a", "--max-tokens", 0)

    def test_what_a_template_says_of_itself_is_escaped(self):
        with tempfile.TemporaryDirectory() as folder:
            template = Path(folder) / "hostile.jinja"
            template.write_text(r'{{ raise_exception("\x1b[2J red \x9b") }}')
            check = kelda("template", template, "--check")
            self.assertIn("red", check.out)
            self.assertEqual(controls(check.raw_out), [], check)
            run = kelda("run", malformed_folder() / "model_name_with_escapes_is_fine.gguf", "a", "--chat-template", template)
            self.assertIn("note: chat template", run.err)
            self.assertEqual(controls(run.err.encode()), [], run)


if __name__ == "__main__":
    main()
