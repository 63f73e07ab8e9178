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

    def test_help_of_run_tells_what_operations_take(self):
        text = self.fine("run", "--help")
        for line in ["cross_entropy: [max] [sum] [lse]", "merge_statistics: dy max sum [lse]"]:
            name, tensors = line.split(": ")
            (told,) = [t for t in text.splitlines() if t.strip().startswith(name + ":")]
            self.assertLessEqual(set(tensors.split()), set(told.split()))
        self.assertIn("--in targets=classes.npy", text)
        self.assertIn("--causal --scale", text)

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

    def test_options_that_do_not_go_together_are_status_2(self):
        loss, targets = ["run", "--op", "cross_entropy"], ["--in", "targets=t.npy"]
        rows = [
            (loss + [self.x, self.y], ["cross_entropy needs --in targets="]),
            (loss + targets + ["--scale", "2", self.x, self.y], ["--scale does not go with"]),
            (loss + targets + ["--causal", self.x, self.y], ["--causal does not go with"]),
            (["run", "--k", "3", self.x, self.y], ["--k does not go with softmax"]),
            (["run", "--z-loss", "1", self.x, self.y], ["--z-loss"]),
            (["run", "--grad-scale", "1", self.x, self.y], ["--grad-scale"]),
            (["run", "--k", "two", self.x, self.y], ["--k", "two"]),
            (["run", "--window", "-1", self.x, self.y], ["--window", "-1"]),
            (["run", "--scale", "x", self.x, self.y], ["--scale", "a number"]),
            (["run", "--causal-offset", "1.5", self.x, self.y], ["1.5", "whole"]),
            (["run", "--in", "mask", self.x, self.y], ["NAME=FILE.npy", "targets"]),
            (["run", "--in", "max=m.npy", self.x, self.y], ["max=m.npy", "from_max"]),
            (["run", "--out", "mask=m.npy", self.x, self.y], ["mask=m.npy", "lse"]),
            (["run", "--out", "lse=", self.x, self.y], ["lse=", "NAME=FILE.npy"]),
            (["run", "--in", "mask=a", "--in", "mask=b", self.x, self.y], ["mask is given twice"]),
            (["run", "--in", "dy=d.npy", self.x, self.y], ["--in dy: softmax has no such"]),
            (["run", "--out", "loss=l.npy", self.x, self.y], ["--out loss", "no such"]),
            (["run", "--out", f"lse={self.y}", self.x, self.y], ["y and lse", "y.npy"]),
            (["run", "--op", "statistics", self.x], ["no OUT.npy", "--out max="]),
            (["run", "--op", "statistics", self.x, self.y], ["IN.npy alone"]),
            (["run", "--op", "log_sum_exp", "--labels", "l", self.x, self.y], ["--labels"]),
        ]
        for arguments, says in rows:
            self.fails(2, *arguments, says=says)

    def test_values_that_no_problem_has_are_status_2(self):
        npy.write(self.x, [1.0, 2.0], (1, 2))
        t = self.folder / "t.npy"
        npy.write(t, [1], (1,), "<i4")
        loss = ["--op", "cross_entropy", "--in", f"targets={t}"]
        for arguments, says in [
            (["--op", "topk", "--k", "129"], ["129", "128"]),
            (["--scale", "0"], ["scale"]), (["--temperature", "-1"], ["temperature"]),
            (["--softcap", "nan"], ["softcap"]),
            (loss + ["--label-smoothing", "1.5"], ["label_smoothing is 1.5"]),
            (loss + ["--nonfinite", "limit"], ["nonfinite"]),
        ]:
            self.fails(2, "run", *arguments, self.x, self.y, says=says)
            self.assertFalse(self.y.exists())

    def test_operands_of_a_wrong_shape_or_type_are_status_1(self):
        npy.write(self.x, [0.0] * 120, (2, 3, 4, 5))
        loss = ("cross_entropy", "targets")
        for (op, name), kind, shape, says in [
            (("softmax", "mask"), "<f4", (3,), ["does not broadcast"]),
            (("softmax", "mask"), "<f4", (1, 2, 3, 4, 5), ["does not broadcast"]),
            (("softmax", "mask"), "<f8", (5,), ["<f8", "bool"]),
            (("softmax", "slopes"), "<f4", (4,), ["(4,)", "expected (3,)", "head"]),
            (("softmax", "sinks"), "<f4", (3, 1), ["(3, 1)", "expected (3,)"]),
            (("softmax", "temperature"), "<f4", (2, 3), ["expected (2, 3, 4)", "softmax"]),
            (loss, "<i4", (24,), ["(24,)", "expected (2, 3, 4)"]),
            (loss, "<f4", (2, 3, 4), ["<f4", "'i4' or 'i8'"]),
            (("softmax_backward", "dy"), "<f4", (2, 3, 5, 4), ["expected (2, 3, 4, 5)"]),
        ]:
            other = self.folder / "other.npy"
            npy.write(other, [0] * math.prod(shape), shape, kind)
            self.fails(1, "run", "--op", op, "--in", f"{name}={other}", self.x, self.y,
                       says=["other.npy", *says])
            self.assertFalse(self.y.exists())
        npy.write(self.x, [0.0] * 48, (2, 2, 2, 2, 3))
        npy.write(other, [0.0] * 24, (2, 1, 2, 2, 3))
        self.fails(1, "run", "--in", f"mask={other}", self.x, self.y, says=["batch"])

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

    def test_a_loss_and_its_gradient(self):
        """A bad target, and one to be ignored; weights make the mean as PyTorch's."""
        x = [1.0, 2.0, 0.5, 0.0, 0.0, 0.0, 3.0, -1.0, 0.0, 1.0, 1.0, 1.0]
        npy.write(self.x, x, (4, 3))
        files = {n: self.folder / f"{n}.npy" for n in ["targets", "weights", "loss", "bad_targets"]}
        npy.write(files["targets"], [1, 3, -100, 0], (4,), "<i8")
        npy.write(files["weights"], [0.5, 2.0, 1.0], (3,), "<f8")
        reads = [a for n in ["targets", "weights"] for a in ["--in", f"{n}={files[n]}"]]
        writes = [a for n in ["loss", "bad_targets"] for a in ["--out", f"{n}={files[n]}"]]
        text = self.fine("run", "--op", "cross_entropy", *reads, *writes, self.x, self.y,
                         "--verify")
        p = [softmax(x[0:3]), softmax(x[9:12])]
        loss = [-2 * math.log(p[0][1]), -0.5 * math.log(p[1][0])]
        got, shape, kind = npy.read(files["loss"])
        self.assertEqual((shape, kind), ((4,), "<f4"))
        self.close([got[0], got[3]], loss)
        self.assertTrue(math.isnan(got[1]) and got[2] == 0)
        self.assertEqual(npy.read(files["bad_targets"]), ([1], (1,), "<u4"))
        y = npy.read(self.y)[0]
        self.close(y[:3], [2 * (p[0][c] - (c == 1)) for c in range(3)])
        self.assertEqual(y[3:9], [0] * 6)
        self.assertIn("of 2 targets, 1 ignored, 1 bad", text)
        self.close([float(text.split("mean ")[1].split()[0])], [sum(loss) / 2.5])
        text = self.fine("run", "--op", "cross_entropy_loss", *reads, self.x, self.y)
        self.assertEqual(npy.read(self.y)[1], (4, 1))
        self.close([npy.read(self.y)[0][0]], loss[:1])
        self.assertIn("1 bad", text)

    def test_shapes_of_what_is_written(self):
        x = [random.gauss(0, 2) for _ in range(60)]
        a, b = self.folder / "a.npy", self.folder / "b.npy"
        for kind, real in [("<f4", "<f4"), ("<f2", "<f4"), ("<f8", "<f8")]:
            npy.write(self.x, x, (3, 4, 5), kind)
            self.fine("run", "--op", "topk", "--k", "2", "--axis", "1", "--out", f"indices={a}",
                      "--out", f"lse={b}", self.x, self.y, "--verify")
            self.assertEqual(npy.read(self.y)[1:], ((3, 2, 5), kind))
            self.assertEqual(npy.read(a)[1:], ((3, 2, 5), "<i4"))
            self.assertEqual(npy.read(b)[1:], ((3, 5), real))
            self.fine("run", "--op", "log_sum_exp", "--axis", "0", self.x, self.y, "--verify")
            self.assertEqual(npy.read(self.y)[1:], ((1, 4, 5), kind))
        npy.write(self.x, x[:5], (5,))
        self.fine("run", "--op", "statistics", "--out", f"max={a}", "--out", f"sum={b}", self.x)
        self.assertEqual(npy.read(a)[1:], ((1,), "<f4"))
        self.fine("run", "--op", "finish_softmax", "--in", f"from_max={a}", "--in",
                  f"from_sum={b}", self.x, self.y, "--verify")
        self.close(npy.read(self.y)[0], softmax(x[:5]), 1e-4)

    def test_masked_and_causal(self):
        """Query 0 sees column 0, query 1 both; the first batch's column 0 is masked."""
        npy.write(self.x, [0.0, 1.0, 2.0, 3.0] * 2, (2, 2, 2))
        mask = self.folder / "mask.npy"
        npy.write(mask, [False, True, True, True], (2, 1, 2), "|b1")
        for nonfinite in ["default", "limit"]:
            # the first of three dimensions is the head: such a mask differs by head
            self.fine("run", "--causal", "--scale", "0.5", "--in", f"mask={mask}", self.x, self.y,
                      "--verify", "--nonfinite", nonfinite)
            y = npy.read(self.y)[0]
            if nonfinite == "default":
                self.assertTrue(math.isnan(y[0]) and math.isnan(y[1]))
            else:
                self.assertEqual(y[:2], [0, 0])
            self.assertEqual(y[2:6], [0, 1, 1, 0])
            self.close(y[6:], softmax([1, 1.5]))

    def test_bf16_gradients_may_come_as_raw_bits_or_floats(self):
        bits = [0x3E80, 0x3F40]  # 0.25, 0.75
        dy = self.folder / "dy.npy"
        npy.write(self.x, bits, (2,), "<u2")
        for values, kind in [([0x3F80, 0], "<u2"), ([1.0, 0.0], "<f4"), ([1.0, 0.0], "<f2")]:
            npy.write(dy, values, (2,), kind)
            self.fine("run", "--op", "softmax_backward", "--type", "bf16", "--out-type", "f32",
                      "--in", f"dy={dy}", self.x, self.y, "--verify")
            self.close(npy.read(self.y)[0], [0.1875, -0.1875])

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
        npy.write(self.x, [1.0, 2.0], (1, 2))
        self.fails(1, "run", "--out", f"lse={self.folder}/no/l.npy", self.x, self.y, says=["l.npy"])
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

    def test_empty_arrays_with_operands(self):
        a, b = self.folder / "a.npy", self.folder / "b.npy"
        for shape in [(2, 0, 3, 4), (2, 3, 0, 4), (2, 3, 4, 0)]:
            npy.write(self.x, [], shape)
            npy.write(a, [1] * shape[3], shape[3:], "|u1")
            self.fine("run", "--causal", "--in", f"mask={a}", "--out", f"lse={b}", self.x, self.y,
                      "--verify")
            self.assertEqual(npy.read(self.y)[:2], ([], shape))
            self.assertEqual(npy.read(b)[1], shape[:3])

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
        self.assertEqual(one["passed"], one["run"])
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
