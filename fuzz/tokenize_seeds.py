#!/usr/bin/env python3
"""Writes the seeds of the tokenize fuzzer.   tokenize_seeds.py FOLDER"""
import sys

import seeds
import tokenizer_seeds

seeds.write(tokenizer_seeds.of_tokenize(), sys.argv[1])
