#!/usr/bin/env bash
# A GoogleTest program once per processor at the same time, each with its share of the tests.
#   scripts/run_sharded.sh COMMAND...
# Shows what each wrote, one after the other. Exits as the first that failed did.
set -uo pipefail

n=$(nproc)
folder=$(mktemp -d)
running=()
trap 'kill "${running[@]}" 2>/dev/null; rm -rf "$folder"' EXIT
for ((i = 0; i < n; ++i)); do
  GTEST_TOTAL_SHARDS=$n GTEST_SHARD_INDEX=$i "$@" >"$folder/$i" 2>&1 &
  running+=($!)
done
status=0
for ((i = 0; i < n; ++i)); do
  code=0
  wait "${running[i]}" || code=$?
  cat "$folder/$i"
  ((status != 0)) || status=$code
done
exit $status
