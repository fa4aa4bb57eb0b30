#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy.   scripts/tidy.sh [--changed | FILE...]
# Without files: every source of src/ and apps/. --changed: those that differ from the last commit.
# KELDA_BUILD=FOLDER: the build folder whose compile commands are used.
set -euo pipefail
cd "$(dirname "$0")/.."

tidy=clang-tidy-14
if ! command -v "$tidy" >/dev/null; then
  echo "tidy.sh: $tidy is not installed: scripts/deps.sh tidy" >&2
  exit 1
fi

database=${KELDA_BUILD:-build/release}
[ -f $database/compile_commands.json ] || scripts/build.sh release kelda

if [ "${1:-}" = --changed ]; then
  mapfile -t files < <({ git diff --name-only --diff-filter=d HEAD; git ls-files --others --exclude-standard; } |
    grep -E '^(src|apps)/.*\.cpp$' | sort -u)
elif [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(find src apps -name '*.cpp' | sort)
fi
if [ ${#files[@]} = 0 ]; then
  echo "tidy.sh: no C++ source has changed" >&2
  exit 0
fi
# clang 14 does not understand all of g++ 12's library: what counts are the checks' findings, not clang's own errors.
log=$database/tidy.log
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "$tidy" -p $database --quiet --extra-arg=-Wno-unknown-warning-option >$log 2>/dev/null || true
if grep -q "'[^']*' file not found \[clang-diagnostic-error\]" $log; then
  grep 'file not found' $log >&2
  exit 1
fi
findings=$(grep -E ' (warning|error): .*\[(bugprone|cppcoreguidelines|modernize|performance|readability)-' $log | sort -u || true)
if [ -n "$findings" ]; then
  printf '%s\n' "$findings" >&2
  exit 1
fi
echo "tidy: ${#files[@]} files in order" >&2
