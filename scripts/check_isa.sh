#!/bin/bash
# Usage: scripts/check_isa.sh BUILD_FOLDER
# Instructions that not every machine has stay in src/kernels/avx2 and avx512 and what is generated for them: no other object of the
# libraries has one that is encoded as VEX or EVEX, on registers of any width, and the objects there export no weak symbol (the linker
# might keep that copy for everybody). Those of avx2 have no AVX-512.
set -euo pipefail
build=${1:?usage: scripts/check_isa.sh BUILD_FOLDER}
failed=0
# By name: all that begin with v (AVX, FMA, F16C, AVX-512) but for segments and virtual machines, those on mask registers (k…), and
# BMI's. A rep or a {vex} may stand before the name.
vex='v[a-z0-9]+|k(add|and|andn|mov|not|or|ortest|shiftl|shiftr|test|unpck|xnor|xor)[bwdq]+|(andn|bextr|blsi|blsmsk|blsr|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx)[lq]?'
not_vex='verr|verw|vm(call|clear|func|gexit|launch|load|mcall|ptrld|ptrst|read|resume|run|save|write|xoff|xon)[lq]?'
isa_objects=0
other_objects=0

# Mask registers, 512-bit registers and those above 15: what AVX-512 has and AVX2 has not.
evex='%(zmm|k[0-7]|[xy]mm(1[6-9]|2[0-9]|3[01]))'

while IFS= read -r object; do
  if [[ $object == */kernels/avx*/*.cpp.o && $object != */catalog.cpp.o ]]; then
    isa_objects=$((isa_objects + 1))
    # DW.ref.* is no code: the address of the runtime's exception handler, the same in every object.
    weak=$(nm -C "$object" | grep -E '^[0-9a-f ]{16} [WwVvu] ' | grep -v ' DW\.ref\.' || true)
    if [[ -n $weak ]]; then
      echo "check_isa: $object exports weak symbols:"
      echo "$weak"
      failed=1
    fi
    [[ $object == */kernels/avx2/* ]] || continue
    special=$(objdump -d --no-show-raw-insn "$object" | grep -m 1 -E "$evex" || true)
    if [[ -n $special ]]; then
      echo "check_isa: $object has an instruction that AVX2 has not: $special"
      failed=1
    fi
    continue
  fi
  other_objects=$((other_objects + 1))
  # The first such line; empty in the good case.
  special=$(objdump -d --no-show-raw-insn "$object" |
    awk -F'\t' -v vex="^($vex)\$" -v not_vex="^($not_vex)\$" '
      found == "" && NF >= 2 { n = split($2, words, " "); i = words[1] ~ /^([{].*[}]|rep.*|lock|notrack|bnd)$/ && n > 1 ? 2 : 1
                 if (words[i] ~ vex && words[i] !~ not_vex) found = $0 }
      END { print found }')
  if [[ -n $special ]]; then
    echo "check_isa: $object has an instruction that not every machine has: $special"
    failed=1
  fi
done < <(find "$build/src" -name '*.o')

if ((isa_objects == 0 || other_objects == 0)); then
  echo "check_isa: $build holds $isa_objects objects of kernels/avx2 and avx512 and $other_objects others; build first"
  exit 1
fi
((failed == 0)) && echo "check_isa: ok ($isa_objects objects with AVX2 or AVX-512, $other_objects others)"
exit "$failed"
