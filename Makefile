# For people. Everything is done by scripts/; CMake may be used directly as well (CMakePresets.json).
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run test test-full check format deps bench fuzz clean

PROMPT ?= The capital of France is
MODEL ?= smollm2
# $(value …) keeps a prompt's own dollar signs, and the environment carries it past every shell's quoting.
export KELDA_PROMPT := $(value PROMPT)
export KELDA_MODEL := $(value MODEL)
unexport PROMPT MODEL

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS=$$'\t' read -r name what; do printf '  make %-10s %s\n' "$$name" "$$what"; done

run:  ## build, fetch the model, answer: PROMPT="The capital of France is" MODEL=smollm2
	@scripts/run.sh

test:  ## every check and test but the long ones
	@scripts/test.sh

test-full:  ## also: every layer on each instruction set and under the sanitizers, long fuzzing, clang-tidy
	@scripts/test.sh full

check:  ## the format and the layers, files and documents checks; needs no build
	@scripts/deps.sh build check
	@scripts/check.sh

format:  ## formats every source file
	@scripts/deps.sh check
	@scripts/check_format.sh --fix

deps:  ## install every package that building, testing and benchmarking need
	@scripts/deps.sh all

bench:  ## build the microbenchmarks and run them
	@scripts/deps.sh build bench
	@scripts/bench.sh

FUZZER ?= jinja
SECONDS_EACH ?= 60
fuzz:  ## build a fuzzer and run it: FUZZER=jinja SECONDS_EACH=60
	@scripts/deps.sh build fuzz
	@scripts/fuzz.sh "$(FUZZER)" "$(SECONDS_EACH)"

clean:  ## remove build/
	@rm -rf build
