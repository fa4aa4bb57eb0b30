#!/usr/bin/env python3
"""Writes seeds of the jinja fuzzer: the templates of tests/golden/jinja.json and hostile ones.   jinja_seeds.py FOLDER"""
import json
import sys
from pathlib import Path

import seeds

GLOBALS = {"s": "a\ue000 <b>", "l": [3, 1, 2], "d": {"b": 1, "A\ue000": None}, "i": 7, "ls": ["b", "A"], "lm": [{"n": "x\ue000", "v": 3}]}

STORED = "{% set ns = namespace(l=none) %}"
# Templates that reach for what must not be reached: variables of a macro that has ended, arguments of the wrong
# type, the user's text as the template's, sizes that wrap, chains, work that is not counted.
HOSTILE = [
    STORED + "{% macro m(x) %}{% set y = 1 %}{% for i in x if i > y %}{% set ns.l = loop %}{% break %}{% endfor %}{% endmacro %}"
    "{{ m(l) }}{{ ns.l.last }}",
    STORED + "{% macro m(x) %}{% set y = 'Y' %}{% for i in x recursive %}{% set ns.l = loop %}[{{ i }}{{ y }}]{% endfor %}{% endmacro %}"
    "{{ m([1]) }}{{ ns.l([7]) }}",
    "{{ s|wordwrap(3, true, 5) }}",
    "{{ (l * 3)|truncate(3, false, '', 0) }}",
    "{{ s|truncate(3, false, []) }}",
    "{{ d.keys()|list|truncate(1, false, '', 0) }}",
    "{{ dict(**d) }}",
    "{% macro m() %}{{ kwargs }}{% endmacro %}{{ m(**d) }}",
    "{% for k, v in dict(**d).items() %}{{ k }}{% endfor %}",
    "{% set ns = namespace(**d) %}{{ ns }}{{ '%s'|format(**d) }}",
    "{{ l|tojson(separators=(s, ':')) }}{{ l|tojson(indent=s) }}",
    "{{ [1]|batch(576460752303423488, 'x')|list }}{{ 'a\\t'.expandtabs(9223372036854775807) }}",
    "{{ '{:0100,}'.format(1) }}{{ '%*d' % (-9, i) }}{{ '{:_x}'.format(3735928559) }}",
    STORED + "{% for i in range(9) %}{% set g = [ns]|unique(attribute='l') %}{% set x = g|first %}{% set ns.l = g %}{% endfor %}",
    STORED + "{% for i in range(9) %}{% set ns.l = {}[ns.l] %}{% endfor %}",
    "{% if a %}{% set x = 1 %}{% elif b %}{{ x }}{% set y = x %}{% else %}{% set x = 2 %}{% endif %}{{ x }}{{ y }}",
    "{{ [range(3), range(3), d.keys]|unique|list }}{{ d.keys() == d.keys() }}{{ d.items() == d.items() }}",
]

golden = json.loads((Path(__file__).resolve().parent.parent / "tests/golden/jinja.json").read_text(encoding="utf-8"))
templates = [row["template"] for rows in golden["sections"].values() for row in rows] + HOSTILE
seeds.write(((t + "\0" + json.dumps(GLOBALS, ensure_ascii=False)).encode() for t in templates), sys.argv[1])
