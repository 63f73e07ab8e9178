#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `clsoftmax` refuses, with which exit status and message: test_usage.py COMMAND SOURCE_ROOT."""
import math
import subprocess

import npy
from case import COMMAND, Case, main, run


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
        for shapes in ("12", "-4x5", "4x-5", "4x+5", " 4x5", "0x5", "18446744073709551617x5"):
            self.fails(2, "bench", "--shapes", shapes, says=["ROWSxCOLS"])
        self.fails(2, "bench", "--shapes", ",".join(["4x5"] * 65), says=["at most 64 shapes"])
        self.fails(2, "bench", "--mib", "-3", says=["-3"])
        self.fails(2, "bench", "--random", "3", says=["--help"])
        self.fails(2, "bench", "--form", "in_place", says=["in_place", "--help"])
        for option, value in [("random", "0"), ("random", "many"), ("seed", "-1"),
                              ("seconds", "0"), ("jobs", "65"), ("within", "0.5"),
                              ("within", "x"), ("repeats", "2")]:
            self.fails(2, "compare", f"--{option}", value, says=[f"--{option}", f'"{value}"'])
        self.fails(2, "compare", "--random", "3", "--op", "topk", says=["does not go with"])
        for option in (["--random", "3"], ["--op", "topk"], ["--mib", "3"]):
            self.fails(2, "compare", "--problems", "p.json", *option, says=["does not go with"])
        for share in ("0/3", "4/3", "1", "1/2x"):
            self.fails(2, "compare", "--random", "3", "--build", share, says=[share, "I/N"])
        for option, value in [("seed", 1), ("within", 2), ("seconds", 9), ("jobs", 2)]:
            self.fails(2, "compare", "--shapes", "4x4", f"--{option}", value,
                       says=[f"--{option}", "need --random or --problems"])
        self.fails(2, "compare", "--build", "1/2", says=["needs --random or --problems"])
        self.fails(2, "compare", "--random", "3", "--build", "1/2", "--json", "x",
                   says=["does not go with --json"])
        self.fails(2, "verify", "--variant", "nothing", says=["nothing"])
        self.fails(2, "verify", "--type", "f8", says=["f8"])
        self.fails(2, "devices", "--unknown")
        for command in ("devices", "verify", "bench", "compare"):
            self.fails(2, command, "extra", says=[f'{command} takes no argument "extra"'])

    def test_a_standard_output_that_is_full_is_status_1(self):
        for arguments in (["--help"], ["run", "--help"], ["devices"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("standard output", done.stderr)

    def test_options_that_do_not_go_together_are_status_2(self):
        loss, targets = ["run", "--op", "cross_entropy"], ["--in", "targets=t.npy"]
        rows = [
            (loss + [self.x, self.y], ["cross_entropy needs --in targets="]),
            (loss + targets + ["--scale", "2", self.x, self.y], ["--scale does not go with"]),
            (loss + targets + ["--causal", self.x, self.y], ["--causal does not go with"]),
            (["run", "--k", "3", self.x, self.y], ["--k does not go with softmax"]),
            (["bench", "--k", "3"], ["--k does not go with softmax"]),
            (["compare", "--k", "3", "--op", "statistics"], ["--k does not go with statistics"]),
            (["run", "--causal-offset", "2", self.x, self.y],
             ["--causal-offset needs --causal, --window or --in slopes="]),
            (["run", "--op", "statistics", "--out", "max=m.npy", "--out-type", "f16", self.x],
             ["--out-type does not go with statistics"]),
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
            (["run", "--out", f"lse={self.y}", self.x, self.y], ["OUT.npy and lse", "y.npy"]),
            (["run", "--out", f"lse={self.folder}/./y.npy", self.x, self.y], ["OUT.npy and lse"]),
            (["run", "--out", f"lse={self.x}", self.x, self.y], ["lse is to be written over IN.npy"]),
            (["run", "--in", f"mask={self.y}", self.x, self.y], ["OUT.npy is to be written over mask"]),
            (["run", "--labels", self.y, self.x, self.y], ["OUT.npy is to be written over the labels"]),
            (["bench", "--shapes", "4x4", "--mib", "7"], ["--mib", "--shapes"]),
            (["run", "-", self.y], ['IN.npy is "-"', "from files"]),
            (["run", self.x, "-"], ['OUT.npy is "-"', "to files"]),
            (["run", "--op", "statistics", self.x], ["no OUT.npy", "--out max="]),
            (["run", "--op", "statistics", self.x, self.y], ["IN.npy alone"]),
            (["run", "--op", "log_sum_exp", "--labels", "l", self.x, self.y], ["--labels"]),
            (loss + targets + ["--labels", "l", self.x, self.y], ["--labels", "cross_entropy"]),
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

    def test_no_device_is_status_77_and_a_wrong_wish_2(self):
        npy.write(self.x, [1.0, 2.0], (1, 2))
        self.fails(77, "run", "--device", "no such device", self.x, self.y,
                   says=["no such device"])
        self.fails(77, "run", self.x, self.y, CLSM_DEVICE="99999", says=["CLSM_DEVICE"])
        self.fails(2, "run", self.x, self.y, CLSM_SUBGROUPS="On", says=["expected off"])
        nowhere = str(self.folder)
        done = run("devices", OCL_ICD_VENDORS=nowhere, OPENCL_VENDOR_PATH=nowhere)
        if "platform" not in done.stdout:  # some loaders look elsewhere all the same
            self.assertEqual(done.returncode, 77, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
