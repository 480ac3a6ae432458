"""asif recover and asif sbc as a user meets them: figures that can be worked out again, calibration that holds and one that
must not, interruption, threads, and mistakes."""
# ctest label: slow
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

signal.signal(signal.SIGINT, signal.default_int_handler)  # where it is ignored, as in the background, commands would ignore it, too
ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
try:
    from scipy import stats
except ImportError:
    stats = None

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
COARSE = ["--resolution", "20", "--tol", "1e-8"]
SMALL = ["-n", "30", "--max-steps", "10", "--threads", "2", *COARSE]


def run(*args):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, env=environment, timeout=600)


def said(done):
    return done.stdout.decode() + done.stderr.decode()


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = os.path.join(self.folder, "out")
        # Only alpha is left to estimate.
        self.alpha = os.path.join(self.folder, "alpha.yaml")
        text = re.sub(r"beta:  learn .*", "beta: 1.25", read(DIAG))
        with open(self.alpha, "w", encoding="utf-8") as file:
            file.write(re.sub(r"eta:   learn", "eta: 0", text))

    def json(self, code, *args):
        done = run(*args, "--json")
        self.assertEqual(done.returncode, code, said(done))
        return json.loads(done.stdout)

    def refuse(self, words, *args):
        done = run(*args)
        self.assertEqual(done.returncode, 2, said(done))
        self.assertEqual(done.stdout, b"")
        self.assertIn(words, done.stderr.decode())


class Recover(Case):
    def test_figures(self):
        """What is told of every number follows from the list of fits."""
        told = self.json(0, "recover", DIAG, "--method", "map", "--replicates", 8, *SMALL, "-p", "eta=5")
        self.assertEqual((told["replicates"], told["done"], told["failed"], len(told["fits"])), (8, 8, 0, 8))
        self.assertEqual(list(told["parameters"]), ["log_alpha", "optimism", "eta"])
        for name, number in told["parameters"].items():
            fits = [fit[name] for fit in told["fits"]]
            off = [fit["estimate"] - fit["truth"] for fit in fits]
            mean = sum(off) / 8
            self.assertAlmostEqual(number["bias"], mean, places=9)
            self.assertAlmostEqual(number["rmse"], math.sqrt(sum(x * x for x in off) / 8), places=9)
            self.assertAlmostEqual(number["bias_se"], math.sqrt(sum((x - mean) ** 2 for x in off) / 7 / 8), places=9)
            held = sum(fit["q05"] <= fit["truth"] <= fit["q95"] for fit in fits)
            self.assertEqual((number["coverage"]["held"], number["coverage"]["of"]), (held, 8))
            if name == "eta":
                self.assertEqual({fit["truth"] for fit in fits}, {5.0})
                self.assertEqual((number["truth"], number["correlation"]), (5.0, None))
                continue
            self.assertEqual(len({fit["truth"] for fit in fits}), 8)
            t, e = [f["truth"] for f in fits], [f["estimate"] for f in fits]
            mt, me = sum(t) / 8, sum(e) / 8
            r = sum((a - mt) * (b - me) for a, b in zip(t, e)) / math.sqrt(
                sum((a - mt) ** 2 for a in t) * sum((b - me) ** 2 for b in e))
            self.assertAlmostEqual(number["correlation"], r, places=9)

    def test_recovers(self):
        """alpha alone, from many episodes: the truth is found, and the claimed standard deviation is the error that is made."""
        told = self.json(0, "recover", self.alpha, "--replicates", 10, "-n", 300, "--threads", 2, "--warmup", 300, "--draws", 300, *COARSE, "-p", "alpha=0.5")
        number = told["parameters"]["log_alpha"]
        self.assertAlmostEqual(number["truth"], math.log(0.5))
        self.assertLess(abs(number["bias"]), 4 * number["bias_se"])
        self.assertLess(abs(number["bias"]), 0.2)
        self.assertTrue(0.4 < number["rmse"] / number["mean_sd"] < 2, number)
        self.assertGreaterEqual(number["coverage"]["held"], 6)
        self.assertEqual((told["chains"]["low_ess"], told["chains"]["high_rhat"]), (0, 0))

    def test_text(self):
        done = run("recover", DIAG, "--method", "map", "--replicates", 3, *SMALL)
        self.assertEqual(done.returncode, 0, said(done))
        text = done.stdout.decode()
        for word in ("Diagnosis (DIAG), 3 agents, 30 episodes each, map", "log choice randomness", "optimism", "RMSE", "of 3", "TRUST"):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_mistakes(self):
        self.refuse("no method 'published'", "recover", DIAG, "--method", "published")
        self.refuse("no use for --chains", "recover", DIAG, "--method", "map", "--chains", "2")
        self.refuse("alpha = 0 cannot be recovered", "recover", DIAG, "-p", "alpha=0")
        given = os.path.join(self.folder, "given.yaml")
        with open(given, "w", encoding="utf-8") as file:
            file.write(re.sub(r"alpha: learn", "alpha: 0.5", read(self.alpha)))
        self.refuse("nothing is to be estimated", "recover", given)


class Resume(Case):
    """However often it is interrupted, and in however many threads: the same bytes."""
    ARGS = ["--replicates", "6", "-n", "20", "--max-steps", "8", "--bins", "5", *COARSE, "--warmup", "300",
            "--method", "metropolis", "--chains", "1"]

    def test_threads_and_lost_lines(self):
        first, second = self.out, self.out + "2"
        self.assertIn(run("sbc", self.alpha, *self.ARGS, "--threads", 1, "-o", first).returncode, (0, 1))
        whole = {name: read(first, name) for name in ("sbc.json", "replicates.csv")}
        self.assertIn(run("sbc", self.alpha, *self.ARGS, "--threads", 2, "-o", second).returncode, (0, 1))
        self.assertEqual({name: read(second, name) for name in whole}, whole)
        lines = whole["replicates.csv"].splitlines(keepends=True)
        with open(os.path.join(second, "replicates.csv"), "w", encoding="utf-8") as file:
            file.write("".join(lines[:3] + lines[5:7]))
        os.remove(os.path.join(second, "sbc.json"))
        self.assertIn(run("sbc", self.alpha, *self.ARGS, "--threads", 2, "-o", second).returncode, (0, 1))
        self.assertEqual({name: read(second, name) for name in whole}, whole)
        self.refuse("other flags", "sbc", self.alpha, *self.ARGS, "--seed", 1, "-o", second)
        self.refuse("other flags", "recover", self.alpha, "-o", second)

    def test_interrupted(self):
        args = ["sbc", self.alpha, *self.ARGS, "-o", self.out, "--threads", "2"]
        args[args.index("6")] = "400"
        process = subprocess.Popen([ASIF, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        path = os.path.join(self.out, "replicates.csv")
        for _ in range(1200):
            if process.poll() is not None or os.path.exists(path):
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT, err)
        self.assertEqual(out, b"")
        self.assertIn(b"goes on from where it was", err)
        kept = read(path).splitlines()
        self.assertGreater(len(kept), 2)
        self.assertLess(len(kept), 402)
        done = run("sbc", self.alpha, *self.ARGS, "-o", self.out, "--threads", "2")
        self.assertIn(done.returncode, (0, 1), said(done))
        fresh = run("sbc", self.alpha, *self.ARGS, "--threads", "2")
        self.assertEqual(fresh.stdout, done.stdout)
        self.assertLessEqual(set(kept), set(read(path).splitlines()))


class Sbc(Case):
    def check(self, told):
        """Histograms, tests and coverage follow from the list of fits; p-values are SciPy's."""
        bins, ranks = told["bins"], told["ranks"]
        for name, number in told["parameters"].items():
            fits = [fit[name] for fit in told["fits"]]
            counts = [0] * bins
            for fit in fits:
                self.assertIn(fit["rank"], range(ranks))
                counts[int(fit["rank"]) * bins // ranks] += 1
            self.assertEqual(number["histogram"], counts)
            held = sum(fit["q05"] <= fit["truth"] <= fit["q95"] for fit in fits)
            self.assertEqual(number["coverage"]["held"], held)
            if stats:
                found = stats.chisquare(counts)
                self.assertAlmostEqual(number["chi_square"], found.statistic, places=9)
                self.assertAlmostEqual(number["p"], found.pvalue, places=10)
                n = len(fits)
                if 0 < held < n:
                    self.assertAlmostEqual(number["coverage"]["low"], stats.beta.ppf(0.025, held, n - held + 1), places=9)
                    self.assertAlmostEqual(number["coverage"]["high"], stats.beta.ppf(0.975, held + 1, n - held), places=9)

    def test_sampler_of_fit(self):
        """What is certified is what a fit does by itself."""
        told = json.loads(run("sbc", self.alpha, "--replicates", 2, "-n", 10, "--max-steps", 5, "--bins", 2, "--draws", 9,
                              "--warmup", 100, *COARSE, "--json").stdout)
        self.assertEqual((told["method"], told["chains"]["chains"]), ("auto", 4))
        self.assertAlmostEqual(told["level"], 0.01 / (len(told["parameters"]) + 1))

    def test_diag(self):
        """All three numbers of the diagnosis task, 20 agents: the true prior passes, one a fifth as wide is found out."""
        args = ["sbc", DIAG, "--replicates", 20, "-n", 40, "--max-steps", 10, "--bins", 5, "--threads", 2, "--warmup", 500,
                "--method", "metropolis", "--chains", 2,
                *COARSE]
        done = run(*args, "--json")
        right = json.loads(done.stdout)
        self.check(right)
        self.assertEqual((right["done"], right["failed"], right["wrong_prior"]), (20, 0, 1))
        self.assertEqual(done.returncode, 0 if right["uniform"] else 1)
        self.assertEqual(list(right["parameters"]), ["log_alpha", "optimism", "eta"])
        # At 0.1 %, so that a processor with other last bits does not fail by chance.
        for number in [*right["parameters"].values(), right["log_likelihood"]]:
            self.assertEqual(sum(number["histogram"]), 20)
            self.assertGreater(number["p"], 0.001)
        for number in right["parameters"].values():
            self.assertGreaterEqual(number["coverage"]["held"], 13)  # of 20 at 90 %: fewer are 1 in 2,000
        wrong = self.json(1, *args, "--wrong-prior", 0.2, "-o", self.out)
        self.check(wrong)
        for name, number in wrong["parameters"].items():
            self.assertNotEqual(number["prior"], number["fitted_prior"])
            self.assertEqual([f[name]["truth"] for f in wrong["fits"]], [f[name]["truth"] for f in right["fits"]])
        self.assertLess(min(number["p"] for number in wrong["parameters"].values()), 1e-3)
        self.assertLess(min(number["coverage"]["high"] for number in wrong["parameters"].values()), 0.9)
        again = run(*args, "--wrong-prior", 0.2, "-o", self.out)
        self.assertEqual(again.returncode, 1)
        for word in ("wrong on purpose", "are not uniform: its posteriors are too narrow", "of 20"):
            self.assertIn(word, again.stdout.decode())
        self.assertLessEqual(max(map(len, again.stdout.decode().splitlines())), 80)

    def test_mistakes(self):
        self.refuse("alpha is estimated", "sbc", DIAG, "-p", "alpha=0.5")
        self.refuse("no method 'map'", "sbc", DIAG, "--method", "map")
        self.refuse("which 7 bins do not divide", "sbc", DIAG, "--bins", "7", "--draws", "99")
        flat = os.path.join(self.folder, "flat.yaml")
        with open(flat, "w", encoding="utf-8") as file:
            file.write(re.sub(r"alpha: learn", "alpha: learn ~ flat", read(self.alpha)))
        self.refuse("improper", "sbc", flat)


if __name__ == "__main__":
    unittest.main()
