"""`resolution: auto`: the lattice that a fit chooses gives the answer of a much finer one, and says how far it is from it."""
# ctest label: slow
import json
import math
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

AGENT = ["-p", "beta=-1", "-p", "eta=0"]  # only alpha is left to estimate


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, timeout=300)


# A utility that jumps.
JUMP = """\
asif: 1
states: [a, b, c]
actions: [look, wait]
observations: [x, y, z]
environment:
  start: [0.4, 0.3, 0.3]
  transitions: [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]]
  emissions: {look: [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]], wait: [[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]]}
agent:
  discount: 0.95
  utility:
    - {look: -1, wait: 0}
    - {when: certainty > 0.9, add: 2.5}
  parameters: {alpha: learn}
solver: {resolution: %s, tol: 1e-8}
logs: {episode: episode, time: t, action: action, observation: observation}
"""


class Jump(unittest.TestCase):
    def test_told(self):
        """Log-likelihoods move by whole nats from one lattice to the next, and the fit says so."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        at = lambda name: os.path.join(folder.name, name)  # noqa: E731
        for resolution in ("auto", "40", "80"):
            with open(at(resolution + ".yaml"), "w") as file:
                file.write(JUMP % resolution)
        made = run("simulate", at("40.yaml"), "-n", 400, "--max-steps", 6, "-p", "alpha=0.3", "-o", at("logs.csv"))
        self.assertEqual(made.returncode, 0, made.stderr)
        values = [json.loads(run("check", at(r + ".yaml"), at("logs.csv"), "-p", "alpha=0.3", "--json").stdout)["log_likelihood"]
                  for r in ("40", "80")]
        self.assertGreater(abs(values[0] - values[1]), 1)
        made = run("fit", at("auto.yaml"), at("logs.csv"), "-o", at("fit"), "--method", "map", "--no-sensitivity", "--starts", 2)
        self.assertIn(made.returncode, (0, 1), made.stderr)
        self.assertIn("do not settle", " ".join(made.stdout.split()))


# With a taste for surprise, values have detail near certainty on every scale: the error of an even lattice is of first order, and that of
# a graded one of second order.
LADDER = """\
asif: 1
states: {seen: {draws: 0 to 20}, hidden: {urn: [blue, pink]}}
actions: [draw, say_blue, say_pink]
observations: [b, p]
environment:
  start: {draws: 0, urn: uniform}
  transitions: {draw: {draws: +1}, any: terminal}
  available: {draw: draws < 20}
  emissions: [[0.8, 0.2], [0.2, 0.8]]
agent:
  discount: 0.999
  worlds: [{emissions: [[0.7, 0.3], [0.3, 0.7]]}, {emissions: [[0.9, 0.1], [0.1, 0.9]]}]
  utility: {draw: -0.1, say_blue: {blue: 10, pink: 0}, say_pink: {pink: 10, blue: 0}}
  parameters: {alpha: learn, optimism: 0.3, eta: 2}
solver: {beliefs: BELIEFS, resolution: RESOLUTION}
"""


class Order(unittest.TestCase):
    def told(self, beliefs):
        """The error that is stated is that of the log-density against a lattice 32 times as fine, over its posterior: the standard
        deviation of g z + h z^2 / 2 for a normal z. The part that is left on the finer of two lattices is 1/2 for an error of first order, and 1/4 for one of second."""
        study = LADDER.replace("BELIEFS", beliefs)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        at = lambda name: os.path.join(folder.name, name)  # noqa: E731
        with open(at("auto.yaml"), "w") as file:
            file.write(study.replace("RESOLUTION", "auto, lattice_error: 0.001"))
        made = run("simulate", at("auto.yaml"), "-n", 300, "-p", "alpha=0.4", "--resolution", 500, "-o", at("logs.csv"))
        self.assertEqual(made.returncode, 0, made.stderr)
        made = run("fit", at("auto.yaml"), at("logs.csv"), "-o", at("fit"), "--method", "map", "--no-answers")
        self.assertIn(made.returncode, (0, 1), made.stderr)
        with open(at("fit") + "/fit.json") as file:
            fit = json.load(file)
        chosen, alpha = fit["solver"], fit["parameters"]["log_alpha"]
        finest = 32 * chosen["resolution"]
        for n in (chosen["resolution"], finest):
            with open(at(f"{n}.yaml"), "w") as file:
                file.write(study.replace("RESOLUTION", str(n)))
        value = lambda n, x: json.loads(run("check", at(f"{n}.yaml"), at("logs.csv"), "-p",  # noqa: E731
                                            f"alpha={math.exp(x)!r}", "--json").stdout)["log_likelihood"]
        away = [value(chosen["resolution"], x) - value(finest, x)
                for x in (alpha["mean"], alpha["mean"] + alpha["sd"], alpha["mean"] - alpha["sd"])]
        actual = math.hypot((away[1] - away[2]) / 2, (away[1] + away[2] - 2 * away[0]) / math.sqrt(2))
        self.assertGreater(chosen["lattice_error"], 0.8 * actual)
        self.assertLess(chosen["lattice_error"], 1.5 * actual)

    def test_even(self):
        self.told("lattice")

    def test_graded(self):
        self.told("graded")


class Lattice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = lambda name: os.path.join(folder.name, name)
        with open(os.path.join(SOURCE, "examples", "memory", "study.yaml")) as file:
            self.text = file.read()
        self.study("24")
        made = run("simulate", self.at("24.yaml"), "-n", 150, "--max-steps", 6, "--seed", 5, "-p", "alpha=0.5", *AGENT, "-o", self.at("logs.csv"))
        self.assertEqual(made.returncode, 0, made.stderr)

    def study(self, resolution, name=None):
        with open(self.at((name or resolution) + ".yaml"), "w") as file:
            file.write(re.sub(r"resolution: 16", "resolution: " + resolution, self.text))

    def fit(self, name):
        made = run("fit", self.at(name + ".yaml"), self.at("logs.csv"), "-o", self.at(name), "--method", "map",
                   "--no-sensitivity", "--starts", 2, "-q", *AGENT)
        self.assertIn(made.returncode, (0, 1), made.stderr)
        with open(self.at(name) + "/fit.json") as file:
            return json.load(file), made.stderr

    def test_chosen(self):
        """The estimate moves by no more than was asked for, and the error that is stated is about the right size."""
        self.study("auto")
        self.study("80")
        chosen, _ = self.fit("auto")
        fine, _ = self.fit("80")
        solver = chosen["solver"]
        self.assertEqual(solver["lattice_error_wanted"], 0.05)
        self.assertLessEqual(solver["lattice_error"], 0.05)
        self.assertNotIn("lattice_error", fine["solver"])
        alpha, reference = (fit["parameters"]["log_alpha"] for fit in (chosen, fine))
        self.assertLess(abs(alpha["mean"] - reference["mean"]), 0.05 * reference["sd"])

    def test_finer_where_more_is_asked(self):
        self.study("auto, lattice_error: 2", "loose")
        self.study("auto, lattice_error: 0.01", "tight")
        loose, tight = (self.fit(name)[0]["solver"] for name in ("loose", "tight"))
        self.assertLess(loose["resolution"], tight["resolution"])
        self.assertLess(tight["lattice_error"], loose["lattice_error"])

    def test_out_of_reach(self):
        """A warning says what was reached, or that there was nothing to compare with."""
        self.study("auto, lattice_error: 1e-9, memory: 1500 KB", "reach")
        fit, said = self.fit("reach")
        self.assertGreater(fit["solver"]["lattice_error"], 1e-9)
        warnings = [w["message"] for w in fit["warnings"] if w.get("code") == "lattice_error"]
        self.assertIn("40 intervals", *warnings)
        self.study("auto, memory: 400 KB", "alone")
        fit, said = self.fit("alone")
        self.assertIsNone(fit["solver"]["lattice_error"])
        self.assertIn("it is not known how much the lattice", said + str(fit["warnings"]))


if __name__ == "__main__":
    unittest.main()
