"""asif identify as a user meets it: rivals against what the oracle measured, designs, logs, and mistakes.

ctest label: slow
"""
import json
import os
import re
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
OPTIMISTIC = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001"]
NON_ADAPTIVE = ["-p", "alpha=0.5", "-p", "beta=1000", "-p", "eta=75"]
QUICK = ["--method", "metropolis", "--chains", "2", "--warmup", "200", "--draws", "300", "--resolution", "30",
         "--starts", "2"]


def run(*args, unicode=False):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    if unicode:
        environment["LC_ALL"] = "C.UTF-8"
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, env=environment, timeout=300)


def said(result):
    return result.stdout.decode() + result.stderr.decode()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Identify(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def json(self, *args, codes=(0, 1)):
        done = run("identify", *args, "--json")
        self.assertIn(done.returncode, codes, said(done))
        return json.loads(done.stdout)

    def rivals(self, *args):
        return self.json(DIAG, "--draws", 0, *args, codes=(0,))["rivals"]

    def refused(self, args, *words, code=2):
        done = run("identify", *args)
        self.assertEqual(done.returncode, code, said(done))
        self.assertEqual(done.stdout, b"")
        for word in words:
            self.assertIn(word, re.sub(r"\s+", " ", said(done)))

    # ---- rivals ----

    def test_rivals(self):
        """Nats per 1,000 logs, from a million logs of the oracle: 2.3 and 43, .81 and 40; standard errors are .28, 1, .2, .3."""
        rows = [(OPTIMISTIC, ["optimism=0", "optimism=0,alpha=0.5"], [(2.3, 1), (43, 4)], {"alpha": 0.76, "eta": 62}),
                (NON_ADAPTIVE, ["eta=0", "eta=0,alpha=0.5"], [(0.81, 0.7), (40, 2)],
                 {"alpha": 0.305, "optimism": 0.985})]
        for agent, against, want, best in rows:
            found = self.rivals(*agent, "--rival-logs", 3000, "--against", against[0], "--against", against[1])
            for rival, name, (nats, off) in zip(found, against, want):
                self.assertEqual(rival["name"], name)
                self.assertAlmostEqual(rival["nats_per_1000"], nats, delta=off)
                self.assertLess(rival["se"], off)
                self.assertTrue(rival["told"])
                self.assertAlmostEqual(rival["logs_needed"] * rival["nats_per_1000"], 10000, places=6)
                self.assertLess(rival["logs_needed_least"], rival["logs_needed"])
                self.assertGreater(rival["logs_needed_most"], rival["logs_needed"])
            for number in found[0]["best"].values():
                self.assertAlmostEqual(number["shown"] / best[number["parameter"]], 1, delta=0.1)
            self.assertEqual(len(found[1]["best"]), 1)

    def test_same_agent(self):
        """The agent itself, stated or with something free: no number of logs would tell."""
        found = self.rivals(*OPTIMISTIC, "--rival-logs", 500, "--against", "alpha=0.5,optimism=0.8,eta=0.001",
                            "--against", "cost=-1", "--against", DIAG)
        for rival in found:
            self.assertFalse(rival["told"])
            self.assertAlmostEqual(rival["nats_per_1000"], 0, places=5)
            self.assertIsNone(rival["logs_needed"])
            self.assertEqual(rival["logs_needed_least"], "inf")
        self.assertEqual([len(r["best"]) for r in found], [0, 3, 3])
        # An agent that never errs cannot be the one who does.
        found = self.rivals(*OPTIMISTIC, "--rival-logs", 500, "--against", "alpha=0,optimism=0,eta=0")[0]
        self.assertEqual(found["nats_per_1000"], "inf")
        self.assertAlmostEqual(found["logs_needed"] * found["impossible"], 1)

    def test_second_study(self):
        """A rival that knows the true world: another study, whose own parameters are free."""
        text = read(DIAG)
        knows = self.write("knows.yaml", re.sub(r"  worlds:.*?\n(    -.*\n)+", "", text).replace("beta:  learn", "beta: inf"))
        other = self.write("other.yaml", text.replace("declare_healthy", "discharge"))
        rival = self.rivals(*OPTIMISTIC, "--rival-logs", 500, "--against", knows)[0]
        self.assertEqual(rival["name"], knows)
        self.assertEqual(sorted(rival["best"]), ["eta", "log_alpha"])
        self.assertGreaterEqual(rival["nats_per_1000"], 0)
        self.refused([DIAG, *OPTIMISTIC, "--draws", 0, "--against", other], "other.yaml", "discharge")

    # ---- numbers ----

    def test_design(self):
        """Without logs: the stated agent is simulated and fitted; text and JSON say the same, for any number of threads."""
        args = ["identify", DIAG, *OPTIMISTIC, "-n", 150, *QUICK, "--rival-logs", 300, "--against", "optimism=0"]
        done, more = run(*args, "--json"), run(*args, "--json", "--threads", 3)
        self.assertIn(done.returncode, (0, 1), said(done))
        self.assertEqual(done.stdout, more.stdout)
        found = json.loads(done.stdout)
        self.assertEqual(list(found["parameters"]), ["log_alpha", "optimism", "eta"])
        self.assertEqual([found["parameters"][n]["shown"]["truth"] for n in found["parameters"]], [0.5, 0.8, 0.001])
        self.assertEqual(found["logs"]["episodes"], 150)
        self.assertTrue(found["logs"]["simulated"])
        self.assertEqual(found["agent"]["from"], "stated")
        for p in found["parameters"].values():
            self.assertIn(p["identified"], ("no", "weakly", "yes"))
            self.assertIn(p["with"], found["parameters"])
            self.assertIsInstance(p["flat_below"], bool)
        for unicode in (False, True):
            text = run(*args, unicode=unicode).stdout.decode()
            self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
            for word in ("150 simulated logs", "contraction", "1/beta", "AGAINST", "optimism=0 comes closest with", "R-hat"):
                self.assertIn(word, re.sub(r"\s+", " ", text))
            for name, p in found["parameters"].items():
                verdict = p["identified"] if p["identified_below"] == p["identified_above"] else "one side"
                self.assertRegex(text, f"{p['contraction']:.2f}.*{verdict}")

    def test_as_simulated(self):
        """A design is the logs that `asif simulate` writes, fitted."""
        logs = os.path.join(self.folder, "logs.csv")
        run("simulate", DIAG, *OPTIMISTIC, "-n", 100, "--seed", 5, "--resolution", 30, "-o", logs)
        study = self.write("study.yaml", read(DIAG).replace("eta:   learn", "eta: 0.001"))
        a = self.json(study, *OPTIMISTIC, "-n", 100, "--seed", 5, *QUICK)
        b = self.json(study, logs, "--seed", 5, *QUICK)
        self.assertEqual(a["logs"]["decisions"], b["logs"]["decisions"])
        for name, p in a["parameters"].items():
            self.assertEqual(p["q50"], b["parameters"][name]["q50"])
            self.assertIsNone(b["parameters"][name]["truth"])

    def test_logs(self):
        """With logs: -p takes a parameter from what is estimated, and the agent of the rivals is the fitted one."""
        logs = os.path.join(self.folder, "logs.csv")
        run("simulate", DIAG, *OPTIMISTIC, "-n", 100, "-o", logs)
        found = self.json(DIAG, logs, "-p", "eta=0", "-p", "alpha=0.5", *QUICK, "--rival-logs", 300, "--against", "optimism=0")
        self.assertEqual(list(found["parameters"]), ["optimism"])
        self.assertEqual(found["agent"]["from"], "maximum")
        self.assertAlmostEqual(1 / found["agent"]["values"]["beta"], found["parameters"]["optimism"]["maximum"], places=9)
        self.assertEqual(found["rivals"][0]["values"]["beta"], "inf")
        self.assertFalse(found["logs"]["simulated"])
        # The maximum alone is enough for rivals.
        only = self.json(DIAG, logs, "-p", "eta=0", "-p", "alpha=0.5", "--resolution", 30, "--starts", 2, "--draws", 0,
                         "--rival-logs", 300, "--against", "optimism=0", codes=(0,))
        self.assertEqual(only["rivals"], found["rivals"])
        self.assertEqual(only["parameters"], {})

    def test_misfit(self):
        """Always two tests, whatever they show: alpha may be narrow, but it is not told by logs that no such agent leaves."""
        logs = os.path.join(self.folder, "two.csv")
        with open(logs, "w", encoding="utf-8") as file:
            file.write("episode,t,action,observation\n")
            for i in range(200):
                a, b = ("positive" if i >> k & 1 else "negative" for k in range(2))
                last = "declare_diseased" if a == "positive" else "declare_healthy"
                file.write(f"{i},0,monitor,{a}\n{i},1,monitor,{b}\n{i},2,{last},\n")
        flags = ["-p", "eta=0", "-p", "beta=1.25", *QUICK]
        alpha = self.json(DIAG, logs, *flags)["parameters"]["log_alpha"]
        self.assertGreater(alpha["contraction"], 0.9)
        self.assertEqual((alpha["identified"], alpha["doubt"]), ("weakly", "misfit"))
        text = re.sub(r"\s+", " ", run("identify", DIAG, logs, *flags).stdout.decode())
        self.assertIn("These logs do not establish choice randomness: the model misses something in the data", text)

    # ---- mistakes ----

    def test_usage(self):
        rows = [
            (["-p", "alpha=0.5"], ["agent must be stated", "-p beta=VALUE"]),
            ([*OPTIMISTIC, "--draws", 0], ["nothing to be found out", "--against"]),
            ([*OPTIMISTIC, "--against", "optimisn=0", "--draws", 0], ["no parameter 'optimisn'", "optimism"]),
            ([*OPTIMISTIC, "--against", "optimism=much", "--draws", 0], ["optimism"]),
            ([*OPTIMISTIC, "--against", "optimism=", "--draws", 0], ["NAME=VALUE"]),
            ([*OPTIMISTIC, "--against", "neutral.yaml", "--draws", 0], ["neutral.yaml", "neither"]),
            ([*OPTIMISTIC, "--method", "map"], ["nuts or by metropolis", "--draws 0"]),
            ([*OPTIMISTIC, "--rival-logs", 1000], ["there is no --against"]),
            ([*OPTIMISTIC, "--draws", 0, "-n", 10, "--against", "eta=0"], ["-n", "nothing is fitted"]),
            (["logs.csv", "-n", 10], ["-n", "LOGS"]),
            ([*OPTIMISTIC, "--map", "action=a"], ["no LOGS"]),
            (["-p", "alpha"], ["NAME=VALUE"]),
            (["-p", "alpah=1"], ["alpah", "alpha"]),
            (["absent.csv"], ["absent.csv"]),
            ([*OPTIMISTIC, "--rival-logs", 5, "--against", "eta=0"], ["from 100"]),
        ]
        for args, words in rows:
            with self.subTest(args=args):
                self.refused([DIAG, *args], *words)
        text = read(DIAG)
        given = self.write("given.yaml", text.replace("learn  ", "0.5    ").replace("learn\n", "1.25\n"))
        self.refused([given], "nothing is to be estimated", "--draws 0")


if __name__ == "__main__":
    unittest.main()
