# ctest label: slow
"""asif predict as a user meets it: expected frequencies of the oracle, agents and environments that are wrong, what `fit` and
`summary` keep of it, and mistakes."""
import csv
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
ORACLE = os.environ.get("ASIF_ORACLE", "")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
GIVEN = ["-p", "beta=1.25", "-p", "eta=0"]
ACTIONS = ["declare_healthy", "declare_diseased", "monitor"]

# DIAG with a second test that is of no use: in the logs, nothing is seen after it.
WAITING = """\
asif: 1
states: [healthy, diseased]
actions: [declare_healthy, declare_diseased, monitor, wait]
observations: [negative, positive, unclear]
environment:
  start: [0.5, 0.5]
  transitions: {monitor: identity, wait: identity, any: reset}
  emissions: {monitor: [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2]], any: uniform}
  ends: [declare_healthy, declare_diseased]
agent:
  discount: 0.95
  utility:
    declare_healthy: {healthy: 10, diseased: -36}
    declare_diseased: {healthy: -36, diseased: 10}
    monitor: -1
    wait: -0.5
  parameters: {alpha: learn, beta: inf, eta: 0}
solver: {resolution: 40}
logs: {missing: not_seen}
"""


def run(*args, code=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, env=environment, timeout=300)
    if code is not None:
        assert done.returncode == code, (args, done.returncode, done.stdout.decode() + done.stderr.decode())
    return done


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, ["episode", "t", "action", "observation"])
        out.writeheader()
        out.writerows(rows)


class Predict(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.logs = os.path.join(cls.folder, "logs.csv")
        cls.fit = os.path.join(cls.folder, "fit")
        run("simulate", DIAG, "-p", "alpha=2", *GIVEN, "-n", 600, "--seed", 4, "-o", cls.logs, code=0)
        run("fit", DIAG, cls.logs, "-o", cls.fit, *GIVEN, "--method", "map", "-q", code=0)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def fit_logs(self, name, rows, *flags, method="map", code=0):
        logs, fit = os.path.join(self.folder, name + ".csv"), os.path.join(self.folder, name)
        write_rows(logs, rows)
        run("fit", DIAG, logs, "-o", fit, *GIVEN, "--method", method, "-q", *flags, code=code)
        return fit

    def json(self, fit, *flags, code=0):
        return json.loads(run("predict", fit, "--json", *flags, code=code).stdout)

    def family(self, checks, name):
        return next(f for f in checks["families"] if f["name"] == name)

    def waiting(self, name, lost):
        """A fit to logs of its own agent, in which what follows `wait` and, by chance, a share of the tests is not there."""
        at = {k: os.path.join(self.folder, name + k) for k in (".yaml", ".csv", "")}
        with open(at[".yaml"], "w", encoding="utf-8") as file:
            file.write(WAITING)
        run("simulate", at[".yaml"], "-p", "alpha=6", "-n", 400, "--seed", 8, "-o", at[".csv"], code=0)
        rows, chance = rows_of(at[".csv"]), random.Random(5)
        for row in rows:
            if row["action"] == "wait" or chance.random() < lost:
                row["observation"] = ""
        self.assertGreater(sum(row["action"] == "wait" for row in rows), 200)
        write_rows(at[".csv"], rows)
        return at, run("fit", at[".yaml"], at[".csv"], "-o", at[""], "--method", "map", code=None)

    def test_nothing_is_seen(self):
        """Simulated logs see nothing where the logs see nothing, so there are as many different histories in them."""
        at, fitted = self.waiting("waiting", 0)
        self.assertEqual((fitted.returncode, fitted.stderr), (0, b""))
        checks = self.json(at[""])
        amount = [g["cells"] for g in self.family(checks, "lengths")["groups"]][-1]
        cell = next(iter(amount.values()))
        histories = {}
        for row in rows_of(at[".csv"]):
            histories.setdefault(row["episode"], []).append((row["action"], row["observation"]))
        different = {tuple(h[:k]) for h in histories.values() for k in range(len(h))}
        self.assertEqual(cell["observed"], len(different))
        self.assertAlmostEqual(cell["predicted"], len(different), delta=.15 * len(different))
        self.assertGreater(cell["p"], .05)
        environment = self.family(checks, "environment")
        self.assertTrue(environment["judged"])
        self.assertEqual(environment["unseen"], 0)  # of what shows nothing, nothing is unknown

    def test_something_is_seen_and_lost(self):
        """The agent acted on results that are not there: a warning, and what was done is not what the fitted agent does."""
        _, fitted = self.waiting("lost", .25)
        self.assertRegex(fitted.stderr.decode(), r"`monitor` shows something, but in \d+ of \d+ rows")

    # ---- numbers ----

    @unittest.skipUnless(os.path.exists(os.path.join(ORACLE, "brc.py")), "the oracle is not here")
    def test_oracle(self):
        """Observed and expected frequencies by step and after the most frequent histories, counted from the table."""
        try:
            import numpy as np
        except ImportError:
            self.skipTest("numpy and scipy are needed")
        sys.path.insert(0, ORACLE)
        import brc
        with open(os.path.join(self.fit, "fit.json"), encoding="utf-8") as file:
            alpha = math.exp(json.load(file)["maximum"]["values"]["log_alpha"])
        plan = brc.Plan(brc.diag_problem(), 100, 1 / alpha, 0.8, 0).solve()
        beliefs, steps, after = {(): np.array([[0.5, 0.5]])}, {}, {}
        for row in rows_of(self.logs):
            if row["t"] in ("0", "1") and (not steps or row["episode"] != episode):
                history, episode, step = (), row["episode"], 0
            step += 1
            u = ACTIONS.index(row["action"])
            z = beliefs[history]
            if history not in after:
                after[history] = [plan.look(z)["pi"][0], np.zeros(3)]
            after[history][1][u] += 1
            group = steps.setdefault(step, [np.zeros(3), np.zeros(3)])
            group[0] += after[history][0]
            group[1][u] += 1
            if row["observation"] and u == 2:
                x = ["negative", "positive"].index(row["observation"])
                if history + ((u, x),) not in beliefs:
                    beliefs[history + ((u, x),)] = plan.step(z, np.array([u]), np.array([x]))
                history += ((u, x),)
        checks = self.json(self.fit, "--simulated", 0)
        compared = 0
        for group in self.family(checks, "steps")["groups"]:
            if group["later"]:
                continue
            expected, observed = steps[group["step"]]
            self.assertEqual(group["count"], observed.sum())
            for u, action in enumerate(ACTIONS):
                cell = group["cells"][action]
                self.assertAlmostEqual(cell["observed"], observed[u] / observed.sum(), 12)
                self.assertAlmostEqual(cell["predicted"], expected[u] / observed.sum(), 6)
                compared += 1
        for group in self.family(checks, "histories")["groups"]:
            key = tuple((ACTIONS.index(e["action"]), ["negative", "positive"].index(e["observation"]))
                        for e in group["history"])
            policy, observed = after[key]
            self.assertEqual(group["count"], observed.sum())
            for u, action in enumerate(ACTIONS):
                self.assertAlmostEqual(group["cells"][action]["predicted"], policy[u], 6)
                compared += 1
        self.assertGreater(compared, 30)
        with open(os.path.join(self.fit, "fit.json"), encoding="utf-8") as file:
            rare = json.load(file)["hardly_possible"]
        self.assertEqual(rare["decisions"], sum(n[p < 1e-4].sum() for p, n in after.values()))
        self.assertAlmostEqual(rare["expected"] / sum(n.sum() * p[p < 1e-4].sum() for p, n in after.values()), 1, 6)

    def test_environment(self):
        """What followed, filtered by hand: the odds of disease are 7/3 to the number of positives less negatives."""
        seen = {}
        history, last = 0, None
        for row in rows_of(self.logs):
            history = history if row["episode"] == last else 0
            last = row["episode"]
            if row["action"] != "monitor":
                continue
            diseased = (7 / 3) ** history / (1 + (7 / 3) ** history)
            p = 0.3 + 0.4 * diseased
            cell = seen.setdefault(math.floor(p * 20 + 1e-9), [0, 0, 0])
            cell[0] += 1
            cell[1] += row["observation"] == "positive"
            cell[2] += p
            history += 1 if row["observation"] == "positive" else -1
        groups = [g for g in self.family(self.json(self.fit, "--simulated", 0), "environment")["groups"]
                  if "positive" in g["cells"]]
        self.assertEqual(len(groups), len(seen))
        for group in groups:
            n, positive, p = seen[round(group["low"] * 20)]
            cell = group["cells"]["positive"]
            self.assertEqual(group["count"], n)
            self.assertAlmostEqual(cell["observed"], positive / n, 12)
            self.assertAlmostEqual(cell["predicted"], p / n, 9)

    # ---- verdicts ----

    def test_nothing_missed(self):
        done = run("predict", self.fit, "--threads", 2, code=0)
        words = re.sub(r"\s+", " ", done.stdout.decode())
        self.assertIn("The fitted agent passed every predictive check: actions by step, actions by belief", words)
        for line in done.stdout.decode().splitlines():
            self.assertLessEqual(len(line), 80, line)
        checks = self.json(self.fit)
        self.assertEqual(checks["missed"], [])
        self.assertEqual(run("predict", self.fit, "--json", "--threads", 3).stdout,
                         run("predict", self.fit, "--json").stdout)

    def test_lapses(self):
        """One decision in seven is made by a coin: no alpha does that where the belief is clear and where it is not."""
        coin = random.Random(5)
        rows, over = [], None
        for row in rows_of(self.logs):
            if row["episode"] == over:
                continue
            if row["action"] == "monitor" and coin.random() < 1 / 7:
                row = dict(row, action=ACTIONS[coin.randrange(2)], observation="")
                over = row["episode"]
            rows.append(row)
        fit = self.fit_logs("lapses", rows, "-p", "wrong=-36", code=1)
        done = run("predict", fit, code=1)
        words = re.sub(r"\s+", " ", done.stdout.decode())
        self.assertIn("MISSED", words)
        self.assertRegex(words, r"they take \w+ in [\d.]+ % of [\d,]+ decisions, the fitted agent in [\d.]+ % \(")
        checks = self.json(fit, code=1)
        self.assertFalse(self.family(checks, "environment")["missed"])
        for miss in checks["missed"]:
            self.assertLess(miss["adjusted"], 0.01)
            part = 0.05 * miss["predicted"] if miss.get("measure") in ("decisions", "histories") else 0.02
            self.assertGreaterEqual(abs(miss["observed"] - miss["predicted"]), part)
        said = re.sub(r"\s+", " ", run("summary", fit, code=1).stdout.decode())
        self.assertRegex(said, "Predictive checks found|A predictive check found")
        self.assertNotIn("passed every", said)
        kept = json.loads(run("summary", fit, "--json", code=1).stdout)["checks"]
        self.assertEqual(kept["missed"][0], checks["missed"][0])
        self.assertNotIn("groups", kept["families"][0])

    def test_other_environment(self):
        """The same agent, but its tests are worse than the study says: not the agent misses but the environment."""
        with open(DIAG, encoding="utf-8") as file:
            study = file.read()
        worse = study.replace("  emissions: [[0.7, 0.3], [0.3, 0.7]]   #", "  emissions: [[0.58, 0.42], [0.42, 0.58]]   #")
        self.assertNotEqual(study, worse)
        path, logs = os.path.join(self.folder, "worse.yaml"), os.path.join(self.folder, "worse.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(worse)
        run("simulate", path, "-p", "alpha=2", *GIVEN, "-n", 3000, "--seed", 8, "-o", logs, code=0)
        fit = os.path.join(self.folder, "worse")
        run("fit", DIAG, logs, "-o", fit, *GIVEN, "--method", "map", "-q", code=1)
        words = re.sub(r"\s+", " ", run("predict", fit, "--simulated", 0, code=1).stdout.decode())
        self.assertIn("The stated environment does not match these logs", words)
        self.assertIn("what the environment makes 55 to 60 % likely followed in", words)
        checks = self.json(fit, "--simulated", 0, code=1)
        for name in ("steps", "beliefs", "histories"):
            self.assertFalse(self.family(checks, name)["missed"], name)
        self.assertEqual({m["family"] for m in checks["missed"]}, {"environment"})

    def test_verdicts(self):
        """Always three tests, then the majority: no number of an agent that chooses when to stop is established by that,
        however narrow its interval is."""
        coin = random.Random(6)
        rows = []
        for episode in range(150):
            seen = [coin.random() < (0.7 if coin.random() < 0.5 else 0.3) for _ in range(3)]
            for t, positive in enumerate(seen):
                rows.append({"episode": episode, "t": t, "action": "monitor",
                             "observation": "positive" if positive else "negative"})
            rows.append({"episode": episode, "t": 3, "action": ACTIONS[sum(seen) > 1], "observation": ""})
        fit = self.fit_logs("three", rows, "--chains", 2, "--warmup", 200, "--draws", 700,
                            "--resolution", 30, "--no-sensitivity", "--seed", 1, method="nuts", code=1)
        kept = json.loads(run("summary", fit, "--json", code=1).stdout)
        self.assertIs(kept["trust"]["good"], True)
        self.assertIs(kept["trust"]["described"], False)
        alpha = kept["parameters"]["log_alpha"]
        self.assertGreater(alpha["contraction"], 0.9)
        self.assertEqual((alpha["identified"], alpha["doubt"]), ("weakly", "misfit"))
        said = re.sub(r"\s+", " ", run("summary", fit, code=1).stdout.decode())
        self.assertIn("not established: the model misses something in the data", said)
        self.assertRegex(said, r"NOT TO BE TRUSTED.*Predictive checks found something that the model misses")

    def by_subject(self, name, alphas, *flags, column="subject", code):
        """A fit to ten subjects of each alpha, with ten episodes each."""
        logs, fit = os.path.join(self.folder, name + ".csv"), os.path.join(self.folder, name)
        part = os.path.join(self.folder, "part.csv")
        with open(logs, "w", newline="") as file:
            out = csv.writer(file)
            out.writerow([column, "episode", "t", "action", "observation"])
            for k, alpha in enumerate(alphas):
                run("simulate", DIAG, "-p", f"alpha={alpha}", *GIVEN, "-n", 100, "--seed", 20 + k, "--resolution", 30,
                    "-o", part, code=0)
                for row in rows_of(part):
                    out.writerow([f"nurse-{k}-{int(row['episode']) % 10}", f"{k}-{row['episode']}", row["t"], row["action"],
                                  row["observation"]])
        run("fit", DIAG, logs, "-o", fit, *GIVEN, "--method", "map", "-q", "--resolution", 30, *flags, code=code)
        return fit

    def test_subjects(self):
        """Agents of two kinds, pooled: neither is what the fit says. Who they are is nowhere in the answer."""
        fit = self.by_subject("kinds", (0.25, 3), code=1)
        checks = self.json(fit, code=1)
        family = self.family(checks, "subjects")
        self.assertTrue(family["missed"])
        self.assertEqual(family["subjects"], 20)
        self.assertGreater(family["apart"], 0)
        self.assertEqual([g["number"] for g in family["groups"]], ["log_alpha", "log_likelihood", "largest"])
        words = re.sub(r"\s+", " ", run("predict", fit, code=1).stdout.decode())
        self.assertIn("The 20 subjects differ by more than one set of numbers allows", words)
        said = run("summary", fit, code=1).stdout.decode()
        self.assertIn("The subjects differ by more than one set of numbers allows", re.sub(r"\s+", " ", said))
        with open(os.path.join(fit, "fit.json"), encoding="utf-8") as file:
            kept = json.load(file)
        short = self.family(kept["checks"], "subjects")
        self.assertEqual([short[key] for key in ("p", "subjects", "apart")], [family[key] for key in ("p", "subjects", "apart")])
        self.assertIn(kept["parameters"]["log_alpha"]["doubt"], ("subjects", "misfit"))
        for name in os.listdir(fit):
            with open(os.path.join(fit, name), "rb") as file:
                self.assertNotIn(b"nurse", file.read(), name)
        self.assertNotIn("nurse", said + words)

    def test_one_kind(self):
        fit = self.by_subject("kind", (0.5, 0.5), code=0)
        family = self.family(self.json(fit), "subjects")
        self.assertTrue(family["judged"])
        self.assertEqual(family["apart"], 0)
        for group in family["groups"][:2]:  # squares over exact variances
            self.assertAlmostEqual(group["cells"]["spread"]["predicted"], 1, delta=0.06)

    def test_no_subjects(self):
        """Without a column of subjects nothing is judged of them, and it is said."""
        fit = self.by_subject("nobody", (0.5,), column="who", code=0)
        family = self.family(self.json(fit), "subjects")
        self.assertFalse(family["judged"] or family["missed"])
        words = re.sub(r"\s+", " ", run("predict", fit, code=0).stdout.decode())
        self.assertIn("BETWEEN SUBJECTS, each at the histories that they came to not checked: the logs do not have", words)

    def test_findings(self):
        """Logs that were once fitted with `yes` all over: always three tests, and two kinds of subjects."""
        findings = os.path.join(ORACLE, "..", "findings")
        if not ORACLE or not os.path.isdir(findings):
            self.skipTest("the folder of findings is not here")
        for name, missed in (("three-tests", "steps"), ("two-kinds", "subjects")):
            fit = os.path.join(self.folder, name)
            run("fit", DIAG, os.path.join(findings, name + ".csv"), "-o", fit, "--resolution", 20, "--chains", 1, "--warmup", 100,
                "--draws", 100, "--starts", 2, "--no-sensitivity", "-q", code=1)
            kept = json.loads(run("summary", fit, "--json", code=1).stdout)
            self.assertIs(kept["trust"]["described"], False)
            self.assertTrue(self.family(kept["checks"], missed)["missed"], name)
            for number in kept["parameters"].values():
                self.assertNotEqual(number["identified"], "yes")
                self.assertEqual(number["doubt"], "misfit")

    # ---- where it is kept ----

    def test_kept(self):
        with open(os.path.join(self.fit, "fit.json"), encoding="utf-8") as file:
            fit = json.load(file)
        kept = fit["checks"]
        self.assertIs(fit["trust"]["described"], True)
        self.assertIsNone(fit["parameters"]["log_alpha"]["doubt"])
        self.assertEqual([f["name"] for f in kept["families"]],
                         ["steps", "beliefs", "histories", "switches", "lengths", "environment", "subjects"])
        full = self.json(self.fit)
        for a, b in zip(kept["families"], full["families"]):
            self.assertEqual(a["p"], b["p"])
        said = re.sub(r"\s+", " ", run("summary", self.fit, code=0).stdout.decode())
        self.assertIn("The fitted agent passed every predictive check: actions by step", said)
        fit = os.path.join(self.folder, "published")
        run("fit", DIAG, self.logs, "-o", fit, *GIVEN, "--method", "published", "--warmup", 20, "--draws", 20,
            "--resolution", 30, "-q")
        with open(os.path.join(fit, "fit.json"), encoding="utf-8") as file:
            self.assertIsNone(json.load(file)["checks"])
        self.assertEqual(run("predict", fit, "--simulated", 0, "--json").returncode in (0, 1), True)

    # ---- mistakes ----

    def test_mistakes(self):
        for args, word in ((["nowhere"], "no finished fit"), ([self.fit, "--bins", 0], "--bins"), ([], "DIR")):
            done = run("predict", *args, code=2)
            self.assertEqual(done.stdout, b"")
            self.assertIn(word, done.stderr.decode())

    def test_manual(self):
        shown = run("predict", "--help", code=0).stdout.decode()
        with open(os.path.join(SOURCE, "docs", "man", "asif-predict.1"), encoding="utf-8") as file:
            items = " ".join(re.findall(r"^\.It (.*)$", file.read(), re.M))
        self.assertEqual(set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", shown, re.M)),
                         set(re.findall(r"Fl -([\w-]+)", items)))


if __name__ == "__main__":
    unittest.main()
