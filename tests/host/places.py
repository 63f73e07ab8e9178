#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the places that name a variant or an operation: places.py ROOT [COMPILER...]

A variant is one row of cl/variants.def and one cl/<name>.cl, where a parameter's default is the
row's first value; an operation is one row of CLSM_OPERATIONS, one cl/op_<name>.cl and one
<name>_op in src/reference.c, whose functions may be named as they like. Then add one of each to a
copy and see that it is enough, that a missing file stops the build, and that a name spelled
elsewhere is caught. And every file of cl/ and src/ has a row in the README there.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDERS = ("src", "cl", "include", "tools", "bench")
ENDINGS = (".c", ".h", ".cl", ".def", ".py")
TABLE = "cl/variants.def"
HEADER = "include/clsoftmax.h"
REFERENCE = "src/reference.c"
RECORDS = "src/tuned.def"  # measured choices: what a bench says of variants, not code
# what a bench times of operations, and what peers call theirs: data as well
BENCHED = ("bench/goals.def", "bench/peer_calls.py", "bench/cpu_peers/goals.def")

C_TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"((?:\\.|[^"\\])*)"', re.S)
PYTHON_TOKENS = re.compile(r'#[^\n]*|"""(?:.*?)"""|[\'"]([^\'"\n]*)[\'"]', re.S)
REFERENCE_ROW = "static const struct op softmax_op = "
REFERENCE_SOFTMIN = "static const struct op softmin_op = {clsm_ref_facts, clsm_ref_softmax};\n"
HEADER_ROW = "X(SOFTMAX, softmax, Y_ROW,"
HEADER_SOFTMIN = "X(SOFTMIN, softmin, Y_ROW, 0, CLSM_FORWARD_BITS) "
# an operation where only its three places may name it: file, and what is added to it
SPELLED = (
    ("src/choose.c", "static int is_first(clsm_op op) { return op == CLSM_SOFTMAX; }"),
    ("src/problem.c", 'static const char *const favourite = "cross_entropy_loss";'),
    ("src/build.c", 'static const char *const option = " -DLOG_SUM_EXP=1";'),
    ("tools/main.c", "static const clsm_op last = CLSM_TOPK;"),
    ("tools/shapes.c", 'static const char *const some = "softmax_backward topk";'),
    ("bench/limit.c", 'static const char *const first = "softmax";'),
    ("cl/passes.cl", "#if FINISH_SOFTMAX"),
)
problems = []


def check(good, text):
    if not good:
        problems.append(text)


class File:
    """A source as code without comments and strings, and its strings."""

    def __init__(self, path):
        tokens = PYTHON_TOKENS if path.suffix == ".py" else C_TOKENS
        text = path.read_text()
        self.strings = [m.group(1) for m in tokens.finditer(text) if m.group(1)]
        self.code = tokens.sub(" ", text)


def sources(root):
    files = (p for f in FOLDERS for p in sorted((root / f).rglob("*")))
    return {
        str(p.relative_to(root)): File(p)
        for p in files
        if p.is_file() and p.suffix in ENDINGS
    }


def places(files, in_code, in_string):
    """{file: how often the patterns are found}"""
    found = {}
    for name, file in files.items():
        n = len(re.findall(in_code, file.code))
        n += sum(bool(re.search(in_string, text)) for text in file.strings)
        if n:
            found[name] = n
    return found


def check_places(kind, name, found, expected, quiet=False):
    if not quiet:
        print(f"{kind} {name}: " + ", ".join(f"{f} {n}" for f, n in found.items()))
    for file, n in found.items():
        check(file in expected, f"{kind} '{name}' is named in {file}")
        check(n == expected.get(file, n), f"{kind} '{name}' stands {n} times in {file}")
    for file in expected:
        check(file in found, f"{kind} '{name}' is missing in {file}")


def variants(root, files):
    """Their names are everyday words: only rows, made identifiers and whole strings count."""
    names = re.findall(r"\bVARIANT\((\w+)", files[TABLE].code)
    check(names, "no variants")
    for name in names:
        made = rf"\bVARIANT\({name}\b|\b(?:source|bytes|MAPPING)_{name}\b"
        found = places(files, made, rf"^{name}(:|$)")
        found.pop(RECORDS, None)
        check_places("variant", name, found, {TABLE: 1})
        check((root / f"cl/{name}.cl").is_file(), f"no cl/{name}.cl")


def defaults(root):
    """What a mapping's file says a parameter is, read alone, is the first of the table's."""
    table = (root / TABLE).read_text()
    found = 0
    for name, row in re.findall(r"^VARIANT\((\w+)((?:.+\n)+)", table, re.M):
        text = (root / f"cl/{name}.cl").read_text()
        for parameter, first in re.findall(r"\{PARAM_(\w+), \{(\d+)", row):
            given = re.search(rf"^#define {parameter} (\d+)", text, re.M)
            found += given is not None
            check(
                not given or given.group(1) == first,
                f"{TABLE} has {parameter} {first} first, cl/{name}.cl another default",
            )
    check(found, "no defaults")


def operations(root, files, quiet=False):
    """Some names are everyday words: only constants, made identifiers, options of programs,
    whole strings and lists of several count. An operation's own kernel names it freely, and
    so do the bench's tables."""
    table = re.search(r"#define CLSM_OPERATIONS\(X\)((?:.*\\\n)*.*\n)", files[HEADER].code)
    rows = re.findall(r"X\((\w+),\s*(\w+),\s*Y_", table.group(1))
    check(rows, "no operations")
    for upper, name in rows:
        others = "|".join(other for _, other in rows if other != name) or "$^"
        listed = rf"^{name}$|-D{upper}\b|\b{name}\b.*\b({others})\b|\b({others})\b.*\b{name}\b"
        made = rf"\b(?:CLSM_|OP_)?{upper}\b|\b(?:source_op_|bytes_op_){name}\b|\b{name}_op\b"
        found = places(files, made, listed)
        for data in (f"cl/op_{name}.cl", *BENCHED):
            found.pop(data, None)
        check_places("operation", name, found, {HEADER: 1, REFERENCE: 1}, quiet)
        check((root / f"cl/op_{name}.cl").is_file(), f"no cl/op_{name}.cl")


def listed(root):
    """Each file has its row in its folder's README, and each row its file; headers may share one."""
    for folder in ("cl", "src"):
        text = (root / folder / "README.md").read_text()
        named = set(re.findall(r"`(\w[\w.]*)`", text))
        for path in sorted((root / folder).iterdir()):
            alone = path.suffix != ".h" and path.name != "README.md"
            check(not alone or path.name in named, f"{folder}/README.md has no row for {path.name}")
        for name in sorted(n for n in named if re.search(r"\.(cl|c|h|def|py)$", n)):
            check((root / folder / name).is_file(), f"{folder}/README.md has a row for {name}")


def calls(root, files):
    """The fault layer must know every OpenCL function that the library calls."""
    layer = (root / "tests/faults/layer.c").read_text()
    code = " ".join(f.code for name, f in files.items() if name.startswith("src/"))
    used = set(re.findall(r"\bcl[A-Z]\w+(?=\()", code))
    print(f"OpenCL functions called: {len(used)}")
    for name in sorted(used):
        check(re.search(rf"\b{name}\b", layer), f"tests/faults/layer.c leaves out {name}")


class Copy:
    """A copy of the sources to change, embed and compile."""

    def __init__(self, root, folder, compiler):
        self.path, self.compiler = pathlib.Path(folder), compiler
        for name in FOLDERS:
            shutil.copytree(root / name, self.path / name)

    def replace(self, file, old, new):
        path = self.path / file
        text = path.read_text()
        check(old in text, f"no {old!r} in {file}")
        path.write_text(text.replace(old, new, 1))

    def add_variant(self):
        self.replace(TABLE, "VARIANT(tree,", "VARIANT(twin, .cols = {1, 9})\n\nVARIANT(tree,")

    def add_operation(self):
        self.replace(HEADER, HEADER_ROW, HEADER_SOFTMIN + HEADER_ROW)

    def add_reference(self):
        self.replace(REFERENCE, REFERENCE_ROW, REFERENCE_SOFTMIN + REFERENCE_ROW)

    def complaints(self):
        """What `operations` says of the copy, and not of the tree it was made from."""
        before = list(problems)
        operations(self.path, sources(self.path), quiet=True)
        found = [text for text in problems[len(before):] if text not in before]
        problems[:] = before
        return found

    def builds(self):
        """The error of the first step that fails; "" if none does."""
        output = self.path / "src/kernel_sources.inc"
        embed = [sys.executable, self.path / "src/embed.py", self.path / TABLE]
        embed += [output, f"{output}.d"]
        options = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-fsyntax-only"]
        options += [f"-I{self.path / f}" for f in ("src", "cl", "include")]
        steps = [embed]
        if self.compiler:
            steps += [self.compiler + options + [f] for f in sorted(self.path.glob("src/*.c"))]
        for step in steps:
            done = subprocess.run(step, stderr=subprocess.PIPE, text=True)
            if done.returncode:
                return done.stderr or "failed without a word"
        return ""


def growing(root, compiler):
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(root, folder, compiler)
        copy.add_variant()
        error = copy.builds()
        check("'twin'" in error and "cl/twin.cl" in error, f"a variant without a file: {error!r}")
        shutil.copy(copy.path / "cl/tree.cl", copy.path / "cl/twin.cl")
        error = copy.builds()
        check(not error, f"a row and a file do not make a variant:\n{error}")
        copy.add_operation()
        shutil.copy(copy.path / "cl/op_softmax.cl", copy.path / "cl/op_softmin.cl")
        error = copy.builds()
        check("softmin_op" in error or not compiler, "an operation without a reference builds")
        copy.add_reference()
        error = copy.builds()
        check(not error, f"row, file and reference do not make an operation:\n{error}")
        check(not copy.complaints(), f"a new operation: {copy.complaints()}")
        (copy.path / "cl/op_softmin.cl").unlink()
        error = copy.builds()
        check("op_softmin" in error or not compiler, "an operation without a file builds")


def catching(root):
    """Names spelled outside their places, one file at a time."""
    for file, text in SPELLED:
        with tempfile.TemporaryDirectory() as folder:
            copy = Copy(root, folder, None)
            path = copy.path / file
            path.write_text(path.read_text() + text + "\n")
            found = [c for c in copy.complaints() if file in c]
            check(found, f"nobody minds {text!r} in {file}")


def main():
    root = pathlib.Path(sys.argv[1])
    files = sources(root)
    variants(root, files)
    defaults(root)
    operations(root, files)
    listed(root)
    calls(root, files)
    growing(root, sys.argv[2:])
    catching(root)
    for text in problems:
        print(f"wrong: {text}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
