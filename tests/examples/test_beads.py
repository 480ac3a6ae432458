"""The beads task: examples/beads/study.yaml on simulated logs, against backward induction, its six conditions one by one, and what a draw
is worth all in."""
import csv
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
sys.path.insert(0, os.path.join(SOURCE, "tests", "long"))
from beads import count_decisions, log_likelihood  # noqa: E402

STUDY = os.path.join(SOURCE, "examples", "beads", "study.yaml")
AGENT = {"price": 0.7, "look": 0.4, "alpha": 0.5}


def asif(*args, code=0):
    done = subprocess.run([ASIF, *args], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"asif {' '.join(args)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def given(values):
    return [word for name, value in values.items() for word in ("-p", f"{name}={value!r}")]


def likelihood(logs, values):
    told = json.loads(asif("check", STUDY, logs, *given(values), "--no-forecast", "--json"))
    assert told["study"]["solver"]["nodes"] == 1386, told["study"]["solver"]
    return told["log_likelihood"]


def fitted(folder, logs, text):
    """What the fit of a study says of worths all in, and its draws."""
    study, out = os.path.join(folder, "study.yaml"), os.path.join(folder, "fit")
    with open(study, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([ASIF, "fit", study, logs, "-o", out, "--no-answers", "--no-sensitivity", "-q", "--force"],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    with open(os.path.join(out, "fit.json"), encoding="utf-8") as file:
        told = json.load(file)["all_in"]
    draws = []
    for chain in glob.glob(os.path.join(out, "chain-*.csv")):
        with open(chain, encoding="utf-8") as file:
            draws += list(csv.DictReader(line for line in file if not line.startswith("#")))
    return told, draws, " ".join(done.stdout.split())


with tempfile.TemporaryDirectory() as folder:
    logs = os.path.join(folder, "beads.csv")
    asif("simulate", STUDY, *given(AGENT), "-n", "600", "--seed", "3", "-o", logs)
    with open(logs, encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    rows = [{**row, "subject": "all", "evidence": float(row["evidence"]), "cost": float(row["cost"]), "draws": int(row["draws"])} for row in table]
    counts = count_decisions(rows)["all"]
    assert len({place[:2] for place in counts}) == 6, "simulated logs have all conditions"
    for values in (AGENT, {"price": 1.5, "look": -0.3, "alpha": 0.25}):
        found, wanted = likelihood(logs, values), log_likelihood([counts], *values.values())[0]
        assert math.isclose(found, wanted, rel_tol=1e-10), (values, found, wanted)

    # one study over all conditions has the sum of their likelihoods
    total = 0
    for condition in sorted({(row["evidence"], row["cost"]) for row in table}):
        part = os.path.join(folder, "part.csv")
        with open(part, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, table[0].keys())
            writer.writeheader()
            writer.writerows(row for row in table if (row["evidence"], row["cost"]) == condition)
        total += likelihood(part, AGENT)
    assert math.isclose(total, likelihood(logs, AGENT), rel_tol=1e-12), total

    # what a draw is worth all in: an agent that draws for sure gives up alpha * log 3
    with open(STUDY, encoding="utf-8") as file:
        text = file.read()
    (told,), draws, said = fitted(folder, logs, text)
    worth = sorted(float(d["look"]) - math.log(3) * math.exp(float(d["log_alpha"])) for d in draws)
    assert (told["action"], told["parameter"]) == ("draw", "look") and math.isclose(told["cost"], math.log(3)), told
    assert math.isclose(told["mean"], sum(worth) / len(worth), rel_tol=1e-9, abs_tol=1e-9), told
    for key, share in (("q05", 0.05), ("q50", 0.5), ("q95", 0.95)):
        assert abs(told[key] - worth[round(share * (len(worth) - 1))]) < 1e-3 * (worth[-1] - worth[0]), (key, told)
    assert "All in, draw is worth" in said, said

    # half of the action prior: alpha * log 2; where the worth of a look differs by state, no one number says it
    (told,), draws, said = fitted(folder, logs, text.replace("  parameters:\n", "  action_prior: [0.5, 0.25, 0.25]\n  parameters:\n"))
    assert math.isclose(told["cost"], math.log(2)), told
    told, draws, said = fitted(folder, logs, text.replace("    draw: look\n", "    draw: {cost=0: look, any: 0.1}\n"))
    assert told == [] and "All in" not in said, told
print("beads: all as it should be")
