#!/usr/bin/env bash
# Builds a fuzzer and runs it.   scripts/fuzz.sh [NAME] [SECONDS] [libFuzzer option...]
#   NAME     a fuzz/NAME_fuzz.cpp, by default jinja     SECONDS  by default 60
# The corpus grows in build/fuzz/corpus/NAME; what fails is written to build/fuzz/failed/NAME-*.
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:-jinja}
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
if [ ! -f "fuzz/${name}_fuzz.cpp" ]; then
  echo "fuzz.sh: no fuzzer '$name' (there are: $(cd fuzz && ls -- *_fuzz.cpp | sed 's/_fuzz\.cpp//' | tr '\n' ' '))" >&2
  exit 2
fi

cmake --preset fuzz --log-level=WARNING >&2
cmake --build build/fuzz --target "${name}_fuzz" >&2
corpus=build/fuzz/corpus/$name
mkdir -p "$corpus" build/fuzz/failed
[ ! -f "fuzz/${name}_seeds.py" ] || python3 "fuzz/${name}_seeds.py" "$corpus"
options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=8192 -artifact_prefix="build/fuzz/failed/$name-"
  -print_final_stats=1)
[ ! -f "fuzz/$name.dict" ] || options+=(-dict="fuzz/$name.dict")
build/fuzz/bin/"${name}_fuzz" "${options[@]}" "$@" "$corpus"
