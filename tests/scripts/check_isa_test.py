"""scripts/check_isa.sh passes objects that every machine can run and names the instruction in one that is not."""

import platform
import shutil
import subprocess
import unittest

from tree import SCRIPTS, TreeTest

ORDINARY = ["addps %xmm0, %xmm1", "andnps %xmm0, %xmm1", "cvttsd2si %xmm0, %rax", "rep movsb", "lock incl (%rax)", "verr %ax", "verw %ax",
            "vmcall", "vmlaunch", "vmread %rax, %rbx", "vmclear (%rax)", "vmxoff", "vmrun", "vmmcall", "popcnt %eax, %eax", "lzcnt %eax, %eax"]
SPECIAL = ["vaddps %ymm0, %ymm1, %ymm2", "vaddps %zmm0, %zmm1, %zmm2", "vfmadd213ss %xmm0, %xmm1, %xmm2", "vcvtph2ps %xmm0, %xmm1",
           "vmovss (%rax), %xmm0", "vmovd %eax, %xmm0", "vmulsd %xmm0, %xmm1, %xmm2", "vzeroupper", "vpermd %ymm0, %ymm1, %ymm2",
           "vmaskmovps (%rax), %xmm0, %xmm1", "vmaxss %xmm0, %xmm1, %xmm2", "kmovw %eax, %k1", "kortestb %k0, %k1", "mulx %rax, %rbx, %rcx",
           "andn %eax, %ebx, %ecx", "shlx %eax, %ebx, %ecx", "{vex} vpdpbusd %xmm0, %xmm1, %xmm2"]


@unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("objdump") and shutil.which("as"), "needs binutils for x86-64")
class Isa(TreeTest):
    def setUp(self):
        super().setUp()
        self.assemble("src/kernels/avx2/rows.cpp.o", ["vaddps %ymm0, %ymm1, %ymm2"])
        self.assemble("src/base/file.cpp.o", ORDINARY)

    def assemble(self, name: str, instructions, symbol=".globl f\nf:"):
        path = self.write(name)
        text = f".text\n{symbol}\n" + "".join(f"  {i}\n" for i in instructions)
        subprocess.run(["as", "-o", path, "-"], input=text, text=True, check=True)

    def check(self):
        run = subprocess.run([SCRIPTS / "check_isa.sh", self.root], capture_output=True, text=True)
        return run.returncode, run.stdout

    def test_ordinary_instructions_pass(self):
        self.assertEqual(self.check(), (0, "check_isa: ok (1 objects with AVX2 or AVX-512, 1 others)\n"))

    def test_a_special_instruction_elsewhere_is_named_whatever_its_registers(self):
        for instruction in SPECIAL:
            self.assemble("src/ops/rope.cpp.o", [*ORDINARY, instruction])
            code, output = self.check()
            self.assertEqual(code, 1, instruction)
            self.assertIn("src/ops/rope.cpp.o", output)
            self.assertIn(instruction.removeprefix("{vex} ").split()[0], output)

    def test_an_exported_weak_symbol_beside_special_instructions_is_reported(self):
        self.assemble("src/kernels/avx2/rows.cpp.o", ["ret"], ".weak helper\nhelper:")
        code, output = self.check()
        self.assertEqual(code, 1)
        self.assertIn("helper", output)

    def test_avx512_has_a_folder_of_its_own(self):
        for instruction in ["vaddps %zmm0, %zmm1, %zmm2", "vaddps %ymm16, %ymm1, %ymm2", "kmovw %eax, %k1"]:
            self.assemble("src/kernels/avx512/rows.cpp.o", [instruction])
            self.assertEqual(self.check()[0], 0, instruction)
            self.assemble("src/kernels/avx2/q4_0.cpp.o", [instruction])
            code, output = self.check()
            self.assertEqual(code, 1, instruction)
            self.assertIn("src/kernels/avx2/q4_0.cpp.o", output)
            self.assemble("src/kernels/avx2/q4_0.cpp.o", ["ret"])

    def test_a_list_of_kernels_is_for_every_machine(self):
        self.assemble("src/kernels/avx512/formats/catalog.cpp.o", ["vaddps %ymm0, %ymm1, %ymm2"])
        self.assertEqual(self.check()[0], 1)

    def test_nothing_to_look_at_is_no_success(self):
        (self.root / "src/base/file.cpp.o").unlink()
        self.assertEqual(self.check()[0], 1)


if __name__ == "__main__":
    unittest.main()
