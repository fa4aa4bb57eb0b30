#!/usr/bin/env python3
"""Standard streams that are closed or full: the answer and the status survive, and no file gets their words."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from range_server import RangeServer  # noqa: E402
from support import BINARY, PATIENCE_S, KeldaCase, environment, main, tiny_model  # noqa: E402

ANSWER = ("run", tiny_model, "--raw", "a", "--temperature", "0", "--max-tokens", "4")


class Streams(KeldaCase):
    def shell(self, redirection, *arguments, env=None):
        """Runs it with that redirection of a shell; stderr is captured where it is not redirected."""
        command = [BINARY, *(str(a() if callable(a) else a) for a in arguments)]
        return subprocess.run(["sh", "-c", f'exec "$0" "$@" {redirection}', *command], stdin=subprocess.DEVNULL,
                              capture_output=True, env=env or environment(), timeout=PATIENCE_S)

    def test_words_that_cannot_be_said_change_nothing(self):
        for arguments, status in ((("frob",), 2), (("inspect", "/nope"), 2), (("run", "/nope", "--raw", "a"), 2),
                                  (("pull", "--nope"), 2), (("pull", "nope"), 2), (("models",), 0),
                                  (("docs", "knobs"), 0), (("logits", tiny_model, "--ids", "5"), 0), (ANSWER, 0)):
            heard = self.shell("", *arguments)
            self.assertEqual(heard.returncode, status, heard.stderr)
            for redirection in ("2>&-", "2>/dev/full", "0<&- 2>&-"):
                with self.subTest(command=arguments[0], redirection=redirection):
                    unheard = self.shell(redirection, *arguments)
                    self.assertEqual((unheard.returncode, unheard.stdout), (status, heard.stdout))

    def test_a_closed_stdout_is_an_error_that_is_told(self):
        for arguments in (("--version",), ("models",), ("docs", "knobs"), ("inspect", tiny_model), ANSWER):
            for redirection in (">&-", "0<&- >&-"):
                with self.subTest(command=arguments[0], redirection=redirection):
                    result = self.shell(redirection, *arguments)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn(b"cannot write", result.stderr)

    def test_all_of_them_closed(self):
        self.assertEqual(self.shell("0<&- >&- 2>&-", "models").returncode, 1)
        self.assertEqual(self.shell("0<&- >&- 2>&-", "frob").returncode, 2)

    def test_a_closed_stdin_is_no_empty_prompt(self):
        result = self.shell("0<&-", "run", tiny_model, "--raw", "-")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(b"stdin: ", result.stderr)

    def test_files_do_not_get_the_words(self):
        body = os.urandom(100_000)
        server = RangeServer({"/org/repo/resolve/main/weights.safetensors": body})
        self.addCleanup(server.close)
        for number, redirection in enumerate(("2>&-", ">&- 2>&-", "0<&- >&- 2>&-", "0<&- 2>&-")):
            with self.subTest(redirection=redirection):
                cache = self.folder / str(number)
                env = {k: v for k, v in environment().items() if not k.lower().endswith("_proxy")}
                env.update(XDG_CACHE_HOME=str(cache), HF_ENDPOINT=server.url)
                self.shell(redirection, "pull", "hub:org/repo/weights.safetensors", env=env)
                folder = cache / "kelda/models/hub/org/repo"
                self.assertEqual((folder / "weights.safetensors").read_bytes(), body)
                self.assertEqual((folder / ".lock").read_bytes(), b"")


if __name__ == "__main__":
    main()
