#!/usr/bin/env bash
# Every check and test, in rising cost, stopping at the first red.   scripts/test.sh [full]
#   format, layers, files, documents → release build → ctest over build/all (tests/all/CMakeLists.txt): unit, contract and
#   golden tests, check scripts, scalar kernels, the program end to end, AddressSanitizer and UndefinedBehaviorSanitizer,
#   ThreadSanitizer.   full: all layers in each of these, clang-tidy, and KELDA_TEST_LONG=1 for the tests that can go on.
# The last line is ctest's own.
set -euo pipefail
cd "$(dirname "$0")/.."

full=OFF
groups=(build check)
case ${1:-} in
  "") ;;
  full) full=ON; groups+=(tidy); export KELDA_TEST_LONG=1 ;;
  *) echo "usage: scripts/test.sh [full]" >&2; exit 2 ;;
esac

stage() { printf '\n== %s (%s s)\n' "$1" "$SECONDS" >&2; }

stage "packages"
scripts/deps.sh "${groups[@]}"

stage "format, layers, files, documents"
scripts/check.sh

stage "release build"
scripts/build.sh release

stage "test model"
KELDA_TEST_MODEL=$(scripts/fetch_test_model.sh build/release/bin/kelda)
export KELDA_TEST_MODEL
echo "$KELDA_TEST_MODEL" >&2

stage "tests"
cmake -S tests/all -B build/all -G Ninja --log-level=WARNING -DKELDA_FULL=$full >&2
# ctest would start with what failed or took longest last time; the order here is the cheapest first.
rm -rf build/all/Testing
status=0
ctest --test-dir build/all --output-on-failure --stop-on-failure --no-tests=error -j "$(nproc)" \
  --output-log build/all/ctest.log || status=$?

# ctest lists skipped tests after its verdict; the verdict is to be the last line.
stage "done"
grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' build/all/ctest.log | tail -n 1
exit $status
