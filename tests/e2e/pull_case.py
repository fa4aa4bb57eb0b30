"""What the tests of kelda pull share: a server on this machine, a cache of the test's own, and the binary."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import signals_as_usual  # noqa: E402,F401
from range_server import RangeServer  # noqa: E402

BINARY = os.path.abspath(os.environ["KELDA_BIN"]) if os.environ.get("KELDA_BIN") else ""
BODY = random.Random(1).randbytes(3_000_000)
PATH = "/org/repo/resolve/main/weights.safetensors"
NAME = "hub:org/repo/weights.safetensors"
PATIENCE_S = 120  # far beyond what any of this takes


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class PullCase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="kelda-pull-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.cache = self.folder / "cache"
        self.server = RangeServer({PATH: BODY})
        self.addCleanup(self.server.close)
        self.target = self.cache / "kelda/models/hub/org/repo/weights.safetensors"
        self.partial = Path(f"{self.target}.partial")
        self.env = {k: v for k, v in os.environ.items()
                    if not k.lower().endswith("_proxy") and k not in ("HF_TOKEN", "KELDA_CATALOG")}
        self.env.update(XDG_CACHE_HOME=str(self.cache), HF_ENDPOINT=self.server.url)

    def start(self, *arguments, **more):
        return subprocess.Popen([BINARY, *arguments], env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)

    def kelda(self, *arguments, **more):
        process = self.start(*arguments, **more)
        process.out, process.err = process.communicate(timeout=PATIENCE_S)
        return process

    def use_catalogue(self, content):
        path = self.folder / "catalogue.json"
        path.write_text(json.dumps(content))
        self.env["KELDA_CATALOG"] = str(path)

    def assert_fails(self, process, status, *texts):
        self.assertEqual(process.returncode, status, process.err)
        for text in texts:
            self.assertIn(text, process.err)
        self.assertFalse(self.target.exists(), "a file stands under the final name after a failure")

    def assert_pulled(self, process, body=BODY):
        self.assertEqual(process.returncode, 0, process.err)
        self.assertEqual(process.out.strip(), str(self.target))
        self.assertEqual(sha256(self.target.read_bytes()), sha256(body))
        left = [p.name for p in self.target.parent.iterdir() if p.name not in (self.target.name, ".lock")]
        self.assertEqual(left, [], "something is left beside the file")

    def leave_partial(self, data, etag='"one"'):
        self.partial.parent.mkdir(parents=True)
        self.partial.write_bytes(data)
        if etag:
            Path(f"{self.partial}.etag").write_text(etag)


def main():
    if not BINARY or not os.access(BINARY, os.X_OK):
        sys.exit("KELDA_BIN must name the kelda binary")
    unittest.main(verbosity=2)
