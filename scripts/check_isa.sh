#!/bin/bash
# Usage: scripts/check_isa.sh BUILD_FOLDER
# Instructions that not every machine has stay in src/kernels/avx2: no other object of the libraries uses 256-bit or 512-bit
# registers, and the objects there export no weak symbol (the linker might keep that copy for everybody).
set -euo pipefail
build=${1:?usage: scripts/check_isa.sh BUILD_FOLDER}
failed=0
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
      # "|| true": grep finding nothing is the good case.
      wide=$(objdump -d "$object" | grep -m1 -E '%[yz]mm' || true)
      if [[ -n $wide ]]; then
        echo "check_isa: $object uses wide registers: $wide"
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
