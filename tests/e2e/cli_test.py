#!/usr/bin/env python3
"""The command line as a whole: help, names, flags, knobs, generated pages, and where each word goes."""

import os
import pty
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import BINARY, PATIENCE_S, KeldaCase, Result, environment, kelda, main, tiny_model  # noqa: E402

SOURCE = Path(__file__).resolve().parents[2]
COMMANDS = ("bench", "completion", "docs", "explain", "inspect", "logits", "models", "pull", "replay", "run",
            "selftest", "version")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

# Flag, what is allowed (the words of the message), values outside it.
NUMBERS = (
    ("--temperature", "[0, ∞)", ("nan", "inf", "-inf", "-1", "-0.001", "1e400", "1e-400", "abc", "0x10", "", " 1", "1 ",
                                 "1,5", "+1", "1_000", "true")),
    ("--top-p", "(0, 1]", ("0", "-0.1", "1.01", "nan", "inf", "1e400", "abc", "0x1")),
    ("--min-p", "[0, 1]", ("-0.1", "1.01", "nan", "abc")),
    ("--repetition-penalty", "(0, ∞)", ("0", "-1", "nan", "inf", "1e400", "abc")),
    ("--frequency-penalty", "[-2, 2]", ("-2.1", "2.1", "nan", "abc")),
    ("--presence-penalty", "[-2, 2]", ("-2.1", "2.1", "nan", "abc")),
    ("--top-k", "[0, 2147483647]", ("-1", "2147483648", "1.5", "1e3", "nan", "inf", "abc", "0x10", "",
                                    "99999999999999999999")),
    ("--repetition-window", "[-1, 2147483647]", ("-2", "2147483648", "1.5", "abc")),
    ("--max-tokens", "[0, 2147483647]", ("-1", "2147483648", "1.5", "abc", "nan", "1e400")),
    ("--seed", "[0, 18446744073709551615]", ("-2", "18446744073709551616", "1.5", "abc", "nan", "")),
)


class Help(KeldaCase):
    def test_every_command_is_listed_with_a_summary(self):
        for arguments in (("--help",), ("-h",), ()):
            result = self.works(*arguments)
            self.assertEqual(result.err, "")
            listed = re.findall(r"^  ([a-z]+)  +\S.*$", result.out[result.out.index("Subcommands:"):], re.M)
            self.assertEqual(sorted(listed), listed)
            self.assertLessEqual(set(COMMANDS), set(listed))

    def test_help_of_every_command(self):
        listed = re.findall(r"^  ([a-z]+)  +\S", self.works("--help").out.split("Subcommands:")[1], re.M)
        for command in listed:
            for flag in ("--help", "-h"):
                result = self.works(command, flag)
                self.assertEqual(result.err, "", command)
                self.assertIn(f"kelda {command}", result.out)
                self.assertIn("--help", result.out)

    def test_help_of_run_names_every_knob_with_its_range(self):
        out = self.works("run", "--help").out
        for flag, allowed, _ in NUMBERS:
            self.assertRegex(out, rf"(?s){flag} .*?{re.escape(allowed)}")

    def test_help_speaks_of_values_in_our_words(self):
        for command in COMMANDS:
            out = self.works(command, "--help").out
            for phrase in ("INT", "TEXT:", "UINT", " in [0 - "):
                self.assertNotRegex(out, rf"\b{re.escape(phrase)}(?!EGER)", command)
        out = self.works("run", "--help").out
        self.assertRegex(out, r"--threads INTEGER")
        self.assertIn("[0, 1024]", out)
        self.assertIn("{auto,reference}", out)

    def test_help_of_run_tells_what_is_set_where_nothing_is_asked_for(self):
        self.assertIn("house profile: temperature 0.7, top_p 0.95", self.works("run", "--help").out.replace("\n", " "))

    def test_version(self):
        line = self.works("--version").out
        self.assertRegex(line, r"^kelda [0-9]+\.[0-9]+\.[0-9]+\n$")
        self.assertEqual(self.works("version").out.splitlines()[0] + "\n", line)
        told = self.works("version", "--json").json()
        self.assertEqual(f"kelda {told['version']}\n", line)
        sets = told["instruction_sets"]
        self.assertIn(sets["chosen"], sets["available"])
        self.assertLessEqual(set(sets["available"]), set(sets["compiled"]))
        self.assertIn("scalar", sets["available"])
        self.assertGreater(told["processors"], 0)

    def test_instruction_set_can_be_chosen(self):
        told = self.works("version", "--json", env={"KELDA_ISA": "scalar"}).json()
        self.assertEqual(told["instruction_sets"]["chosen"], "scalar")
        self.refused("version", env={"KELDA_ISA": "quantum"}, says=("KELDA_ISA", "quantum", "scalar"))


class Pages(KeldaCase):
    def test_knobs_page_is_the_committed_one(self):
        page = (SOURCE / "docs/reference/knobs.md").read_bytes()
        self.assertEqual(self.works("docs", "knobs").raw_out.decode(), page.decode())

    def test_unknown_page(self):
        self.refused("docs", "knob", says=("knob", "knobs"))
        self.refused("docs", says="page is required: knobs")

    def test_bash_completion_parses_and_completes(self):
        script = self.write("kelda.bash", self.works("completion", "bash").raw_out)
        self.assertEqual(subprocess.run(["bash", "-n", script], capture_output=True).stderr, b"")

        def completed(*words):
            line = 'source "$0"; COMP_WORDS=(kelda "$@"); COMP_CWORD=$#; _kelda; printf "%s\\n" "${COMPREPLY[@]}"'
            return subprocess.run(["bash", "-c", line, script, *words], capture_output=True, text=True, check=True).stdout.split()

        self.assertEqual(completed("ins"), ["inspect"])
        self.assertIn("run", completed(""))
        self.assertEqual(completed("run", "--temp"), ["--temperature"])
        self.assertEqual(completed("run", "smol"), ["smollm2"])
        self.assertEqual(completed("inspect", "--tens"), ["--tensors"])
        self.assertEqual(completed("pull", "--fo"), ["--force"])
        self.assertEqual(completed("pull", "smol"), ["smollm2"])
        self.assertEqual(completed("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(completed("docs", ""), ["knobs"])
        for flag in (("--compute",), ("--compute", "=")):
            self.assertEqual(completed("run", "smollm2", *flag, ""), ["auto", "reference"])
        self.assertEqual(completed("run", "smollm2", "--compute", "="), ["auto", "reference"])
        self.assertEqual(completed("run", "smollm2", "--compute", "=", "ref"), ["reference"])
        for flag in ("--window", "-t", "--stop"):
            self.assertEqual(completed("run", "smollm2", flag, ""), [], "a model's name is no value of it")
        self.assertEqual(completed("models", "--path", "smollm"), ["smollm2"])
        self.assertEqual(completed("run", "smollm2", "--profile", ""), ["kelda", "llama.cpp", "vllm", "hf"])
        self.assertEqual(set(completed("chat", "smollm2", "--sampler-order", "top_")), {"top_n_sigma", "top_k", "top_p"})
        self.assertEqual(completed("calc", "k"), ["kv"])
        for page in ("kv", "cost", "roofline", "attention", "quant"):
            flags = set(re.findall(r"(?m)^ +(?:-\w,)?(--[a-z0-9-]+)", self.works("calc", page, "--help").out))
            self.assertEqual(set(completed("calc", page, "--")), flags)
        self.assertEqual(completed("replay", "--model", "smol"), ["smollm2"])
        for command in ("run", "inspect", "pull", "bench"):
            self.assertEqual(completed(command, "--mod"), [], "a positional is no flag")

    def test_other_shells_completion_parses(self):
        for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            script = self.write(f"kelda.{shell}", self.works("completion", shell).raw_out)
            self.assertIn("--temperature" if shell == "zsh" else "-l temperature", script.read_text())
            if shutil.which(shell):
                self.assertEqual(subprocess.run([*check, script], capture_output=True).stderr, b"")

    def test_a_flag_with_a_value_that_is_none(self):
        self.refused("inspect", tiny_model(), "--json=maybe", says=('--json', '=true or =false; got "maybe"'))

    def test_unknown_shell(self):
        self.refused("completion", "tcsh", says=("tcsh", "bash", "zsh", "fish"))
        self.refused("completion", says="shell is required: bash, zsh or fish")

    def test_selftest_passes(self):
        result = self.works("selftest")
        self.assertRegex(result.out, r"(?m)^all passed$")
        self.assertNotIn("FAILED", result.out)
        self.assertGreater(len(re.findall(r"(?m)  ok$", result.out)), 5)


class Names(KeldaCase):
    def test_unknown_words(self):
        self.refused("rum", says=('unknown command "rum"', "did you mean run?", "See: kelda --help"))
        self.refused("inspct", "x", says="did you mean inspect?")
        self.refused("frobnicate", says='unknown command "frobnicate"')
        self.refused("pull", "--quite", says=('unexpected argument "--quite"', "did you mean --quiet?"))
        self.refused("--versoin", says=("--versoin", "did you mean --version?"))
        self.refused("run", tiny_model(), "--raw", "a", "--temprature", "0.5",
                     says=("--temprature", "did you mean --temperature?", "See: kelda run --help"))
        self.refused("run", tiny_model(), "--raw", "a", "--max_tokens=5", says=("--max_tokens", "did you mean --max-tokens?"))
        self.assertNotIn("did you mean", self.refused("run", tiny_model(), "--raw", "a", "--zyzzyva", says="--zyzzyva").err)

    def test_models_of_the_catalogue(self):
        for command in (("run", "--raw", "a"), ("inspect",), ("logits", "--ids", "1"), ("bench",)):
            with self.subTest(command=command[0]):
                name, rest = command[0], command[1:]
                self.refused(name, "smolm2", *rest, says=("smolm2", "did you mean smollm2?", "kelda models"))
                self.refused(name, "smollm2", *rest, says=("smollm2", "not downloaded", "kelda pull smollm2"))
                self.assertNotIn("did you mean", self.refused(name, "zyzzyva", *rest, says="zyzzyva").err)
                self.refused(name, "hub:org/repo/x.gguf", *rest, says="kelda pull hub:org/repo/x.gguf")

    def test_an_empty_name_is_no_model(self):
        self.refused("run", "", "--raw", "a", says="model")

    def test_texts_of_the_command_line_cannot_steer_the_terminal(self):
        steer = "x\x1b[2J\x9b2J"
        for arguments in ((steer,), ("run", tiny_model(), "--raw", "a", f"--{steer}"), ("run", steer, "--raw", "a"),
                          ("run", f"/{steer}.gguf", "--raw", "a"), ("inspect", self.write(f"{steer}.gguf", "no model")),
                          ("pull", steer), ("pull", f"hub:{steer}"), ("docs", steer), ("completion", steer),
                          ("bench", tiny_model(), "--tests", steer), ("bench", tiny_model(), "-r", steer),
                          ("logits", tiny_model(), "--ids", steer), ("run", tiny_model(), "--raw", "a", "--seed", steer)):
            with self.subTest(arguments=arguments):
                result = self.refused(*arguments, says="x\\x1B[2J")
                self.assertNotIn("\x1b", result.err)
                self.assertNotIn("\x9b", result.err)
        self.assertNotIn("\x1b", self.refused("models", env={"KELDA_CATALOG": f"/{steer}"}, says="KELDA_CATALOG").err)

    def test_an_empty_value_is_not_the_same_as_none(self):
        for arguments in (("models", "--path", ""), ("pull", ""), ("inspect", ""), ("logits", tiny_model(), "--ids", ""),
                          ("logits", tiny_model(), "--text", ""), ("logits", tiny_model(), "--ids", "5", "--positions", ""),
                          ("logits", tiny_model(), "--ids-file", "", "--raw-out", "x"),
                          ("logits", tiny_model(), "--ids-file", "x", "--raw-out", "")):
            with self.subTest(arguments=arguments):
                empty = arguments[arguments.index("") - 1]
                self.refused(*arguments, says=(empty if empty.startswith("--") else "model", "is empty"))

    def test_a_catalogue_that_cannot_be_read_prints_nothing(self):
        for arguments in (("models",), ("models", "--json")):
            self.refused(*arguments, env={"KELDA_CATALOG": "/nope"}, says=("/nope", "KELDA_CATALOG", "no such file"))
        self.refused("models", env={"XDG_CACHE_HOME": None, "HOME": None}, says=("XDG_CACHE_HOME", "HOME"))

    def test_links_that_lead_nowhere(self):
        loop, dangling = self.folder / "loop", self.folder / "dangling"
        loop.symlink_to(loop)
        dangling.symlink_to("gone-model")
        for command in (("inspect",), ("run", "--raw", "a")):
            name, rest = command[0], command[1:]
            self.refused(name, loop, *rest, says=("loop", "symbolic link", "leads back to itself"))
            self.refused(name, dangling, *rest, says=("dangling", "symbolic link", "gone-model", "does not exist"))

    def test_files_that_are_no_model(self):
        text, fifo = self.write("notes.txt", "some text, longer than a magic number\n"), self.folder / "pipe"
        os.mkfifo(fifo)
        loop = self.folder / "loop.gguf"
        loop.symlink_to(loop)
        for path, says in ((text, ("notes.txt", "not a GGUF file")), (self.folder, "is a directory"),
                           ("/dev/null", "not a regular file"), ("/dev/zero", "not a regular file"),
                           (fifo, "not a regular file"), (self.folder / "gone.gguf", "no such file"), (loop, "loop.gguf"),
                           (text / "x.gguf", "x.gguf"), ("x" * 300 + ".gguf", "gguf")):
            with self.subTest(path=path):
                self.refused("run", path, "--raw", "a", says=says)
                self.refused("inspect", path, says=says)

    def test_a_file_that_may_not_be_read(self):
        # A folder that others may enter, since root, who may read everything, runs it as another user.
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            os.chmod(folder, 0o755)
            binary, path = Path(folder) / "kelda", Path(folder) / "secret.gguf"
            shutil.copy(BINARY, binary)
            path.write_bytes(tiny_model().read_bytes())
            path.chmod(0)
            other = {"user": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
            done = subprocess.run([binary, "run", path, "--raw", "a"], capture_output=True, env=environment(XDG_CACHE_HOME=folder),
                                  timeout=PATIENCE_S, **other)
        result = Result(("run", path), done.returncode, done.stdout, done.stderr)
        self.assertIn(result.code, (1, 2))
        self.assertIn("Permission denied", result.err)


class KnobValues(KeldaCase):
    def run_refused(self, *arguments, **options):
        return self.refused("run", tiny_model(), "--raw", "a", *arguments, **options)

    def request(self, text):
        return ("--request", self.write("request.json", text))

    def test_values_outside_the_range(self):
        for flag, allowed, values in NUMBERS:
            for value in values:
                with self.subTest(flag=flag, value=value):
                    self.run_refused(*([f"{flag}={value}"] if value else [flag, ""]), says=(flag[2:].replace("-", "_"), allowed))

    def test_values_at_the_end_of_the_range(self):
        for arguments in (("--temperature", "0"), ("--temperature", "1000"), ("--temperature", "1e-300"),
                          ("--temperature", "1e308"), ("--temperature", "-0"), ("--top-p", "1"), ("--top-p", "1e-300"),
                          ("--top-k", "2147483647"), ("--min-p", "1"), ("--min-p", "0"), ("--frequency-penalty", "-2"),
                          ("--repetition-penalty", "1e-30"), ("--repetition-penalty", "1e308"), ("--seed", "0"),
                          ("--seed", "18446744073709551615")):
            with self.subTest(arguments=arguments):
                result = self.works("run", tiny_model(), "--raw", "a", "--max-tokens", 3, "--json", "-q", *arguments)
                self.assertEqual(len(result.json()["ids"]), result.json()["usage"]["completion_tokens"])

    def test_biases(self):
        for bias, says in (("300=1", ("300", "299")), ("-1=1", "-1"), ("5=nan", "5=nan"), ("5=100.5", "[-100, 100]"),
                           ("5", "id=bias"), ("x=1", "x=1"), ("5=1,5=2", "twice"), ("", "logit_bias"),
                           ("5=1,", "logit_bias"), (",".join(f"{i}=1" for i in range(1025)), "1024")):
            with self.subTest(bias=bias[:20]):
                self.run_refused("--logit-bias", bias, says=("logit_bias", *([says] if isinstance(says, str) else says)))

    def test_a_setting_given_twice(self):
        self.run_refused("--temperature", "1", "--temperature", "2", says="--temperature")
        self.run_refused("--seed", "1", "--seed", "1", says="--seed: is given more than once")
        self.run_refused("--window", "9", "--window", "9", says="--window: is given more than once")

    def test_a_flag_without_its_value(self):
        for flag in ("--temperature", "--window", "--compute", "--stop"):
            self.run_refused(flag, says=f"{flag}: its value is missing")
        self.run_refused("--ignore-eos=maybe", says="--ignore-eos")

    def test_request_file_is_the_same_as_flags(self):
        request = self.request('{"temperature": 1.5, "seed": 9, "max_tokens": 6, "top_p": null, "logit_bias": {"70": 3}}')
        common = ("run", tiny_model(), "--raw", "a", "--json", "-q", "--logprobs", 0)
        by_file = self.works(*common, *request).json()
        by_flag = self.works(*common, "--temperature", 1.5, "--seed", 9, "--max-tokens", 6, "--logit-bias", "70=3").json()
        self.assertEqual((by_file["ids"], by_file["logprobs"]), (by_flag["ids"], by_flag["logprobs"]))
        self.assertEqual(by_file["settings"]["temperature"]["from"], "request")

    def test_a_setting_in_the_file_and_as_a_flag(self):
        request = self.request('{"temperature": 0, "max_tokens": 6}')
        self.run_refused("--max-tokens", 2, *request, says=("max_tokens is set twice", "--max-tokens", "request.json"))
        self.run_refused(*request, "--max-tokens", 2, says="max_tokens is set twice")
        self.works("run", tiny_model(), "--raw", "a", "-q", "--seed", 2, *request)

    def test_request_files_that_are_wrong(self):
        for text, says in (
                ('{"temprature": 1}', ('unknown field "temprature"', 'did you mean "temperature"?')),
                ('{"zyzzyva": 1}', 'unknown field "zyzzyva"'),
                ('{"temperature": "hot"}', ("temperature", "[0, ∞)", "hot")),
                ('{"temperature": -1}', ("temperature", "[0, ∞)")),
                ('{"temperature": 1e400}', "temperature"), ('{"temperature": NaN}', "temperature"),
                ('{"temperature": true}', "temperature"), ('{"temperature": [1]}', "temperature"),
                ('{"top_k": 1.5}', ("top_k", "[0, 2147483647]")), ('{"max_tokens": -1}', "max_tokens"),
                ('{"ignore_eos": 1}', ("ignore_eos", "true or false")), ('{"stop": [""]}', "stop"), ('{"stop": 5}', "stop"),
                ('{"logit_bias": {"x": 1}}', "logit_bias"),
                ('{"temperature": 1, "temperature": 1}', '"temperature" is given twice')):
            with self.subTest(text=text[:40]):
                self.run_refused(*self.request(text), says=says)

    def test_request_files_that_are_no_json_object_are_named(self):
        for text, says in (('{"temperature": 1', "not valid JSON"), ("", "not valid JSON"), ("[]", "JSON object"),
                           ("5", "JSON object"),
                           ('{"stop": "\\ud800"}', "JSON"), (b'{"stop": "\xff"}', "JSON"), ("[" * 100_000, "nested"),
                           ('{"temperature": 1} x', "not valid JSON")):
            with self.subTest(text=text[:40]):
                self.run_refused(*self.request(text), says=(says, "request.json"))
        self.run_refused("--request", self.folder / "gone.json", says=("gone.json", "no such file"))
        self.run_refused("--request", self.folder, says="directory")
        self.run_refused(*self.request(" " * (2 << 20)), says="request.json")

    def test_seed_of_64_bits_in_a_request_file(self):
        request = self.request('{"seed": 18446744073709551615, "max_tokens": 1}')
        self.assertEqual(self.works("run", tiny_model(), "--raw", "a", "--json", "-q", *request).json()["seed"], 2**64 - 1)


class Output(KeldaCase):
    def commands(self):
        return (("--help",), ("run", "--help"), ("--version",), ("version",), ("version", "--json"), ("models",),
                ("models", "--json"),
                ("docs", "knobs"), ("completion", "bash"), ("completion", "zsh"), ("completion", "fish"),
                ("inspect", tiny_model()), ("inspect", tiny_model(), "--json"), ("logits", tiny_model(), "--ids", "1"),
                ("bench", tiny_model(), "--tests", "pp4", "-r", "1"), ("explain", tiny_model(), "--raw", "a", "--max-tokens", "2"),
                ("run", tiny_model(), "--raw", "a", "--max-tokens", "2"))

    def test_a_full_disk_is_an_error(self):
        if not stat.S_ISCHR(os.stat("/dev/full").st_mode):
            self.skipTest("/dev/full is not the device")
        for arguments in self.commands():
            with self.subTest(command=arguments), open("/dev/full", "wb") as full:
                process = subprocess.run([BINARY, *arguments], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                         env=environment(), timeout=PATIENCE_S)
                self.assertEqual(process.returncode, 1, process.stderr)
                self.assertIn(b"cannot write", process.stderr)
                self.assertIn(b"stdout", process.stderr)

    def test_a_reader_that_is_gone_ends_it_without_a_word(self):
        for arguments in self.commands():
            with self.subTest(command=arguments):
                read, write = os.pipe()
                os.close(read)
                process = subprocess.run([BINARY, *arguments], stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.PIPE,
                                         env=environment(), timeout=PATIENCE_S)
                os.close(write)
                self.assertEqual(process.returncode, 128 + signal.SIGPIPE, process.stderr)
                self.assertNotIn(b"error", process.stderr)

    def test_data_goes_to_stdout_alone(self):
        for arguments in self.commands()[:-1]:
            with self.subTest(command=arguments):
                result = self.works(*arguments)
                self.assertEqual(result.err, "")
                self.assertTrue(result.raw_out.endswith(b"\n"))
                self.assertNotIn(b"\x1b", result.raw_out)

    def shown_on_a_terminal(self, *arguments, **env):
        master, terminal = pty.openpty()
        process = subprocess.Popen([BINARY, *arguments], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                                   env=environment(TERM="xterm", **env))
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(master, 4096):
                shown += part
        except OSError:  # how a terminal tells that its other end is gone
            pass
        os.close(master)
        self.assertEqual(process.wait(timeout=PATIENCE_S), 0)
        return shown.decode()

    def test_colour_only_where_a_person_sees_it(self):
        self.assertRegex(self.shown_on_a_terminal("models", NO_COLOR=None), COLOUR)
        self.assertNotRegex(self.shown_on_a_terminal("models", NO_COLOR="1"), COLOUR)


if __name__ == "__main__":
    main()
