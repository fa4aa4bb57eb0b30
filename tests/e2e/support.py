"""What the end-to-end tests share: the binary, the models, and running it as a person would.

KELDA_BIN         the kelda binary; the malform generator lies beside it
KELDA_TEST_MODEL  SmolLM2-135M-Instruct.Q4_1.gguf; tests that need it are skipped without it
"""

import atexit
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import signals_as_usual  # noqa: F401

BINARY = os.path.abspath(os.environ["KELDA_BIN"]) if os.environ.get("KELDA_BIN") else ""
PATIENCE_S = 600  # far beyond what any of this takes: only a hang is to fail by it

# Facts about SmolLM2-135M-Instruct.Q4_1, from float32 transformers over the same weights.
CAPITAL = "The capital of France is"
CAPITAL_PROMPT_IDS = [504, 3575, 282, 4649, 314]
CAPITAL_IDS = [7042, 30, 198, 198, 504, 2988, 314, 42, 216, 34, 32, 33,
               40, 29, 32, 33, 29, 34, 34, 216, 33, 34, 42, 33]
CAPITAL_TEXT = " Paris.\n\nThe answer is: 2018-01-22 12:1"
CAPITAL_FIRST_LOGPROB = -0.25806
CAPITAL_TOP_IDS = [7042, 260, 4528]
COUNT = "1, 2, 3, 4, 5, 6, 7,"
COUNT_TEXT = " 8, 9, 10, 11, 12, 13, 14, 15, 1"
VOCAB_SIZE = 49152
KV_BYTES_PER_TOKEN = 23_040  # 30 layers × (key, value) × 3 heads × 64 × 2 bytes
GREEDY = ("--raw", "--temperature", "0")

# The tiny model of the malform generator: random weights, one token per byte (id = byte's rank + 3), 41 merges.
TINY_VOCAB_SIZE = 300
TINY_WINDOW = 256
TINY_END_ID = 2


class Result:
    """How one run of the binary ended."""

    def __init__(self, arguments, code, out, err, peak_kib=0):
        self.arguments, self.code, self.raw_out = arguments, code, out
        self.err = err.decode("utf-8", "surrogateescape")
        self.peak_kib = peak_kib

    @property
    def out(self):
        return self.raw_out.decode("utf-8")

    @property
    def says_text(self):
        """Whether what it says on stderr is valid UTF-8, as it must always be."""
        return not any("\udc80" <= c <= "\udcff" for c in self.err)

    def json(self):
        return json.loads(self.raw_out)

    def __str__(self):
        shown = " ".join(str(a)[:60] for a in self.arguments)
        return f"kelda {shown}\n  status {self.code}\n  stdout {self.raw_out[:300]!r}\n  stderr {self.err[:600]!r}"


@functools.cache
def scratch_root():
    folder = Path(tempfile.mkdtemp(prefix="kelda-e2e-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.cache
def malformed_folder():
    """The malform generator's files, made once per test program."""
    generator = Path(BINARY).parent / "malform"
    if not generator.exists():
        raise RuntimeError(f"{generator} is missing: build the target malform")
    folder = scratch_root() / "malformed"
    subprocess.run([generator, folder], check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE_S)
    return folder


def tiny_model():
    """A whole Llama of 60 kB that answers in milliseconds."""
    return malformed_folder() / "model_is_fine.gguf"


def tiny_encoder():
    """A whole BERT of 100 kB: vectors of 32 numbers, a window of 64, a vocabulary of letters and a few words."""
    return malformed_folder() / "encoder_is_fine.gguf"


def environment(**changes):
    """This environment without Kelda's variables, with an empty model cache; None removes a variable."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("KELDA_")}
    env["XDG_CACHE_HOME"] = str(scratch_root() / "empty-cache")
    for key, value in changes.items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = str(value)
    return env


def start(*arguments, env=None, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen([BINARY, *map(str, arguments)], env=environment(**(env or {})), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **options)


def wait_until_handled(process, number):
    """Until the process has a handler of its own for that signal."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        status = Path(f"/proc/{process.pid}/status").read_text()
        if int(re.search(r"^SigCgt:\s*([0-9a-f]+)$", status, re.M).group(1), 16) >> (number - 1) & 1:
            return
        time.sleep(0.001)
    raise AssertionError(f"signal {number} was never handled")


def kelda(*arguments, stdin=None, env=None, **options):
    """Runs it to its end; `stdin` is bytes."""
    options["stdin"] = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    with start(*arguments, env=env, **options) as process:
        try:
            out, err = process.communicate(stdin, timeout=PATIENCE_S)
        except BaseException:
            process.kill()
            raise
    return Result(arguments, process.returncode, out, err)


class KeldaCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(dir=scratch_root()))

    def model(self):
        """The real model's path; skips where there is none."""
        path = os.environ.get("KELDA_TEST_MODEL", "")
        if not path:
            self.skipTest("KELDA_TEST_MODEL does not name SmolLM2-135M-Instruct.Q4_1.gguf")
        return os.path.abspath(path)

    def works(self, *arguments, **options):
        """Status 0."""
        result = kelda(*arguments, **options)
        self.assertEqual(result.code, 0, result)
        return result

    def refused(self, *arguments, says=(), status=2, **options):
        """That status, nothing on stdout, and one message on stderr that holds each of `says`."""
        result = kelda(*arguments, **options)
        self.assertEqual(result.code, status, result)
        self.assertEqual(result.raw_out, b"", result)
        self.assertTrue(result.says_text, result)
        self.assertEqual(result.err.count("kelda: error: "), 1, result)
        for text in (says,) if isinstance(says, str) else says:
            self.assertIn(text, result.err, result)
        return result

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


def main():
    if not BINARY or not os.access(BINARY, os.X_OK):
        sys.exit("KELDA_BIN must name the kelda binary")
    unittest.main(verbosity=2)
