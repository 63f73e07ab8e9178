#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clsoftmax-limit and the peers' file: test_limit.py COMMAND SOURCE_ROOT LIMIT."""
import json
import os
import subprocess
import sys

from case import ROOT, Case, main, needs_device

LIMIT = sys.argv[3]
SMALL = ["--scale", "4000", "--repeats", "3"]
FIELDS = ["key", "goals", "op", "type", "form", "rows", "cols", "inner", "variant",
          "registers_per_item", "spill_bytes", "bytes", "seconds", "value", "goal",
          "against", "mark"]
# as much of it as a peer without cases asks for
TORCH = """
from types import SimpleNamespace
__version__ = "2.0"
float32 = float16 = bfloat16 = None
cuda = SimpleNamespace(is_available=lambda: True, get_device_name=lambda index: "a GPU",
                       empty_cache=lambda: None)
"""


def limit(*arguments, **environment):
    return subprocess.run([LIMIT, *map(str, arguments)], capture_output=True, text=True,
                          timeout=600, env={**os.environ, **environment})


class Limit(Case):
    def refuses(self, status, *arguments, says, **environment):
        done = limit(*arguments, **environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(says, done.stderr)

    def listed(self, *arguments):
        done = limit("--list-json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def timed(self, *arguments):
        path = self.folder / "limit.json"
        done = limit(*SMALL, "--json", path, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, json.loads(path.read_text())

    def test_help_has_examples_and_groups(self):
        text = limit("--help").stdout
        for part in ["Example:", "--list-json", "peers.py", "CLSM_CACHE", "Groups: aligned"]:
            self.assertIn(part, text)

    def test_wrong_usage_is_status_2(self):
        self.refuses(2, "--scale", "0.5", says="--scale is \"0.5\"")
        self.refuses(2, "--only", "nothing", says="nothing")
        self.refuses(2, "--random", "many", says="expected 1 to")
        self.refuses(2, "--seed", "0", says="--seed")
        self.refuses(2, "--repeats", "1", says="--repeats")
        self.refuses(2, "--unknown", says="--help")
        self.refuses(2, "4096x1024", says="4096x1024")

    def test_files_that_are_no_peers_are_status_1(self):
        path = self.folder / "peers.json"
        self.refuses(1, "--peers", path, says="cannot read")
        for text in ["", "[]", '{"cases": 1}']:
            path.write_text(text)
            self.refuses(1, "--peers", path, says="no \"cases\"")

    def test_no_device_is_status_77(self):
        self.refuses(77, "--device", "no such device", says="no such device")

    def test_list_needs_no_device_and_keeps_to_its_seed(self):
        first = self.listed("--random", 20, "--only", "random")
        self.assertEqual(first, self.listed("--random", 20, "--only", "random"))
        self.assertNotEqual(first, self.listed("--random", 20, "--only", "rand", "--seed", 2))
        self.assertEqual(len(first), 2 * 20)
        self.assertTrue(all(c["cols"] % 2 and c["cols"] < 1 << 20 for c in first))
        for c in first:
            self.assertGreaterEqual(c["rows"] * c["cols"] * (4 if c["type"] == "f32" else 2),
                                    256 << 20)

    def test_sweep_is_listed_only_when_asked_for(self):
        groups = {c["goals"] for c in self.listed()}
        self.assertIn("vocabulary", groups)
        self.assertNotIn("sweep", groups)
        self.assertEqual(groups | {"sweep"}, {c["goals"] for c in self.listed("--sweep")})
        self.assertEqual({c["goals"] for c in self.listed("--only", "sweep")}, {"sweep"})

    def test_missing_peers_are_named_with_why(self):
        cases, peers = self.folder / "cases.json", self.folder / "peers.json"
        cases.write_text(limit("--list-json", "--only", "decode").stdout)
        # without site-packages nothing is there
        subprocess.run([sys.executable, "-BES", ROOT / "bench/peers.py", cases, peers,
                        "--compile"], check=True, capture_output=True)
        found = json.loads(peers.read_text())
        self.assertEqual(found["cases"], {})
        for name in ["torch", "torch.compile", "triton", "jax", "cudnn"]:
            self.assertIn("No module named", found["missing"][name])

    def test_a_peer_keeps_its_times_until_it_starts_again(self):
        cases, peers = self.folder / "cases.json", self.folder / "peers.json"
        times = {"a": {"torch": 1, "other": 2}}
        cases.write_text("[]")
        peers.write_text(json.dumps({"peers": {"torch": "1.0"}, "cases": times}))
        command = [ROOT / "bench/peers.py", cases, peers, "--peer", "torch"]
        subprocess.run([sys.executable, "-BES", *command], check=True, capture_output=True)
        found = json.loads(peers.read_text())
        self.assertEqual((found["cases"], found["peers"]), (times, {"torch": "1.0"}))
        self.assertEqual(list(found["missing"]), ["torch"])
        (self.folder / "torch.py").write_text(TORCH)
        subprocess.run([sys.executable, "-BS", *command], check=True, capture_output=True,
                       env={**os.environ, "PYTHONPATH": str(self.folder)})
        found = json.loads(peers.read_text())
        self.assertEqual(found["cases"], {"a": {"other": 2}})
        self.assertEqual((found["missing"], found["peers"]), ({}, {"torch": "2.0"}))

    def test_lengths_to_compile_for_that_are_none_are_status_2(self):
        peers = self.folder / "peers.json"
        done = subprocess.run([sys.executable, "-BES", ROOT / "bench/peers.py", "-", peers,
                               "--compile-cols", "1024;4096"], input="[]", text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('--compile-cols: it is "1024;4096", expected', done.stderr)
        self.assertFalse(peers.exists())

    @needs_device
    def test_results_are_whole_and_summed(self):
        text, found = self.timed("--only", "axis", "--only", "latency", "--only", "forms",
                                 "--only", "family")
        for r in found["results"]:
            for field in FIELDS:
                self.assertIn(field, r)
            self.assertGreater(r["seconds"], 0)
            self.assertIn(r["mark"], ["pass", "short"])
        self.assertEqual({r["goals"] for r in found["results"]},
                         {"axis", "latency", "forms", "family"})
        self.assertEqual(sum(g["judged"] for g in found["groups"]), len(found["results"]))
        met = sum(g["met"] for g in found["groups"])
        self.assertIn(f"{met} met, {len(found['results']) - met} short", text)

    @needs_device
    def test_bytes_are_those_that_must_move(self):
        _, found = self.timed("--only", "forms")
        sizes = {"f32": 4, "bf16": 2}
        for r in found["results"]:
            rows, cols, size = r["rows"], r["cols"], sizes[r["type"]]
            want = 2 * rows * cols * size
            want += {"bool_mask": rows * cols, "f32_mask": 4 * cols}.get(r["form"], 0)
            if r["form"] == "causal":
                n = min(rows, cols)
                want -= sum(n - 1 - q % n for q in range(rows)) * size
            self.assertEqual(r["bytes"], want, r["key"])

    @needs_device
    def test_peers_are_compared_and_torch_is_a_goal(self):
        cases = self.listed(*SMALL, "--only", "decode")
        peers = self.folder / "peers.json"
        times = {c["key"]: {"torch": 1e3 if c["type"] == "f32" else 1e-12, "other": 1}
                 for c in cases}
        peers.write_text(json.dumps({"cases": times}))
        text, found = self.timed("--only", "decode", "--peers", peers)
        for r in found["results"]:
            self.assertEqual(r["mark"], "pass" if r["type"] == "f32" else "short")
            self.assertEqual(r["peers"], times[r["key"]])
        self.assertEqual(found["peers"]["torch"]["cases"], len(times))
        self.assertEqual(found["peers"]["torch"]["faster_than_ours"], len(times) // 2)
        self.assertIn("torch 0.00x<", text)
        self.assertIn("against other", text)
        text, found = self.timed("--only", "decode")
        self.assertEqual({r["mark"] for r in found["results"]}, {"no peer"})
        self.assertIn(f"{len(cases)} without the peer's time", text)

    @needs_device
    def test_peers_are_compared_with_each_case_once(self):
        which = ["--only", "random", "--random", "8", "--seed", "4"]
        keys = [c["key"] for c in self.listed(*SMALL, *which)]
        self.assertLess(len(set(keys)), len(keys))  # else the seed shows nothing
        peers = self.folder / "peers.json"
        peers.write_text(json.dumps({"cases": {key: {"other": 1e-12} for key in keys}}))
        text, found = self.timed(*which, "--peers", peers)
        for field in "cases", "faster_than_ours", "faster_by_more_than_1_percent":
            self.assertEqual(found["peers"]["other"][field], len(set(keys)))
        self.assertIn(f"by more than 1% in {len(set(keys))}", text)

    @needs_device
    def test_cliffs_compare_neighbours(self):
        _, found = self.timed("--only", "cliffs")
        for r in found["results"]:
            self.assertEqual(r["cols"] % 8, 0)
            self.assertIn(f"{r['cols'] - 8} cols", r["note"])
            self.assertTrue(0 <= r["value"] < 1)


if __name__ == "__main__":
    main()
