# ctest label: slow
"""Power-scaling sensitivity of fits: an implementation of its own from the draws in the chains, with priors by their formulas and
log-likelihoods by `asif check`; priors that say nothing, everything, or something else than the logs; and what the summary says."""
import csv
import json
import math
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
PRIORS = {"log_alpha": (-0.7, 1.5), "optimism": (0.2, 1.0), "eta": (0.0, 40.0)}
STATED = {"alpha": "learn ~ lognormal(-0.7, 1.5)", "optimism": "learn ~ normal(0.2, 1)", "eta": "learn ~ normal(0, 40)"}


def run(*args, code=None):
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, timeout=300)
    if code is not None:
        assert done.returncode == code, (args, done.returncode, done.stdout.decode() + done.stderr.decode())
    return done


def study(path, **parameters):
    """DIAG with these parameters."""
    with open(DIAG) as file:
        text = file.read()
    begin = text.index("    alpha: learn")
    end = text.index("solver:")
    with open(path, "w") as file:
        file.write(text[:begin] + "".join(f"    {k}: {v}\n" for k, v in parameters.items()) + "\n" + text[end:])
    return path


def draws_of(folder, chains=4):
    rows = []
    for i in range(chains):
        with open(os.path.join(folder, f"chain-{i + 1}.csv"), newline="") as file:
            rows += csv.DictReader(line for line in file if not line.startswith("#"))
    return [{k: float(v) for k, v in row.items()} for row in rows]


def distance(x, weight):
    """Cumulative Jensen-Shannon distance between x and x with weights, from its definition."""
    order = sorted(range(len(x)), key=lambda i: x[i])
    p = q = kl_p = kl_q = bound_p = bound_q = 0.0
    for a, b in zip(order, order[1:]):
        p, q, width = p + 1 / len(x), q + weight[a], x[b] - x[a]
        kl_p += width * p * (math.log2(p) - math.log2((p + q) / 2))
        kl_q += width * q * (math.log2(q) - math.log2((p + q) / 2))
        bound_p, bound_q = bound_p + width * p, bound_q + width * q
    return math.sqrt((kl_p + kl_q) / (bound_p + bound_q))


def sensitivity(x, log_part):
    total = 0
    for power in (0.99, 1.01):
        log_weight = [(power - 1) * v for v in log_part]
        most = max(log_weight)
        weight = [math.exp(v - most) for v in log_weight]
        whole = sum(weight)
        weight = [w / whole for w in weight]
        total += max(distance(x, weight), distance([-v for v in x], weight)) / abs(math.log2(power)) / 2
    return total


class PowerScaling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.logs = os.path.join(cls.folder, "logs.csv")
        run("simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "-n", 300, "--seed", 3, "-o", cls.logs, code=0)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def fit(self, name, *flags, **parameters):
        file = study(self.path(name + ".yaml"), **parameters)
        run("fit", file, self.logs, "-o", self.path(name), "--no-sensitivity", "-q", *flags)
        with open(self.path(os.path.join(name, "fit.json"))) as text:
            return json.load(text)

    def compare(self, name, *flags):
        found = self.fit(name, *flags, **STATED)["parameters"]
        draws = draws_of(self.path(name))
        prior = [sum(-0.5 * ((d[k] - m) / s) ** 2 for k, (m, s) in PRIORS.items()) for d in draws]
        # Chains move in (log alpha, optimism, eta/alpha): the density there has alpha as a factor.
        likelihood = [d["lp__"] - p - d["log_alpha"] for d, p in zip(draws, prior)]
        few = range(0, len(draws), len(draws) // 5)
        known = [json.loads(run("check", self.path(name + ".yaml"), self.logs, "--json", "-p",
                                f"alpha={math.exp(draws[i]['log_alpha'])!r}", "-p", f"optimism={draws[i]['optimism']!r}", "-p",
                                f"eta={draws[i]['eta']!r}", code=0).stdout)["log_likelihood"] for i in few]
        for i, value in zip(few, known):
            self.assertAlmostEqual(likelihood[i] - likelihood[0], value - known[0], delta=1e-5)
        for column in PRIORS:
            x = [d[column] for d in draws]
            got = found[column]["power_scaling"]
            for part, log_part in (("prior", prior), ("likelihood", likelihood)):
                want = sensitivity(x, log_part)
                self.assertAlmostEqual(got[part], want, delta=0.02 * want + 0.002, msg=(column, part))

    def test_ridge(self):
        self.compare("ridge", "--method", "ridge")

    def test_chains(self):
        self.compare("chains", "--method", "metropolis", "--warmup", 200, "--draws", 400)

    def test_diagnoses(self):
        rows = [("says_nothing", "lognormal(0, 50)", None), ("disagrees", "lognormal(3, 0.1)", "conflict")]
        for name, prior, want in rows:
            found = self.fit(name, "--method", "ridge", alpha=f"learn ~ {prior}", beta="inf", eta=0)
            got = found["parameters"]["log_alpha"]["power_scaling"]
            self.assertEqual(got["diagnosis"], want, got)
            if want is None:
                self.assertLess(got["prior"], 0.005)
                self.assertGreater(got["likelihood"], 0.05)
            said = " ".join(run("summary", self.path(name)).stdout.decode().split())
            self.assertEqual("Both the prior and the data determine choice randomness" in said, want == "conflict", said)
            self.assertNotIn("The prior largely decides", said)

    def test_strong_prior(self):
        found = self.fit("decides", "--method", "ridge", alpha="learn", beta="inf", eta="learn ~ normal(0, 0.01)")
        got = found["parameters"]["eta"]["power_scaling"]
        self.assertEqual(got["diagnosis"], "strong_prior", got)
        said = " ".join(run("summary", self.path("decides")).stdout.decode().split())
        self.assertIn("The prior largely decides taste for surprise", said)

    def test_no_draws(self):
        found = self.fit("maximum", "--method", "map", alpha="learn", beta="inf", eta=0)
        self.assertIsNone(found["parameters"]["log_alpha"]["power_scaling"])


if __name__ == "__main__":
    unittest.main()
