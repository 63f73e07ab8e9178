#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A sweep becomes two small pictures: test_plot.py SOURCE_ROOT LIMIT. Skipped (77) without
matplotlib or a device."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

root, limit = pathlib.Path(sys.argv[1]), sys.argv[2]
if not importlib.util.find_spec("matplotlib"):
    print("no matplotlib")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    results, picture = pathlib.Path(folder, "sweep.json"), pathlib.Path(folder, "speed")
    done = subprocess.run([limit, "--scale", "4000", "--repeats", "3", "--only", "sweep",
                           "--json", results])
    if done.returncode:
        sys.exit(done.returncode)
    whole = json.loads(results.read_text())
    for r in whole["results"]:
        r["peers"] = {"torch": 2 * r["seconds"], "another": r["seconds"]}
    results.write_text(json.dumps(whole))
    subprocess.run([sys.executable, "-B", root / "bench/plot.py", results, picture], check=True)
    svg = picture.with_suffix(".svg").read_text()
    assert len(svg) < 150_000, len(svg)
    for part in ["clsoftmax", "copy", "torch", "another", "f32", "bf16", "row length"]:
        assert f">{part}<" in svg, part
    assert picture.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
