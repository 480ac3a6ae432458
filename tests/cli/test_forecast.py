"""The forecast of `asif check`: how long a fit takes, against what one took (tests/long/forecast.py, its short form), and which
resolution suits, against log-likelihoods on much finer lattices."""
# ctest label: slow
import json
import math
import os
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
VISITS = [os.path.join(SOURCE, "examples", "logs", name) for name in ("study.yaml", "visits.csv")]


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, timeout=300)


class Time(unittest.TestCase):
    def test_against_a_fit(self):
        """One of three runs: a busy machine changes its speed between the trial and the fit."""
        said = ""
        for _ in range(3):
            done = subprocess.run([sys.executable, os.path.join(SOURCE, "tests", "long", "forecast.py"), "--short"],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
            said += done.stdout + done.stderr
        self.fail(said)

    def test_parts(self):
        """The parts sum to the whole, and each has its place in the text."""
        found = json.loads(run("check", *VISITS, "--json").stdout)["forecast"]
        parts = [found["seconds_" + name] for name in ("search", "draws", "answers")]
        self.assertTrue(all(part > 0 for part in parts), parts)
        self.assertAlmostEqual(sum(parts), found["seconds"], delta=1e-9 * found["seconds"])
        self.assertEqual(found["instead"], "")
        text = run("check", *VISITS).stdout
        for words in ("HOW LONG A FIT TAKES", "of processor time on this machine", "NUTS"):
            self.assertIn(words, text)

    def test_left_out(self):
        """There is none where nothing is to be estimated, where it is not wanted, and for problems alone."""
        for more in (["-p", "alpha=1"], ["--no-forecast"], ["-q"]):
            text = run("check", *VISITS, *more).stdout
            self.assertNotIn("HOW LONG", text, more)
        self.assertNotIn("forecast", json.loads(run("check", *VISITS, "--no-forecast", "--json").stdout))


class Resolution(unittest.TestCase):
    def test_beliefs(self):
        """A lattice of r intervals over s states has binomial(r + s - 1, s - 1) beliefs."""
        text = run("check", DIAG).stdout
        for resolution in (10, 20, 50, 100, 200):
            self.assertRegex(text, rf"\b{math.comb(resolution + 1, 1)}\s+with\s+(resolution\s+)?{resolution}\b")

    def test_enough(self):
        """On the resolution that is enough, differences of log-likelihoods between agents change by no more than a few times the
        error that is allowed, against a lattice that is eight times as fine."""
        with tempfile.TemporaryDirectory() as folder:
            logs = os.path.join(folder, "logs.csv")
            run("simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001", "-n", 300, "--seed", 1, "-o", logs)
            found = json.loads(run("check", DIAG, logs, "-p", "eta=0.001", "--json").stdout)["forecast"]
            enough = found["enough_resolution"]
            self.assertGreater(enough, 0)
            self.assertEqual(found["beliefs"], 101)
            self.assertEqual(found["enough_beliefs"], enough + 1)
            with open(DIAG, encoding="utf-8") as file:
                study = file.read()
            value = {}
            for resolution in (enough, 8 * enough):
                path = os.path.join(folder, f"{resolution}.yaml")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(study.replace("resolution: 100", f"resolution: {resolution}"))
                for alpha in (0.45, 0.5, 0.6):
                    answer = run("check", path, logs, "-p", f"alpha={alpha}", "-p", "beta=1.25", "-p", "eta=0.001", "--json").stdout
                    value[resolution, alpha] = json.loads(answer)["log_likelihood"]
            for alpha in (0.45, 0.6):
                differ = [value[r, alpha] - value[r, 0.5] for r in (enough, 8 * enough)]
                self.assertLess(abs(differ[0] - differ[1]), 0.2, (enough, differ))


if __name__ == "__main__":
    unittest.main()
