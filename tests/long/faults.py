#!/usr/bin/env python3
"""Every request for a file of each command fails, and one request for memory from each place of the program; commands with
few requests for memory lose every one.

    tests/long/faults.py BUILD [CASE...]    BUILD: a build folder, as build/release

Tells how many requests were made to fail, and what did not hold: see tests/faults/driver.py. Takes an hour or two.
"""
import os
import sys

if len(sys.argv) < 2:
    sys.exit(__doc__)
root, build = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), os.path.abspath(sys.argv[1])
os.environ.setdefault("ASIF", os.path.join(build, "cli", "asif"))
os.environ.setdefault("ASIF_SOURCE", root)
os.environ.setdefault("ASIF_FAULTS", os.path.join(build, "tests", "libasif_faults.so"))
sys.path.insert(0, os.path.join(root, "tests", "faults"))
from driver import CASES, EIO, ENOSPC, SHORT, over_all  # noqa: E402

FEW = 1500  # requests for memory, of which every one fails


def examine(case):
    files, _ = case.count("io")
    for n in range(1, files + 1):
        case.check(kind="io", at=n, code=EIO)
        case.check(kind="io", at=n, code=ENOSPC, stays=1)
    pieces = 0  # only reads and writes count that could stop short
    while case.check(kind="io", at=pieces + 1, code=SHORT):
        pieces += 1
    memory, places = case.count("alloc")
    tried = range(1, memory + 1) if memory <= FEW else places
    for n in tried:
        case.check(kind="alloc", at=n, again=False)
    return f"{files} of {files} requests for files, {pieces} stopped short, {len(tried)} of {memory} for memory"


over_all(sys.argv[2:] or CASES, examine)
