#!/usr/bin/env python3
"""kelda explain, as text, JSON and a page; kelda run --show-distribution."""

import html.parser
import json
import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import (  # noqa: E402
    CAPITAL, CAPITAL_FIRST_LOGPROB, CAPITAL_IDS, CAPITAL_PROMPT_IDS, CAPITAL_TOP_IDS, GREEDY, TINY_VOCAB_SIZE, VOCAB_SIZE,
    KeldaCase, main, tiny_model)

VOID = {"meta", "br", "hr", "img", "input", "link"}


class ExplainCase(KeldaCase):
    def tiny(self, *arguments, **options):
        return self.works("explain", tiny_model(), "--raw", *arguments, **options)

    def tiny_json(self, *arguments):
        return self.tiny("--json", "-q", *arguments).json()


class Numbers(ExplainCase):
    SETTINGS = ("--temperature", 1.5, "--top-k", 20, "--top-p", 0.9, "--seed", 3, "--max-tokens", 4)

    def test_stages_add_up(self):
        told = self.tiny_json("2+2=", *self.SETTINGS, "--top", TINY_VOCAB_SIZE)
        self.assertEqual([s["token"]["id"] for s in told["steps"]], told["ids"])
        for step in told["steps"]:
            self.assertEqual([s["name"] for s in step["stages"]], ["temperature", "top_k", "top_p"])
            candidates = step["candidates"]
            self.assertEqual(len(candidates), TINY_VOCAB_SIZE)
            self.assertAlmostEqual(math.fsum(c["p"] for c in candidates), 1, places=12)
            self.assertAlmostEqual(math.fsum(c["p_drawn_from"] for c in candidates), 1, places=12)
            self.assertEqual([c["p"] for c in candidates], sorted((c["p"] for c in candidates), reverse=True))
            # By hand, from the logits: temperature, the 20 best, the fewest of them with 0.9.
            p = [math.exp((c["logit"] - candidates[0]["logit"]) / 1.5) for c in candidates]
            best = [x / math.fsum(p[:20]) for x in p[:20]]
            n = next(n for n in range(1, 21) if math.fsum(best[:n]) >= 0.9)
            first, second, third = step["stages"]
            self.assertEqual((first["left"], first["mass_kept"], first["mass_of_raw"]), (TINY_VOCAB_SIZE, 1, 1))
            self.assertEqual((second["left"], third["left"], step["left"]), (20, n, n))
            self.assertAlmostEqual(second["mass_kept"], math.fsum(p[:20]) / math.fsum(p), places=6)
            self.assertAlmostEqual(third["mass_kept"], math.fsum(best[:n]), places=6)
            self.assertAlmostEqual(third["mass_of_raw"], math.fsum(c["p"] for c in candidates[:n]), places=9)
            self.assertEqual([c["cut_by"] for c in candidates], [None] * n + ["top_p"] * (20 - n) + ["top_k"] * (TINY_VOCAB_SIZE - 20))
            self.assertAlmostEqual(step["raw_entropy_bits"], -math.fsum(c["p"] * math.log2(c["p"]) for c in candidates if c["p"] > 0),
                                   places=9)
            # The draw: where the number falls among the candidates in the order of their ids.
            below, kept = 0, sorted((c for c in candidates if c["p_drawn_from"] > 0), key=lambda c: c["id"])
            for c in kept:
                if below + c["p_drawn_from"] > step["uniform"]:
                    break
                below += c["p_drawn_from"]
            self.assertEqual(c["id"], step["token"]["id"])

    def test_the_answer_is_that_of_run(self):
        told = self.tiny_json("2+2=", *self.SETTINGS)
        run = self.works("run", tiny_model(), "--raw", "--json", "-q", "2+2=", *self.SETTINGS).json()
        for key in ("text", "ids", "finish_reason", "finish_detail", "seed", "settings", "usage", "notices"):
            self.assertEqual(told[key], run[key], key)

    def test_what_is_known_of_the_real_model(self):
        told = self.works("explain", self.model(), CAPITAL, *GREEDY, "--max-tokens", 2, "--top", 3, "--json", "-q").json()
        self.assertEqual([t["id"] for t in told["prompt"]], CAPITAL_PROMPT_IDS)
        self.assertEqual("".join(t["text"] for t in told["prompt"]), CAPITAL)
        self.assertEqual(told["ids"], CAPITAL_IDS[:2])
        step = told["steps"][0]
        self.assertEqual([c["id"] for c in step["candidates"]], CAPITAL_TOP_IDS)
        self.assertAlmostEqual(step["candidates"][0]["p"], math.exp(CAPITAL_FIRST_LOGPROB), delta=0.02)
        self.assertEqual((step["greedy"], step["uniform"], step["tokens"], step["left"]), (True, None, VOCAB_SIZE, 1))
        self.assertEqual([(s["name"], s["left"]) for s in step["stages"]], [("greedy", 1)])
        self.assertEqual((step["position"], told["steps"][1]["position"]), (5, 6))
        self.assertEqual(told["usage"], {"prompt_tokens": 5, "completion_tokens": 2, "passes": 2, "prefill_passes": 1,
                                         "decode_passes": 1})
        self.assertGreater(told["phases"]["prefill_ms"], 0)
        self.assertGreater(told["phases"]["decode_ms"], 0)
        self.assertEqual(told["prefix_cache"]["outcome"], "off")
        self.assertEqual(told["settings"]["temperature"], {"value": 0, "from": "flag"})
        self.assertIsNone(told["chat_template"])

    def test_top_is_of_both_ends_of_the_chain(self):
        told = self.tiny_json("ab", "--top", 2, "--max-tokens", 1, "--seed", 1, "--logit-bias", "77=100")
        (step,) = told["steps"]
        self.assertEqual(step["token"]["id"], 77)
        self.assertIn(len(step["candidates"]), (3, 4))
        self.assertEqual(step["stages"][0]["name"], "logit_bias")
        traced = self.tiny_json("ab", "--top", 2, "--max-tokens", 1, "--seed", 1, "--logit-bias", "77=100", "--trace",
                                self.folder / "t.json")
        self.assertEqual(traced["steps"], told["steps"])  # a trace keeps more, which does not show
        self.assertEqual(len(json.loads((self.folder / "t.json").read_text())["steps"][0]["top"]), 8)

    def test_what_cannot_be_is_refused(self):
        tiny = ("explain", tiny_model(), "--raw", "a", "--max-tokens", 1)
        self.refused(*tiny, "--top", 0, says="--top")
        self.refused(*tiny, "--top", 999, says=("--top", "999", str(TINY_VOCAB_SIZE)))
        self.refused(*tiny, "--logprobs", 2, says=("--logprobs", "--top"))
        self.refused(*tiny, "--top-p", 2, says="top_p")


    def test_a_prompt_that_was_made_to_fit_is_told_as_by_run(self):
        policy = ("--context-policy", "truncate", "--window", 64, "--max-tokens", 4, "--temperature", 0)
        prompt = "one two three. " * 20
        told = self.tiny_json(prompt, *policy)
        ran = self.works("run", tiny_model(), "--raw", "-q", "--json", prompt, *policy).json()
        for key in ("notices", "context", "usage", "ids"):
            self.assertEqual(told[key], ran[key], key)
        self.assertGreater(told["context"]["prompt_dropped"], 0)
        self.assertIn("dropped", told["notices"][0])
        context = f"prompt {told['context']['prompt_kept']} of {told['context']['prompt_given']} tokens"
        self.assertIn(context, self.tiny(prompt, *policy).out)
        self.tiny(prompt, *policy, "--html", self.folder / "p.html")
        self.assertIn(context, (self.folder / "p.html").read_text())


class Text(ExplainCase):
    def test_without_times_it_is_the_same_every_time(self):
        quiet = self.tiny("2+2=", *Numbers.SETTINGS, "-q").out
        self.assertNotIn("queue", quiet)
        self.assertEqual(self.tiny("2+2=", *Numbers.SETTINGS, "-q").out, quiet)

    def test_it_has_every_part(self):
        result = self.tiny("2+2=", *Numbers.SETTINGS, "--top", 30)
        for part in ("model: ", "prompt: 4 tokens, raw", "top_k 20  (flag)", "prefix cache: off: ", "step 0, position 4: ",
                     "step 3, position 7: ", "cut by top_k", "cut by top_p", "  drawn", "ended by length (max_tokens); seed 3",
                     "4 tokens are 4 passes: 1 prefill, 3 decode steps", "queue 0.0 ms, prefill "):
            self.assertIn(part, result.out)
        self.assertRegex(result.out, r"temperature +left +300 +1\.0000 of what was before, 1\.0000 of the raw")
        self.assertEqual(result.out.count("  drawn\n"), 4)
        self.assertNotIn("\x1b", result.out)

    def test_chat_templates_show_what_is_read(self):
        result = self.works("explain", self.model(), "Hi", "--max-tokens", 1, "--seed", 1, "-q")
        self.assertIn("<|im_start|>", result.out)
        self.assertRegex(result.out, r"prompt: \d+ tokens, chat template ")


class Page(html.parser.HTMLParser):
    """What is in a page; any tag that is not closed in its place is a failure."""

    def __init__(self, case, text):
        super().__init__(convert_charrefs=True)
        self.case, self.open, self.tags, self.attributes, self.text = case, [], [], [], []
        self.feed(text)
        self.close()
        case.assertEqual(self.open, [])

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.case.assertEqual(self.open.pop(), tag, self.getpos())

    def handle_data(self, data):
        if "script" not in self.open and "style" not in self.open:
            self.text.append(data)

    def values(self, name):
        return [value for _, n, value in self.attributes if n == name]


class Html(ExplainCase):
    def page(self, prompt, *arguments):
        file = self.folder / "page.html"
        result = self.tiny(prompt, *arguments, "--html", file)
        return result, file.read_text(encoding="utf-8")

    def test_a_page_is_whole_and_needs_nothing_else(self):
        result, text = self.page("2+2=", *Numbers.SETTINGS, "--top", 30)
        self.assertEqual(result.out, "")
        self.assertTrue(text.startswith("<!DOCTYPE html>\n<html lang=\"en\">"))
        page = Page(self, text)
        self.assertEqual(page.values("src") + page.values("data") + page.values("action"), [])
        self.assertEqual(page.values("href"), ["#step-0", "#step-1", "#step-2", "#step-3"])
        self.assertNotRegex(text, r"https?:|url\(|@import")
        self.assertIn("default-src 'none'", "".join(page.values("content")))
        self.assertEqual([i for i in page.values("id") if not i.endswith("-title")], ["step-0", "step-1", "step-2", "step-3"])
        self.assertEqual(len(set(page.values("id"))), len(page.values("id")))
        self.assertLessEqual(set(page.values("aria-labelledby")), set(page.values("id")))
        self.assertEqual(page.tags.count("button"), 2)
        self.assertIn("prefers-color-scheme: dark", text)
        self.assertEqual(page.values("class").count("drawn"), 4)
        self.assertIn("cut", page.values("class"))
        shown = " ".join(page.text)
        for part in ("top_p", "temperature", "seed", "the documented order", "Drawn by the random number", "queue 0.0 ms"):
            self.assertIn(part, shown)
        told = self.tiny_json("2+2=", *Numbers.SETTINGS, "--top", 30)
        widths = [float(w) for w in re.findall(r'class="bar" style="width:([0-9.]+)%"', text)]
        expected = [c["p"] * 100 for s in told["steps"] for c in s["candidates"]]
        self.assertEqual(len(widths), len(expected))
        for width, percent in zip(widths, expected):
            self.assertAlmostEqual(width, percent, delta=0.0051)

    def test_every_text_is_escaped(self):
        hostile = "</script><img src=x onerror=alert(1)>\"'&amp;\x00\u202e"
        ids = self.works("tokenize", tiny_model(), "<\"&", "--ids").out.split()
        for name in ("plain", "a<b>&\"'.gguf"):  # the model's name is shown too
            model = self.folder / name
            model.write_bytes(tiny_model().read_bytes())
            file = self.folder / "page.html"
            for token in ids:
                self.works("explain", model, "--raw", hostile.replace("\x00", ""), "--max-tokens", 2, "--seed", 1, "--logit-bias",
                           f"{token}=100", "--stop", hostile.replace("\x00", ""), "--html", file, "--top", TINY_VOCAB_SIZE)
                text = file.read_text(encoding="utf-8")
                page = Page(self, text)
                self.assertEqual((page.tags.count("script"), page.tags.count("img")), (1, 0))
                self.assertEqual([a for _, a, _ in page.attributes if a.startswith("on")], [])
                shown = "".join(page.text)
                self.assertIn(name, shown)
                self.assertIn("onerror=alert(1)", shown)  # the stop text, as text
                for character in "<>&\"'":
                    self.assertIn(character, shown)
                self.assertNotRegex(text, r"[\x00-\x08\x0b-\x1f\x7f]")

    def test_json_can_go_with_it(self):
        result, text = self.page("a", "--max-tokens", 1, "--seed", 1, "--json")
        self.assertEqual(len(result.json()["steps"]), 1)
        Page(self, text)

    def test_an_answer_without_a_token_has_a_page_too(self):
        _, text = self.page("a", "--max-tokens", 0)
        self.assertEqual(Page(self, text).values("href"), [])

    def test_no_file_that_is_read_is_lost(self):
        model = self.folder / "m.gguf"
        model.write_bytes(tiny_model().read_bytes())
        request = self.write("r.json", json.dumps({"max_tokens": 1}))
        before = model.read_bytes()
        for flag in ("--html", "--trace"):
            arguments = ("explain", model, "--raw", "a", "--request", request, flag)
            self.refused(*arguments, model, says=(flag, "a file of the model"))
            self.refused(*arguments, request, says=(flag, "a file that is read"))
            self.refused(*arguments, self.folder / "no" / "folder", says="cannot write", status=1)
        self.refused("explain", model, "--raw", "a", "--html", self.folder / "x", "--trace", self.folder / "." / "x", says="same file")
        self.assertEqual(model.read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.gguf", "r.json"])


class Distribution(ExplainCase):
    def test_a_line_for_each_token_on_stderr_and_the_text_at_the_end(self):
        settings = ("2+2=", "--seed", 1, "--max-tokens", 5, "--top-k", 3, "--temperature", 1)
        plain = self.works("run", tiny_model(), "--raw", "-q", *settings)
        drawn = self.works("run", tiny_model(), "--raw", "-q", *settings, "--show-distribution")
        self.assertEqual(drawn.raw_out, plain.raw_out)
        lines = drawn.err.splitlines()
        self.assertEqual(len(lines), 5)
        told = self.tiny_json(*settings, "--top", 12)
        for line, step in zip(lines, told["steps"]):
            found = re.fullmatch(r'(\d\.\d{4})  ([▁▂▃▄▅▆▇█]{3}·{9})  3 left with (\d\.\d{4}), (\d+\.\d\d) bits  "(.*)"', line)
            self.assertIsNotNone(found, line)
            drawn_p = next(c["p"] for c in step["candidates"] if c["id"] == step["token"]["id"])
            self.assertAlmostEqual(float(found[1]), drawn_p, delta=0.00006)
            self.assertAlmostEqual(float(found[3]), step["stages"][-1]["mass_of_raw"], delta=0.00006)
            self.assertAlmostEqual(float(found[4]), step["raw_entropy_bits"], delta=0.006)

    def test_it_does_not_go_with_json(self):
        self.refused("run", tiny_model(), "--raw", "a", "--json", "--show-distribution", says=("--show-distribution", "explain --json"))


if __name__ == "__main__":
    main()
