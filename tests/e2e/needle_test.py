#!/usr/bin/env python3
"""kelda needle: its grid, its numbers, and what is refused. No recall of a model is asserted but where it must be none."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import BINARY, PATIENCE_S, KeldaCase, environment, main, tiny_model  # noqa: E402

SMALL = ("--window", 512, "--lengths", "192,384", "--depths", "0,50,100", "--facts", 3)


class Needle(KeldaCase):
    def needle(self, *arguments):
        return self.works("needle", self.model(), "-q", *arguments)

    def test_asks_every_fact_at_every_depth_and_length(self):
        result = self.needle(*SMALL, "--json").json()
        self.assertEqual((result["window"], result["policy"], result["facts"], result["seed"]), (512, "refuse", 3, 1))
        self.assertEqual([(c["length"], c["depth"]) for c in result["cells"]],
                         [(n, d) for n in (192, 384) for d in (0, 0.5, 1)])
        asked = {(q["length"], q["depth"], q["name"]) for q in result["questions"]}
        self.assertEqual((len(asked), len(result["questions"])), (18, 18))
        for cell in (*result["cells"], *result["by_length"], *result["by_depth"], result["all"]):
            self.assertEqual(cell["recall"], cell["right"] / cell["n"])
            self.assertLessEqual(0, cell["low"])
            self.assertLessEqual(cell["low"], cell["recall"] + 1e-9)
            self.assertLessEqual(cell["recall"], cell["high"] + 1e-9)
        self.assertEqual(result["all"]["n"], 18)
        self.assertEqual(result["all"]["right"], sum(c["right"] for c in result["cells"]))
        for question in result["questions"]:
            if question["right"]:
                self.assertIn(question["code"], question["answer"])
        self.assertGreater(result["all"]["right"], 0, "a fact in 192 tokens is found now and then")
        self.assertGreater(result["usage"]["prompt_cached"], 0, "texts are read once for all their questions")

    def test_the_map_and_the_page_say_the_same(self):
        page = self.folder / "map.html"
        out = self.needle(*SMALL, "--html", page).out
        self.assertIn("Facts found again", out)
        self.assertNotIn("\x1b", out)
        html = page.read_text()
        for row in out.splitlines()[-4:]:
            for words in row.split("  "):
                self.assertIn(words.strip(), html)
        self.assertEqual(html.count("<td"), 4 * 3)
        self.assertEqual(self.needle(*SMALL).out, out, "the same seed, the same map")

    def shown_on_a_terminal(self, *arguments, **env):
        ours, terminal = pty.openpty()
        process = subprocess.Popen([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=terminal,
                                   stderr=subprocess.DEVNULL, env=environment(**env))
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # how a terminal tells that its other end is gone
            pass
        os.close(ours)
        self.assertEqual(process.wait(timeout=PATIENCE_S), 0)
        return shown.decode().replace("\r\n", "\n")

    def test_a_terminal_gets_colours(self):
        arguments = ("needle", tiny_model(), "--depths", 50, "--lengths", 256, "--facts", 2, "-q")
        plain = self.works(*arguments).out
        coloured = self.shown_on_a_terminal(*arguments, TERM="xterm", NO_COLOR=None)
        self.assertEqual(len(re.findall(r"\x1b\[30;48;5;\d+m", coloured)), 4)
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", coloured), plain)
        self.assertEqual(self.shown_on_a_terminal(*arguments, TERM="xterm", NO_COLOR="1"), plain)

    def test_what_is_cut_off_is_not_found(self):
        arguments = ("--window", 256, "--lengths", "640", "--depths", "0,100", "--facts", 2, "--json", "--context-policy", "truncate")
        kept_end = self.needle(*arguments).json()
        self.assertEqual([c["right"] for c in kept_end["cells"] if c["depth"] == 0], [0])
        self.refused("needle", self.model(), "--context-keep", "start", says=["--context-keep"])
        self.refused("needle", self.model(), "--split-overlap", "0.3", says=["--split-overlap goes with --context-policy split"])

    def test_longer_texts_can_be_split_and_summarised(self):
        for policy in ("split", "summarize"):
            result = self.needle("--window", 384, "--lengths", 640, "--depths", "0", "--facts", 1, "--json", "--context-policy", policy).json()
            self.assertEqual((result["policy"], result["all"]["n"]), (policy, 1))
            self.assertGreater(result["usage"]["prompt_tokens"], 640)

    def test_a_text_of_ones_own(self):
        text = self.write("own.txt", "The sea was calm. " * 3)
        result = self.needle("--window", 256, "--lengths", 160, "--depths", "50", "--facts", 1, "--json", "--text", text).json()
        self.assertEqual(result["filler"], str(text))
        self.refused("needle", tiny_model(), "--text", self.write("empty.txt", " \n"), says=("empty.txt", "no sentence"))
        self.refused("needle", tiny_model(), "--text", self.write("bad.txt", b"a\xff."), says=("bad.txt", "byte 1"))

    def test_what_is_impossible_is_refused(self):
        self.refused("needle", tiny_model(), "--lengths", 300, says=("--lengths", "300", "256", "--context-policy"))
        self.refused("needle", tiny_model(), "--lengths", "64", says=("--lengths: 64 tokens have no room", "at least"))
        for arguments in (("--lengths", "200,100"), ("--lengths", "x"), ("--lengths", "0"), ("--depths", "0,101"),
                          ("--depths", "50,50"), ("--depths", ""), ("--facts", 0), ("--seed", -1), ("--html", ""),
                          ("--context-policy", "shift")):
            self.refused("needle", tiny_model(), *arguments, says=arguments[0].strip("-").replace("-", "_") if arguments[0] == "--context-policy" else arguments[0])

    def test_a_page_does_not_take_the_models_place(self):
        model = self.write("model.gguf", tiny_model().read_bytes())
        self.refused("needle", model, "--html", model, says="a file of the model")
        text = self.write("own.txt", "A sentence.")
        self.refused("needle", model, "--text", text, "--html", text, says="a file that is read")


if __name__ == "__main__":
    main()
