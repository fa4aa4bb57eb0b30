#!/usr/bin/env python3
"""Writes the seeds of the tokenizer_json fuzzer.   tokenizer_json_seeds.py FOLDER"""
import sys

import seeds
import tokenizer_seeds

seeds.write(tokenizer_seeds.of_tokenizer_json(), sys.argv[1])
