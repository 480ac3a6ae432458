"""Results that were seen but not recorded, against results that were not seen; decisions that are hardly possible. With the findings where
they are here (a simulated clinic whose truth is known), and with logs of its own."""
# ctest label: slow
import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
TRIAGE = pathlib.Path(os.environ.get("ASIF_ORACLE", ""), "..", "findings", "triage")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

STUDY = """\
asif: 1
states: [healthy, diseased]
actions: [declare_healthy, declare_diseased, test, wait]
observations: [negative, positive, unclear]
environment:
  start: [0.5, 0.5]
  transitions: {test: identity, wait: identity, any: reset}
  emissions: {test: [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2]], any: uniform}
  ends: [declare_healthy, declare_diseased]
agent:
  discount: 0.95
  utility:
    declare_healthy: {healthy: 10, diseased: wrong}
    declare_diseased: {healthy: wrong, diseased: 10}
    test: -1
    wait: -0.5
  parameters: {alpha: 2, beta: inf, eta: 0, wrong: {learn: "normal(-36, 20)", standard: -36}}
solver: {resolution: 40}
logs: {missing: not_seen}
"""


def run(*args, code=0):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, env=environment, timeout=300)
    text = done.stdout.decode() + done.stderr.decode()
    assert code is None or done.returncode == code, (args, done.returncode, text)
    return " ".join(text.split())


class Missing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)

    def fit(self, study, logs, name, *flags, code=None):
        said = run("fit", study, logs, "-o", self.at / name, "--method", "map", "--no-sensitivity", *flags, code=code)
        return json.loads((self.at / name / "fit.json").read_text()), said

    def simulate(self, episodes, seed):
        study = self.at / "study.yaml"
        study.write_text(STUDY)
        run("simulate", study, "-p", "wrong=-36", "-n", episodes, "--seed", seed, "-o", self.at / "all.csv")
        with open(self.at / "all.csv", newline="") as file:
            return study, list(csv.DictReader(file))

    def write(self, name, rows):
        with open(self.at / name, "w", newline="") as file:
            out = csv.DictWriter(file, ["episode", "t", "action", "observation"])
            out.writeheader()
            out.writerows(rows)
        return self.at / name

    def test_episodes_with_lost_results(self):
        study, rows = self.simulate(500, 3)
        chance, lost = random.Random(2), set()
        for row in rows:
            if row["action"] == "wait":
                row["observation"] = ""
            elif row["action"] == "test" and chance.random() < .03:
                row["observation"] = ""
                lost.add(row["episode"])
        logs = self.write("lost.csv", rows)
        kept = self.write("kept.csv", [row for row in rows if row["episode"] not in lost])
        _, said = self.fit(study, logs, "not_seen")
        self.assertRegex(said, r"`test` shows something, but in \d+ of \d+ rows its result is missing")
        drop = self.at / "drop.yaml"
        drop.write_text(STUDY.replace("not_seen", "drop_episode"))
        got, said = self.fit(drop, logs, "drop")
        self.assertIn("left out because their episode lacks a result", said)
        want, said = self.fit(study, kept, "kept")
        self.assertNotIn("missing", said)
        self.assertEqual(got["parameters"], want["parameters"])
        wrong = got["parameters"]["wrong"]
        self.assertLess(wrong["q05"], -36)
        self.assertGreater(wrong["q95"], -36)
        self.assertEqual(got["logs"]["episodes"], 500 - len(lost))

    def test_hardly_possible(self):
        study, rows = self.simulate(500, 4)
        fit, _ = self.fit(study, self.write("good.csv", rows), "good", code=0)
        rare = fit["hardly_possible"]
        self.assertEqual((rare["decisions"], rare["p"], rare["least"]), (0, 1, None))
        self.assertLess(rare["expected"], .2)
        self.assertIsNone(fit["parameters"]["wrong"]["doubt"])
        steps = [("test", "negative"), ("test", "negative"), ("test", "negative"), ("declare_diseased", "")]
        rows += [{"episode": 501, "t": t, "action": a, "observation": x} for t, (a, x) in enumerate(steps)]
        fit, said = self.fit(study, self.write("bad.csv", rows), "bad", code=1)
        rare = fit["hardly_possible"]
        self.assertEqual(rare["decisions"], 1)
        self.assertLess(rare["p"], .01)
        self.assertLess(rare["least"]["probability"], 1e-4)
        self.assertEqual(rare["least"]["action"], "declare_diseased")
        self.assertEqual([tuple(e.values()) for e in rare["least"]["history"]], steps[:3])
        self.assertEqual(fit["parameters"]["wrong"]["doubt"], "decisions")
        self.assertIn("Hardly possible: the fitted agent takes 1 of these decisions with probability below 0.0001", said)
        self.assertIn("declare_diseased after 3 x test->negative", said)
        self.assertIn("not established: some decisions are hardly possible", said)
        # a page that withholds small counts tells neither how many nor which
        run("report", self.at / "bad", "-o", self.at / "page.html", code=None)
        page = (self.at / "page.html").read_text()
        self.assertNotIn("probability below", page)
        self.assertIn("some decisions are hardly possible", page)

    def explicit(self, want):
        """An observation of its own for what shows nothing says the same as `not_seen`."""
        with open(TRIAGE / "cc.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row["lab"] = "none" if row["decision"].lower() == "wait" else ""
            if row["decision"].lower().startswith("order"):
                result = float(row["crp_mg_l"])
                row["lab"] = "low" if result < 10 else "medium" if result < 60 else "high"
        with open(self.at / "none.csv", "w", newline="") as file:
            out = csv.DictWriter(file, rows[0])
            out.writeheader()
            out.writerows(rows)
        study = self.at / "none.yaml"
        study.write_text((TRIAGE / "none4.yaml").read_text() + "solver: {resolution: 20}\n")
        got, _ = self.fit(study, self.at / "none.csv", "none", "--where", "hospital=North")
        for name, number in want["parameters"].items():
            self.assertAlmostEqual(got["parameters"][name]["maximum"], number["maximum"], delta=1e-5)
        run("predict", self.at / "none")

    @unittest.skipUnless((TRIAGE / "clean.csv").exists(), "the findings are not here")
    def test_triage(self):
        study = self.at / "study.yaml"
        study.write_text((TRIAGE / "study.yaml").read_text() + "solver: {resolution: 20}\n")
        for name in ("cc", "clean"):
            fit, said = self.fit(study, TRIAGE / (name + ".csv"), name, "--where", "hospital=North")
            missed = fit["parameters"]["missed"]
            covers = missed["q05"] < -50 < missed["q95"]
            if name == "cc":
                self.assertTrue(covers)
                self.assertNotIn("shows something", said)
                self.assertIn("passed every predictive check", run("predict", self.at / name))
            else:
                self.assertTrue(covers or missed["doubt"])
                self.assertIn("`order_lab` shows something, but in 9 of 468 rows its result is missing", said)
                self.assertGreater(fit["hardly_possible"]["decisions"], 0)
                self.assertIn("Hardly possible: ", said)
        study.write_text(study.read_text().replace("not_seen", "drop_episode"))
        fit, _ = self.fit(study, TRIAGE / "clean.csv", "drop", "--where", "hospital=North")
        self.assertEqual(fit["parameters"]["missed"],
                         json.loads((self.at / "cc" / "fit.json").read_text())["parameters"]["missed"])
        self.explicit(json.loads((self.at / "cc" / "fit.json").read_text()))
        for name, words in (("left", "50 of 607 episodes begin later than the others, which begin at 1"),
                            ("cens", "99 of 607 episodes do not end with an action that ends an episode")):
            self.assertIn(words, run("check", TRIAGE / "study.yaml", TRIAGE / (name + ".csv")))


if __name__ == "__main__":
    unittest.main()
