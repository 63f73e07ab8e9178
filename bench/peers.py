#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time other libraries on the cases of clsoftmax-limit, on the same GPU; of
clsoftmax-cpu-peers with --peer torch-cpu, which is not run unless it is named.

    clsoftmax-limit --list-json > cases.json
    python3 bench/peers.py cases.json peers.json
    clsoftmax-limit --peers peers.json --json limit.json

peers.json holds the median seconds of each peer by case; what is not there is named with
why. Inputs are rotated over more memory than any cache holds. A peer that was timed before
is timed again; those not asked for, or that do not start, keep what the file already has.
"""
import argparse
import json
import os
import pathlib
import platform
import sys

# before any import of jax: it takes three quarters of the GPU's memory otherwise
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

from peer_calls import Compiled, Cudnn, Jax, Torch, TorchCpu, Triton  # noqa: E402

PEERS = {kind.name: kind for kind in (Torch, Compiled, Triton, Jax, Cudnn, TorchCpu)}
COMPILE_COLS = "1024,4096,32768,50257,131072"


def lengths(text):
    try:
        return [int(n) for n in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f'it is "{text}", expected row lengths as {COMPILE_COLS}') from None


def options():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Peers: " + ", ".join(PEERS))
    p.add_argument("cases", help="what clsoftmax-limit --list-json printed; - for stdin")
    p.add_argument("output", type=pathlib.Path, help="JSON file to write")
    p.add_argument("--peer", action="append", metavar="NAME", choices=PEERS,
                   help="only this one; may be repeated")
    p.add_argument("--only", action="append", metavar="PART", default=[],
                   help="only groups with this in their name (all but the random lengths)")
    p.add_argument("--compile", action="store_true",
                   help="torch.compile as well, which takes seconds a shape")
    p.add_argument("--compile-cols", type=lengths, default=COMPILE_COLS, metavar="LIST",
                   help=f"the row lengths it is compiled for ({COMPILE_COLS})")
    p.add_argument("--seconds", type=float, default=0.3, metavar="S",
                   help="for each peer and case, after compiling (%(default)s)")
    return p.parse_args()


def wanted(cases, parts):
    """One of each key; several groups may have the same."""
    chosen = {}
    for case in cases:
        if any(p in case["goals"] for p in parts) if parts else case["goals"] != "random":
            chosen.setdefault(case["key"], case)
    return list(chosen.values())


def selected(name, o):
    if o.peer:
        return name in o.peer
    return name != TorchCpu.name and (name != Compiled.name or o.compile)


class Results:
    """The file's contents, written anew after each peer."""

    def __init__(self, path):
        self.path = path
        old = json.loads(path.read_text()) if path.exists() else {}
        self.peers, self.missing = old.get("peers", {}), old.get("missing", {})
        self.failed, self.cases = old.get("failed", {}), old.get("cases", {})
        self.device = old.get("device", "")

    def forget(self, name):
        for table in (self.peers, self.missing, self.failed):
            table.pop(name, None)
        for times in self.cases.values():
            times.pop(name, None)

    def write(self):
        part = self.path.with_name(self.path.name + ".part")
        whole = {"python": platform.python_version(), "device": self.device,
                 "peers": self.peers, "missing": self.missing, "failed": self.failed,
                 "cases": {key: times for key, times in self.cases.items() if times}}
        part.write_text(json.dumps(whole, indent=1) + "\n")
        part.replace(self.path)


def time_peer(peer, cases, results, seconds):
    """Each case that the peer can do; what fails is told with its error and left out."""
    timed, failed = 0, {}
    for i, case in enumerate(cases):
        if sys.stderr.isatty():
            print(f"\r\033[K{peer.name} {i + 1} of {len(cases)}: {case['key']}", end="",
                  file=sys.stderr, flush=True)
        try:
            took = peer.time(case, seconds)
        except Exception as error:  # one case too large, or not there, is no end
            failed[case["key"]] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            peer.recover()
            continue
        if took:
            results.cases.setdefault(case["key"], {})[peer.name] = took
            timed += 1
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if failed:
        results.failed[peer.name] = failed
    print(f"{peer.name} {peer.version}: {timed} of {len(cases)} cases timed"
          + (f", {len(failed)} failed, as {next(iter(failed.items()))}" if failed else ""))


def main():
    o = options()
    text = sys.stdin.read() if o.cases == "-" else pathlib.Path(o.cases).read_text()
    cases = wanted(json.loads(text), o.only)
    results = Results(o.output)
    for name, kind in PEERS.items():
        if not selected(name, o):
            continue
        try:
            peer = kind(o.compile_cols)
        except Exception as error:  # not installed, no GPU, another version: say so
            results.missing[name] = f"{type(error).__name__}: {error}".splitlines()[0]
            print(f"{name} is missing: {results.missing[name]}")
            continue
        results.forget(name)
        results.peers[name] = peer.version
        results.device = peer.device or results.device
        time_peer(peer, cases, results, o.seconds)
        peer.recover()
        results.write()
    results.write()


if __name__ == "__main__":
    main()
