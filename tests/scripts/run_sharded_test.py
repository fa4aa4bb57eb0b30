"""scripts/run_sharded.sh runs each share once, shows all output and fails as the first share that failed."""

import os
import subprocess
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "run_sharded.sh"
SHARES = len(os.sched_getaffinity(0))


def run(program):
    return subprocess.run([SCRIPT, "sh", "-c", program], capture_output=True, text=True, check=False)


class Shards(unittest.TestCase):
    def test_each_share_runs_once_and_is_shown(self):
        result = run('echo "$GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS"')
        self.assertEqual(result.returncode, 0, result)
        self.assertEqual(result.stdout.splitlines(), [f"{i} of {SHARES}" for i in range(SHARES)])

    def test_a_share_that_fails_is_told(self):
        for share in range(SHARES):
            result = run(f'echo told; [ "$GTEST_SHARD_INDEX" != {share} ] || exit 7')
            self.assertEqual(result.returncode, 7, result)
            self.assertEqual(result.stdout.count("told"), SHARES)

    def test_a_skipped_program_stays_skipped(self):
        self.assertEqual(run("exit 77").returncode, 77)

    def test_a_crash_is_a_failure(self):
        self.assertGreater(run("kill -SEGV $$").returncode, 128)


if __name__ == "__main__":
    unittest.main()
