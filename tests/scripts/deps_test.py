"""scripts/deps.sh with stand-ins for the package manager: what it asks, installs and says."""

import os
import subprocess
import unittest

from tree import SCRIPTS, TreeTest

DPKG_QUERY = """#!/bin/sh
for last; do :; done
grep -qx "$last" "$FAKE/installed" && echo installed
"""
APT_CACHE = """#!/bin/sh
grep -qx "$2" "$FAKE/available" && printf '%s:\\n  Candidate: 1.0\\n' "$2"
"""
APT_GET = """#!/bin/sh
echo "$*" >> "$FAKE/log"
case "$*" in *update*) cp "$FAKE/after_update" "$FAKE/available" ;; esac
"""
PASS_THROUGH = '#!/bin/sh\nexec "$@"\n'


class Deps(TreeTest):
    def setUp(self):
        super().setUp()
        for name, text in (("dpkg-query", DPKG_QUERY), ("apt-cache", APT_CACHE), ("apt-get", APT_GET), ("sudo", PASS_THROUGH)):
            self.write(f"bin/{name}", text).chmod(0o755)
        self.build = self.run_deps("--list", "build").stdout.split()
        self.set_packages(installed=self.build, available=[])

    def set_packages(self, installed, available, after_update=()):
        self.write("installed", "".join(f"{x}\n" for x in installed))
        self.write("available", "".join(f"{x}\n" for x in available))
        self.write("after_update", "".join(f"{x}\n" for x in after_update))
        self.write("log", "")

    def run_deps(self, *arguments):
        path = f"{self.root}/bin:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "FAKE": str(self.root), "CI": "true"}
        return subprocess.run(
            ["bash", SCRIPTS / "deps.sh", *arguments], capture_output=True, text=True, env=environment, timeout=60
        )

    def log(self):
        return (self.root / "log").read_text().splitlines()

    def test_nothing_is_done_where_nothing_is_missing(self):
        result = self.run_deps()
        self.assertEqual((result.returncode, result.stdout, result.stderr, self.log()), (0, "", "", []))

    def test_only_what_is_missing_is_installed_without_an_update(self):
        self.set_packages([x for x in self.build if x != "cmake"], ["cmake"])
        self.assertEqual(self.run_deps().returncode, 0)
        self.assertEqual(len(self.log()), 1)
        self.assertTrue(self.log()[0].endswith("--no-remove cmake"), self.log())

    def test_the_lists_are_updated_when_a_package_is_not_known(self):
        self.set_packages([x for x in self.build if x != "cmake"], [], after_update=["cmake"])
        self.assertEqual(self.run_deps().returncode, 0)
        self.assertEqual([line.split()[-1] for line in self.log()], ["update", "cmake"])

    def test_an_alternative_that_is_installed_is_enough(self):
        self.set_packages([x for x in self.build if x != "libcurl4-openssl-dev"] + ["libcurl4-gnutls-dev"], [])
        self.assertEqual((self.run_deps().returncode, self.log()), (0, []))

    def test_an_optional_package_that_does_not_exist_is_left_out_with_a_word(self):
        self.set_packages([], [])
        result = self.run_deps("check")
        self.assertEqual(result.returncode, 0)
        self.assertIn("no clang-format-14", result.stderr)
        self.assertEqual([line.split()[-1] for line in self.log()], ["update"])

    def test_an_unknown_group_is_an_error(self):
        result = self.run_deps("everything")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("allowed: build, check, tidy, bench, fuzz, all", result.stderr)


if __name__ == "__main__":
    unittest.main()
