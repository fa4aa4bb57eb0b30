"""Every model that is in this machine's cache and that this build can run: the same bits on one thread, on several and on the
scalar kernels, and close to float32. What is not downloaded is not fetched. The program's path is in KELDA_BIN."""

import json
import os
import subprocess
import unittest

KELDA = os.environ["KELDA_BIN"]
TEXT = "The sun rises in the east and sets in the west. Water boils at one hundred degrees. The capital of France is"
UNSUPPORTED = 2  # exit status of what this build cannot run


def kelda(*arguments, **environment):
    return subprocess.run(
        [KELDA, *arguments], capture_output=True, text=True, timeout=3000, env={**os.environ, **environment}
    )


def logits(path, *arguments, **environment):
    result = kelda("logits", path, "--text", TEXT, "--positions", "all", "--top", "8", "--json", "--quiet", *arguments, **environment)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return result.stdout


class LargeModels(unittest.TestCase):
    def models(self):
        listed = json.loads(kelda("models", "--json").stdout)["models"]
        found = 0
        for model in listed:
            if not model["downloaded"]:
                continue
            inspected = kelda("inspect", model["path"])
            if inspected.returncode == UNSUPPORTED:
                print(f"{model['name']}: not run: {inspected.stderr.strip()}")
                continue
            self.assertEqual(inspected.returncode, 0, inspected.stderr)
            found += 1
            yield model["name"], model["path"]
        self.assertGreater(found, 0, "no model in the cache: kelda pull smollm2")

    def test_threads_and_instruction_sets_give_the_same_bits(self):
        for name, path in self.models():
            with self.subTest(name):
                one = logits(path, "--threads", "1")
                self.assertEqual(one, logits(path, "--threads", "3"))
                self.assertEqual(one, logits(path, KELDA_ISA="scalar"))

    def test_the_quantised_path_stays_close_to_float32(self):
        for name, path in self.models():
            with self.subTest(name):
                fast = json.loads(logits(path))["positions"]
                slow = json.loads(logits(path, "--compute", "reference"))["positions"]
                self.assertEqual(len(fast), len(slow))
                differences, same = [], 0
                for a, b in zip(fast, slow):
                    same += a["ids"][0] == b["ids"][0]
                    of_fast = dict(zip(a["ids"], a["logprobs"]))
                    if b["ids"][0] in of_fast:
                        differences.append(abs(of_fast[b["ids"][0]] - b["logprobs"][0]))
                mean = sum(differences) / len(differences)
                print(f"{name}: {same} of {len(slow)} first choices the same, mean |log p - reference| {mean:.4f}")
                self.assertGreater(same, 0.9 * len(slow))
                self.assertLess(mean, 0.1)


if __name__ == "__main__":
    unittest.main()
