"""Write the cases of loo_cases.py, and our leave-one-out of them, for R.

    write_loo.py FOLDER [TABLE OURS]

FOLDER/CASE.csv has a row a draw: .chain and a column a unit. FOLDER/ours.csv has a row for each unit of each case. TABLE is a file of
log-likelihoods that `asif compare -o` wrote, OURS its pointwise.csv: they are added as one more case.
"""
import csv
import os
import sys

from loo_cases import Library, cases, np

folder, lib = sys.argv[1], Library()
FIELDS = ["elpd", "p", "k", "efficiency"]


def write(out, case, name, matrix, ours, given):
    for unit, row in enumerate(ours):
        out.writerow([case, name, unit + 1, "given" if given else "found"] + ["%.17g" % x for x in row])
    units, chains, draws = matrix.shape
    with open(os.path.join(folder, "%d.csv" % case), "w") as file:
        file.write(".chain," + ",".join("V%d" % (u + 1) for u in range(units)) + "\n")
        for c in range(chains):
            for d in range(draws):
                file.write("%d," % (c + 1) + ",".join("%.17g" % v for v in matrix[:, c, d]) + "\n")


with open(os.path.join(folder, "ours.csv"), "w", newline="") as file:
    out, case = csv.writer(file, lineterminator="\n"), 0
    out.writerow(["case", "name", "unit", "efficiency_is"] + FIELDS)
    for name, matrix in cases(np.random.default_rng(20240603)):
        for given in (1.0, np.nan):
            case += 1
            ours = [[getattr(lib.loo(v, given), f) for f in FIELDS] for v in matrix]
            write(out, case, name, matrix, ours, given == 1)
    if len(sys.argv) > 2:
        table = np.genfromtxt(sys.argv[2], delimiter=",", skip_header=1)
        chains = int(table[:, 0].max())
        matrix = table[:, 1:].T.reshape(table.shape[1] - 1, chains, -1)
        with open(sys.argv[3], newline="") as found:
            rows = [r for r in csv.DictReader(found) if r["model"] == sys.argv[4]]
        ours = [[float(r["elpd_loo"]), float(r["p_loo"]), float(r["k"]), np.nan] for r in rows]
        write(out, case + 1, "a fit by asif", matrix, ours, False)
