#!/usr/bin/env bash
# What `make run` does: installs what is missing, builds, fetches the model once, streams the answer.
# The model and the prompt come in KELDA_MODEL and KELDA_PROMPT, so that no quoting is needed on the way.
set -euo pipefail
cd "$(dirname "$0")/.."

for name in PROMPT MODEL; do
  value=KELDA_$name
  if [ -z "${!value:-}" ]; then
    echo "make run: $name is empty; say, make run PROMPT=\"The capital of France is\" MODEL=smollm2" >&2
    exit 2
  fi
done

scripts/deps.sh build
scripts/build.sh release kelda
kelda=build/release/bin/kelda
# What is here is used as it is, a file, a folder or a name; what is not is fetched, or cannot be.
"$kelda" models --path "$KELDA_MODEL" >/dev/null 2>&1 || "$kelda" pull "$KELDA_MODEL" >/dev/null
# Small models may not find an end; this is a first look, and `kelda run` has no such limit.
exec "$kelda" run "$KELDA_MODEL" --prompt="$KELDA_PROMPT" --max-tokens 512
