"""asif compare with --logs as a user meets it: models of the same logs, tables from elsewhere, and mistakes."""
# ctest label: slow
import csv
import json
import os
import shutil
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
QUICK = ["--method", "metropolis", "--chains", "2", "--warmup", "200", "--draws", "100", "--resolution", "25", "-q"]

SEEN = """\
asif: 1
states: [low, high]
actions: [wait, act]
environment: {start: [0.5, 0.5], transitions: {wait: [[0.7, 0.3], [0.2, 0.8]], act: [[0.9, 0.1], [0.8, 0.2]]}}
agent: {discount: 0.9, utility: {act: -1, wait: {high: -3, low: 0}}, parameters: {alpha: %s}}
"""


def run(*args):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, env=environment, timeout=300)


def said(result):
    return result.stdout.decode() + result.stderr.decode()


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.logs = cls.at("logs.csv")
        done = run("simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "-n", 80, "--seed", 4, "-o", cls.logs)
        assert done.returncode == 0, said(done)
        with open(cls.logs, newline="") as file:
            cls.rows = list(csv.reader(file))
        # The same with 20 subjects of 4 episodes, and an arm that varies within a subject.
        cls.grouped = cls.at("grouped.csv")
        with open(cls.grouped, "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(cls.rows[0] + ["subject", "arm"])
            for row in cls.rows[1:]:
                n = int(row[0])
                out.writerow(row + ["s%d" % (n % 20), "ab"[n // 20 % 2]])
        cls.fit("one", cls.logs, "-p", "beta=1.25", "-p", "eta=0")
        cls.fit("two", cls.logs, "-p", "beta=-0.5", "-p", "eta=0")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def at(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def fit(cls, name, logs, *args, study=DIAG):
        done = run("fit", study, logs, "-o", cls.at(name), *QUICK, *args)
        assert done.returncode in (0, 1), said(done)
        return cls.at(name)

    def compare(self, *args):
        result = run("compare", *args)
        self.assertIn(result.returncode, (0, 1), said(result))
        return result

    def answer(self, *args):
        return json.loads(self.compare(*args, "--json").stdout)

    def bad(self, words, *args):
        result = run("compare", *args)
        self.assertEqual(result.returncode, 2, said(result))
        self.assertEqual(result.stdout, b"")
        for word in words:
            self.assertIn(word, result.stderr.decode())

    def test_two_models(self):
        a = self.answer(self.at("one"), self.at("two"), "--logs", self.logs)
        self.assertEqual((a["unit"], a["units"]), ("episode", 80))
        self.assertEqual(a["decisions"], len(self.rows) - 1)
        self.assertEqual(len(a["models"]), 2)
        best, other = a["models"]
        self.assertEqual(a["best"], best["name"])
        self.assertEqual(best["loo"]["predicts"], "best")
        self.assertLessEqual(other["loo"]["difference"], 0)
        self.assertAlmostEqual(other["loo"]["elpd_loo"] - best["loo"]["elpd_loo"], other["loo"]["difference"], 8)
        for model in a["models"]:
            k = model["loo"]["pareto_k"]
            self.assertEqual(k["below"] + k["above"] + k["constant"], 80)
            self.assertAlmostEqual(model["loo"]["looic"], -2 * model["loo"]["elpd_loo"], 9)
        text = self.compare(self.at("one"), self.at("two"), "--logs", self.logs).stdout.decode()
        for word in ("PREDICTION", "elpd", "difference", "Pareto k", "predicts new episodes best", "TRUST"):
            self.assertIn(word, text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_exit_code(self):
        """0 if the draws of all fits can be trusted, else 1."""
        with open(os.path.join(self.at("one"), "fit.json")) as file:
            trusted = json.load(file)["trust"]["good"]
        self.assertEqual(run("compare", self.at("one"), "--logs", self.logs).returncode, 0 if trusted else 1)

    def test_threads(self):
        args = [self.at("one"), self.at("two"), "--logs", self.logs, "--json"]
        self.assertEqual(self.compare(*args).stdout, self.compare(*args, "--threads", 3).stdout)

    def test_tables(self):
        """What was written competes again, and is as good as the fit that it is of; reversed and renamed as well."""
        out = self.at("tables")
        self.compare(self.at("one"), "--logs", self.logs, "-o", out)
        with open(os.path.join(out, "pointwise.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["unit"] for row in rows}, {row[0] for row in self.rows[1:]})
        reverse = self.at("reverse.csv")
        with open(reverse, "w") as file:
            file.write("unit,elpd\n" + "".join("%s,%s\n" % (r["unit"], r["elpd_loo"]) for r in reversed(rows)))
        with open(os.path.join(out, "log_lik-1.csv")) as file:
            lines = file.read().splitlines()
        stan = self.at("stan.csv")
        with open(stan, "w") as file:
            file.write("# by Stan\nlp__," + ",".join("log_lik.%d" % (i + 1) for i in range(80)) + "\n")
            file.writelines("-1,%s\n" % line.split(",", 1)[1] for line in lines[1:])
        a = self.answer(
            self.at("one"), "--logs", self.logs, "--pointwise", reverse, "--pointwise", os.path.join(out, "log_lik-1.csv"),
            "--pointwise", stan)
        models = {m["name"]: m for m in a["models"]}
        self.assertEqual(set(models), {self.at("one"), "reverse", "log_lik-1", "stan"})
        fit = models[self.at("one")]["loo"]
        for name in ("reverse", "log_lik-1"):
            self.assertEqual(models[name]["loo"]["elpd_loo"], fit["elpd_loo"])
        self.assertEqual(models["reverse"]["kind"], "pointwise")
        self.assertIsNone(models["reverse"]["loo"]["pareto_k"])
        self.assertEqual(models["log_lik-1"]["loo"]["pareto_k"], fit["pareto_k"])
        # Without chains the tail is another one.
        self.assertAlmostEqual(models["stan"]["loo"]["elpd_loo"], fit["elpd_loo"], 1)
        self.assertEqual(models["stan"]["loo"]["least_relative_efficiency"], 1)
        text = self.compare(self.at("one"), "--logs", self.logs, "--pointwise", reverse).stdout.decode()
        self.assertIn("it is not known whether", text)

    def test_units(self):
        """Subjects where there are ten; what varies within them is asked of episodes."""
        whole = self.fit("whole", self.grouped, "-p", "beta=1.25", "-p", "eta=0")
        a = self.answer(whole, "--logs", self.grouped)
        self.assertEqual((a["unit"], a["units"]), ("subject", 20))
        b = self.answer(whole, "--logs", self.grouped, "--unit", "episode")
        self.assertEqual((b["unit"], b["units"]), ("episode", 80))
        arm = self.fit("arm", self.grouped, "-p", "beta=1.25", "-p", "eta=0", "--where", "arm=a")
        c = self.answer(arm, "--logs", self.grouped, "--where", "arm=a")
        self.assertEqual((c["unit"], c["units"]), ("episode", 40))
        d = self.answer(whole, "--logs", self.grouped, "--where", "arm=a,b")
        self.assertEqual((d["unit"], d["units"]), ("episode", 80))
        self.assertEqual(d["models"][0]["loo"], b["models"][0]["loo"])
        self.bad(["not a fit of these logs", "--where"], arm, "--logs", self.grouped)
        self.bad(["no episode has arm=z"], arm, "--logs", self.grouped, "--where", "arm=z")

    def test_future(self):
        a = self.answer(self.at("one"), "--logs", self.logs, "--future", 2)
        self.assertEqual(a["future"]["given_first"], 2)
        later = sum(int(row[1]) in range(2, 2 + a["future"]["steps"]) for row in self.rows[1:])
        self.assertEqual(a["future"]["decisions"], later)
        future = a["models"][0]["future"]
        self.assertGreaterEqual(future["refits"], 1)
        self.assertLess(future["elpd_lfo"], 0)
        self.bad(["fewer than 20 are left", "--future 1"], self.at("one"), "--logs", self.logs, "--future", 50)

    def test_future_after_first_observation(self):
        """An observation before the first action is no decision: steps are those of the table. If it says nothing about the
        state, predictions are the same as without it."""
        with open(DIAG) as file:
            study = file.read()
        for p, q in ((7, 3), (6, 4), (8, 2)):
            shows = "[[0.%d, 0.%d], [0.%d, 0.%d]]" % (p, q, q, p)
            study = study.replace(shows, "{declare_healthy: [[0.5, 0.5], [0.5, 0.5]], any: %s}" % shows)
        self.assertEqual(study.count("declare_healthy: [[0.5"), 4)
        counts = [sum(int(row[1]) == step for row in self.rows[1:]) for step in range(100)]
        steps = next(i for i in range(1, 100) if counts[i] < 20) - 1
        future = {}
        for name, initial, begins in (("silent", "declare_healthy", lambda episode: True), ("none", "monitor", lambda episode: False),
                                      ("mixed", "monitor", lambda episode: episode % 2)):
            path, logs, seen = self.at(name + ".yaml"), self.at(name + ".csv"), ""
            with open(path, "w") as file:
                file.write(study.replace("observation: observation}", "observes: before, initial_observation: %s}" % initial))
            with open(logs, "w", newline="") as file:
                out = csv.writer(file)
                out.writerow(["episode", "t", "observation", "action"])
                for episode, t, action, observation in self.rows[1:]:
                    first = "negative" if begins(int(episode)) else ""
                    out.writerow([episode, t, first if t == "0" else seen, action])
                    seen = observation
            fit = self.fit(name, logs, "-p", "beta=1.25", "-p", "eta=0", study=path)
            if name == "mixed":
                self.bad(["only some episodes begin with an observation", "--future"], fit, "--logs", logs, "--future", 1)
                continue
            a = self.answer(fit, "--logs", logs, "--future", 1)
            self.assertEqual(a["future"], {"given_first": 1, "steps": steps, "decisions": sum(counts[1:1 + steps])}, name)
            future[name] = a["models"][0]["future"]["elpd_lfo"]
        self.assertAlmostEqual(future["silent"], future["none"], 6)

    def test_states_seen(self):
        """Without an order of decisions there is no future."""
        study, logs = self.at("seen.yaml"), self.at("seen.csv")
        with open(study, "w") as file:
            file.write(SEEN % "learn")
        done = run("simulate", study, "-p", "alpha=1", "-n", 30, "--max-steps", 5, "-o", logs)
        self.assertEqual(done.returncode, 0, said(done))
        fit = self.fit("seen", logs, study=study)
        a = self.answer(fit, "--logs", logs)
        self.assertEqual(a["units"], 30)
        self.bad(["where states are seen"], fit, "--logs", logs, "--future", 1)

    def test_mistakes(self):
        one = self.at("one")
        self.bad(["--pointwise needs --logs"], one, "--pointwise", "x.csv")
        self.bad(["holds no finished fit"], self.folder, "--logs", self.logs)
        self.bad(["nowhere.csv"], one, "--logs", self.at("nowhere.csv"))
        self.bad(["subject or episode"], one, "--logs", self.logs, "--unit", "names")
        self.bad(["--future"], one, "--logs", self.logs, "--future", 0)
        short = self.at("short.csv")
        with open(short, "w") as file:
            file.write("elpd\n-1\n-2\n")
        self.bad(["short.csv:2:1", "units in the table: 2; the logs have 80"], one, "--logs", self.logs, "--pointwise", short)
        with open(short, "w") as file:
            file.write("unit,elpd\n1,-1\n2,minus\n")
        self.bad(["short.csv:3:2", "`minus` is not a finite number"], one, "--logs", self.logs, "--pointwise", short)
        best = self.at("best")
        done = run("fit", DIAG, self.logs, "-o", best, "--method", "map", "-p", "beta=1.25", "-p", "eta=0", "-q")
        self.assertIn(done.returncode, (0, 1), said(done))
        self.bad(["has no draws", "--method nuts"], best, "--logs", self.logs)
        other = self.at("other.csv")
        with open(other, "w", newline="") as file:
            csv.writer(file).writerows(self.rows[:-1])
        self.bad(["not a fit of these logs"], one, "--logs", other)


if __name__ == "__main__":
    unittest.main()
