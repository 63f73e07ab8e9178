#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of figures are written anew between their marks: test_figures.py SOURCE_ROOT."""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])


def result(goals, **fields):
    return {"goals": goals, "op": "softmax", "form": "plain", "type": "f32", "rows": 8,
            "cols": 64, "inner": 1, "variant": "cluster:CLUSTER=8,WG=64", "gb_per_s": 4000.4,
            "of_copy": 0.956, "seconds": 42e-6} | fields


def untimed(goals, mark, **fields):
    """As one that had no room, or failed."""
    whole = result(goals, mark=mark, **fields)
    return {k: v for k, v in whole.items() if k not in ("seconds", "gb_per_s", "of_copy")}


RESULTS = [result("aligned", rows=4096, peers={"torch": 84e-6}),
           result("family", op="log_sum_exp", type="bf16", cols=4096, of_copy=1.02),
           result("decode", rows=4, cols=32000, seconds=5e-6, peers={"torch": 15e-6}),
           result("largest", op="topk", form="k8", rows=64, cols=128, peers={"jax": 21e-6}),
           result("axis", rows=256, cols=1024, inner=64),
           untimed("aligned", "no room", type="bf16", rows=4096, peers={"torch": 84e-6}),
           untimed("family", "error", op="log_sum_exp", type="bf16", cols=1024),
           untimed("decode", "no room", type="bf16", rows=4, cols=32000),
           untimed("largest", "error", op="topk", form="k8", type="bf16", rows=64, cols=128),
           untimed("axis", "no room", type="bf16", rows=256, cols=1024, inner=64),
           untimed("pixels", "no room", rows=16, cols=2, inner=1048576)]
EXPECTED = {"lengths": "| 64 | 4000, 96%, `cluster` | - | 2.00 / - |",
            "family": "| `log_sum_exp` | bf16 | - | 102% | - | - | - |",
            "few rows": "| 4 x 32000 | 5.0, 3.00, - | - |",
            "largest": "| 8 of 64 x 128 | 42.0, -, 0.50 | - |",
            "middle axes": "| 256 x 1024 x 64 | 42.0, 96% | - |",
            "pixels": "| `softmax` | f32 | - | - | - | - |"}


def main():
    with tempfile.TemporaryDirectory() as folder:
        results, page = pathlib.Path(folder, "limit.json"), pathlib.Path(folder, "page.md")
        results.write_text(json.dumps({"results": RESULTS}))
        page.write_text("before\n" + "".join(
            f"<!-- figures: {name} -->\n| old |\n<!-- end of figures -->\nbetween\n"
            for name in EXPECTED))
        subprocess.run([sys.executable, "-B", ROOT / "bench/figures.py", results, page],
                       check=True)
        text = page.read_text()
    lines = text.split("\n")
    assert "| old |" not in lines, text
    assert lines[0] == "before" and lines.count("between") == len(EXPECTED), text
    for name, line in EXPECTED.items():
        assert line in lines, f"{name}: {text}"


main()
