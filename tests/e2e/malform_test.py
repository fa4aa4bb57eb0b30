#!/usr/bin/env python3
"""Malformed model files: each is refused with its reason, in little memory and time, and never by a signal."""

import concurrent.futures
import functools
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import (  # noqa: E402
    BINARY, KeldaCase, Result, environment, main, malformed_folder, tiny_model)

MEMORY_BYTES = 64 << 20
SECONDS = 10


@functools.cache
def address_space_can_be_limited():
    """Whether the binary and its shared libraries start within MEMORY_BYTES of addresses."""
    limited = functools.partial(resource.setrlimit, resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    return subprocess.run([BINARY, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          preexec_fn=limited).returncode == 0


def limits():
    if address_space_can_be_limited():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    # Processor time, since the machine may be busy with something else: a hang or a loop ends by it.
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def contained(*arguments):
    """Runs it within the limits; peak_kib is its largest resident size."""
    folder = malformed_folder()
    with open(os.devnull) as nothing, os.fdopen(os.memfd_create("out"), "w+b") as out, \
            os.fdopen(os.memfd_create("err"), "w+b") as err:
        process = subprocess.Popen([BINARY, *map(str, arguments)], stdin=nothing, stdout=out, stderr=err, cwd=folder,
                                   env=environment(), preexec_fn=limits)
        deadline = time.monotonic() + 30 * SECONDS  # of wall time: something that sleeps
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > deadline:
                process.kill()
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        out.seek(0)
        err.seek(0)
        return Result(arguments, process.returncode, out.read(), err.read(), ended[2].ru_maxrss)


def in_parallel(commands):
    address_space_can_be_limited()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda arguments: contained(*arguments), commands))


class ContainedCase(KeldaCase):
    def check_contained(self, result):
        self.assertGreaterEqual(result.code, 0, f"ended by a signal\n{result}")
        self.assertLess(result.peak_kib, MEMORY_BYTES >> 10, result)
        self.assertTrue(result.says_text, f"stderr is not UTF-8\n{result}")
        self.assertNotIn("terminate", result.err)
        self.assertNotIn("std::", result.err, result)  # what() of the library is no message for a person

    def check_refused(self, result, entry):
        self.check_contained(result)
        self.assertEqual(result.code, entry["exit_status"], result)
        self.assertIn(entry["message"], result.err, result)
        self.assertEqual(result.err.count("kelda: error: "), 1, result)


class Malformed(ContainedCase):
    @classmethod
    def setUpClass(cls):
        cls.manifest = json.loads((malformed_folder() / "manifest.json").read_text())

    def test_the_manifest_covers_the_folder(self):
        files = sorted(path.name for path in malformed_folder().glob("*.gguf"))
        self.assertEqual(files, sorted(name for entry in self.manifest for name in (entry["file"], *entry["beside"])))
        self.assertGreater(len(files), 200)

    def test_inspect_refuses_each_with_its_reason(self):
        bad = [entry for entry in self.manifest if entry["exit_status"] != 0]
        for entry, result in zip(bad, in_parallel([("inspect", entry["file"]) for entry in bad])):
            with self.subTest(file=entry["file"]):
                self.check_refused(result, entry)
                if entry["stage"] == "container":
                    self.assertEqual(result.raw_out, b"", result)

    def test_inspect_json_prints_the_file_if_that_is_sound_and_else_nothing(self):
        bad = [entry for entry in self.manifest if entry["exit_status"] != 0]
        for entry, result in zip(bad, in_parallel([("inspect", "--json", entry["file"]) for entry in bad])):
            with self.subTest(file=entry["file"]):
                self.check_refused(result, entry)
                if entry["stage"] == "container":
                    self.assertEqual(result.raw_out, b"", result)
                else:
                    self.assertEqual(set(result.json()), {"path", "container", "bytes", "metadata", "tensors"}, result)

    def test_run_refuses_them_with_the_same_words(self):
        # The container's reader is the same, so every third file of it; every model.
        bad = [entry for i, entry in enumerate(self.manifest)
               if entry["exit_status"] != 0 and (entry["stage"] == "model" or i % 3 == 0)]
        commands = [("run", entry["file"], "--raw", "x", "-t", 1, "-q", "--max-tokens", 1) for entry in bad]
        for entry, result in zip(bad, in_parallel(commands)):
            with self.subTest(file=entry["file"]):
                self.check_refused(result, entry)
                self.assertEqual(result.raw_out, b"", result)

    def test_well_formed_ones_are_read(self):
        fine = [entry for entry in self.manifest if entry["exit_status"] == 0]
        for entry, result in zip(fine, in_parallel([("inspect", "--tensors", entry["file"]) for entry in fine])):
            with self.subTest(file=entry["file"]):
                self.check_contained(result)
                first = min([entry["file"], *entry["beside"]])  # of a split set it is the first part that is named
                self.assertTrue(result.raw_out.startswith(first.encode() + b"\nGGUF v"), result)
                if entry["stage"] == "model":
                    self.assertEqual((result.code, result.err), (0, ""), result)
                else:  # a container without a network in it
                    self.assertEqual(result.code, 2, result)
                    self.assertIn("architecture", result.err)

    def test_the_well_formed_model_runs(self):
        result = contained("run", tiny_model(), "--raw", "x", "-t", 1, "--json", "-q", "--max-tokens", 4)
        self.check_contained(result)
        self.assertEqual(result.code, 0, result)


class Changed(ContainedCase):
    """Files made here from the well-formed ones."""

    def files(self, contents):
        return [self.write(f"{i}.gguf", content) for i, content in enumerate(contents)]

    def test_every_prefix_of_a_file_is_refused(self):
        small = (malformed_folder() / "version_3_is_fine.gguf").read_bytes()
        lengths = range(0, 306)  # from byte 306 on there is padding alone, which may be missing
        paths = self.files(small[:length] for length in lengths)
        for length, result in zip(lengths, in_parallel([("inspect", path) for path in paths])):
            with self.subTest(length=length):
                self.check_refused(result, {"exit_status": 2, "message": ".gguf: "})
                self.assertEqual(result.raw_out, b"", result)

    def test_prefixes_of_a_model_are_refused(self):
        whole = tiny_model().read_bytes()
        lengths = [*range(0, 7000, 211), *range(7000, len(whole), 2503), len(whole) - 1]
        paths = self.files(whole[:length] for length in lengths)
        commands = [("run", path, "--raw", "x", "-t", 1, "-q", "--max-tokens", 1) for path in paths]
        for length, result in zip(lengths, in_parallel(commands)):
            with self.subTest(length=length):
                self.check_refused(result, {"exit_status": 2, "message": ".gguf: "})
                self.assertEqual(result.raw_out, b"", result)

    def test_any_byte_of_the_header_may_be_wrong(self):
        """Refused or not, it ends in order. The data begins at byte 6,944; no byte of it can be wrong."""
        whole = tiny_model().read_bytes()
        places = [*range(0, 1200, 13), *range(1200, 6944, 97)]
        paths = self.files(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1:] for at in places)
        commands = [("run", path, "--raw", "x", "-t", 1, "-q", "--json", "--max-tokens", 2) for path in paths]
        for at, result in zip(places, in_parallel(commands)):
            with self.subTest(byte=at):
                self.check_contained(result)
                self.assertIn(result.code, (0, 2), result)
                if result.code == 0:
                    result.json()
                else:
                    self.assertIn("kelda: error: ", result.err)

    def test_weights_that_are_not_numbers_are_an_error_in_every_command(self):
        whole = tiny_model().read_bytes()
        ids, out = self.write("ids.txt", "5 6\n"), self.folder / "out.raw"
        not_a_number, infinite = b"\x00\x7e", b"\x00\x7c"  # as the f16 scale of a q4_0 block
        for scale in (not_a_number, infinite):
            (path,) = self.files([whole[:6944] + (scale + b"\x88" * 16) * 600 + whole[6944 + 10800:]])
            for arguments, place in ((("run", path, "--raw", "x", "--json", "--max-tokens", 2), "position 0: "),
                                     (("logits", path, "--ids", "5,6"), "position 0: "),
                                     (("logits", path, "--ids", "5,6", "--json"), "position 0: "),
                                     (("logits", path, "--ids-file", ids, "--raw-out", out), "position 0: "),
                                     (("bench", path, "--tests", "pp8,tg2", "-r", 1), "position 7: ")):
                with self.subTest(scale=scale, command=arguments[0]):
                    result = contained(*arguments, "-t", 1, "-q")
                    self.check_contained(result)
                    self.assertEqual(result.code, 1, result)
                    self.assertIn(f"kelda: error: {place}the model gave token ", result.err, result)
                    self.assertIn("its weights are broken", result.err, result)
                    self.assertFalse(out.exists())

    def test_one_weight_that_is_not_a_number_is_an_error_too(self):
        whole = tiny_model().read_bytes()
        last_row = 6944 + 299 * 36  # of the embeddings, which are the output's weights too: two q4_0 blocks
        (path,) = self.files([whole[:last_row] + b"\x00\x7e" + whole[last_row + 2:]])
        items = self.write("items.jsonl", '{"context_ids": [5], "continuation_ids": [6]}\n')
        for arguments in (("run", path, "--raw", "x", "--temperature", 0), ("logits", path, "--ids", "5"), ("score", path, items)):
            with self.subTest(command=arguments[0]):
                result = contained(*arguments, "-t", 1, "-q")
                self.check_contained(result)
                self.assertEqual(result.code, 1, result)
                self.assertIn("position 0: the model gave token 299 the logit NaN", result.err, result)

    def test_an_end_token_that_is_not_text_does_not_lose_the_answer(self):
        whole = tiny_model().read_bytes()
        (path,) = self.files([whole.replace(b"<|im_end|>", b"<|im_\xff\xfe\xfd|>", 1)])
        result = contained("run", path, "--raw", "x", "-t", 1, "-q", "--json", "--temperature", 0, "--logit-bias", "2=100")
        self.check_contained(result)
        if result.code != 2:  # refusing the file would do as well
            self.assertEqual(result.code, 0, result)
            self.assertEqual((result.json()["ids"], result.json()["finish_reason"]), ([2], "stop"))


if __name__ == "__main__":
    main()
