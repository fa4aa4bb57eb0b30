#!/usr/bin/env bash
# What `make run` does: installs what is missing, builds, fetches the model once, streams the answer.
# The model and the prompt come in KELDA_MODEL and KELDA_PROMPT, so that no quoting is needed on the way.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build
scripts/build.sh release kelda
kelda=build/release/bin/kelda
# A name is fetched; the path of a file is used as it is.
if [ ! -f "${KELDA_MODEL:?}" ]; then "$kelda" pull "$KELDA_MODEL" >/dev/null; fi
exec "$kelda" run "$KELDA_MODEL" --raw --prompt="${KELDA_PROMPT:?}"
