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

    def test_an_empty_prompt_or_model_is_refused_in_a_sentence(self):
        shutil.copy(SCRIPTS / "run.sh", self.root / "scripts/run.sh")
        self.write("scripts/deps.sh", "#!/bin/sh\necho reached >&2\n").chmod(0o755)
        for name in ("PROMPT", "MODEL"):
            made = subprocess.run(["make", "-s", "run", f"{name}="], cwd=self.root, capture_output=True, text=True, timeout=60)
            self.assertEqual(made.returncode, 2)
            self.assertIn(f"make run: {name} is empty; say, make run PROMPT=", made.stderr)
            self.assertNotIn("line ", made.stderr)
            self.assertNotIn("reached", made.stderr)


class Build(TreeTest):
    """scripts/build.sh around a CMake that says what it is told to."""

    def build(self, status):
        shutil.copy(SCRIPTS / "build.sh", self.write("scripts/build.sh"))
        self.write("bin/cmake", f"""#!/bin/sh
case $1 in --preset) echo 'Preset CMake variables:'; echo 'a warning' >&2; exit {status};; esac
echo built
""").chmod(0o755)
        environment = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        return subprocess.run(["bash", self.root / "scripts/build.sh", "dev"], env=environment, capture_output=True, text=True,
                              timeout=60)

    def test_the_presets_are_told_where_configuring_fails_alone(self):
        good, bad = self.build(0), self.build(1)
        self.assertEqual((good.returncode, good.stdout, good.stderr), (0, "", "a warning\nbuilt\n"))
        self.assertEqual((bad.returncode, bad.stdout), (1, ""))
        self.assertIn("Preset CMake variables:", bad.stderr)
        self.assertNotIn("built", bad.stderr)


if __name__ == "__main__":
    unittest.main()
