"""scripts/check_files.py passes a tree in order and names what is wrong in one that is not."""

import unittest

from tree import TreeTest

from check_files import EXEMPT, Checker

CMAKE = """
foreach(layer base quant)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${layer}/*_test.cpp)
endforeach()
"""


class Files(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("src/CMakeLists.txt", "kelda_layer(base)\nkelda_catalog(quant formats NAMESPACE kelda::quant)\n")
        self.write("tests/CMakeLists.txt", CMAKE)
        self.write("src/base/file.cpp", "int x;\n")
        self.write("tests/base/file_test.cpp", "int y;\n")

    def problems(self, max_elsewhere=0):
        return Checker(self.root, max_elsewhere).run()

    def test_a_tree_in_order_passes(self):
        self.assertEqual(self.problems(), [])

    def test_a_source_without_a_test_is_reported(self):
        self.write("src/base/rng.cpp", "int z;\n")
        self.assert_reports(self.problems(), "src/base/rng.cpp: no tests/base/rng_test.cpp")

    def test_one_test_over_a_catalogue_covers_its_files(self):
        self.write("src/quant/formats/q8_0.cpp", "int z;\n")
        self.assert_reports(self.problems(), "src/quant/formats/q8_0.cpp")
        self.write("tests/quant/formats_test.cpp", "int z;\n")
        self.assertEqual(self.problems(), [])

    def test_the_list_of_files_tested_elsewhere_only_shrinks(self):
        self.write("src/base/rng.cpp", "int z;\n")
        self.write("scripts/tested_elsewhere.txt", "# why\nsrc/base/r*.cpp tests/base/file_test.cpp\n")
        self.assertEqual(self.problems(max_elsewhere=1), [])
        self.assert_reports(self.problems(max_elsewhere=0), "1 entries, at most 0")
        self.assert_reports(self.problems(max_elsewhere=2), "lower MAX_ELSEWHERE to 1")

    def test_a_listed_file_that_is_tested_or_gone_is_reported(self):
        for name in ("src/base/file.cpp", "src/base/gone.cpp"):
            with self.subTest(name):
                self.write("scripts/tested_elsewhere.txt", f"{name} tests/base/file_test.cpp\n")
                self.assert_reports(self.problems(max_elsewhere=1), f"{name} is gone or has a test of its own")

    def test_a_listed_test_must_exist(self):
        self.write("src/base/rng.cpp", "int z;\n")
        self.write("scripts/tested_elsewhere.txt", "src/base/rng.cpp tests/base/gone_test.cpp\n")
        self.assert_reports(self.problems(max_elsewhere=1), "tests/base/gone_test.cpp does not exist")

    def test_a_file_of_more_than_500_lines_is_reported_unless_it_is_a_table(self):
        self.write("src/base/table.h", "#pragma once\n" + "int x;\n" * 499)
        self.assertEqual(self.problems(), [])
        self.write("src/base/table.h", "#pragma once\n" + "int x;\n" * 500)
        self.assert_reports(self.problems(), "src/base/table.h: 501 lines; at most 500")
        self.write("src/base/table.h", f"// {EXEMPT}\n#pragma once\n" + "int x;\n" * 500)
        self.assertEqual(self.problems(), [])

    def test_a_test_that_no_glob_finds_is_reported(self):
        self.write("tests/bas/rng_test.cpp", "int z;\n")
        self.assert_reports(self.problems(), "tests/bas/rng_test.cpp: no CMakeLists.txt")
        (self.root / "tests/bas/rng_test.cpp").unlink()
        self.write("tests/quant/deep/rng_test.cpp", "int z;\n")
        self.assert_reports(self.problems(), "tests/quant/deep/rng_test.cpp: no CMakeLists.txt")

    def test_a_folder_with_a_cmakelists_of_its_own_must_be_added(self):
        self.write("tests/malform/CMakeLists.txt", "add_executable(malform malform.cpp)\n")
        self.write("tests/malform/malform.cpp", "int z;\n")
        self.assert_reports(self.problems(), "tests/malform/malform.cpp: no CMakeLists.txt that is in use")
        self.write("tests/CMakeLists.txt", CMAKE + "add_subdirectory(malform)\n")
        self.assertEqual(self.problems(), [])
        self.write("tests/malform/other.cpp", "int z;\n")
        self.assert_reports(self.problems(), "tests/malform/other.cpp")

    def test_data_that_nobody_names_is_reported(self):
        self.write("tests/golden/qwen.json", "{}")
        self.assert_reports(self.problems(), "tests/golden/qwen.json: no test or script names it")
        self.write("tests/base/file_test.cpp", 'const char* path = "golden/qwen.json";\n')
        self.assertEqual(self.problems(), [])

    def test_a_python_test_outside_its_folders_is_reported(self):
        self.write("tests/e2e/run_test.py", "print()\n")
        self.assertEqual(self.problems(), [])
        self.write("tests/base/run_test.py", "print()\n")
        self.assert_reports(self.problems(), "tests/base/run_test.py")

    def test_a_path_of_one_machine_is_reported(self):
        self.write("docs/a.md", "See " + "/home" + "/me/kelda.\n")
        self.assert_reports(self.problems(), "docs/a.md:1:", "a path of one machine")

    def test_a_note_to_oneself_is_reported(self):
        self.write("src/base/a.h", "#pragma once\n// TO" + "DO: later\n")
        self.assert_reports(self.problems(), "src/base/a.h:2:", "a note to oneself")

    def test_untidy_text_is_reported(self):
        self.write("docs/a.md", "blank \n")
        self.assert_reports(self.problems(), "docs/a.md:1: blanks at the end")
        self.write("docs/a.md", "a\tb\n")
        self.assert_reports(self.problems(), "docs/a.md:1: a tab")
        self.write("docs/a.md", "no end")
        self.assert_reports(self.problems(), "no newline at the end")

    def test_a_header_without_pragma_once_is_reported(self):
        self.write("src/base/a.h", "int x;\n")
        self.assert_reports(self.problems(), "src/base/a.h: no #pragma once")

    def test_build_output_is_left_alone(self):
        self.write("build/release/generated/a.h", "x\t \n" * 1000)
        self.assertEqual(self.problems(), [])


if __name__ == "__main__":
    unittest.main()
