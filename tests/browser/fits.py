"""Fits that pages and figures are made from, shared by the tests: made once for a build, in ASIF_BUILD/tests/browser/fits.
They take seconds, and are too short to be believed, which is all the same to a page."""
import csv
import hashlib
import os
import shutil
import subprocess

import browser
import labels

HERE = os.path.dirname(os.path.abspath(__file__))
DIAG = os.path.join(browser.SOURCE or "", "examples", "diag", "study.yaml")


def simulate(study, logs, episodes, *given):
    browser.asif("simulate", study, "-n", episodes, "--seed", 3, "-o", logs, *given)


def fit(study, logs, out, *more):
    browser.asif("fit", study, logs, "-o", out, "--force", "-q", "--method", "metropolis", "--chains", 2, "--warmup", 50,
                 "--draws", 50, "--starts", 2, "--no-sensitivity", *more, ok=(0, 1))


def merge(logs, out, column):
    """Logs of groups as one table with a column that names the group: {name: file}."""
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for index, (name, path) in enumerate(logs.items()):
            with open(path, newline="", encoding="utf-8") as part:
                head, *rows = csv.reader(part)
            if index == 0:
                writer.writerow(head + [column])
            episode = head.index("episode")
            for row in rows:
                row[episode] = "%d-%s" % (index, row[episode])
                writer.writerow(row + [name])


def groups(folder):
    """The diagnosis task at two sites: an optimistic and a neutral agent."""
    logs = {name: os.path.join(folder, name + ".csv") for name in ("north", "south")}
    for path, beta in zip(logs.values(), ("1.25", "inf")):
        simulate(DIAG, path, 150, "-p", "alpha=0.5", "-p", "eta=0", "-p", "beta=" + beta)
    both = os.path.join(folder, "sites.csv")
    merge(logs, both, "site")
    fit(DIAG, both, os.path.join(folder, "fit"), "--by", "site", "--resolution", 20)


def three(folder):
    """Three states."""
    study, logs = os.path.join(HERE, "three.yaml"), os.path.join(folder, "logs.csv")
    simulate(study, logs, 100, "-p", "alpha=0.5", "-p", "beta=2")
    fit(study, logs, os.path.join(folder, "fit"))


def people(folder):
    """A population: 36 people of three kinds of care."""
    logs = os.path.join(folder, "people.csv")
    with open(logs, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for index, alpha in enumerate((0.2, 0.5, 1.2)):
            part = os.path.join(folder, "part.csv")
            simulate(DIAG, part, 120, "-p", "alpha=%g" % alpha, "-p", "eta=0", "-p", "beta=inf")
            with open(part, newline="", encoding="utf-8") as one:
                head, *rows = csv.reader(one)
            if index == 0:
                writer.writerow(head + ["subject"])
            at = head.index("episode")
            for row in rows:
                whose = "somebody-%d-%d" % (index, (int(row[at]) - 1) // 10)
                row[at] = "%d-%s" % (index, row[at])
                writer.writerow(row + [whose])
    browser.asif("people", DIAG, logs, "-p", "eta=0", "--points", 512, "-q", "--force", "-o", os.path.join(folder, "fit"))


def hostile(folder):
    """The diagnosis task in words that should not be trusted."""
    study, known = os.path.join(folder, "study.yaml"), os.path.join(folder, "known.yaml")
    for path, text in ((study, labels.study()), (known, labels.study("-1"))):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    logs = {name: os.path.join(folder, "logs-%d.csv" % i) for i, name in enumerate(labels.GROUPS)}
    for path, beta in zip(logs.values(), ("1.25", "inf")):
        simulate(known, path, 100, "-p", "alpha=0.5", "-p", "beta=" + beta)
    both = os.path.join(folder, "both.csv")
    merge(logs, both, labels.COLUMN)
    fit(study, both, os.path.join(folder, "fit"), "--by", labels.COLUMN)


def extras(folder):
    """What other commands print with --json. Of agents with one unknown, many are fitted soon."""
    study = os.path.join(folder, "study.yaml")
    with open(study, "w") as file:
        file.write(browser.read(DIAG).replace("beta:  learn", "beta: 1.25").replace("eta:   learn", "eta: 0"))
    at = os.path.dirname(made("groups"))
    one = os.path.join(at, "fit", "north")
    few = ["--replicates", 10, "-n", 20, "--chains", 1, "--warmup", 30, "--starts", 1, "--resolution", 20]
    os.makedirs(os.path.join(folder, "fit"))
    for args in (["sensitivity", one, "--vary", "wrong=-30:-42", "--points", 2, "--draws", 0, "--starts", 1],
                 ["evaluate", study, os.path.join(at, "north.csv"), "--folds", 2, "--starts", 1, "--resolution", 20],
                 ["recover", study, "--draws", 30, *few],
                 ["sbc", study, "--bins", 5, "--draws", 19, *few]):
        with open(os.path.join(folder, "fit", args[0] + ".json"), "wb") as file:
            file.write(browser.asif(*args, "--json", ok=(0, 1)))


MAKERS = {"people": people, "groups": groups, "three": three, "hostile": hostile, "extras": extras}


def digest():
    """Of the command, the library it runs with, and what says how fits are made."""
    linked = subprocess.run(["ldd", browser.ASIF], capture_output=True, text=True).stdout.split()
    paths = [browser.ASIF, DIAG, *sorted(p for p in linked if "libasif" in p and os.path.isabs(p))]
    paths += sorted(os.path.join(HERE, name) for name in os.listdir(HERE) if name.endswith((".yaml", "fits.py", "labels.py")))
    sum = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            sum.update(file.read())
    return sum.hexdigest()


def made(name):
    """The folder of a fit."""
    folder = browser.folder("fits", name)
    stamp = os.path.join(folder, "made-from")
    with browser.locked(folder + ".lock"):
        if not os.path.exists(stamp) or browser.read(stamp) != digest():
            shutil.rmtree(folder)
            os.makedirs(folder)
            MAKERS[name](folder)
            with open(stamp, "w") as file:
                file.write(digest())
    return os.path.join(folder, "fit")


def with_extras():
    """Arguments of a report on one fit that has everything to show."""
    folder = made("extras")
    return ["--min-cell", "0"] + [word for name in sorted(os.listdir(folder)) for word in ("--with", os.path.join(folder, name))]
