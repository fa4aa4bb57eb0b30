"""scripts/check_docs.py passes true documents and names what is wrong in others."""

import unittest

from tree import TreeTest

from check_docs import Checker


class Docs(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("src/base/error.h")
        self.write("src/quant/formats/q8_0.h")
        self.write("scripts/deps.sh")
        self.write("Makefile", "run:  ## run\n\ttrue\n")
        self.write("CMakePresets.json", '{"configurePresets": [{"name": "dev"}]}')
        self.write("apps/kelda/commands/run.cpp")
        self.write("docs/guide.md", "# Guide\n\n## Adding a `format`, quickly\n")

    def problems(self, text, name="README.md", binary=None):
        self.write(name, text)
        return Checker(self.root, binary).run()

    def test_true_documents_pass(self):
        text = (
            "Open `src/base/error.h`, `base/error.h`, `quant/formats/`, `src/quant/formats/<format>.h`, `src/*/error.h`,\n"
            "`src/{base,quant}`, not `tok/s`, `a * b`, `build/release/bin/kelda` or `std::exp`.\n"
            "[guide](docs/guide.md#adding-a-format-quickly) [web](https://example.org/x) [here](#title)\n# Title\n"
            "```sh\nmake run PROMPT=\"x\"\nmake\nscripts/deps.sh\ncmake --preset dev\nkelda run smollm2\nls x/y\n```\n"
        )
        self.assertEqual(self.problems(text), [])

    def test_a_path_that_does_not_exist_is_reported(self):
        for path in ("src/base/gone.h", "base/gone.h", "quant/formats/<isa>/x.h", "src/{base,gone}", "NOTES.md", "x/y.cpp"):
            with self.subTest(path):
                self.assert_reports(self.problems(f"See `{path}`.\n"), "README.md:1:", path)

    def test_a_broken_link_is_reported(self):
        self.assert_reports(self.problems("[x](docs/gone.md)\n"), "docs/gone.md: no such file")

    def test_a_link_to_a_heading_that_is_gone_is_reported(self):
        self.assert_reports(self.problems("[x](docs/guide.md#gone)\n"), "no such heading")

    def test_links_are_relative_to_the_document(self):
        self.assertEqual(self.problems("[x](guide.md) [y](../Makefile)\n", "docs/other.md"), [])

    def test_a_command_that_does_not_exist_is_reported(self):
        for command in ("make walk", "$ make walk X=1", "scripts/gone.sh", "cmake --preset prod", "build/bin/kelda walk"):
            with self.subTest(command):
                self.assert_reports(self.problems(f"```sh\n{command}\n```\n"), "README.md:2:")

    def test_a_document_that_a_comment_refers_to_must_exist(self):
        self.write("src/base/file.h", "// Source: docs/guide.md, made by scripts/deps.sh\n// Why: docs/gone.md\n")
        self.assert_reports(self.problems(""), "src/base/file.h:2:", "docs/gone.md")

    def test_the_environment_page_lists_what_the_sources_read(self):
        self.write("src/base/cpu.cpp", 'auto a = std::getenv("KELDA_ISA");\nauto b = std::getenv(\n"HOME");\n')
        self.write("apps/kelda/main.cpp", 'for (auto f : {std::getenv("A_FILE"), std::getenv("KELDA_ISA")}) {}\n')
        page = "| variable | |\n| --- | --- |\n| `KELDA_ISA` | x |\n| `A_FILE` | x |\n"
        others = "\n## Read by libraries\n\n| `no_proxy` | x |\n"
        name = "docs/reference/environment.md"
        self.assertEqual(self.problems(page + "| `HOME` | x |\n" + others, name), [])
        self.assert_reports(self.problems(page + others, name), "src/base/cpu.cpp:2:", "HOME")
        self.assert_reports(self.problems(page + "| `HOME` | x |\n| `PWD` | x |\n" + others, name), f"{name}:6:", "PWD")

    def test_a_variable_whose_name_is_not_written_out_is_reported(self):
        self.write("src/base/cpu.cpp", "auto a = std::getenv(name);\n")
        self.assert_reports(self.problems(""), "src/base/cpu.cpp:1:", "not written out")

    def test_a_generated_page_must_be_fresh(self):
        self.write("docs/reference/knobs.md", "old\n")
        binary = self.write("kelda", '#!/bin/sh\necho "$2 new"\n')
        binary.chmod(0o755)
        self.assert_reports(self.problems("", binary=binary), "docs/reference/knobs.md", "not fresh")
        self.write("docs/reference/knobs.md", "knobs new\n")
        self.assertEqual(self.problems("", binary=binary), [])

    def test_a_generator_that_fails_is_reported(self):
        self.write("docs/reference/knobs.md", "")
        binary = self.write("kelda", "#!/bin/sh\necho broken >&2; exit 1\n")
        binary.chmod(0o755)
        self.assert_reports(self.problems("", binary=binary), "broken")


if __name__ == "__main__":
    unittest.main()
