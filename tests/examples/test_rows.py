"""Every row that `asif list` prints has a page and an example study that runs: planners are checked and planned, inverse planners fit logs.

An example of an inverse planner comes with NAME.csv if it is told more than the actions; else 500 episodes of its own agent, with the
`standard` values of what is estimated, are simulated."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

# The rows of the paper's Tables 2 and 3 by its own names.
TABLE2 = ["Decision-Rule CMP Policy", "Model-Free MDP Learner", "Max. Entropy MDP Learner", "Model-Based MDP Planner",
          "Differentiable MDP Planner", "KL-Regularized MDP Planner", "Decision-Rule IOHMM Policy", "Model-Free POMDP Learner",
          "Model-Based POMDP Planner", "Belief-Aware v-POMDP Planner", "Bounded Rational Control"]
TABLE3 = ["Minimum Perturbation", "Maximum Margin", "Regularized Max. Margin", "Multiple Experimentation",
          "Distance Minimization", "Soft Policy Inversion", "Preference Extrapolation", "Soft Policy Matching",
          "Distribution Matching"]


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, check=False)


def rows(what):
    return json.loads(run("list", what, "--json").stdout)[what]


def standards(study):
    """-p NAME=VALUE for all that the study leaves open: its standard value, or 0.5."""
    with open(study, encoding="utf-8") as file:
        stated = dict(re.findall(r"^ *([\w.*-]+): *\{.*standard: *([-+.\w]+)", file.read(), re.M))
    flags = []
    for name in json.loads(run("check", study, "--json").stdout)["study"]["estimated"]:
        if "." not in name:
            flags += ["-p", f"{name}={stated.get(name, 0.5)}"]
    return flags


class Rows(unittest.TestCase):
    def page(self, folder, name):
        path = os.path.join(SOURCE, "docs", folder, name + ".md")
        self.assertTrue(os.path.exists(path), path)
        with open(path, encoding="utf-8") as file:
            self.assertRegex(file.read(), re.escape(name))

    def test_tables(self):
        self.assertEqual(sorted(r["paper"] for r in rows("planners") if r["paper"]), sorted(TABLE2))
        self.assertEqual(sorted(r["paper"] for r in rows("inverses") if r["paper"]), sorted(TABLE3))

    def test_planners(self):
        for row in rows("planners"):
            with self.subTest(row["name"]):
                self.page("planners", row["name"])
                study = os.path.join(SOURCE, "examples", "planners", row["name"] + ".yaml")
                done = run("check", study)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(row["name"], done.stdout)
                done = run("plan", study, "--json", *standards(study))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout)["planner"], row["name"])

    def test_inverses(self):
        for row in rows("inverses"):
            with self.subTest(row["name"]), tempfile.TemporaryDirectory() as folder:
                self.page("inverse", row["name"])
                study = os.path.join(SOURCE, "examples", "inverses", row["name"] + ".yaml")
                self.assertEqual(run("check", study).returncode, 0)
                logs = study[:-5] + ".csv"
                if not os.path.exists(logs):
                    logs = os.path.join(folder, "logs.csv")
                    done = run("simulate", study, "-n", 500, "-o", logs, *standards(study))
                    self.assertEqual(done.returncode, 0, done.stderr)
                out = os.path.join(folder, "fit")
                done = run("fit", study, logs, "--method", "ml", "-o", out)
                if "Clp" in done.stderr:
                    continue
                self.assertIn(done.returncode, (0, 1), done.stderr)
                with open(os.path.join(out, "fit.json"), encoding="utf-8") as file:
                    fit = json.load(file)
                self.assertTrue(all(isinstance(p["mean"], (int, float)) for p in fit["parameters"].values()))
                self.assertEqual(run("summary", out).returncode, done.returncode)


if __name__ == "__main__":
    unittest.main()
