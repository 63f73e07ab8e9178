#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`devices`, `verify`, `bench` and `compare` as a user meets them: test_commands.py COMMAND SOURCE_ROOT."""
import json
import os
import statistics
import threading
import time

from case import Case, main, needs_device


@needs_device
class Commands(Case):
    def test_json_alone_goes_to_stdout(self):
        shape = "--shapes", "4x4", "--repeats", "3", "--json", "-"
        for command in (("bench", *shape), ("compare", *shape),
                        ("verify", "--variant", "item", "--type", "f32", "--op", "softmax",
                         "--json", "-")):
            self.assertTrue(json.loads(self.fine(*command)), command)

    def test_json_leaves_what_is_no_file(self):
        (self.folder / "link.json").symlink_to(self.folder / "real.json")
        self.fine("devices", "--json", self.folder / "link.json")
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertTrue(json.loads((self.folder / "real.json").read_text()))
        fifo = self.folder / "fifo.json"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.fine("devices", "--json", fifo)
        self.assertTrue(fifo.is_fifo())
        self.assertTrue(json.loads(os.read(reader, 1 << 16)))
        os.close(reader)

    def test_devices_as_json(self):
        text = self.fine("devices", "--json", self.folder / "d.json")
        devices = json.loads((self.folder / "d.json").read_text())
        self.assertEqual(sum(d["picked"] for d in devices), 1)
        self.assertEqual(max(devices, key=lambda d: d["score"])["picked"], True)
        for d in devices:
            self.assertIn(d["name"], text)
        self.assertEqual(json.loads(self.fine("devices", "--json", "-")), devices)

    def test_verify_one_variant(self):
        text = self.fine("verify", "--variant", "item", "--op", "softmax", "--type", "f32",
                         "--seed", "7", "--json", self.folder / "v.json")
        self.assertIn("1 passed, 0 failed", text)
        (one,) = json.loads((self.folder / "v.json").read_text())
        self.assertEqual(one["passed"], one["run"])
        self.assertLessEqual(one["worst_of_bound"], 1)

    def test_bench_and_compare(self):
        text = self.fine("bench", "--shapes", "256x128", "--repeats", "3", "--json",
                         self.folder / "b.json")
        self.assertIn("256 x 128", text)
        (row,) = json.loads((self.folder / "b.json").read_text())
        self.assertGreater(row["copy_gb_per_s"], 0)
        self.assertGreater(row["c_loop_gb_per_s"], 0)
        text = self.fine("bench", "--op", "topk", "--shapes", "256x128", "--repeats", "3",
                         "--json", self.folder / "b.json")
        self.assertRegex(text, r"256 x 128.*% +-")
        self.assertIsNone(json.loads((self.folder / "b.json").read_text())[0]["c_loop_gb_per_s"])
        self.assertAlmostEqual(row["gb_per_s"], 256 * 128 * 8 / row["seconds"] * 1e-9, places=6)
        text = self.fine("compare", "--shapes", "64x100,1x257", "--repeats", "3", "--json",
                         self.folder / "c.json")
        self.assertIn("geometric mean", text)
        rows = json.loads((self.folder / "c.json").read_text())
        for cols in (100, 257):
            here = [r for r in rows if r["cols"] == cols]
            self.assertEqual(sum(r["chosen"] for r in here), 1)
            self.assertGreaterEqual(len({r["variant"].split(":")[0] for r in here}), 4)

    def test_compare_draws_the_same_problems_again(self):
        random = ["compare", "--random", "3", "--mib", "1", "--repeats", "3", "--jobs", "2",
                  "--within", "1.5"]
        drawn = []
        for seed in (1, 1, 2):
            file = self.folder / "r.json"
            text = self.fine(*random, "--seed", seed, "--json", file)
            self.assertIn(f"of seed {seed}", text)
            self.assertIn("3 of 3 problems", text)
            self.assertIn("left out unmeasured", text)
            (device,) = json.loads(file.read_text())
            self.check_estimates(device["problems"], text)
            self.assertEqual(device["seed"], seed)
            self.assertEqual(len(device["problems"]), 3)
            drawn.append([(p["op"], p["type"], p["k"], p["rows"], p["cols"])
                          for p in device["problems"]])
            for p in device["problems"]:
                self.check_random_problem(p)
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def check_estimates(self, problems, text):
        """Medians by variant of estimate over time, where the time is near the best."""
        ratios = {}
        for p in problems:
            timed = [t for t in p["timings"] if t["outcome"] == "timed"]
            best = next(t["seconds"] for t in timed if t["variant"] == p["best"])
            for t in timed:
                if t["seconds"] <= 1.15 * best:
                    name = t["variant"].split(":")[0]
                    ratios.setdefault(name, []).append(t["estimated"] / t["seconds"])
        for name, of in ratios.items():
            median = statistics.median(of)
            self.assertRegex(text, rf"estimates over .*\b{name} {median:.2f} \({len(of)}\)")

    def test_compare_times_the_problems_of_a_file(self):
        few = "--repeats", "3", "--within", "1.1"
        problems = [{"op": "topk", "type": "bf16", "rows": 40, "cols": 70, "k": 3},
                    {"op": "softmax", "type": "f32", "rows": 3, "cols": 900},
                    {"op": "softmax", "type": "f32", "rows": 3, "cols": 900}]
        file, out = self.folder / "p.json", self.folder / "out.json"
        file.write_text(json.dumps(problems))
        named = [(p["op"], p["type"], p.get("k", 1), p["rows"], p["cols"]) for p in problems[:2]]
        for _ in range(2):  # by hand, then what the first run wrote
            text = self.fine("compare", "--problems", file, *few, "--json", out)
            self.assertIn(f"2 problems of {file}", text)
            (device,) = json.loads(out.read_text())
            self.assertEqual(named, [(p["op"], p["type"], p["k"], p["rows"], p["cols"])
                                     for p in device["problems"]])
            file = self.folder / "again.json"
            out.rename(file)
        bench = self.folder / "b.json"
        self.fine("bench", "--op", "topk", "--k", "4", "--shapes", "5x33", "--repeats", "3",
                  "--json", bench)
        text = self.fine("compare", "--problems", bench, *few)
        self.assertIn("1 of 1 problems", text)
        self.assertIn("topk, k 4", text)

    def test_problems_may_come_through_a_pipe(self):
        fifo = self.folder / "fifo.json"
        os.mkfifo(fifo)
        writer = threading.Thread(target=fifo.write_text, args=[json.dumps(
            [{"op": "softmax", "type": "f32", "rows": 3, "cols": 9}])])
        writer.start()
        self.assertIn("1 of 1 problems", self.fine("compare", "--problems", fifo, "--repeats", "3",
                                                   "--within", "1.1"))
        writer.join()

    def test_json_that_cannot_be_written_is_told_at_once(self):
        nowhere = self.folder / "no" / "x.json"
        for command in (["bench"], ["compare"], ["verify"]):
            start = time.monotonic()
            self.fails(1, *command, "--json", nowhere, says=["cannot write", str(nowhere)])
            self.assertLess(time.monotonic() - start, 2, command)

    def test_forms(self):
        few = "--repeats", "3", "--within", "1.1"
        out = self.folder / "f.json"
        for form in ("scale", "bool_mask", "f32_mask", "causal", "open_rows", "open_shape"):
            text = self.fine("bench", "--shapes", "6x70", "--repeats", "3", "--form", form,
                             "--json", out)
            self.assertIn(f", {form}", text)
            (row,) = json.loads(out.read_text())
            self.assertEqual(form, row["form"])
            # of x, with y; what causal rows do not see need not be read
            moved = row["gb_per_s"] * 1e9 * row["seconds"] / (6 * 70 * 4)
            self.assertTrue(1.9 < moved < 1.99 if form == "causal" else moved > 1.99, (form, moved))
        for op, left in (("log_softmax", 2), ("log_softmax_backward", 1)):
            file = self.folder / "p.json"
            file.write_text(json.dumps([{"op": op, "type": "f16", "rows": 9, "cols": 80},
                                        {"op": "softmax", "type": "f32", "rows": 5, "cols": 8}]))
            text = self.fine("compare", "--problems", file, *few, "--form", "causal",
                             "--json", out)
            self.assertIn(f"regret over {left} problems of {file} (causal)", text)
        self.fails(1, "compare", "--problems", out, "--form", "f32_mask",
                   says=["has problems of form causal, expected f32_mask"])
        self.fails(2, "bench", "--op", "log_softmax_backward", "--form", "bool_mask",
                   says=["mask is none of log_softmax_backward's"])

    def test_compare_builds_shares(self):
        random = "compare", "--random", "3", "--mib", "1", "--within", "1.1"
        for share in (1, 2):
            self.assertIn(f"share {share} of 2: ",
                          text := self.fine(*random, "--build", f"{share}/2"))
            self.assertIn(f" plans of {3 - share} problems built", text)
            self.assertNotIn("geometric mean", text)

    def test_compare_refuses_a_file_without_problems(self):
        file = self.folder / "p.json"
        good = {"op": "softmax", "type": "f32", "rows": 3, "cols": 9}
        for text, says in [("", "0 read"), ("{", "0 read"), ("[]", "0 read"), ("7", "0 read"),
                           (json.dumps([good, {**good, "op": "max"}]), "1 read"),
                           (json.dumps([{**good, "rows": 1.5}]), "0 read"),
                           (json.dumps([{"problems": [good, 3]}]), "1 read")]:
            file.write_text(text)
            self.fails(1, "compare", "--problems", file, says=[str(file), says])
        self.fails(1, "compare", "--problems", self.folder / "none", says=["cannot read"])

    def check_random_problem(self, p):
        self.assertIn(p["type"], ("f32", "f16", "bf16"))
        self.assertTrue(1 <= p["cols"] <= 1 << 20 and 1 <= p["k"] <= 16)
        seconds = {t["variant"]: t["seconds"] for t in p["timings"] if t["outcome"] == "timed"}
        self.assertEqual(len({t["variant"] for t in p["timings"]}), len(p["timings"]))
        self.assertTrue(all(t["estimated"] > 0 for t in p["timings"]))
        self.assertGreaterEqual(seconds[p["chosen"]], seconds[p["best"]])
        self.assertAlmostEqual(p["regret"], seconds[p["chosen"]] / seconds[p["best"]], places=6)


if __name__ == "__main__":
    main()
