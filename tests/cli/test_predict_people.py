"""asif predict --people: what it says was observed follows from the table, what it predicts from simulated agents; people of the population
pass, others are found out; covariates, kinds, threads and mistakes."""
import csv
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
CENTRE, SCALE = -0.7, 1.2
ACTIONS = ["declare_healthy", "declare_diseased", "monitor"]


def run(*args, code=0):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == code, f"asif {args}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def measures_of(path):
    """Of each person: shares of actions, and decisions for each episode."""
    people = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            counts, episodes = people.setdefault(row["subject"], ([0, 0, 0], set()))
            counts[ACTIONS.index(row["action"])] += 1
            episodes.add(row["episode"])
    return [[*(n / sum(counts) for n in counts), sum(counts) / len(episodes)] for counts, episodes in people.values()]


class PredictPeople(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.study, cls.logs, cls.people = cls.write("study.yaml", ""), cls.path("logs.csv"), cls.path("people")
        run("simulate", cls.study, "--people", 40, "-n", 30, "--max-steps", 60, "--seed", 3, "-q", "-o", cls.logs)
        run("people", cls.study, cls.logs, "-o", cls.people, "-q", "--threads", 2)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def write(cls, name, more):
        """A study in which people differ in alpha alone."""
        with open(DIAG, encoding="utf-8") as file:
            text = re.sub(r"beta:  learn .*", "beta: 1.25", file.read())
        for old, new in ((r"eta:   learn", "eta: 0"), (r"resolution: \d+", "resolution: 12"),
                         (r"alpha: learn .*", f"alpha: learn ~ lognormal({CENTRE}, {SCALE})")):
            assert re.search(old, text)
            text = re.sub(old, new, text)
        with open(cls.path(name), "w", encoding="utf-8") as file:
            file.write(text + more)
        return cls.path(name)

    def predict(self, *more, people=None, study=None, logs=None, code=0):
        return json.loads(run("predict", "--people", people or self.people, study or self.study, logs or self.logs, "--json", *more,
                              code=code).stdout)

    def simulate_alike(self, name, alpha, people=40, episodes=30):
        """People who are all the same agent."""
        text = run("simulate", self.study, "-p", f"alpha={alpha}", "-n", people * episodes, "--max-steps", 60, "--seed", 8, "-q", "-o", "-").stdout
        rows = list(csv.DictReader(text.splitlines()))
        with open(self.path(name), "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["subject", *rows[0]])
            for row in rows:
                out.writerow([f"p{(int(row['episode']) - 1) % people}", *row.values()])
        return self.path(name)

    def known(self, name, draw):
        """The population with the one draw (mean - centre)/scale, log(sd/scale)."""
        folder = self.path(name)
        shutil.copytree(self.people, folder)
        with open(os.path.join(folder, "table.json"), encoding="utf-8") as file:
            table = json.load(file)
        table["draws"] = [draw]
        with open(os.path.join(folder, "table.json"), "w", encoding="utf-8") as file:
            json.dump(table, file)
        return folder

    def test_own_people(self):
        told = self.predict("--threads", 2)
        self.assertEqual((told["people"], told["people_checked"], told["populations"], told["missed"]), (40, 40, 300, False))
        self.assertEqual([m.get("action") for m in told["measures"]], [*ACTIONS, None])
        for measure, values in zip(told["measures"], zip(*measures_of(self.logs))):
            self.assertAlmostEqual(measure["mean"]["observed"], statistics.fmean(values), places=10)
            self.assertAlmostEqual(measure["sd"]["observed"], statistics.stdev(values), places=10)
            for of in (measure["mean"], measure["sd"]):
                self.assertTrue(of["q05"] < of["predicted"] < of["q95"], of)
            self.assertTrue(measure["new_person"]["q05"] < measure["new_person"]["q50"] < measure["new_person"]["q95"])
        self.assertEqual(told, self.predict("--threads", 1))
        text = run("predict", "--people", self.people, self.study, self.logs).stdout
        self.assertIn("people act as the population predicts", text)
        self.assertIn("A NEW PERSON", text)

    def test_known_population(self):
        """People of a population that hardly differ are one agent, which asif simulate knows."""
        known = self.known("narrow", [0.5, -20.0])
        told = self.predict("--replicates", 200, people=known, code=1)
        many = self.simulate_alike("many.csv", math.exp(CENTRE + 0.5 * SCALE), people=600, episodes=30)
        for measure, values in zip(told["measures"], zip(*measures_of(many))):
            mean, sd = statistics.fmean(values), statistics.stdev(values)
            # 600 people there, 8,000 here, of a spread that differs by the least one
            self.assertLess(abs(measure["mean"]["predicted"] - mean), 4.5 * sd / math.sqrt(550), measure)
            self.assertLess(abs(measure["sd"]["predicted"] / sd - 1), 0.2, measure)
        self.assertLess(told["checks"]["spreads"]["p"], 0.01)  # real people differ

    def test_other_people(self):
        known = self.known("wide", [0.0, 1.0])
        alike = self.predict(people=known, logs=self.simulate_alike("alike.csv", math.exp(CENTRE)), code=1)
        self.assertLess(alike["checks"]["spreads"]["p"], 0.01)
        for measure in alike["measures"]:
            self.assertLess(measure["sd"]["observed"], measure["sd"]["predicted"])
        careless = self.predict(logs=self.simulate_alike("careless.csv", math.exp(CENTRE + 2)), code=1)
        self.assertLess(careless["checks"]["means"]["p"], 0.01)

    def test_covariates_and_kinds(self):
        groups = self.path("groups.csv")
        with open(self.logs, encoding="utf-8") as file, open(groups, "w", newline="", encoding="utf-8") as to:
            out = csv.writer(to)
            for i, row in enumerate(csv.reader(file)):
                out.writerow([*row, "site" if i == 0 else "ab"[int(row[0]) % 2]])
        for name, more in (("covariates", "population: {alpha: ~ site}\n"), ("kinds", "population: {kinds: 2}\n")):
            study, people = self.write(f"{name}.yaml", more), self.path(name)
            run("people", study, groups, "-o", people, "-q", "--threads", 2)
            told = self.predict("--replicates", 120, people=people, study=study, logs=groups)
            self.assertFalse(told["missed"])

    def test_sample_and_mistakes(self):
        many = self.path("more.csv")
        run("simulate", self.study, "--people", 130, "-n", 3, "--max-steps", 20, "--seed", 4, "-q", "-o", many)
        told = self.predict("--replicates", 5, logs=many)
        self.assertEqual((told["people"], told["people_checked"]), (130, 100))
        for words, args in (("needs a study and logs", [self.people]), ("does not go with --prior", ["--prior", self.study, self.logs]),
                            ("no use for", [self.study, self.logs, "--bins", 5])):
            self.assertIn(words, run("predict", "--people", self.people, *args, code=2).stderr)
        self.assertIn("has no population", run("predict", "--people", self.folder, self.study, self.logs, code=2).stderr)
        cut = self.path("cut.csv")
        run("simulate", self.study, "--people", 3, "-n", 10, "--max-steps", 1, "--seed", 4, "-q", "-o", cut)
        self.assertIn("do not end", run("predict", "--people", self.people, self.study, cut, code=2).stderr)


if __name__ == "__main__":
    unittest.main()
