#!/bin/bash
# Usage: scripts/check_isa.sh BUILD_FOLDER
# Instructions that not every machine has stay in src/kernels/avx2: no other object of the libraries has one that is encoded as
# VEX or EVEX, on registers of any width, and the objects there export no weak symbol (the linker might keep that copy for everybody).
set -euo pipefail
build=${1:?usage: scripts/check_isa.sh BUILD_FOLDER}
failed=0
# By name: all that begin with v (AVX, FMA, F16C, AVX-512) but for segments and virtual machines, those on mask registers (k…), and
# BMI's. A rep or a {vex} may stand before the name.
vex='v[a-z0-9]+|k(add|and|andn|mov|not|or|ortest|shiftl|shiftr|test|unpck|xnor|xor)[bwdq]+|(andn|bextr|blsi|blsmsk|blsr|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx)[lq]?'
not_vex='verr|verw|vm(call|clear|func|gexit|launch|load|mcall|ptrld|ptrst|read|resume|run|save|write|xoff|xon)[lq]?'
isa_objects=0
other_objects=0

while IFS= read -r object; do
  case $object in
    */kernels/avx2/*.cpp.o)
      if [[ $object == */generated/* ]]; then continue; fi
      isa_objects=$((isa_objects + 1))
      # DW.ref.* is no code: the address of the runtime's exception handler, the same in every object.
      weak=$(nm -C "$object" | grep -E '^[0-9a-f ]{16} [WwVvu] ' | grep -v ' DW\.ref\.' || true)
      if [[ -n $weak ]]; then
        echo "check_isa: $object exports weak symbols:"
        echo "$weak"
        failed=1
      fi
      ;;
    *)
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
      ;;
  esac
done < <(find "$build/src" -name '*.o')

if ((isa_objects == 0 || other_objects == 0)); then
  echo "check_isa: $build holds $isa_objects objects of kernels/avx2 and $other_objects others; build first"
  exit 1
fi
((failed == 0)) && echo "check_isa: ok ($isa_objects AVX2 objects, $other_objects others)"
exit "$failed"
