#!/usr/bin/env python3
"""Writes the templates of tests/golden/jinja.json as seeds of the jinja fuzzer.   jinja_seeds.py FOLDER"""
import hashlib
import json
import sys
from pathlib import Path

GLOBALS = {"s": "a\ue000 <b>", "l": [3, 1, 2], "d": {"b": 1, "A\ue000": None}, "i": 7, "ls": ["b", "A"], "lm": [{"n": "x\ue000", "v": 3}]}

folder = Path(sys.argv[1])
golden = json.loads((Path(__file__).resolve().parent.parent / "tests/golden/jinja.json").read_text(encoding="utf-8"))
for rows in golden["sections"].values():
    for row in rows:
        seed = (row["template"] + "\0" + json.dumps(GLOBALS, ensure_ascii=False)).encode()
        (folder / ("seed-" + hashlib.sha256(seed).hexdigest()[:16])).write_bytes(seed)
