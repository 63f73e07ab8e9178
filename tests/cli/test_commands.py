#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`devices`, `verify`, `bench` and `compare` as a user meets them: test_commands.py COMMAND SOURCE_ROOT."""
import json

from case import Case, main, needs_device


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
    main()
