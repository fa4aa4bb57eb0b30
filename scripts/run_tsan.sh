#!/usr/bin/env bash
# Runs a program built with ThreadSanitizer.   scripts/run_tsan.sh PROGRAM [ARGUMENT...]
# g++ 12's runtime does not know the memory layout of kernels with much address randomisation, so that is turned off.
# Where the kernel does not allow that, exit status 77 says that the test was skipped.
set -euo pipefail

plain=(setarch "$(uname -m)" -R)
"${plain[@]}" true 2>/dev/null || plain=()
if "${plain[@]}" "$1" --gtest_list_tests 2>&1 | grep -q 'ThreadSanitizer: unexpected memory mapping'; then
  echo "run_tsan.sh: skipped: this kernel's address layout is unknown to ThreadSanitizer and cannot be changed here" >&2
  exit 77
fi
exec "${plain[@]}" "$@"
