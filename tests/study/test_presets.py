"""DIAG under every preset: `asif check` accepts it, and prints the planner, the inverse planner and what is estimated that the paper's
Table 1 and Table 4 stand for. Which pair stands for a class is written here once more."""
import json
import os
import subprocess
import sys
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

SOFT = "soft-policy-matching"
TABLE1 = {
    "bc-il": ("BC-IL", "decision-rule", SOFT),
    "subjective-bc-il": ("Subj. BC-IL", "decision-boundaries", SOFT),
    "deterministic-dm-il": ("Det. DM-IL", "decision-rule", "distribution-matching"),
    "stochastic-dm-il": ("Stoc. DM-IL", "decision-rule", "distribution-matching"),
    "deterministic-irl": ("Det. IRL", "model-based-mdp", "maximum-margin"),
    "stochastic-irl": ("Stoc. IRL", "model-based-mdp", SOFT),
    "subjective-irl": ("Subj. IRL", "model-based-mdp", SOFT),
    "risk-sensitive-irl": ("RS-IRL", "bounded-rational", SOFT),
    "deterministic-po-irl": ("Det. PO-IRL", "model-based-pomdp", SOFT),
    "stochastic-po-irl": ("Stoc. PO-IRL", "model-based-pomdp", SOFT),
    "subjective-po-irl": ("Subj. PO-IRL", "model-based-pomdp", SOFT),
    "maximum-entropy-irl": ("ME-IRL", "maximum-entropy", SOFT),
    "subjective-maximum-entropy-irl": ("Subj. ME-IRL", "maximum-entropy", SOFT),
    "inverse-bounded-rational-control": ("Inverse Bounded Rational Control", "bounded-rational", SOFT),
}
TABLE4 = ["uniformly-random", "deterministic-optimal", "boltzmann-exploratory", "minimum-information", "maximum-entropy",
          "kl-regularized", "kl-penalized-robust"]


def run(*args):
    return subprocess.run([ASIF, *args], capture_output=True, text=True, check=False)


def listed(what):
    return json.loads(run("list", what, "--json").stdout)[what]


class Presets(unittest.TestCase):
    def test_list(self):
        rows = {row["name"]: row for row in listed("presets")}
        self.assertEqual(sorted(rows), sorted(TABLE4 + list(TABLE1)))
        for name, (paper, planner, inverse) in TABLE1.items():
            row = rows[name]
            self.assertEqual((row["paper"], row["planner"], row["inverse"]), (paper, planner, inverse))
            self.assertIn("means" if planner == "decision-boundaries" else "utility", row["estimated"])
        for name in TABLE4:
            self.assertEqual((rows[name]["planner"], rows[name]["inverse"]), ("bounded-rational", None))

    def test_diag(self):
        there = {row["name"] for what in ("planners", "inverses") for row in listed(what)}
        for row in listed("presets"):
            name = row["name"]
            with self.subTest(name):
                study = os.path.join(SOURCE, "examples", "diag", "presets", name + ".yaml")
                done = run("check", study)
                if {row["planner"], row["inverse"] or SOFT} - there:  # refused kindly, with what is missing
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("which this build does not have", done.stdout)
                    continue
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                paper = TABLE1[name][0] if name in TABLE1 else row["paper"]
                words = " ".join(done.stdout.split())
                self.assertIn("preset %s: " % name, words)
                self.assertIn("(%s of Table %d)" % (paper, 1 if name in TABLE1 else 4), words)
                self.assertIn("planner %s " % row["planner"], words)
                self.assertIn("inverse %s " % (row["inverse"] or SOFT), words)
                told = json.loads(run("check", study, "--json").stdout)["study"]
                self.assertEqual((told["preset"], told["planner"], told["inverse"]),
                                 (name, row["planner"], row["inverse"] or SOFT))
                self.assertEqual(told["preset_estimates"], row["estimated"])
                self.assertIsNone(told["not_estimable"])
                # A class of Table 1 is there to estimate; an agent of Table 4 has all its values.
                self.assertEqual(bool(told["estimated"]), name in TABLE1)
                self.assertFalse(set(told["estimated"]) & set(told["given"]))
                if name not in TABLE1:
                    self.assertEqual(run("plan", study, "--json").returncode, 0)

    def test_pairs(self):
        pairs = listed("pairs")
        self.assertEqual(len(pairs), len(listed("planners")) * len(listed("inverses")))
        for pair in pairs:
            self.assertEqual(pair["together"], pair["why_not"] is None)
        together = {(p["planner"], p["inverse"]) for p in pairs if p["together"]}
        for _, planner, inverse in TABLE1.values():
            if planner in {p["planner"] for p in pairs} and inverse in {p["inverse"] for p in pairs}:
                self.assertIn((planner, inverse), together)
        text = run("list", "pairs").stdout
        for row in listed("planners") + listed("inverses"):
            self.assertIn(row["name"], text)


if __name__ == "__main__":
    unittest.main()
