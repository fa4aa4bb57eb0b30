#!/usr/bin/env python3
"""Writes the seeds of the vocabulary fuzzer.   vocabulary_seeds.py FOLDER"""
import sys

import seeds
import tokenizer_seeds

seeds.write(tokenizer_seeds.of_vocabulary(), sys.argv[1])
