#!/usr/bin/env python3
"""asif people with people in groups (`optimism: ~ (1 | hospital)`): means of hospitals and how much they differ, posteriors of
further people, the summary and the page, and mistakes in formulas. What is computed is tested in sample.groups."""
import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
KNOWN = ["-p", "optimism=0", "-p", "eta=0"]
HOSPITALS = {"ash": -1.6, "birch": -0.9, "elm": -0.2, "oak": -0.9, "pine": -0.4}  # mean log alpha
EACH, EPISODES, SPREAD = 12, 12, 0.25


def run(*arguments, code=0):
    done = subprocess.run([ASIF, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, f"asif {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def make_study(folder, name, population):
    with open(DIAG, encoding="utf-8") as file:
        text = file.read()
    assert "resolution: 100" in text
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("resolution: 100", "resolution: 20") + f"\npopulation: {population}\n")
    return path


def simulate(study):
    rows, episode = [], 0
    for h, (hospital, mean) in enumerate(HOSPITALS.items()):
        for k in range(EACH):
            alpha = math.exp(mean + SPREAD * (k - (EACH - 1) / 2) / (EACH / 3.5))
            text = run("simulate", study, "-p", f"alpha={alpha}", *KNOWN, "-n", EPISODES, "--max-steps", 40, "--seed", h * EACH + k, "-q", "-o", "-").stdout
            for row in csv.DictReader(io.StringIO(text)):
                rows.append({"subject": f"{hospital}{k}", "hospital": hospital, **row, "episode": episode + int(row["episode"])})
            episode += EPISODES
    return rows


def write(folder, name, rows):
    path = os.path.join(folder, name)
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, rows[0].keys())
        out.writeheader()
        out.writerows(rows)
    return path


def test_hospitals(folder, study, rows):
    logs, out = write(folder, "logs.csv", rows), os.path.join(folder, "hospitals")
    said = run("people", study, logs, *KNOWN, "-o", out, "-q").stdout
    words = " ".join(said.split())
    assert "between_ of hospital is the standard deviation of the groups' means" in words and "mean_ is that of these groups" in words, said
    with open(os.path.join(out, "population.json")) as file:
        found = json.load(file)
    numbers = found["population"]
    overall = sum(HOSPITALS.values()) / len(HOSPITALS)
    true_sd = math.sqrt(sum((m - overall) ** 2 for m in HOSPITALS.values()) / len(HOSPITALS))
    assert numbers["between_log_alpha_hospital"]["q05"] < true_sd < numbers["between_log_alpha_hospital"]["q95"], numbers
    for hospital, mean in HOSPITALS.items():
        c = numbers[f"coef_log_alpha_hospital_{hospital}"]
        assert abs(c["mean"] - (mean - overall)) < 3 * c["sd"], (hospital, c)
    ash, elm = (numbers[f"coef_log_alpha_hospital_{name}"]["mean"] for name in ("ash", "elm"))
    assert elm - ash > 0.7, "two hospitals are told apart"
    assert all(c["group"] is True and c["share"] == 0.2 and "reference" not in c for c in found["covariates"] if "level" in c)
    with open(os.path.join(out, "chain-1.csv")) as file:
        assert "coef_log_alpha_hospital_pine,between_log_alpha_hospital\n" in file.read()
    # everybody is drawn towards the own hospital, also who comes later
    with open(os.path.join(out, "units.csv")) as file:
        fitted = {row["unit"]: float(row["log_alpha"]) for row in csv.DictReader(file)}
    later = write(folder, "later.csv", [row for row in rows if row["hospital"] in ("ash", "elm")])
    given = run("people", study, later, *KNOWN, "--given", out, "-o", "-", "-q").stdout
    for row in csv.DictReader(io.StringIO(given)):
        assert abs(float(row["log_alpha"]) - fitted[row["unit"]]) < 1e-4 * float(row["log_alpha_sd"]), row
    strange = write(folder, "strange.csv", [dict(row, hospital="yew") if row["subject"] == "ash1" else row for row in rows])
    said = run("people", study, strange, *KNOWN, "--given", out, "-q", code=2).stderr
    assert "`hospital` is `yew` for 1 of 60" in said, said
    return out


def test_page(folder, people):
    said = run("summary", people).stdout
    assert "between_log_alpha_hospital" in said or "between means of hospital" in said, said
    page = os.path.join(folder, "page.html")
    run("report", people, "-o", page, "-q")
    with open(page, encoding="utf-8") as file:
        text = re.sub(r"<[^>]*>", " ", file.read())
    assert "How much groups differ" in text and "between means of hospital" in text and "hospital ash, compared with all" in text
    run("report", people, "-o", page, "-q", "--min-cell", 13)
    with open(page, encoding="utf-8") as file:
        text = re.sub(r"<[^>]*>", " ", file.read())
    assert "hospital ash" not in text, "hospitals with fewer people than that are not shown"


def test_mistakes(folder):
    for formula, words in (("~ (1 + age | hospital)", "has a term that is not understood"), ("~ (1 | )", "lacks a column"),
                           ("~ age | hospital", "has a term that is not understood"), ("~ (1 | a | b)", "has a term that is not understood")):
        said = run("check", make_study(folder, "mistake.yaml", f"{{alpha: \"{formula}\"}}"), code=1).stdout
        assert words in said, said
    run("check", make_study(folder, "blanks.yaml", "{alpha: \"~ ( 1|hospital )+age\"}"))


with tempfile.TemporaryDirectory() as folder:
    study = make_study(folder, "study.yaml", "{alpha: \"~ (1 | hospital)\"}")
    people = test_hospitals(folder, study, simulate(study))
    test_page(folder, people)
    test_mistakes(folder)
print("groups of people have means of their own")
