"""`make run` hands the prompt on unchanged, whatever is in it."""

import os
import shutil
import subprocess
import unittest

from tree import SCRIPTS, TreeTest

PROMPTS = ("two words", "it's \"quoted\"", "costs $5 $(touch pwned) ${HOME} `touch pwned`", "$(shell touch pwned) $x $$", "a # b",
           "back\\slash", "-x --raw", "two\nlines", "a=b := c", "größe ▶")


class Prompt(TreeTest):
    def setUp(self):
        super().setUp()
        shutil.copy(SCRIPTS.parent / "Makefile", self.root)
        self.write("scripts/run.sh", '#!/bin/sh\nprintf "%s|%s" "$KELDA_MODEL" "$KELDA_PROMPT"\n').chmod(0o755)

    def run_make(self, *arguments, **environment):
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PROMPT", "MODEL"):
            os.environ.pop(name, None)
        command = ["make", "-s", "run", *arguments]
        made = subprocess.run(command, cwd=self.root, env={**os.environ, **environment}, capture_output=True, text=True, timeout=60)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout

    def test_the_prompt_of_the_command_line_arrives_unchanged(self):
        for prompt in PROMPTS:
            with self.subTest(prompt):
                self.assertEqual(self.run_make(f"PROMPT={prompt}"), f"smollm2|{prompt}")
        self.assertFalse((self.root / "pwned").exists())

    def test_the_prompt_of_the_environment_arrives_unchanged(self):
        for prompt in PROMPTS:
            with self.subTest(prompt):
                self.assertEqual(self.run_make(PROMPT=prompt), f"smollm2|{prompt}")
        self.assertFalse((self.root / "pwned").exists())

    def test_without_a_prompt_there_is_one(self):
        self.assertEqual(self.run_make("MODEL=other"), "other|The capital of France is")


if __name__ == "__main__":
    unittest.main()
