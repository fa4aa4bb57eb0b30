#!/usr/bin/env python3
"""kelda chat: turns through a pipe and on a terminal, commands, interruption, history."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import BINARY, PATIENCE_S, KeldaCase, environment, kelda, main, start, tiny_model  # noqa: E402

SHORT = ("--max-tokens", 6, "--ignore-eos", "--temperature", 0)


class Piped(KeldaCase):
    def chat(self, *lines, model=None, options=SHORT, **more):
        return kelda("chat", model or tiny_model(), *options, stdin="".join(line + "\n" for line in lines).encode(), **more)

    def test_each_line_is_a_turn_and_the_conversation_grows(self):
        path = self.folder / "talk.json"
        result = self.chat("one", "two", f"/save {path}", "/stats")
        self.assertEqual(result.code, 0, result)
        messages = json.loads(path.read_text())["messages"]
        self.assertEqual([m["role"] for m in messages], ["user", "assistant"] * 2)
        self.assertEqual([m["content"] for m in messages[::2]], ["one", "two"])
        self.assertRegex(result.err, r"context: window \d+, prompt \d+ \((?!0)\d+ known from before\)")

    def test_the_answer_is_that_of_run(self):
        first = self.works("run", tiny_model(), "one", *SHORT, "-q").out
        self.assertEqual(self.chat("one").out, first)

    def test_a_saved_conversation_goes_on_as_if_never_left(self):
        path = self.folder / "talk.json"
        together = self.chat("one", f"/save {path}", "two").out.split("\n")
        self.assertEqual(self.chat("two", options=(*SHORT, "--load", path)).out.split("\n"), together[1:])
        again = self.chat(f"/load {path}", "two").out.split("\n")
        self.assertEqual(again, together[1:])

    def test_reset_and_system(self):
        path = self.folder / "talk.json"
        result = self.chat("/system Be brief.", "one", "/reset", "two", f"/save {path}")
        self.assertEqual(result.code, 0, result)
        messages = json.loads(path.read_text())["messages"]
        self.assertEqual([m["content"] for m in messages[:2]], ["Be brief.", "two"])
        self.chat(f"/load {path}", "/system none", f"/save {path}")
        self.assertEqual(json.loads(path.read_text())["messages"][0]["role"], "user")

    def test_settings_can_be_changed(self):
        result = self.chat("/set max_tokens 2", "/set", "one", "/stats")
        self.assertIn("generation 2 tokens", result.err)
        self.assertIn("max_tokens           2  (from chat)", result.err)
        result = self.chat("/set top_k", "/set stop ab", "/set stop c d", "/set logit_bias 5=-100",
                           "/unset max_tokens", "/unset stop", "/set")
        self.assertEqual(result.code, 0, result)
        self.assertIn("an integer in", result.err)
        self.assertIn('stop                 "ab", "c d"  (from chat)', result.err)
        self.assertIn("stop                 none  (from default)", result.err)
        self.assertIn("logit_bias           5=-100  (from chat)", result.err)
        self.assertIn("max_tokens           6  (from flag)", result.err.rsplit("logit_bias", 1)[0])
        for line, says in (("/set temperature -1", "temperature"), ("/set temprature 1", "temperature"),
                           ("/unset", "name"), ("/unset tempp", "tempp"), ("/sett top_k 1", "/set"), ("/save", "file"),
                           ("/load /no/such/file", "/no/such/file")):
            result = self.chat(line)
            self.assertEqual(result.code, 2, (line, result))
            self.assertIn(says, result.err)

    def test_several_lines_make_one_message(self):
        path = self.folder / "talk.json"
        self.chat("first \\", "second", '"""a', "b", 'c"""', '"""', "d", '"""', f"/save {path}")
        messages = json.loads(path.read_text())["messages"]
        self.assertEqual([m["content"] for m in messages[::2]], ["first \nsecond", "a\nb\nc", "d\n"])

    def test_help_lists_the_commands(self):
        out = self.chat("/help").err
        self.assertIn("/reset takes nothing after it", self.chat("/reset now").err)
        for command in ("/help", "/reset", "/system", "/set", "/stats", "/save", "/load", "/quit"):
            self.assertIn(command, out)

    def test_a_conversation_is_not_saved_over_the_model(self):
        model = self.write("model.gguf", tiny_model().read_bytes())
        result = self.chat("one", f"/save {model}", model=model)
        self.assertEqual(result.code, 2)
        self.assertIn("a file of the model", result.err)
        self.assertEqual(model.read_bytes(), tiny_model().read_bytes())

    def test_nothing_is_not_saved(self):
        result = self.chat(f"/save {self.folder / 'x'}")
        self.assertEqual(result.code, 2)
        self.assertIn("nothing to save", result.err)

    def test_what_is_shown_cannot_steer_the_terminal(self):
        path = self.write("evil.json", '{"messages": [{"role": "system", "content": "\\u001b]0;owned"}, {"role": "user", "content": "a"}]}')
        self.assertNotIn("\x1b", self.chat(f"/load {path}", "/system").err)

    def test_quit_ends_it(self):
        result = self.chat("/quit", "one")
        self.assertEqual((result.code, result.out), (0, ""))

    def test_what_does_not_fit_is_refused_with_both_counts(self):
        result = self.chat("long " * 200, options=(*SHORT, "--window", 64))
        self.assertEqual(result.code, 2)
        self.assertRegex(result.err, r"prompt has \d+ tokens and the window is 64")

    def test_files_that_are_no_conversation_are_refused(self):
        for content in ("", "[]", "{}", '{"messages": [{"role": "user", "content": [1]}]}',
                        '{"messages": [{"role": "user", "content": "a", "tool_calls": []}]}'):
            path = self.write("bad.json", content)
            result = self.chat(f"/load {path}")
            self.assertEqual(result.code, 2, content)
            self.assertIn("bad.json", result.err)
        self.assertEqual(self.chat(options=(*SHORT, "--load", self.folder / "absent")).code, 2)

    def test_invalid_utf8_is_refused(self):
        result = kelda("chat", tiny_model(), *SHORT, stdin=b"ab\xff\n")
        self.assertEqual(result.code, 2)
        self.assertIn("byte 2", result.err)
        path = self.folder / "talk.json"
        result = kelda("chat", tiny_model(), *SHORT, stdin=b"/system \xff\n/save " + str(path).encode() + b"\n")
        self.assertEqual(result.code, 2)
        self.assertFalse(path.exists())

    def test_a_quoted_slash_begins_a_message(self):
        path = self.folder / "talk.json"
        self.chat('"""/etc/hosts is a file"""', f"/save {path}")
        self.assertEqual(json.loads(path.read_text())["messages"][0]["content"], "/etc/hosts is a file")

    def test_fields_that_a_terminal_has_no_place_for_are_refused(self):
        for field in ('"tools": [{}]', '"now": "2026-01-01T00:00:00"', '"add_generation_prompt": false', '"chat_template_kwargs": {"a": 1}'):
            path = self.write("odd.json", '{"messages": [{"role": "user", "content": "a"}], %s}' % field)
            self.assertEqual(self.chat(f"/load {path}").code, 2, field)

    def test_a_signal_ends_a_pipe_with_its_status(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with start("chat", self.model(), "--max-tokens", 4000, "--ignore-eos", "-q", stdin=subprocess.PIPE) as process:
                process.stdin.write(b"Tell a long story.\nAnother.\n")
                process.stdin.flush()
                self.assertTrue(process.stdout.read(1))
                process.send_signal(number)
                process.communicate(timeout=PATIENCE_S)
                self.assertEqual(process.returncode, status)


class OnATerminal(KeldaCase):
    def setUp(self):
        super().setUp()
        master, terminal = pty.openpty()
        self.master = master
        self.state = self.folder / "state"
        self.process = subprocess.Popen([BINARY, "chat", self.model(), "--temperature", "0", "-q"], stdin=terminal, stdout=terminal,
                                        stderr=terminal, start_new_session=True, preexec_fn=self.take_terminal,
                                        env=environment(TERM="xterm", XDG_STATE_HOME=str(self.state)))
        os.close(terminal)
        self.shown = ""
        self.addCleanup(self.close)

    @staticmethod
    def take_terminal():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def type(self, text):
        os.write(self.master, text.encode())

    def wait_for(self, pattern):
        """What was shown up to the end of the pattern's match; the rest stays for the next call."""
        deadline = time.monotonic() + PATIENCE_S
        while not (match := re.search(pattern, self.shown)):
            self.assertLess(time.monotonic(), deadline, f"{pattern!r} was not shown: {self.shown!r}")
            if select.select([self.master], [], [], 1)[0]:
                try:
                    self.shown += os.read(self.master, 4096).decode(errors="replace")
                except OSError:  # how a terminal tells that its other end is gone
                    self.fail(f"ended before {pattern!r}: {self.shown!r}")
        seen, self.shown = self.shown[:match.end()], self.shown[match.end():]
        return seen

    def wait_for_prompt(self):
        """Until what is typed goes to the line editor: it takes the terminal over just after it has shown its prompt."""
        self.wait_for("> ")
        deadline = time.monotonic() + PATIENCE_S
        while termios.tcgetattr(self.master)[3] & termios.ECHO:
            self.assertLess(time.monotonic(), deadline, "the terminal still echoes")
            time.sleep(0.001)

    def test_sigterm_ends_it_at_the_prompt(self):
        self.wait_for_prompt()
        os.kill(self.process.pid, signal.SIGTERM)
        self.assertEqual(self.process.wait(PATIENCE_S), 143)

    def test_sighup_ends_it_in_an_answer(self):
        self.wait_for_prompt()
        self.type("/set ignore_eos true\n")
        self.wait_for_prompt()
        self.type("Never stop.\n")
        self.wait_for(r"Never stop\.\r\n(?s:.{40})")
        os.kill(self.process.pid, signal.SIGHUP)
        self.assertEqual(self.process.wait(PATIENCE_S), 129)

    def test_a_pasted_text_is_one_message(self):
        self.short_answers()
        self.wait_for_prompt()
        self.type("Say: \x1b[200~one\rtwo\tthree\x1b[A\n/quit é\x1b[201~ end\n")
        self.wait_for("end")
        self.assertEqual(self.messages(), ["Say: one\ntwo\tthree[A\n/quit é end"])

    def messages(self):
        path = self.folder / "talk.json"
        self.wait_for_prompt()
        self.type(f"/save {path}\n")
        self.wait_for("Saved")
        return [m["content"] for m in json.loads(path.read_text())["messages"][::2]]

    def short_answers(self):
        self.wait_for_prompt()
        self.type("/set max_tokens 3\n")
        self.wait_for("from chat")

    def test_what_is_typed_in_another_encoding_is_not_sent(self):
        self.short_answers()
        for line in (b"caf\xe9\n", b"a \x1b[200~caf\xe9\x1b[201~\n"):
            self.wait_for_prompt()
            os.write(self.master, line)
            self.wait_for("not sent")
        self.wait_for_prompt()
        os.write(self.master, b"caf\xe9\x15good\n")  # Ctrl-U takes the line back
        self.assertEqual(self.messages(), ["good"])

    def test_a_paste_that_is_given_up_is_given_up_whole(self):
        self.short_answers()
        self.wait_for_prompt()
        self.type("\x1b[200~one\rtwo\r")
        time.sleep(0.2)
        self.type("\x03")
        time.sleep(0.1)
        self.type("three\r/quit\r\x1b[201~")
        self.wait_for_prompt()
        self.type("four\n")
        self.assertEqual(self.messages(), ["four"])

    def test_a_paste_during_an_answer_stays_whole(self):
        self.wait_for_prompt()
        self.type("/set max_tokens 150\n")
        self.wait_for_prompt()
        self.type("/set ignore_eos true\n")
        self.wait_for_prompt()
        self.type("Tell a long story.\n")
        self.wait_for(r"story\.\r\n(?s:.{20})")
        self.type("\x1b[200~first line\rsecond line\x1b[201~\r")
        self.wait_for_prompt()
        self.type("/set max_tokens 3\n")
        self.assertEqual(self.messages(), ["Tell a long story.", "first line\nsecond line"])

    def test_several_pasted_lines_are_no_syntax(self):
        self.short_answers()
        self.wait_for_prompt()
        self.type('\x1b[200~/usr/bin/env\r"""Doc.\\\x1b[201~\n')
        self.assertEqual(self.messages(), ['/usr/bin/env\n"""Doc.\\'])

    def test_ctrl_z_gives_the_terminal_back_as_it_was(self):
        self.wait_for_prompt()
        os.kill(self.process.pid, signal.SIGTSTP)
        os.waitpid(self.process.pid, os.WUNTRACED)
        self.assertTrue(termios.tcgetattr(self.master)[3] & termios.ECHO)
        os.kill(self.process.pid, signal.SIGCONT)
        self.wait_for_prompt()
        self.type("/help\n")
        self.wait_for("/quit")

    def test_a_closed_terminal_ends_it(self):
        self.wait_for_prompt()
        os.close(self.master)
        self.master = os.open(os.devnull, os.O_RDONLY)
        self.assertEqual(self.process.wait(PATIENCE_S), 129)

    def test_a_turn_a_stop_a_mistake_and_the_end(self):
        self.wait_for_prompt()
        self.type("What is the capital of France? One word.\n")
        self.wait_for("Paris")
        self.wait_for_prompt()
        self.type("/set ignore_eos true\n")
        self.wait_for_prompt()
        self.type("Never stop.\n")
        self.wait_for(r"Never stop\.\r\n(?s:.{40})")
        os.kill(self.process.pid, signal.SIGINT)
        self.wait_for("stopped")
        self.wait_for_prompt()
        self.type("/nonsense\n")
        self.wait_for("/help")
        self.wait_for_prompt()
        self.type("half a line")
        self.wait_for("half a line")
        self.type("\x03")
        self.wait_for_prompt()
        self.type("\x04")
        self.assertEqual(self.process.wait(timeout=PATIENCE_S), 0)
        history = self.state / "kelda" / "chat_history"
        self.assertIn("capital", history.read_text())
        self.assertEqual(history.stat().st_mode & 0o077, 0)


if __name__ == "__main__":
    main()
