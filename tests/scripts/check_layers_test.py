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
        self.write("src/CMakeLists.txt", "kelda_layer(quant)\nkelda_catalog(quant formats NAMESPACE kelda::quant HEADER_ONLY)\n")
        self.write("src/quant/formats/q5_0.h", '#include "quant/formats/q4_0.h"\n')
        self.assert_reports(self.problems(), "src/quant/formats/q5_0.h:1:", "do not include each other")
        self.write("src/quant/formats/q5_0.h", '#include "quant/codes.h"\n')
        self.assertEqual(self.problems(), [])

    def test_printing_in_the_library_is_reported(self):
        self.write("src/base/a.cpp", 'void f() { std::printf("x"); }\n')
        self.assert_reports(self.problems(), "neither prints nor exits")
        self.write("src/base/a.cpp", 'void f(char* b) { std::snprintf(b, 1, "exit(1)"); my.exit(); }\n')
        self.assertEqual(self.problems(), [])

    def test_the_c_librarys_functions_in_the_forward_pass_are_reported(self):
        for name in ("exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt hypot sin cos tan asin acos atan atan2 sinh cosh "
                     "tanh asinh acosh atanh sincos erf erfc lgamma tgamma expf logl coshf lgamma_r").split():
            for call in (f"std::{name}(x)", f"::{name}(x)", f"{name}(x)", f"__builtin_{name}(x)", f"-{name} (x * x)"):
                self.write("src/ops/a.cpp", f"float f(float x) {{\n  return 1 + {call}; }}\n")
                self.assert_reports(self.problems(), f"src/ops/a.cpp:2: {name}() differs between C libraries")
        self.write("src/ops/a.cpp", "using std::exp;\n")
        self.assert_reports(self.problems(), "exp() differs between C libraries")

    def test_names_of_our_own_are_not_the_c_librarys(self):
        self.write("src/ops/a.cpp", "double f(double x) { return exp_f64(x) + log_f64(x) + my_log(x) + round_exp(x); }\n"
                                    "double g(V v, V* p) { return v.log(2) + p->exp(2) + lanes::exp2(v) + V::tanh(v) + V<2>::tanh(v); }\n"
                                    "double h(double x) { return std::sqrt(x) + std::fma(x, x, x) + std::floor(x) + sink(x); }\n"
                                    "// exp(x)\n")
        self.write("src/ops/b.h", "struct Turns {\n  const float* cos(int64_t row) const;\n  Lanes exp2() const { return {exp2(lo)}; }\n"
                                  "  static Register exp2(Register x);\n};\ndouble pow(const Number& x, double y);\n")
        self.assertEqual(self.problems(), [])
        self.write("src/ops/b.h", "double exp(double x) { return std::exp(x); }\n")  # a name of its own does not excuse libm's
        self.assert_reports(self.problems(), "exp() differs")
        self.write("src/ops/b.h", "")
        self.write("src/base/a.cpp", "double f(double x) { return std::exp(x); }\n")  # no layer whose bits are promised
        self.assertEqual(self.problems(), [])

    def test_gguf_outside_files_is_reported(self):
        self.write("src/ops/a.cpp", "int magic = 0x46554747;\n")
        self.assert_reports(self.problems(), "only src/files knows how GGUF is laid out")
        self.write("src/ops/a.cpp", "")
        self.write("apps/kelda/commands/show.cpp", '#include "files/gguf_layout.h"\n')
        self.assert_reports(self.problems(), "internal to src/files")

    def test_commands_do_not_include_each_other(self):
        self.write("apps/kelda/commands/run.cpp", '#include "apps/kelda/commands/chat.h"\n')
        self.assert_reports(self.problems(), "commands do not include each other")


if __name__ == "__main__":
    unittest.main()
