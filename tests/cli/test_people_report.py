#!/usr/bin/env python3
"""asif summary and asif report of a population: the numbers are those of population.json, of units.csv and of the logs, computed
here; nobody is named and no single person is shown unless that is asked for; a refusal is told with its reason."""
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
NUMBERS = ("log_alpha", "optimism")


def run(*arguments, code=0):
    done = subprocess.run([ASIF, *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"asif {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def write_people(path, people, episodes):
    """Logs of people with these (log alpha, optimism, age, site); nobody has as many episodes as the next."""
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["subject", "age", "site", "episode", "t", "action", "observation"])
        first = 0
        for i, (log_alpha, optimism, age, site) in enumerate(people):
            text = run("simulate", DIAG, "-p", f"alpha={math.exp(log_alpha)}", "-p", f"optimism={optimism}", "-p", "eta=0", "-n",
                       str(episodes + i % 3), "--seed", str(i), "-q", "-o", "-").stdout
            for row in csv.DictReader(text.splitlines()):
                out.writerow([f"Person{i:02d}X", age, site, first + int(row["episode"]), row["t"], row["action"], row["observation"]])
            first += episodes + i % 3


def read(folder):
    with open(os.path.join(folder, "population.json")) as file:
        population = json.load(file)
    with open(os.path.join(folder, "units.csv"), newline="") as file:
        return population, list(csv.DictReader(file))


def count(logs):
    """How often each person took each action."""
    taken = {}
    with open(logs, newline="") as file:
        for row in csv.DictReader(file):
            own = taken.setdefault(row["subject"], {})
            own[row["action"]] = own.get(row["action"], 0) + 1
    return taken


def percent(share):
    return f"{100 * share:.1f} %"


def quantile(values, p):
    values = sorted(values)
    at = p * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def check_files(folder, logs):
    """The counts in the folder are those of the logs."""
    population, units = read(folder)
    taken = count(logs)
    actions = sorted({action for own in taken.values() for action in own})
    total = {action: sum(own.get(action, 0) for own in taken.values()) for action in actions}
    assert population["logs"]["actions"] == total and population["logs"]["decisions"] == sum(total.values()), population["logs"]
    assert population["logs"]["subjects"] == len(taken) == len(units) and population["title"] == "Diagnosis (DIAG)"
    for unit in units:
        own = taken[unit["unit"]]
        assert int(unit["decisions"]) == sum(own.values()), unit
        assert all(int(unit["took_" + action]) == own.get(action, 0) for action in actions), (unit, own)
    means = {name: [float(unit[name]) for unit in units] for name in NUMBERS}
    for name in NUMBERS:
        spread = population["units_differ"][name]
        assert math.isclose(spread["between"], statistics.pstdev(means[name]), rel_tol=1e-9), spread
        within = math.sqrt(statistics.fmean(float(unit[name + "_sd"]) ** 2 for unit in units))
        assert math.isclose(spread["within"], within, rel_tol=1e-9), spread
        assert spread["coordinate"] == name and spread["line"] == "same", spread


def check_summary(folder):
    population, units = read(folder)
    said = run("summary", folder).stdout
    actions = population["logs"]["actions"]
    for action, times in actions.items():
        shares = [int(unit["took_" + action]) / int(unit["decisions"]) for unit in units]
        words = next(line for line in said.splitlines() if line.startswith("  " + action)).split(None, 1)[1]
        told = [times / sum(actions.values()), *(quantile(shares, p) for p in (0.05, 0.5, 0.95))]
        assert words.split("  ") and "".join(words.split()) == "".join(map(percent, told)).replace(" ", ""), (words, told)
    for name in NUMBERS:
        means = [float(unit[name]) for unit in units]
        spread = population["units_differ"][name]
        share = spread["within"] ** 2 / (spread["within"] ** 2 + spread["between"] ** 2)
        words = next(line for line in said.splitlines() if line.startswith("  " + name)).split()[1:]
        told = [*(quantile(means, p) for p in (0.05, 0.5, 0.95)), spread["within"]]
        assert words == [*(f"{x:.3g}" for x in told), *percent(share).split()], (words, told, share)
    assert "Person" not in said, said


def check_refused(folder, logs):
    """A table that may not grow does not carry the population: the reason is the one in the file."""
    out = os.path.join(folder, "refused")
    printed = run("people", DIAG, logs, "-p", "eta=0", "--points", "64", "--most-points", "64", "-q", "-o", out, code=1).stdout
    with open(os.path.join(out, "population.json")) as file:
        found = json.load(file)
    assert not found["usable"] and found["refused"].startswith("The population could not be fitted: "), found
    assert found["refused"] in printed and not os.path.exists(os.path.join(out, "units.csv")), printed
    said = run("summary", out, code=1).stdout
    assert found["refused"] in said and "monitor" in said and "THE POPULATION" not in said, said
    return out


def main():
    people = [(-0.8 + 0.5 * math.sin(3 * i), 0.5 * math.cos(2 * i), 20 + i, "AB"[i % 2]) for i in range(36)]
    with tempfile.TemporaryDirectory() as folder:
        logs, out = os.path.join(folder, "logs.csv"), os.path.join(folder, "people")
        write_people(logs, people, 10)
        run("people", DIAG, logs, "-p", "eta=0", "--points", "512", "-q", "-o", out)
        check_files(out, logs)
        check_summary(out)
        check_refused(folder, logs)


if __name__ == "__main__":
    main()
