"""Write the cases of draws.py as chains, and our summaries of them, for software that is not Python.

    write_chains.py FOLDER

FOLDER/CASE-CHAIN.csv are Stan CSV files; FOLDER/summary.csv has a row a column of each case.
"""
import os
import sys

from draws import FIELDS, Draws, cases, np, stan_text

folder, lib = sys.argv[1], Draws()
sizes = {}
for name, x in cases(np.random.default_rng(20210720)):
    sizes.setdefault(x.shape, []).append((name, x))
with open(os.path.join(folder, "summary.csv"), "w") as out:
    out.write("case,chains,column,name," + ",".join(FIELDS) + "\n")
    for case, ((chains, draws), columns) in enumerate(sizes.items()):
        names = ["theta.%d" % (i + 1) for i in range(len(columns))]
        values = np.stack([x for _, x in columns], 2)
        stats = np.zeros((chains, draws, 7))
        texts = [stan_text(names, values[c], stats[c], "nuts", metric=np.eye(2)) for c in range(chains)]
        for c, text in enumerate(lib.chains(texts)):
            with open(os.path.join(folder, "%d-%d.csv" % (case, c + 1)), "w") as f:
                f.write(text)
        for column, (name, x) in enumerate(columns):
            summary = lib.summary(x)
            row = [case, chains, names[column], name.split(": ")[1]] + ["%.17g" % summary[f] for f in FIELDS]
            out.write(",".join(map(str, row)) + "\n")
