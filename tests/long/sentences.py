#!/usr/bin/env python3
"""Sentences of all that people read have at most 30 words: every question and page of one fit, of groups and of a population.

    tests/long/sentences.py ASIF FOLDER [--most N]

Writes what was printed into FOLDER, one file a command, and lists the sentences that are too long. With --most N it also lists
the N sentences that stand in most of these files, with numbers and names in place of those that differ. Takes about ten minutes."""
import argparse
import collections
import csv
import importlib.util
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(SOURCE, "examples")
DIAG, VISITS = os.path.join(EXAMPLES, "diag", "study.yaml"), os.path.join(EXAMPLES, "logs", "study.yaml")
TRUE = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001"]


def rules(asif):
    """tests/cli/test_sentences.py, which knows what a sentence is."""
    os.environ.update(ASIF=asif, ASIF_SOURCE=SOURCE)
    spec = importlib.util.spec_from_file_location("sentences", os.path.join(SOURCE, "tests", "cli", "test_sentences.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Corpus:
    """What commands print, by the name of a file."""

    def __init__(self, asif, folder):
        self.asif, self.folder, self.said = asif, folder, {}

    def at(self, name):
        return os.path.join(self.folder, name)

    def run(self, name, *words):
        done = subprocess.run([self.asif, *map(str, words)], capture_output=True, text=True, cwd=self.folder, check=False)
        if done.returncode not in (0, 1):
            print(f"{name}: exit code {done.returncode}: {done.stderr.strip()}", flush=True)
        self.said[name] = done.stdout + done.stderr
        with open(self.at(name + ".txt"), "w", encoding="utf-8") as file:
            file.write(self.said[name])

    def page(self, name, *words):
        self.run(name + "-report", "report", *words, "-o", name + ".html")
        if os.path.exists(self.at(name + ".html")):  # an older version may have no such page
            with open(self.at(name + ".html"), encoding="utf-8") as file:
                self.said[name + ".html"] = file.read()

    def simulate(self, study, out, *words):
        subprocess.run([self.asif, "simulate", study, "-o", self.at(out), *map(str, words), "-q"], check=True)

    def merge(self, out, parts):
        """Logs of groups or people as one table: {(group, subject): file}."""
        with open(self.at(out), "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            for index, ((group, subject), part) in enumerate(parts.items()):
                with open(self.at(part), newline="", encoding="utf-8") as one:
                    head, *body = csv.reader(one)
                if index == 0:
                    rows.writerow([*head, "site", "subject"])
                for row in body:
                    row[head.index("episode")] = f"{index}-{row[head.index('episode')]}"
                    rows.writerow([*row, group, subject])


def one_fit(corpus):
    """A fit and all questions to it; few steps, since only the words matter."""
    logs = "logs.csv"
    corpus.simulate(DIAG, logs, *TRUE, "-n", 300, "--seed", 1)
    for name, words in {"check": [DIAG, logs], "count": [logs, "--study", DIAG], "plan": [DIAG, *TRUE],
                        "fit": [DIAG, logs, "-o", "one", "--force", "--progress", "none"]}.items():
        corpus.run(name, name, *words)
    for name in ("summary", "predict", "outcomes", "explain", "compare", "sensitivity"):
        corpus.run("one-" + name, name, "one", *(["--logs", logs] if name == "compare" else ["--draws", 0] if name == "sensitivity" else []))
    corpus.page("one", "one")
    corpus.page("one-all", "one", "--min-cell", 0)
    corpus.run("identify", "identify", DIAG, *TRUE, "--draws", 100)
    corpus.run("evaluate", "evaluate", DIAG, logs, "--folds", 2, "--starts", 1)
    corpus.run("project", "project", DIAG, logs, "-o", "projection", "--force")
    known = [*TRUE[2:], "--replicates", 10, "-n", 20, "--chains", 1, "--warmup", 30, "--starts", 1, "--resolution", 20]
    corpus.run("recover", "recover", DIAG, *known)
    corpus.run("sbc", "sbc", DIAG, "--bins", 5, "--draws", 19, *known[4:])
    corpus.run("plan-gridworld", "plan", os.path.join(EXAMPLES, "gridworld", "study.yaml"), "-p", "goal=10", "-p", "mud=-1", "-p", "water=-3")
    corpus.run("check-visits", "check", VISITS, os.path.join(EXAMPLES, "logs", "visits.csv"))


def group_fits(corpus):
    for site, beta in {"north": 1.25, "south": "inf"}.items():
        corpus.simulate(DIAG, site + ".csv", "-p", "alpha=0.5", "-p", f"beta={beta}", "-p", "eta=0", "-n", 150, "--seed", 3)
    corpus.merge("sites.csv", {(site, f"{site} {k}"): site + ".csv" for k, site in enumerate(("north", "south"))})
    corpus.run("groups-fit", "fit", DIAG, "sites.csv", "--by", "site", "-o", "groups", "--force", "--progress", "none")
    for name in ("summary", "predict", "outcomes", "explain", "compare", "sensitivity"):
        corpus.run("groups-" + name, name, "groups", *(["--draws", 0] if name == "sensitivity" else []))
    corpus.page("groups", "groups")


def population(corpus):
    parts = {}
    for index, alpha in enumerate((0.2, 0.5, 1.2)):
        for k in range(8):
            name = f"part-{index}-{k}.csv"
            corpus.simulate(DIAG, name, "-p", f"alpha={alpha}", "-p", "eta=0", "-p", "beta=inf", "-n", 10, "--seed", 10 * k + index)
            parts[("north" if k % 2 else "south", f"somebody-{index}-{k}")] = name
    corpus.merge("people.csv", parts)
    corpus.run("people-fit", "people", DIAG, "people.csv", "-p", "eta=0", "--points", 512, "--force", "-o", "people", "--progress", "none")
    corpus.run("people-summary", "summary", "people")
    corpus.run("people-predict", "predict", "--people", "people", DIAG, "people.csv", "-p", "eta=0")
    corpus.page("people", "people")


def masked(sentence):
    sentence = re.sub(r"\b(?:north|south|alpha|beta|eta|optimism|choice randomness|taste for surprise)\b", "NAME", sentence)
    return re.sub(r"[<>+-]?\d[\d.,]*(?:e[+-]?\d+)?", "0", sentence)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("asif")
    parser.add_argument("folder")
    parser.add_argument("--most", type=int, default=0)
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    corpus, known = Corpus(os.path.abspath(given.asif), os.path.abspath(given.folder)), rules(os.path.abspath(given.asif))
    commands = re.findall(r"^  ([a-z-]+)  ", subprocess.run([corpus.asif, "--help"], capture_output=True, text=True, check=True).stdout, flags=re.M)
    for name in commands:
        corpus.run("help-" + name, "help", name)
    for make in (one_fit, group_fits, population):
        make(corpus)
    found, often, all_sentences = 0, collections.Counter(), 0
    for name, text in corpus.said.items():
        pieces = known.page_paragraphs(text) if name.endswith(".html") else known.paragraphs(text)
        for sentence in known.long_ones(pieces):
            found += 1
            print(f"{name}: {sentence}")
        sentences = [sentence for piece in pieces for _, sentence in known.CHECK.sentences(piece)]
        all_sentences += len(sentences)
        often.update({masked(s) for s in sentences if len(s.split()) >= 4})
    for sentence, count in often.most_common(given.most):
        print(f"{count:4} {sentence}")
    print(f"{len(corpus.said)} texts, {all_sentences} sentences: {found} are too long")
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
