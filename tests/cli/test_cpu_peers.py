#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clsoftmax-cpu-peers: test_cpu_peers.py COMMAND SOURCE_ROOT [CPU_PEERS]. Sizes are so small
that the times mean nothing: what is tested is that all is run, checked, told and kept. Exit
status 77 (skipped) if the program was not built, or without a CPU device."""
import json
import re
import subprocess
import sys

if len(sys.argv) < 4:
    print("skipped: clsoftmax-cpu-peers was not built")
    sys.exit(77)

from case import ROOT, Case, main

PROGRAM = sys.argv[3]
TINY = ["--bytes", "64K", "--rounds", "3"]
FIELDS = ["key", "goals", "op", "type", "form", "rows", "cols", "variant", "bytes", "value",
          "goal", "against", "mark"]
GROUPS = ["64", "1k-4k", "32k-50k", "262144", "giant", "unaligned", "tiny", "16-bit",
          "16-bit-64", "inputs", "errors", "errors-wide", "latency", "family", "pixels", "classes",
          "threads"]
PEERS = {"oneDNN", "XNNPACK", "C"}


def cpu_peers(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=600)


class CpuPeers(Case):
    def refuses(self, status, *arguments, says):
        done = cpu_peers(*arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(says, done.stderr)

    def timed(self, *arguments):
        path = self.folder / "cpu.json"
        done = cpu_peers(*TINY, "--json", path, *arguments)
        if done.returncode == 77:
            self.skipTest("no CPU device")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, json.loads(path.read_text())

    def groups(self, *names):
        return [part for name in names for part in ("--only", name)]

    def test_help_has_examples_and_groups(self):
        text = cpu_peers("--help").stdout
        for part in ["Example:", "--bytes", "--threads", "stream-ahead", "peers.py",
                     "Groups: " + " ".join(GROUPS)]:
            self.assertIn(part, text)

    def test_wrong_usage_is_status_2(self):
        for size in ["0", "64Q", "64MM", "much", "-1M", ""]:
            self.refuses(2, "--bytes", size, says=f'--bytes is "{size}"')
        self.refuses(2, "--only", "nothing", says="nothing")
        self.refuses(2, "--rounds", "1", says="--rounds")
        self.refuses(2, "--threads", "0", says="--threads")
        self.refuses(2, "--unknown", says="--help")
        self.refuses(2, "4096x1024", says="4096x1024")

    def test_files_that_are_no_peers_are_status_1(self):
        path = self.folder / "peers.json"
        self.refuses(1, "--peers", path, says="cannot read")
        path.write_text("[]")
        self.refuses(1, "--peers", path, says='no "cases"')

    def test_cases_are_listed_and_scaled(self):
        cases = json.loads(cpu_peers("--list-json").stdout)
        self.assertEqual(list(dict.fromkeys(c["goals"] for c in cases)), GROUPS)
        for c in cases:
            if c["goals"] not in ("latency", "errors", "errors-wide", "pixels"):
                size = c["rows"] * c["cols"] * {"f32": 4, "f16": 2, "bf16": 2}[c["type"]]
                self.assertTrue(2**26 <= size < 2**26 + 2**20, c)
        giant = [c for c in cases if c["goals"] == "giant"]
        self.assertEqual([(c["rows"], c["cols"]) for c in giant], [(1, 2**24)])

    def test_results_are_checked_whole_and_in_the_table(self):
        wanted = ["giant", "tiny", "16-bit-64", "errors", "latency"]
        text, found = self.timed(*self.groups(*wanted))
        for r in found["results"]:
            for field in FIELDS:
                self.assertIn(field, r)
            self.assertIn(r["mark"], ["pass", "short"])
            self.assertGreater(r["value"], 0)
        names = [r["goals"] for r in found["results"]]
        self.assertEqual(set(names), {*wanted, "errors-wide"})
        for name in dict.fromkeys(names):
            line = re.search(rf"^\| {name} +\| at (least|most) [^|]+\| [\d.][^|]+"
                             rf"\| (\d+) of {names.count(name)} +\| (pass|short) +\|$",
                             text, re.M)
            self.assertTrue(line, (name, text))

    def test_peers_and_copies_stand_beside_the_library(self):
        text, found = self.timed(*self.groups("1k-4k", "unaligned"))
        there = {name for name in PEERS if f"{name} is missing" not in text}
        for r in found["results"]:
            self.assertEqual(set(r["peers"]), there, r)
            best = min(r["peers"], key=r["peers"].get)
            self.assertEqual(r["best_peer"], best)
            self.assertAlmostEqual(r["of_best_peer"], r["peers"][best] / r["seconds"])
            self.assertAlmostEqual(r["value"], r["of_copy"])
            self.assertIn("c by " + r["copied_by"], r["note"])

    def test_other_inputs_are_held_against_normal_ones(self):
        text, found = self.timed(*self.groups("inputs"))
        forms = {r["form"] for r in found["results"]}
        self.assertEqual(forms, {"wide_range", "minus_inf", "late_jump", "subnormal"})
        for r in found["results"]:
            self.assertEqual(r["against"], "N(0, 1)")
            self.assertIn(f"softmax {r['form']}", text)

    def test_each_number_of_threads_is_a_run(self):
        text, found = self.timed(*self.groups("threads"))
        counts = [r["threads"] for r in found["results"]]
        self.assertEqual(counts[0], 1)
        self.assertGreaterEqual(max(counts), 1)
        self.assertIn(f"{max(counts)} threads: ", text)
        _, alone = self.timed(*self.groups("threads"), "--threads", 1)
        self.assertEqual({r["key"] for r in alone["results"]},
                         {r["key"] for r in found["results"]})

    def test_a_file_of_torch_is_a_line_of_the_table(self):
        cases = json.loads(cpu_peers(*TINY, "--list-json").stdout)
        path = self.folder / "peers.json"
        for seconds, mark in ((1e3, "pass"), (1e-9, "short")):
            times = {c["key"]: {"torch-cpu": seconds} for c in cases}
            path.write_text(json.dumps({"cases": times}))
            text, found = self.timed("--only", "tiny", "--peers", path)
            self.assertRegex(text, rf"\| torch-cpu +\| ahead .* of 1 +\| {mark} +\|")
            self.assertEqual(found["peers"]["torch-cpu"]["cases"], 1)

    def test_torch_on_a_cpu_is_only_run_when_named(self):
        cases, peers = self.folder / "cases.json", self.folder / "peers.json"
        cases.write_text(cpu_peers("--list-json", "--only", "tiny").stdout)
        for named in (["--peer", "torch-cpu"], []):
            # without site-packages nothing is there
            subprocess.run([sys.executable, "-BES", ROOT / "bench/peers.py", cases, peers,
                            *named], check=True, capture_output=True)
            found = json.loads(peers.read_text())
            self.assertIn("No module named", found["missing"]["torch-cpu"])
            self.assertEqual(set(found["missing"]) == {"torch-cpu"}, bool(named))

    def test_a_device_that_is_none_is_status_77(self):
        done = cpu_peers(*TINY, "--device", "no such device")
        self.assertEqual(done.returncode, 77, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
