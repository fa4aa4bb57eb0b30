#!/usr/bin/env bash
# Every C++ file is formatted as .clang-format says.   scripts/check_format.sh [--fix] [FILE...]
# The version is pinned: others format differently. A system that has no such package is told so, and passes.
set -euo pipefail
cd "$(dirname "$0")/.."

formatter=clang-format-14
mode=(--dry-run --Werror)
if [ "${1:-}" = --fix ]; then mode=(-i); shift; fi

if ! command -v "$formatter" >/dev/null; then
  echo "check_format.sh: $formatter is not installed: the format is not checked" >&2
  exit 0
fi
files=("$@")
if [ ${#files[@]} = 0 ]; then
  folders=()
  for folder in src apps include tests bench fuzz examples; do [ ! -d "$folder" ] || folders+=("$folder"); done
  mapfile -d '' files < <(find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cpp' \) -print0 | sort -z)
fi
[ ${#files[@]} -gt 0 ] || { echo "check_format.sh: no files" >&2; exit 1; }
printf '%s\0' "${files[@]}" | xargs -0 -n 20 -P "$(nproc)" "$formatter" --style=file "${mode[@]}"
