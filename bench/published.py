#!/usr/bin/env python3
"""A solve of DIAG by asif against the published algorithm (the oracle's NumPy port of it), on the same machine in one run.

    bench/published.py build/release/bench/engine [ORACLE_FOLDER]

Both are measured in turns; the smallest time of each counts.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

if len(sys.argv) < 2:
    sys.exit(__doc__)
engine = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))
oracle = sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "..", "..", "shared", "oracle")
sys.path.insert(0, oracle)
try:
    import brc
except ImportError as problem:
    print(f"skipped: the oracle or NumPy is not here ({problem})")
    sys.exit(77)

published, ours = [], []
problem = brc.diag_problem()
for _ in range(5):
    for _ in range(3):
        begun = time.perf_counter()
        brc.Published(problem, 0.5, 1.25, 1e-3)
        published.append(time.perf_counter() - begun)
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([engine, "--quick", "--json", out.name], check=True, stdout=subprocess.DEVNULL)
        with open(out.name) as f:
            ours.append(json.load(f))
solve = 1e-6 * min(run["warm solve, median"] for run in ours)
print(f"published algorithm, NumPy float32, 100 sweeps   {1e3 * min(published):9.3f} ms a solve")
print(f"asif, warm, residual 1e-10, median of six agents {1e3 * solve:9.4f} ms a solve")
print(f"asif is faster by a factor of                    {min(published) / solve:9.0f} (at least 200)")
