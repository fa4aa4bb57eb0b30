"""scripts/check_layers.py passes a tree in order and names what is wrong in one that is not."""

import unittest

from tree import TreeTest

from check_layers import Checker, parse_layers

LAYERS = """
kelda_layer(base     LINK Threads::Threads)   # comment, kelda_layer(not_one)
kelda_layer(quant    DEPENDS base)
kelda_layer(files    DEPENDS base quant)
kelda_layer(kernels  DEPENDS base quant)
kelda_layer(ops      DEPENDS base quant kernels LINK fmt::fmt)
"""


class Layers(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("src/CMakeLists.txt", LAYERS)

    def problems(self):
        return Checker(self.root).run()

    def test_a_tree_in_order_passes(self):
        self.write("src/base/error.h", "#include <string>\n")
        self.write("src/ops/matmul.cpp", '#include "kernels/table.h"\n#include "ops/matmul.h"\n#include <fmt/format.h>\n')
        self.write("apps/kelda/main.cpp", '#include "apps/kelda/command.h"\n#include "ops/matmul.h"\n')
        self.write("include/kelda/engine.h", "#include <kelda/model.h>\n#include <vector>\n")
        self.assertEqual(self.problems(), [])

    def test_the_link_libraries_are_not_layers(self):
        layers = parse_layers(LAYERS, self.fail)
        self.assertEqual(layers["ops"], ["base", "quant", "kernels"])
        self.assertEqual(list(layers), ["base", "quant", "files", "kernels", "ops"])

    def test_including_an_undeclared_layer_is_reported(self):
        self.write("src/base/file.cpp", '#include <string>\n#include "quant/format.h"\n')
        self.assert_reports(self.problems(), "src/base/file.cpp:2:", "quant/format.h")

    def test_depends_is_not_transitive(self):
        self.write("src/CMakeLists.txt", "kelda_layer(base)\nkelda_layer(a DEPENDS base)\nkelda_layer(b DEPENDS a)\n")
        self.write("src/b/b.cpp", '#include "base/error.h"\n')
        self.assert_reports(self.problems(), "layer b may not include base/error.h")

    def test_a_name_declared_later_is_reported(self):
        self.write("src/CMakeLists.txt", "kelda_layer(a DEPENDS b)\nkelda_layer(b)\n")
        self.assert_reports(self.problems(), "depends on b, which is not declared before it")

    def test_an_edge_that_breaks_the_taxonomy_is_reported(self):
        self.write("src/CMakeLists.txt", "kelda_layer(state)\nkelda_layer(learned DEPENDS state)\n")
        self.assert_reports(self.problems(), "STATE is never reachable from LEARNED")

    def test_a_folder_that_is_no_layer_is_reported(self):
        self.write("src/utils/misc.h", "")
        self.assert_reports(self.problems(), "src/utils is not a layer")

    def test_an_include_that_names_no_layer_is_reported(self):
        self.write("src/base/a.cpp", '#include "error.h"\n')
        self.assert_reports(self.problems(), "must be written from src/")

    def test_threads_in_a_kernel_are_reported(self):
        self.write("src/kernels/scalar/a.cpp", "#include <atomic>\n")
        self.assert_reports(self.problems(), "kernels know no threads: atomic")

    def test_throwing_in_a_kernel_is_reported_but_not_in_its_comment(self):
        self.write("src/kernels/scalar/a.cpp", '// never throws; throw is a word\nconst char* s = "throw";\n')
        self.assertEqual(self.problems(), [])
        self.write("src/kernels/scalar/a.cpp", "void f() { throw 1; }\n")
        self.assert_reports(self.problems(), "kernels neither throw nor allocate")

    def test_an_instruction_set_file_may_not_use_templates_of_the_library(self):
        self.write("src/kernels/avx2/a.cpp", "#include <immintrin.h>\n#include <vector>\n")
        self.assert_reports(self.problems(), "src/kernels/avx2/a.cpp:2:", "<vector>")

    def test_catalogue_files_do_not_include_each_other(self):
        self.write("src/CMakeLists.txt", "kelda_layer(models)\n")
        self.write("src/models/families/qwen.cpp", '#include "models/families/llama.h"\n')
        self.assert_reports(self.problems(), "do not include each other")

    def test_printing_in_the_library_is_reported(self):
        self.write("src/base/a.cpp", 'void f() { std::printf("x"); }\n')
        self.assert_reports(self.problems(), "neither prints nor exits")
        self.write("src/base/a.cpp", 'void f(char* b) { std::snprintf(b, 1, "exit(1)"); my.exit(); }\n')
        self.assertEqual(self.problems(), [])

    def test_the_c_librarys_exp_in_the_forward_pass_is_reported(self):
        self.write("src/ops/a.cpp", "float f(float x) { return std::sqrt(x) + std::exp(x); }\n")
        self.assert_reports(self.problems(), "exp() differs between C libraries")
        self.write("src/ops/a.cpp", "float f(float x) { return expf(x); }\n")
        self.assert_reports(self.problems(), "exp() differs between C libraries")
        self.write("src/ops/a.cpp", "Floats f(Floats x) { return exp2(x) + lanes::exp2(x) + std::fma(x, x, x); }\n")
        self.assertEqual(self.problems(), [])

    def test_gguf_outside_files_is_reported(self):
        self.write("src/ops/a.cpp", "int magic = 0x46554747;\n")
        self.assert_reports(self.problems(), "only src/files knows how GGUF is laid out")
        self.write("src/ops/a.cpp", "")
        self.write("apps/kelda/commands/show.cpp", '#include "files/gguf_layout.h"\n')
        self.assert_reports(self.problems(), "internal to src/files")

    def test_public_headers_include_nothing_of_ours_but_themselves(self):
        self.write("include/kelda/engine.h", '#include "base/error.h"\n')
        self.assert_reports(self.problems(), "include/kelda/engine.h:1:")

    def test_commands_do_not_include_each_other(self):
        self.write("apps/kelda/commands/run.cpp", '#include "apps/kelda/commands/chat.h"\n')
        self.assert_reports(self.problems(), "commands do not include each other")


if __name__ == "__main__":
    unittest.main()
