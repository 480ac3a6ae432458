"""What the summary says is not more than the logs and the assumptions give: numbers that depend on a bound that was assumed, limits
to one side, standard errors of subjects.

ctest label: slow
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
FINDINGS = os.path.join(os.environ.get("ASIF_ORACLE", ""), "..", "findings")


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True)


class Words(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="asif-test-")
        self.addCleanup(self.folder.cleanup)

    def file(self, name):
        return os.path.join(self.folder.name, name)

    def simulate(self, n, *given, seed=3):
        logs = self.file("logs.csv")
        done = run("simulate", DIAG, *[x for g in given for x in ("-p", g)], "-n", n, "--seed", seed, "-o", logs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return logs

    def fit(self, logs, *args):
        done = run("fit", DIAG, logs, "-o", self.file("fit"), *args)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with open(self.file("fit/fit.json"), encoding="utf-8") as file:
            return json.load(file), re.sub(r"\s+", " ", done.stdout), done.returncode

    def test_wrong_alpha(self):
        """The truth is alpha .7, optimism .5 and eta 5; alpha is assumed to be .5."""
        logs = self.simulate(1000, "alpha=0.7", "optimism=0.5", "eta=5")
        fit, text, _ = self.fit(logs, "-p", "alpha=0.5", "--chains", 2, "--warmup", 200, "--draws", 200, "--resolution", 50)
        alpha = next(v for v in fit["sensitivity"]["variations"] if v["name"] == "alpha")
        self.assertEqual([round(p["value"], 4) for p in alpha["points"]], [0.25, 0.3536, 0.5, 0.7071, 1])
        near = alpha["points"][3]  # .71: what they are like, and the logs prefer it
        self.assertLess(near["nats"], 0)
        self.assertAlmostEqual(near["numbers"]["optimism"]["maximum"], 0.5, delta=0.25)
        self.assertGreater(near["numbers"]["eta"]["maximum"], 0)
        for name, word in ("optimism", "optimism"), ("eta", "surprise"):
            number, statement = fit["parameters"][name], fit["sensitivity"]["statements"][name]
            self.assertGreater(number["contraction"], 0.9)
            self.assertFalse(number["q05"] < {"optimism": 0.5, "eta": 5}[name] < number["q95"])
            self.assertNotEqual(number["identified"], "yes")
            self.assertTrue(statement["depends"])
            self.assertRegex(text, word + r"[^.]*( \S+){0,40} depends on the assum")
        self.assertRegex(text, "the assumed choice randomness|choice randomness = |values of [^.]*choice randomness")
        self.assertIn("not established: it depends on the assumptions", text)

    def test_right_alpha(self):
        """A number that the logs fix whatever is assumed about the rest keeps its verdict."""
        study = self.file("choice.yaml")
        with open(study, "w") as file:
            file.write("asif: 1\nstates: [s]\nactions: [a, b]\nenvironment: {start: s, transitions: {any: identity}, "
                       "ends: [a, b]}\nagent:\n  discount: 0\n  utility: {a: 1, b: 0}\n  parameters: {alpha: learn}\n")
        logs = self.file("logs.csv")
        self.assertEqual(run("simulate", study, "-p", "alpha=0.5", "-n", 1000, "-o", logs).returncode, 0)
        done = run("fit", study, logs, "-o", self.file("fit"), "--chains", 2, "--warmup", 300, "--draws", 300)
        with open(self.file("fit/fit.json"), encoding="utf-8") as file:
            number = json.load(file)["parameters"]["log_alpha"]
        self.assertEqual((number["identified"], number["doubt"]), ("yes", None), done.stdout + done.stderr)

    def test_deterministic(self):
        """Logs of somebody who always does the same at the same belief: alpha has an upper limit, and no lower one."""
        logs = os.path.join(FINDINGS, "deterministic.csv")
        if not os.path.exists(logs):
            self.skipTest("the findings are not here (ASIF_ORACLE/../findings)")
        fit, text, _ = self.fit(logs, "--chains", 2, "--warmup", 60, "--draws", 60, "--resolution", 24, "--no-sensitivity")
        alpha = fit["parameters"]["log_alpha"]
        self.assertEqual([alpha[key] for key in ("identified_below", "identified", "bound")], ["no", "no", "below"])
        self.assertIn(alpha["identified_above"], ("weakly", "yes"))
        self.assertRegex(text, r"upper limit (yes|weakly), lower limit no")
        self.assertNotIn("may be anything", text)

    def test_errors_by_subject(self):
        """Ten subjects who repeat the same episodes: the robust errors know that there are ten, the others do not."""
        with open(self.simulate(40, "alpha=0.5", "beta=inf", "eta=0")) as file:
            rows = file.read().splitlines()
        logs = self.file("subjects.csv")
        with open(logs, "w") as file:
            file.write("subject," + rows[0] + "\n")
            for line in rows[1:]:
                episode = int(line.split(",")[0])
                for copy in range(4):
                    file.write("p%d,%d_%s\n" % (episode % 10, copy, line))
        fit, text, _ = self.fit(logs, "--method", "ml", "-p", "beta=inf", "-p", "eta=0")
        self.assertEqual([fit["maximum"][key] for key in ("clusters", "clustered_by")], [10, "subject"])
        found = fit["parameters"]["log_alpha"]["standard_errors"]
        self.assertLess(found["hessian"] / found["outer_product"], 2)
        self.assertLess(found["outer_product"] / found["hessian"], 2)
        self.assertGreater(found["clustered"], 1.2 * found["hessian"])
        self.assertIn("robust, by subject (10)", text)


if __name__ == "__main__":
    unittest.main()
