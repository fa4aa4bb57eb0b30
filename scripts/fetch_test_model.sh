#!/usr/bin/env bash
# Prints the path of the model that the tests use; fetches it the first time, as a user would.
#   scripts/fetch_test_model.sh [KELDA_BINARY]      KELDA_TEST_MODEL=PATH: that file, nothing fetched
set -euo pipefail
cd "$(dirname "$0")/.."

path=${KELDA_TEST_MODEL:-}
if [ -z "$path" ]; then path=$("${1:-build/release/bin/kelda}" pull smollm2 | tail -n 1); fi
if [ ! -f "$path" ]; then
  echo "fetch_test_model.sh: no such file: '$path'" >&2
  exit 1
fi
realpath "$path"
