#!/usr/bin/env python3
"""Writes tests/golden/jinja.json: what small templates give in Hugging Face transformers' template environment.

Needs transformers and Jinja2 (see "made_with" in the file). Each section is named like the test that reads it. A
template that ends with an error has the error's message. Templates are rendered with GLOBALS, at NOW.

Usage: make_jinja_golden.py [OUTPUT]
"""
import copy
import datetime
import json
import os
import sys

import jinja2
import transformers
from transformers.utils import chat_template_utils

from jinja_cases import GLOBALS, NOW, OURS, SECTIONS


class FixedClock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromisoformat(NOW)


def render(environment, source):
    if source in OURS:
        return {"error": OURS[source], "note": "our own words"}
    try:
        return {"text": environment.from_string(source).render(**copy.deepcopy(GLOBALS))}
    except Exception as error:  # whatever Python raises is what the engine has to say
        return {"error": str(error)}


def main():
    default = os.path.join(os.path.dirname(__file__), "..", "tests", "golden", "jinja.json")
    path = sys.argv[1] if len(sys.argv) > 1 else default
    chat_template_utils.datetime = FixedClock
    environment = chat_template_utils._cached_compile_jinja_template("").environment
    n = 0
    with open(path, "w", encoding="utf-8") as file:
        made = f"transformers {transformers.__version__}, Jinja2 {jinja2.__version__}"
        file.write('{"made_by": "scripts/make_jinja_golden.py", "made_with": %s, "now": %s,\n"globals": %s,\n"sections": {\n'
                   % (json.dumps(made), json.dumps(NOW), json.dumps(GLOBALS, ensure_ascii=False)))
        for i, (section, templates) in enumerate(SECTIONS.items()):
            rows = [json.dumps({"template": t, **render(environment, t)}, ensure_ascii=False) for t in templates]
            n += len(rows)
            file.write(("" if i == 0 else ",\n") + f"{json.dumps(section)}: [\n" + ",\n".join(rows) + "\n]")
        file.write("\n}}\n")
    print(f"{n} templates in {len(SECTIONS)} sections", file=sys.stderr)


if __name__ == "__main__":
    main()
