#!/usr/bin/env python3
"""kelda run --trace and kelda replay: an answer goes the same way again, and where it does not, that is told."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import CAPITAL, GREEDY, KeldaCase, kelda, main, malformed_folder, tiny_encoder, tiny_model  # noqa: E402

SAMPLED = ("--temperature", 1.2, "--top-p", 0.95, "--max-tokens", 4)
WAYS = (("-t", 1), ("-t", 3), ("--compute", "reference"), ())


class ReplayCase(KeldaCase):
    def record(self, name="t.json", model=None, prompt="2+2=", settings=(*SAMPLED, "--seed", 5), **options):
        file = self.folder / name
        self.works("run", model or tiny_model(), "--raw", "-q", prompt, *settings, "--trace", file, **options)
        return file

    def edited(self, file, change):
        trace = json.loads(file.read_text())
        change(trace)
        return self.write("edited.json", json.dumps(trace))

    def differs(self, file, *says, arguments=(), **options):
        result = kelda("replay", file, *arguments, **options)
        self.assertEqual(result.code, 1, result)
        for text in says:
            self.assertIn(text, result.out, result)
        return result


class Equal(ReplayCase):
    def test_a_hundred_answers_on_any_threads_and_kernels(self):
        files, ids = [], []
        for i in range(100):
            file = self.folder / f"{i}.json"
            settings = ("--temperature", 0) if i % 10 == 0 else SAMPLED[:-2]
            more = {3: ("--mirostat", 2), 5: ("--repetition-penalty", 1.3, "--top-k", 9), 7: ("--profile", "llama.cpp")}.get(i % 10, ())
            run = self.works("run", tiny_model(), "--raw", "--json", "-q", f"prompt {i * 37 % 89}", "--max-tokens", 1 + i % 5,
                             *settings, *more, *WAYS[i % 4], "--trace", file, env={"KELDA_ISA": "scalar"} if i % 3 == 0 else None)
            files.append(file)
            ids.append(run.json()["ids"])
            self.assertEqual([s["token"] for s in json.loads(file.read_text())["steps"]], ids[-1])
        self.assertGreater(len({tuple(i) for i in ids}), 50)  # they are not all one answer
        for threads, isa in ((1, None), (3, None), (2, "scalar")):
            result = self.works("replay", *files, "-t", threads, "--json", env={"KELDA_ISA": isa} if isa else None)
            lines = [json.loads(line) for line in result.out.splitlines()]
            self.assertEqual([line["file"] for line in lines], [str(f) for f in files])
            for line, expected in zip(lines, ids):
                self.assertTrue(line["equal"], line)
                self.assertEqual((line["steps"], line["equal_steps"]), (len(expected), len(expected)))
                self.assertIsNone(line["difference"])

    def test_the_real_model(self):
        model = self.model()
        files = [self.record("sampled.json", model, CAPITAL, ("--temperature", 1, "--seed", 42, "--max-tokens", 6)),
                 self.record("greedy.json", model, CAPITAL, (*GREEDY[1:], "--max-tokens", 3, "-t", 1))]
        for arguments, env in (((*files, "-t", 1), {}), ((*files, "-t", 3), {}), ((files[1],), {"KELDA_ISA": "scalar"})):
            result = self.works("replay", *arguments, "-q", env=env)
            self.assertIn("greedy.json: equal: 3 steps\n", result.out)

    def test_what_was_cut_from_outside_is_compared_as_far_as_it_goes(self):
        file = self.record(settings=("--time-limit", 1e-9, "--seed", 1))
        self.assertEqual(json.loads(file.read_text())["finish"]["reason"], "time")
        self.assertIn("equal", self.works("replay", file).out)

    def test_a_chat_template_and_a_seed_that_was_drawn(self):
        file = self.folder / "t.json"
        run = self.works("run", tiny_model(), "hello", "--json", "-q", "--max-tokens", 3, "--trace", file).json()
        trace = json.loads(file.read_text())
        self.assertEqual(trace["seed"], run["seed"])
        self.assertIsNone(trace["settings"]["seed"]["value"])
        self.assertEqual(len(trace["prompt"]), run["usage"]["prompt_tokens"])
        self.works("replay", file)

    def test_rope_and_window_are_part_of_it(self):
        file = self.record(settings=(*SAMPLED, "--seed", 5, "--window", 64, "--rope-base", 500))
        trace = json.loads(file.read_text())
        self.assertEqual((trace["run"]["window"], trace["run"]["rope"]["base"]), (64, 500))
        self.works("replay", file)
        self.differs(self.edited(file, lambda t: t["run"].update(rope=None)), "in the logits")

    def test_explain_writes_the_same_trace(self):
        file = self.record()
        other = self.folder / "explain.json"
        self.works("explain", tiny_model(), "--raw", "-q", "2+2=", *SAMPLED, "--seed", 5, "--top", 2, "--trace", other)
        self.assertEqual(other.read_text(), file.read_text())


class Different(ReplayCase):
    def test_another_seed(self):
        self.differs(self.edited(self.record(), lambda t: t.update(seed=6)), "differs at step 0, in the chain: from the same logits")

    def test_a_token_that_was_another(self):
        def change(trace):
            trace["steps"][2]["token"] = 50 if trace["steps"][2]["token"] != 50 else 51
        result = self.differs(self.edited(self.record(), change), arguments=("--json",))
        self.assertEqual((result.json()["difference"], result.json()["equal_steps"]), ("chain", 2))

    def test_a_logit_that_was_another(self):
        def change(trace):
            trace["steps"][1]["top"][0][1] = "0x1.8p+3"
        self.differs(self.edited(self.record(), change), "differs at step 1, in the logits: number 1 of the likeliest was token",
                     "with 0x1.8p+3 (12)")

    def test_an_end_that_was_another(self):
        def change(trace):
            trace["finish"]["rule"] = "window"
        self.differs(self.edited(self.record(), change), "differs at step 4, in the finish: the answer ended by length (window)")

    def test_another_model(self):
        file = self.record()
        data = bytearray(tiny_model().read_bytes())
        altered = self.folder / "altered.gguf"
        altered.write_bytes(bytes(data[:-200]) + bytes([data[-200] ^ 1]) + bytes(data[-199:]))
        self.differs(file, "differs: another model", "fingerprint", arguments=("--model", altered))
        self.differs(file, "differs: another model", "bytes", arguments=("--model", tiny_encoder()))
        same = self.folder / "same.gguf"
        same.write_bytes(data)
        self.works("replay", file, "--model", same)

    def test_one_of_several(self):
        good = self.record()
        bad = self.edited(good, lambda t: t.update(seed=6))
        result = self.differs(good, "t.json: equal: 4 steps\n", "edited.json: differs at step 0", arguments=(bad,))
        self.assertEqual(result.out.count("\n"), 2)


class Refused(ReplayCase):
    def bad(self, file, *says, arguments=()):
        self.refused("replay", file, *arguments, says=(Path(file).name, *says))

    def test_what_is_no_trace(self):
        file = self.record()
        self.bad(self.write("empty.json", ""), "not JSON")
        self.bad(self.write("cut.json", file.read_bytes()[:-20]), "not JSON")
        self.bad(self.write("other.json", "{}"), "format")
        self.bad(self.folder / "absent.json", "absent.json")
        self.bad(tiny_model())
        self.refused("replay", says="files")

    def test_what_is_damaged_is_named(self):
        file = self.record()

        def without(key):
            return lambda t: t.pop(key)
        for change, says in ((without("seed"), '"seed"'), (without("steps"), '"steps"'), (without("model"), '"model"'),
                             (lambda t: t.update(version=2), "version is 2"),
                             (lambda t: t.update(more=1), '"more"'),
                             (lambda t: t["steps"][1].update(token=-1), "steps[1].token is -1"),
                             (lambda t: t["settings"]["top_p"].update(value=7), "settings.top_p: top_p must be"),
                             (lambda t: t["settings"].update(topp={"value": 1, "from": "flag"}), "unknown field"),
                             (lambda t: t["prompt"].append(70000), "prompt[4]: token id 70000 is outside the vocabulary"),
                             (lambda t: t["steps"][1].update(token=70000), "steps[1].token: token id 70000 is outside the vocabulary")):
            self.bad(self.edited(file, change), says)

    def test_all_are_read_before_one_is_run(self):
        good = self.record()
        bad = self.write("bad.json", "{}")
        result = self.refused("replay", good, bad, says="bad.json")
        self.assertEqual(result.out, "")

    def test_a_model_that_is_gone_or_is_none(self):
        moved = self.folder / "moved.gguf"
        moved.write_bytes(tiny_model().read_bytes())
        file = self.record(model=moved)
        moved.unlink()
        self.bad(file, "moved.gguf")
        self.works("replay", file, "--model", tiny_model())
        self.bad(file, arguments=("--model", malformed_folder() / "no_such_file.gguf"))


class Writing(ReplayCase):
    def test_no_file_that_is_read_is_lost(self):
        model = self.folder / "m.gguf"
        model.write_bytes(tiny_model().read_bytes())
        request = self.write("r.json", json.dumps({"max_tokens": 1}))
        link = self.folder / "link"
        link.symlink_to(model)
        for output, says in ((model, "a file of the model"), (link, "a file of the model"), (request, "a file that is read")):
            self.refused("run", model, "--raw", "a", "--request", request, "--trace", output, says=("--trace", says))
        self.assertEqual(model.read_bytes(), tiny_model().read_bytes())
        self.refused("run", model, "--raw", "a", "--trace", self.folder, says="not a regular file")
        self.refused("run", model, "--raw", "a", "--trace", "", says="--trace")
        self.refused("run", model, "--raw", "a", "--trace", self.folder / "no" / "f", says="cannot write", status=1)

    def test_a_run_that_fails_leaves_none_and_keeps_the_old(self):
        file = self.write("t.json", "old")
        self.refused("run", tiny_model(), "--raw", "a", "--trace", file, "--stop-token-ids", 70000, says="stop_token_ids")
        self.assertEqual(file.read_text(), "old")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["t.json"])
        self.record()
        self.assertTrue(file.read_text().startswith("{\n\"format\": \"kelda-trace\",\n\"version\": 1,\n"))

    def test_a_trace_changes_nothing_of_the_answer(self):
        arguments = ("run", tiny_model(), "--raw", "-q", "2+2=", *SAMPLED, "--seed", 5)
        self.assertEqual(self.works(*arguments, "--trace", self.folder / "t").out, self.works(*arguments).out)


if __name__ == "__main__":
    main()
