#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`clsoftmax run` as a user meets it: test_run.py COMMAND SOURCE_ROOT."""
import math
import random
import stat
import struct

import npy
from case import Case, DIGITS, main, needs_device, softmax


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
        self.fails(1, "run", self.x, self.y, "--labels", self.folder / "none.npy",
                   says=["none.npy"])
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


if __name__ == "__main__":
    main()
