#!/usr/bin/env python3
"""asif people: two kinds of simulated people are told apart, files are what the reference says, the same bytes for
any number of threads, and refusals."""
import csv
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
KNOWN = ["-p", "beta=inf", "-p", "eta=0"]
KINDS = {"a": 0.15, "b": 1.5}
EACH, EPISODES = 6, 40


def run(*arguments, code=0):
    done = subprocess.run([ASIF, *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"asif {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def write_logs(path):
    episode = 0
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["subject", "episode", "t", "action", "observation"])
        for kind, alpha in KINDS.items():
            for person in range(EACH):
                text = run("simulate", DIAG, "-p", f"alpha={alpha}", *KNOWN, "-n", str(EPISODES), "--seed",
                           str(person + 100 * (kind == "b")), "-q", "-o", "-").stdout
                for row in csv.DictReader(text.splitlines()):
                    out.writerow([f"{kind}{person}", episode + int(row["episode"]), row["t"], row["action"],
                                  row["observation"]])
                episode += EPISODES


def check_lapse(folder):
    """One person has a miscoded row: after 12 tests and a belief that is nearly certain, the other diagnosis. With a lapse this
    says nothing about the person's alpha; without, the person looks careless."""
    logs, study = os.path.join(folder, "lapse.csv"), os.path.join(folder, "lapse.yaml")
    truth = [-1.6 + 0.5 * math.sin(1 + 2 * i) for i in range(10)]
    with open(DIAG) as file:
        text = file.read()
    with open(study, "w") as file:
        assert "    eta:   learn\n" in text
        file.write(text.replace("    eta:   learn\n", "    eta:   learn\n    lapse: learn\n"))
    rows = []
    for i, log_alpha in enumerate(truth):
        text = run("simulate", DIAG, "-p", f"alpha={math.exp(log_alpha)}", *KNOWN, "-n", "30", "--seed", str(i), "-q", "-o",
                   "-").stdout
        rows += [[f"p{i}", 30 * i + int(row["episode"]), int(row["t"]), row["action"], row["observation"]]
                 for row in csv.DictReader(text.splitlines())]
    other = {"declare_healthy": "declare_diseased", "declare_diseased": "declare_healthy"}
    last = max((row for row in rows if row[0] == "p0" and row[3] in other), key=lambda row: row[2])
    last[3] = other[last[3]]
    with open(logs, "w", newline="") as file:
        csv.writer(file).writerows([["subject", "episode", "t", "action", "observation"], *rows])
    found = {}
    for name, more in (("without", ["-p", "lapse=0"]), ("with", [])):
        out = os.path.join(folder, name + "-lapse")
        run("people", study, logs, *KNOWN, *more, "--points", "512", "-q", "-o", out)
        with open(os.path.join(out, "units.csv"), newline="") as file:
            units = list(csv.DictReader(file))
        with open(os.path.join(out, "population.json")) as file:
            found[name] = units, json.load(file)["population"]
    units, population = found["without"]
    assert float(units[0]["log_alpha"]) - truth[0] > 1.5 and float(units[0]["log_alpha_q05"]) > truth[0] + 1, units[0]
    units, population = found["with"]
    for unit, log_alpha in zip(units, truth):
        assert abs(float(unit["log_alpha"]) - log_alpha) < 3 * float(unit["log_alpha_sd"]), (unit, log_alpha)
        assert unit["served"] == "yes" and 0 < float(unit["lapse_q05"]) < float(unit["lapse_q95"]) < 0.1, unit
    assert float(units[0]["log_alpha_q05"]) < truth[0] < float(units[0]["log_alpha_q95"]), units[0]
    lapses = [float(unit["lapse"]) for unit in units]
    assert lapses[0] == max(lapses), lapses
    assert {"mean_logit_lapse", "sd_logit_lapse", "cor_log_alpha_logit_lapse"} < set(population), population
    mean = sum(truth) / len(truth)
    assert population["mean_log_alpha"]["q05"] - 0.2 < mean < population["mean_log_alpha"]["q95"] + 0.2, population
    # whom to look at: nobody is named unless asked for
    without = os.path.join(folder, "without-lapse")
    said, named = run("summary", without).stdout, run("summary", without, "--identify").stdout
    assert "1 of 10 people is unlike the others" in said and "p0" not in said, said
    assert "  p0: log_alpha" in named and "p1" not in named, named
    for heading in ("HOW THEY DIFFER", "THE POPULATION, AS IF", "mean_log_alpha"):
        assert heading in said, said
    with open(os.path.join(without, "population.json")) as file:
        assert run("summary", without, "--json").stdout == file.read()
    # questions about one agent have no answer here, and say so
    for question in (["outcomes"], ["predict"], ["sensitivity"], ["compare"]):
        told = run(question[0], without, *question[1:], code=2).stderr
        assert "holds a population of `asif people`, not the fit of one agent" in told, (question, told)


def check_kinds(folder, logs):
    """Two kinds are found where there are two, everybody is of one of them, and nobody is the pooled agent."""
    study, out = os.path.join(folder, "kinds.yaml"), os.path.join(folder, "kinds")
    with open(DIAG) as file, open(study, "w") as to:
        to.write(file.read() + "\npopulation: {kinds: 3}\n")
    said = run("people", study, logs, *KNOWN, "--points", "512", "-q", "-o", out).stdout
    assert "2 kinds describe these people best" in said, said
    with open(os.path.join(out, "population.json")) as file:
        found = json.load(file)
    compared, population = found["kinds_compared"], found["population"]
    assert [number["kinds"] for number in compared] == [1, 2, 3] and found["kinds"] == 2, compared
    for number in compared: # by the definition of BIC; a kind more has a mean and a share more
        assert number["numbers"] == 2 * number["kinds"], number
        assert abs(number["bic"] - (number["numbers"] * math.log(12) - 2 * number["log_likelihood"])) < 1e-6, number
    assert min(compared, key=lambda number: number["bic"])["kinds"] == 2, compared
    for kind, alpha in enumerate(sorted(KINDS.values()), 1):
        mean = population[f"mean_log_alpha_kind_{kind}"]
        assert abs(mean["mean"] - math.log(alpha)) < 4 * mean["sd"] and mean["sd"] < 0.3, (alpha, mean)
    share = population["share_kind_2"]
    assert share["q05"] < 0.5 < share["q95"] and 0 < share["q05"] and share["q95"] < 1, share
    with open(os.path.join(out, "units.csv"), newline="") as file:
        for unit in csv.DictReader(file):
            own = 1 + sorted(KINDS).index(unit["unit"][0])
            assert float(unit[f"kind_{own}"]) > 0.9, unit
            assert abs(float(unit["kind_1"]) + float(unit["kind_2"]) - 1) < 1e-6 and "kind_3" not in unit, unit
            assert abs(float(unit["log_alpha"]) - math.log(KINDS[unit["unit"][0]])) < 0.6, unit
    assert "2 kinds describe these people best" in run("summary", out).stdout
    # mistakes
    for text, told in (("{kinds: 5}", "is a number from 1 to 4, and `5` is not"), ("{kinds: two}", "`two` is not"),
                       ("{kinds: 2, alpha: ~ age}", "several kinds cannot depend on covariates yet")):
        with open(DIAG) as file, open(study, "w") as to:
            to.write(file.read() + f"\npopulation: {text}\n")
        aged = os.path.join(folder, "kinds-aged.csv")
        with open(logs) as file, open(aged, "w") as to:
            for i, line in enumerate(file):
                to.write(line.rstrip("\n") + (",age" if i == 0 else f",{ord(line[0]) + int(line[1])}") + "\n")
        said = run("people", study, aged, *KNOWN, "-q", code=2).stderr
        assert told in said, said


def check_covariates(folder):
    """log alpha = -0.6 + 0.5 (age - 40) / 10 at site 1, 0.7 more at site 2; sites are numbers and taken as labels."""
    logs, study, out = (os.path.join(folder, name) for name in ("aged.csv", "aged.yaml", "aged"))
    people = [(20 + 40 * (i * 7 % 24) / 23, 1 + i % 2) for i in range(24)]
    with open(DIAG) as file, open(study, "w") as to:
        to.write(file.read() + "\npopulation: {alpha: ~ age + factor( site )}\n")
    rows = []
    for i, (age, site) in enumerate(people):
        alpha = math.exp(-0.6 + 0.5 * (age - 40) / 10 + 0.7 * (site == 2))
        text = run("simulate", DIAG, "-p", f"alpha={alpha}", *KNOWN, "-n", "30", "--seed", str(i), "-q", "-o", "-").stdout
        rows += [[f"p{i}", f"{age:.6f}", site, 30 * i + int(row["episode"]), row["t"], row["action"], row["observation"]]
                 for row in csv.DictReader(text.splitlines())]

    def write(rows):
        with open(logs, "w", newline="") as file:
            csv.writer(file).writerows([["subject", "age", "site", "episode", "t", "action", "observation"], *rows])

    fit = ["people", study, logs, *KNOWN, "--points", "512", "-q"]
    write(rows)
    said = run(*fit, "-o", out).stdout
    assert "difference from site 1" in said and "one standard deviation of age" in said, said
    with open(os.path.join(out, "population.json")) as file:
        found = json.load(file)
    ages = [age for age, _ in people]
    mean = sum(ages) / len(ages)
    sd = math.sqrt(sum((age - mean) ** 2 for age in ages) / len(ages))
    for name, truth in (("coef_log_alpha_age", 0.05 * sd), ("coef_log_alpha_site_2", 0.7),
                        ("mean_log_alpha", -0.6 + 0.05 * (mean - 40) + 0.35)):
        number = found["population"][name]
        assert abs(number["mean"] - truth) < 3 * number["sd"] and number["sd"] < 0.3, (name, number, truth)
    assert found["population"]["coef_log_alpha_age"]["q05"] > 0
    by_age, by_site = found["covariates"]
    assert by_age["coefficient"] == "coef_log_alpha_age" and by_age["column"] == "age", by_age
    assert abs(by_age["mean"] - mean) < 1e-5 and abs(by_age["sd"] - sd) < 1e-5, by_age
    assert by_site == {"coefficient": "coef_log_alpha_site_2", "column": "site", "level": "2", "reference": "1", "share": 0.5}
    with open(os.path.join(out, "chain-1.csv")) as file:
        assert "sd_log_alpha,coef_log_alpha_age,coef_log_alpha_site_2\n" in file.read()
    # other covariates are another result
    write([[*row[:2], 3 - row[2] if row[0] == "p3" else row[2], *row[3:]] for row in rows])
    assert "--force" in run(*fit, "-o", out, code=2).stderr
    # a column that changes within a person, one that is missing, and one that is not there
    changed = [list(row) for row in rows]
    changed[1][1] = "50"
    write(changed)
    told = run(*fit, code=2).stderr
    assert "row 2" in told and "`age` changes from" in told, told
    write([[row[0], "" if row[0] == "p3" else row[1], *row[2:]] for row in rows])
    assert "`age` is missing for 1 of 24" in run(*fit, code=2).stderr
    write([row[:1] + ["7"] + row[2:] for row in rows])
    assert "`age` is the same for all" in run(*fit, code=2).stderr
    assert "`alpha` depends on covariates, but is not estimated" in run(
        *fit[:3], "-p", "alpha=1", "-p", "beta=inf", "-q", code=2).stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        logs, out = os.path.join(folder, "logs.csv"), os.path.join(folder, "out")
        write_logs(logs)
        fit = ["people", DIAG, logs, *KNOWN, "--points", "512", "-q"]
        said = run(*fit, "-o", out).stdout
        assert "12 people" in said and "mean_log_alpha" in said and "12 of 12 posteriors" in said, said
        with open(os.path.join(out, "population.json")) as file:
            population = json.load(file)
        with open(os.path.join(out, "units.csv"), newline="") as file:
            units = list(csv.DictReader(file))
        assert [u["unit"] for u in units] == [f"{kind}{i}" for kind in KINDS for i in range(EACH)]
        # everybody is of his kind, and nobody is the pooled agent between
        for unit in units:
            truth = math.log(KINDS[unit["unit"][0]])
            off = (float(unit["log_alpha"]) - truth) / float(unit["log_alpha_sd"])
            assert abs(off) < 4, (unit, truth)
            assert abs(float(unit["log_alpha"]) - truth) < 1, (unit, truth)
            assert float(unit["log_alpha_q05"]) < float(unit["log_alpha_q50"]) < float(unit["log_alpha_q95"])
            assert unit["served"] == "yes"
        assert population["usable"] and population["units"] == 12 and population["units_served"] == 12
        mean, sd = population["population"]["mean_log_alpha"], population["population"]["sd_log_alpha"]
        logs_of = [math.log(a) for a in KINDS.values()]
        assert mean["q05"] < sum(logs_of) / 2 < mean["q95"], mean
        assert sd["q05"] < abs(logs_of[0] - logs_of[1]) / 2 < sd["q95"], sd
        assert sd["table_error"] < 0.5 * sd["sd"]
        with open(os.path.join(out, "chain-1.csv")) as file:
            header = next(line for line in file if not line.startswith("#"))
        assert header.strip().endswith("mean_log_alpha,sd_log_alpha"), header
        assert 0 <= population["table"]["left_out"] <= 10, population["table"]
        # no narrower than a twentieth of the prior's standard deviation of log alpha, 1.5
        assert sd["q05"] > 0.05 * 1.5 - sd["table_error"], sd
        # the same bytes with two and three threads
        for threads in ("2", "3"):
            other = os.path.join(folder, "threads" + threads)
            run(*fit, "-o", other, "--threads", threads)
            assert sorted(os.listdir(out)) == sorted(os.listdir(other))
            for name in sorted(set(os.listdir(out)) - {"run.json", "manifest.json"}):  # these have times
                with open(os.path.join(out, name), "rb") as a, open(os.path.join(other, name), "rb") as b:
                    assert a.read() == b.read(), name
        # what made it: the study itself, and digests of what was read
        with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
            made = json.load(file)
        with open(os.path.join(out, "study.yaml"), "rb") as a, open(DIAG, "rb") as b:
            assert a.read() == b.read()
        for what, path in (("study", DIAG), ("logs", logs)):
            with open(path, "rb") as file:
                assert made[what] == {"file": path, "sha256": hashlib.sha256(file.read()).hexdigest()}, made
        assert made["command"][1:] == [*fit, "-o", out] and made["seconds"] > 0 and "seconds_search" not in made, made
        assert json.loads(run(*fit, "--json").stdout) == population
        # a table that may not grow is refused, in words; so is one that must be smaller than its first round
        coarse = run("people", DIAG, logs, *KNOWN, "--points", "512", "--most-points", "64", "-q", code=1).stdout
        assert "could not be fitted" in coarse and "--points" in coarse, coarse
        refused = os.path.join(folder, "refused")
        run("people", DIAG, logs, *KNOWN, "--points", "512", "--most-points", "64", "-q", "-o", refused, code=1)
        assert "could not be fitted" in run("summary", refused, code=1).stdout
        # a result is replaced only on request, and a file of the user's never
        before = {name: open(os.path.join(out, name), "rb").read() for name in sorted(os.listdir(out)) if name[0] != "."}
        assert "holds this result already" in run(*fit, "-o", out, code=2).stderr
        assert "--force" in run(*fit, "--seed", "9", "-o", out, code=2).stderr
        assert before == {name: open(os.path.join(out, name), "rb").read() for name in before}
        run(*fit, "-o", out, "--force")
        for name in set(before) - {"run.json", "manifest.json"}:
            with open(os.path.join(out, name), "rb") as file:
                assert before[name] == file.read(), name
        desk = os.path.join(folder, "desk")
        for name in ("units.csv", "population.json", "chain-2.csv", "study.yaml", "run.json"):
            os.mkdir(desk)
            with open(os.path.join(desk, name), "w") as file:
                file.write("mine")
            for force in ([], ["--force"]):
                run(*fit, "-o", desk, *force, code=2)
            with open(os.path.join(desk, name)) as file:
                assert file.read() == "mine"
            assert os.listdir(desk) == [name]
            os.remove(os.path.join(desk, name))
            os.rmdir(desk)
        check_kinds(folder, logs)
        check_lapse(folder)
        check_covariates(folder)
        # logs without people, and a study with nothing to learn
        alone = os.path.join(folder, "alone.csv")
        run("simulate", DIAG, "-p", "alpha=1", *KNOWN, "-n", "5", "-q", "-o", alone)
        assert "subject" in run("people", DIAG, alone, *KNOWN, "-q", code=2).stderr
        assert "nothing is to be estimated" in run("people", DIAG, logs, "-p", "alpha=1", *KNOWN, code=2).stderr
    print("people: all as it should be")


main()
