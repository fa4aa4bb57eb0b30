#!/usr/bin/env bash
# The checks that need no build, cheapest first.   scripts/check.sh [KELDA_BINARY]
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/check_format.sh
python3 scripts/check_layers.py
python3 scripts/check_files.py
python3 scripts/check_docs.py ${1:+--binary "$1"}
