#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The clsoftmax command as a user meets it: test_cli.py COMMAND SOURCE_ROOT.

Plain unittest; the first argument is the built command. Without a device only what needs
none is run, and the exit status is 77 (skipped).
"""
import json
import math
import os
import pathlib
import random
import stat
import struct
import subprocess
import sys
import tempfile
import unittest

import npy

COMMAND, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DIGITS = ROOT / "examples" / "data"


def run(*arguments, **environment):
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **environment},
    )


HAS_DEVICE = run("devices").returncode == 0
needs_device = unittest.skipUnless(HAS_DEVICE, "no OpenCL device")


def softmax(row):
    largest = max(row)
    terms = [math.exp(v - largest) for v in row]
    return [t / sum(terms) for t in terms]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.x, self.y = self.folder / "x.npy", self.folder / "y.npy"

    def fine(self, *arguments, **environment):
        done = run(*arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def fails(self, status, *arguments, says=(), **environment):
        done = run(*arguments, **environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertEqual(list(self.folder.glob("y.npy?*")), [], "a temporary file is left")

    def close(self, got, want, relative=1e-5):
        self.assertEqual(len(got), len(want))
        for g, w in zip(got, want):
            self.assertLessEqual(abs(g - w), relative * abs(w) + 1e-30, (g, w))


class Usage(Case):
    def test_help_of_each_command_has_an_example(self):
        for command in ["run", "devices", "verify", "bench", "compare"]:
            text = self.fine(command, "--help")
            self.assertIn("Example:", text)
            self.assertIn(f"clsoftmax {command}", text)

    def test_wrong_usage_is_status_2(self):
        self.fails(2, says=[])
        self.fails(2, "frobnicate", says=["frobnicate"])
        self.fails(2, "run", "only-one.npy", says=["IN.npy and OUT.npy"])
        self.fails(2, "run", "--op", "max", self.x, self.y, says=["max", "log_softmax"])
        self.fails(2, "run", "--out-type", "f8", self.x, self.y, says=["f8", "bf16"])
        self.fails(2, "run", "--type", "f32", self.x, self.y, says=["bf16"])
        self.fails(2, "run", "--nonfinite", "x", self.x, self.y, says=["limit"])
        self.fails(2, "run", "--axis", "last", self.x, self.y, says=["last"])
        self.fails(2, "bench", "--shapes", "12", says=["ROWSxCOLS"])
        self.fails(2, "bench", "--mib", "-3", says=["-3"])
        self.fails(2, "verify", "--variant", "nothing", says=["nothing"])
        self.fails(2, "verify", "--type", "f8", says=["f8"])
        self.fails(2, "devices", "--unknown")

    def test_missing_input_is_status_1_and_named(self):
        self.fails(1, "run", self.folder / "no.npy", self.y, says=["no.npy"])

    def test_no_device_is_status_77(self):
        npy.write(self.x, [1.0, 2.0], (1, 2))
        self.fails(77, "run", "--device", "no such device", self.x, self.y,
                   says=["no such device"])
        self.fails(77, "run", self.x, self.y, CLSM_DEVICE="99999", says=["CLSM_DEVICE"])
        nowhere = str(self.folder)
        done = run("devices", OCL_ICD_VENDORS=nowhere, OPENCL_VENDOR_PATH=nowhere)
        if "platform" not in done.stdout:  # some loaders look elsewhere all the same
            self.assertEqual(done.returncode, 77, done.stdout + done.stderr)


@needs_device
class Run(Case):
    def test_the_shipped_digits(self):
        text = self.fine("run", DIGITS / "digits_logits.npy", self.y, "--verify", "--labels",
                         DIGITS / "digits_labels.npy", "--explain")
        for part in ["device", "variant", "time", "GB/s", "verify    pass", "97.89%",
                     "because", "rejected"]:
            self.assertIn(part, text)
        logits, shape, _ = npy.read(DIGITS / "digits_logits.npy")
        probs, out_shape, kind = npy.read(self.y)
        self.assertEqual((out_shape, kind), (shape, "<f4"))
        for r in range(0, shape[0], 97):
            self.close(probs[10 * r : 10 * r + 10], softmax(logits[10 * r : 10 * r + 10]))

    def test_each_type_in_and_out(self):
        row = [0.5, -1.0, 2.0, 0.25, 8.0]
        for kind in ["<f2", "<f4", "<f8", ">f2", ">f4", ">f8"]:
            npy.write(self.x, row, (1, 5), kind)
            self.fine("run", self.x, self.y, "--verify")
            values, _, out = npy.read(self.y)
            self.assertEqual(out, "<" + kind[1:])
            self.close(values, softmax(row), 1e-3 if kind[1:] == "f2" else 1e-6)
        for out, kind in [("f32", "<f4"), ("f16", "<f2"), ("f64", "<f8"), ("bf16", "<u2")]:
            self.fine("run", self.x, self.y, "--out-type", out, "--verify")
            self.assertEqual(npy.read(self.y)[2], kind)

    def test_bf16_as_raw_16_bit(self):
        row = [1.0, 2.0, -3.0, 0.5]
        bits = [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in row]
        npy.write(self.x, bits, (4,), "<u2")
        self.fine("run", "--type", "bf16", "--out-type", "f32", self.x, self.y, "--verify")
        self.close(npy.read(self.y)[0], softmax(row))
        self.fails(1, "run", self.x, self.y, says=["x.npy"])

    def test_every_axis_and_fortran_order(self):
        shape = (3, 4, 5)
        x = [random.gauss(0, 2) for _ in range(60)]
        strides = (20, 5, 1)
        for axis in range(-3, 3):
            npy.write(self.x, x, shape)
            self.fine("run", "--axis", axis, self.x, self.y, "--verify")
            y = npy.read(self.y)[0]
            step, n = strides[axis], shape[axis]
            firsts = [i for i in range(60) if i // step % n == 0]
            for i in firsts:
                at = [i + k * step for k in range(n)]
                self.close([y[k] for k in at], softmax([x[k] for k in at]))
        fortran = [x[20 * i + 5 * j + k] for k in range(5) for j in range(4) for i in range(3)]
        npy.write(self.x, fortran, shape, "<f4", True)
        self.fine("run", self.x, self.folder / "z.npy")
        npy.write(self.x, x, shape)
        self.fine("run", self.x, self.y)
        self.assertEqual(npy.read(self.y), npy.read(self.folder / "z.npy"))
        self.fails(2, "run", "--axis", "3", self.x, self.y, says=["--axis is 3", "-3 to 2"])

    def test_log_softmax_and_policies(self):
        inf = math.inf
        npy.write(self.x, [0.0, -50.0, -inf, -inf, inf, 1.0], (3, 2), "<f8")
        self.fine("run", "--op", "log_softmax", self.x, self.y)
        y = npy.read(self.y)[0]
        self.close(y[:2], [-math.exp(-50), -50])
        self.assertTrue(all(map(math.isnan, y[2:])))
        self.fine("run", "--nonfinite", "limit", self.x, self.y)
        self.assertEqual(npy.read(self.y)[0][2:], [0, 0, 1, 0])

    def test_variant_by_option_and_environment(self):
        npy.write(self.x, [1.0] * 30, (3, 10))
        self.assertIn("tree:WG=128", self.fine("run", "--variant", "tree:WG=128", self.x, self.y))
        self.assertIn("item:", self.fine("run", self.x, self.y, CLSM_VARIANT="item"))
        self.fails(1, "run", "--variant", "tree:WG=3", self.x, self.y, says=["tree:WG=3"])
        self.fails(1, "run", "--variant", "wide", "--axis", "0", self.x, self.y, says=["wide"])

    def test_a_failed_run_leaves_an_existing_file_alone(self):
        npy.write(self.x, [1.0, 2.0], (1, 2))
        self.y.write_text("precious")
        self.fails(1, "run", "--variant", "nothing", self.x, self.y)
        npy.write(self.x, [1.0, 2.0], (1, 3))
        self.fails(1, "run", self.x, self.y, says=["x.npy"])
        self.assertEqual(self.y.read_text(), "precious")
        self.fails(1, "run", DIGITS / "digits_logits.npy", self.folder / "no" / "y.npy")

    def test_wrong_number_of_labels_is_said(self):
        npy.write(self.x, [1.0, 2.0], (1, 2))
        self.fails(1, "run", self.x, self.y, "--labels", DIGITS / "digits_labels.npy",
                   says=["1797", "expected 1"])
        self.assertFalse(self.y.exists())

    def test_output_has_ordinary_permissions(self):
        npy.write(self.x, [1.0, 2.0], (1, 2))
        self.fine("run", self.x, self.y)
        self.assertEqual(stat.S_IMODE(self.x.stat().st_mode), stat.S_IMODE(self.y.stat().st_mode))

    def test_empty_arrays(self):
        for shape in [(0, 5), (5, 0)]:
            npy.write(self.x, [], shape)
            self.fine("run", self.x, self.y, "--verify")
            self.assertEqual(npy.read(self.y)[:2], ([], shape))


@needs_device
class Commands(Case):
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
        self.assertEqual(one["passed"], one["lengths"])
        self.assertLessEqual(one["worst_of_bound"], 1)

    def test_bench_and_compare(self):
        text = self.fine("bench", "--shapes", "256x128", "--repeats", "3", "--json",
                         self.folder / "b.json")
        self.assertIn("256 x 128", text)
        (row,) = json.loads((self.folder / "b.json").read_text())
        self.assertGreater(row["copy_gb_per_s"], 0)
        self.assertAlmostEqual(row["gb_per_s"], 256 * 128 * 8 / row["seconds"] * 1e-9, places=6)
        text = self.fine("compare", "--shapes", "64x100,1x257", "--repeats", "3", "--json",
                         self.folder / "c.json")
        self.assertIn("geometric mean", text)
        rows = json.loads((self.folder / "c.json").read_text())
        for cols in (100, 257):
            here = [r for r in rows if r["cols"] == cols]
            self.assertEqual(sum(r["chosen"] for r in here), 1)
            self.assertGreaterEqual(len({r["variant"].split(":")[0] for r in here}), 4)


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    sys.exit(1 if not result.wasSuccessful() else 0 if HAS_DEVICE else 77)
