#!/usr/bin/env python3
"""kelda pull of a split set: any part stands for all, whole or not at all.

KELDA_BIN names the binary. Nothing outside 127.0.0.1 is reached.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pull_case import BINARY, PullCase, main, sha256  # noqa: E402
from split_gguf import split_gguf  # noqa: E402


class HubSet(PullCase):
    """A model in three files."""

    def setUp(self):
        super().setUp()
        subprocess.run([Path(BINARY).parent / "malform", self.folder / "made"], check=True, stdout=subprocess.DEVNULL)
        self.whole = self.folder / "made/model_is_fine.gguf"
        self.parts = split_gguf(self.whole.read_bytes(), 3)
        self.names = [f"m-{no}-of-00003.gguf" for no in ("00001", "00002", "00003")]
        self.paths = [f"/org/repo/resolve/main/sub/{name}" for name in self.names]
        for path, part in zip(self.paths, self.parts):
            self.serve(path, part)
        self.place = self.target.parent / "sub"
        self.target = self.place / self.names[0]

    def serve(self, path, body):
        self.server.files[path] = body
        self.server.linked[path] = f'"{sha256(body)}"'

    def named(self, no):
        return f"hub:org/repo/sub/{self.names[no]}"

    def assert_set_pulled(self, process):
        self.assert_pulled_as(process, self.parts)

    def assert_pulled_as(self, process, parts):
        self.assertEqual((process.returncode, process.out), (0, f"{self.target}\n"), process.err)
        self.assertEqual(sorted(p.name for p in self.place.iterdir()), [".lock", *self.names])
        self.assertEqual([(self.place / name).read_bytes() for name in self.names], parts)

    def assert_none_is_seen(self):
        self.assertEqual(list(self.place.glob("*.gguf")), [])
        self.assertEqual(json.loads(self.kelda("models", "--json").out)["hub_files"], [])
        for no in range(3):
            self.assertIn(f"kelda pull {self.named(no)}", self.kelda("models", "--path", self.named(no)).err)

    def whole_requests(self):
        return [path for path, headers in self.server.requests if "Range" not in headers]

    def test_any_part_stands_for_the_set_which_then_runs(self):
        answer = self.kelda("run", str(self.whole), "--raw", "--temperature", "0", "--max-tokens", "8", "-p", "abc")
        self.assertEqual(answer.returncode, 0, answer.err)
        for no in range(3):
            with self.subTest(part=no):
                self.assert_set_pulled(self.kelda("pull", self.named(no)))
                for asked in range(3):
                    run = self.kelda("run", self.named(asked), "--raw", "--temperature", "0", "--max-tokens", "8", "-p", "abc")
                    self.assertEqual((run.returncode, run.out), (0, answer.out), run.err)
                n_requests = len(self.server.requests)
                self.assertIn("already there", self.kelda("pull", self.named(2 - no)).err)
                self.assertEqual(len(self.server.requests), n_requests)
                shutil.rmtree(self.place)

    def test_what_the_set_takes_is_told_before(self):
        process = self.kelda("pull", self.named(1))
        self.assert_set_pulled(process)
        total = sum(map(len, self.parts))
        self.assertIn(f"{self.named(0)} and the other parts, 3 in all: {total / 1e3:.3g} kB", process.err)
        self.assertIn("GGUF v3 in 3 files", process.err)
        shown = self.kelda("inspect", str(self.whole)).out
        table = [line for line in shown.splitlines() if line.startswith(("  LEARNED", "  CONFIG", "  STATE"))]
        self.assertEqual(len(table), 3)
        for line in table:
            self.assertIn(line, process.err)
        self.assertNotIn("not known before", process.err)

    def test_it_is_listed_as_one_model_of_its_whole_size(self):
        self.assert_set_pulled(self.kelda("pull", self.named(0)))
        listed = json.loads(self.kelda("models", "--json").out)["hub_files"]
        self.assertEqual(listed, [{"name": self.named(0), "path": str(self.target)}])
        total = sum(map(len, self.parts))
        self.assertRegex(self.kelda("models").out, rf"(?m)^{self.named(0)}  +{total / 1e3:.3g} kB$")

    def test_a_part_that_the_hub_lacks_stops_it_before_anything_is_fetched(self):
        del self.server.files[self.paths[2]]
        self.assert_fails(self.kelda("pull", self.named(0)), 2, "404 Not Found", self.names[2], "part 3 of a set of 3")
        self.assertEqual(self.whole_requests(), [])
        self.assertEqual([p.name for p in self.place.iterdir()], [".lock"])

    def test_until_all_have_come_none_is_seen_and_what_came_is_kept(self):
        self.server.linked[self.paths[2]] = f'"{sha256(b"other")}"'
        self.assert_fails(self.kelda("pull", self.named(0)), 1, f"expected {sha256(b'other')}", self.names[2])
        self.assert_none_is_seen()
        self.server.linked[self.paths[2]] = f'"{sha256(self.parts[2])}"'
        self.server.requests.clear()
        self.assert_set_pulled(self.kelda("pull", self.named(0)))
        self.assertEqual(self.whole_requests(), [self.paths[2]])

    def test_parts_of_an_older_set_are_not_mixed_with_the_new_one(self):
        self.place.mkdir(parents=True)
        (self.place / self.names[0]).write_bytes(self.parts[0])
        (self.place / self.names[1]).write_bytes(self.parts[1][:-1] + b"?")
        self.assert_set_pulled(self.kelda("pull", self.named(0)))
        self.assertEqual(self.whole_requests(), self.paths[1:])

    def test_without_a_stated_sum_a_part_from_before_is_fetched_again(self):
        self.server.linked.clear()
        self.place.mkdir(parents=True)
        (self.place / self.names[1]).write_bytes(bytes(len(self.parts[1])))
        process = self.kelda("pull", self.named(0))
        self.assert_set_pulled(process)
        self.assertIn("the hub states no SHA-256 for 3 of the 3 parts", process.err)

    def test_a_failed_force_leaves_the_old_set_and_a_good_one_replaces_it(self):
        self.assert_set_pulled(self.kelda("pull", self.named(0)))
        new = [part[:-1] + b"?" for part in self.parts]
        for path, part in zip(self.paths, new):
            self.serve(path, part)
        self.server.linked[self.paths[2]] = f'"{sha256(b"other")}"'
        self.assertEqual(self.kelda("pull", "--force", self.named(0)).returncode, 1)
        self.assertEqual([(self.place / name).read_bytes() for name in self.names], self.parts)
        self.serve(self.paths[2], new[2])
        self.assert_pulled_as(self.kelda("pull", "--force", self.named(0)), new)

    def test_a_head_that_does_not_fit_its_name_is_told_by_that_name(self):
        self.serve(self.paths[1], self.parts[2])
        process = self.kelda("pull", self.named(0))
        self.assertEqual(process.returncode, 0, process.err)
        self.assertIn(f"not known before the download: {self.names[1]}: the file's name says part 2 of 3", process.err)

    def test_a_part_under_a_name_of_its_own_is_told_so(self):
        self.serve("/org/repo/resolve/main/sub/part.gguf", self.parts[0])
        process = self.kelda("pull", "hub:org/repo/sub/part.gguf")
        self.assertEqual(process.returncode, 0, process.err)
        self.assertIn('part.gguf: metadata key "split.count" is 3: part 1 of 3 must be in a file whose name ends in', process.err)

    def test_more_parts_than_can_be_opened_are_refused(self):
        process = self.kelda("pull", "hub:org/repo/m-00001-of-01025.gguf")
        self.assert_fails(process, 2, "a set of 1025 parts; at most 1024 are allowed")
        self.assertEqual(self.server.requests, [])


if __name__ == "__main__":
    main()
