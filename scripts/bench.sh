#!/usr/bin/env bash
# What `make bench` does: builds the microbenchmarks and runs each, with the machine in front of the numbers.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh bench
LC_ALL=C lscpu | grep -E '^(Model name|CPU\(s\)|L[123]d? cache):?' || true
shopt -s nullglob
programs=(build/bench/bin/*_bench)
if [ ${#programs[@]} = 0 ]; then
  echo "bench.sh: no program named *_bench in build/bench/bin" >&2
  exit 1
fi
for program in "${programs[@]}"; do "$program"; done
