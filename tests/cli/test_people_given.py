#!/usr/bin/env python3
# ctest label: slow
"""asif people --given: posteriors under a population that was fitted before are those of the fit itself, do not depend on who
else is in the logs, nor on threads, to the last byte; and refusals."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
KNOWN = ["-p", "eta=0"]
FITTED, OTHERS, EPISODES = 16, 12, 12
NARROW = 4000  # episodes of one more person, of whom so much is known that the table has hardly any points there


def run(*arguments, code=0):
    done = subprocess.run([ASIF, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, f"asif {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def make_study(folder):
    with open(DIAG, encoding="utf-8") as file:
        text = file.read()
    for old, new in (("alpha: learn ", "alpha: learn ~ lognormal(-0.7, 0.5) "), ("beta:  learn ", "optimism: learn ~ normal(0.5, 0.5) "),
                     ("resolution: 100", "resolution: 20")):
        assert old in text
        text = text.replace(old, new)
    path = os.path.join(folder, "study.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def simulate(study, people, episodes, seed):
    text = run("simulate", study, *KNOWN, "--people", people, "-n", episodes, "--max-steps", 40, "--seed", seed, "-q", "-o", "-").stdout
    return [row for row in csv.DictReader(io.StringIO(text))]


def write(folder, name, rows):
    path = os.path.join(folder, name)
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, rows[0].keys())
        out.writeheader()
        out.writerows(rows)
    return path


def given(study, logs, population, *flags):
    return run("people", study, logs, *KNOWN, "--given", population, "-o", "-", "-q", *flags).stdout


def test_same_as_the_fit(study, logs, population):
    with open(os.path.join(population, "units.csv")) as file:
        fitted = list(csv.DictReader(file))
    again = list(csv.DictReader(io.StringIO(given(study, logs, population))))
    assert len(fitted) == len(again) == FITTED and list(fitted[0]) == list(again[0])
    for a, b in zip(fitted, again):
        for name in ("log_alpha", "optimism"):
            sd = float(a[name + "_sd"])
            for column in ("", "_sd", "_q05", "_q50", "_q95"):  # the fit keeps likelihoods in single precision
                assert abs(float(a[name + column]) - float(b[name + column])) < 1e-5 * sd, (a["unit"], name + column)


def test_any_split(study, rows, folder, population):
    """All at once, in two parts, and in another order of the rows of the table."""
    people = sorted({row["subject"] for row in rows}, key=int)
    whole = given(study, write(folder, "whole.csv", rows), population)
    parts = []
    for k, some in enumerate((people[:5], people[5:])):
        mine = [row for row in rows if row["subject"] in some]
        parts.append(given(study, write(folder, f"part{k}.csv", mine), population, "--threads", k + 1).splitlines(keepends=True))
    assert "".join(parts[0] + parts[1][1:]) == whole
    assert len(whole.splitlines()) == 1 + len(people)
    assert all(line.endswith(",yes") for line in whole.splitlines()[1:]), "everybody is served, the narrow one too"
    narrow = {row["unit"]: row for row in csv.DictReader(io.StringIO(whole))}[str(OTHERS + 1)]
    assert float(narrow["log_alpha_sd"]) < 0.1, "there is somebody of whom much is known"


def test_covariates(study, folder):
    """With covariates, too, posteriors are those of the fit and do not depend on who else is there: ages are not coded anew."""
    with open(study, encoding="utf-8") as file:
        text = file.read()
    study = os.path.join(folder, "by-age.yaml")
    with open(study, "w", encoding="utf-8") as file:
        file.write(text + "\npopulation: {alpha: ~ age, optimism: ~ factor(site)}\n")
    rows = [dict(row, age=20 + 3 * int(row["subject"]), site="AB"[int(row["subject"]) % 2]) for row in simulate(study, FITTED, EPISODES, 1)]
    logs = write(folder, "ages.csv", rows)
    population = os.path.join(folder, "by-age")
    run("people", study, logs, *KNOWN, "-o", population, "-q")
    test_same_as_the_fit(study, logs, population)
    whole = given(study, logs, population).splitlines()
    for person in ("1", "7"):
        alone = given(study, write(folder, "alone.csv", [row for row in rows if row["subject"] == person]), population).splitlines()
        assert len(alone) == 2 and alone[1] in whole, (alone, whole)
    elsewhere = write(folder, "elsewhere.csv", [dict(row, site="C") if row["subject"] == "2" else row for row in rows])
    said = run("people", study, elsewhere, *KNOWN, "--given", population, "-q", code=2).stderr
    assert "`site` is `C` for 1 of 16 decision-makers" in said and "leave these people out" in said, said


def test_words(study, logs, folder, population):
    units = os.path.join(folder, "units.csv")
    done = run("people", study, logs, *KNOWN, "--given", population, "-o", units, "-q")
    assert "The population is given." in done.stdout and "POPULATION" not in done.stdout, done.stdout
    with open(units) as file:
        assert file.read() == given(study, logs, population)
    told = json.loads(run("people", study, logs, *KNOWN, "--given", population, "-q", "--json").stdout)
    assert told["units"] == told["units_served"] == FITTED and "population" not in told and "table" not in told


def test_refusals(study, logs, folder, population):
    for arguments, words in ((["-p", "eta=1"], "another study, other values"),
                             ([*KNOWN, "--resolution", "30"], "another resolution")):
        said = run("people", study, logs, *arguments, "--given", population, "-q", code=2).stderr
        assert words in said, said
    said = run("people", study, logs, *KNOWN, "--given", folder, code=2).stderr
    assert "is not the folder of a population" in said, said
    damaged = os.path.join(folder, "damaged")
    shutil.copytree(population, damaged)
    path = os.path.join(damaged, "table.json")
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace('"seed"', '"sead"'))
    said = run("people", study, logs, *KNOWN, "--given", damaged, code=2).stderr
    assert "damaged" in said, said
    os.remove(path)
    said = run("people", study, logs, *KNOWN, "--given", damaged, code=2).stderr
    assert "cannot be given for other people" in said, said


with tempfile.TemporaryDirectory() as folder:
    study = make_study(folder)
    logs = write(folder, "fitted.csv", simulate(study, FITTED, EPISODES, 1))
    population = os.path.join(folder, "population")
    run("people", study, logs, *KNOWN, "-o", population, "-q")
    others = simulate(study, OTHERS, EPISODES, 2)
    more = simulate(study, 1, NARROW, 3)
    first = max(int(row["episode"]) for row in others)
    others += [dict(row, subject=OTHERS + 1, episode=first + int(row["episode"])) for row in more]
    others = [{key: str(value) for key, value in row.items()} for row in others]
    test_same_as_the_fit(study, logs, population)
    test_any_split(study, others, folder, population)
    test_covariates(study, folder)
    test_words(study, logs, folder, population)
    test_refusals(study, logs, folder, population)
print("posteriors given a population do not depend on who else is there")
