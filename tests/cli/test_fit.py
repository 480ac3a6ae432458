"""asif fit and asif summary as a user meets them: answers, files, groups, interruption, and mistakes."""
import csv
import json
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
SANITIZED = "asan" in os.environ.get("ASIF_BUILD", "")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
GIVEN = ["-p", "beta=1.25", "-p", "eta=0"]  # only alpha is left to estimate
QUICK = ["--chains", "2", "--warmup", "60", "--draws", "60", "--resolution", "24"]
KEYS = ["mean", "sd", "q05", "q50", "q95", "rhat", "ess_bulk", "ess_tail", "contraction", "identified", "bound"]

# A look that tells the states apart without error: what it does not show is impossible.
CERTAIN = """\
asif: 1
states: [left, right]
actions: [look, go]
observations: [l, r]
environment: {start: [0.5, 0.5], emissions: identity, ends: go}
agent: {discount: 0.5, utility: {look: -1, go: {left: -20, right: 5}}, parameters: {alpha: %s}}
"""


def run(*args, stdin=None, cwd=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    return subprocess.run([ASIF, *map(str, args)], input=stdin, capture_output=True, cwd=cwd, env=environment,
                          timeout=300)


def said(result):
    return result.stdout.decode() + result.stderr.decode()


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Fit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.common = tempfile.mkdtemp()
        cls.logs = os.path.join(cls.common, "logs.csv")
        done = run("simulate", DIAG, "-p", "alpha=0.5", *GIVEN, "-n", 120, "--seed", 4, "-o", cls.logs)
        assert done.returncode == 0, said(done)
        with open(cls.logs, newline="") as file:
            cls.rows = list(csv.reader(file))
        # The same with a subject and two covariates of the episode: arm is a, b or missing.
        cls.grouped = os.path.join(cls.common, "grouped.csv")
        with open(cls.grouped, "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(cls.rows[0] + ["arm", "year"])
            for row in cls.rows[1:]:
                n = int(row[0])
                out.writerow(row + ["" if n <= 3 else ["a/1", "b"][n % 2], 2019 + n % 3])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.common)

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.out = os.path.join(self.folder, "out")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def fit(self, *args, study=DIAG, logs=None, out=None):
        return run("fit", study, logs or self.logs, "-o", out or self.out, *args)

    def json(self, *path):
        return json.loads(read(self.out, *path, "fit.json"))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def refused(self, result, *words, code=2):
        text = said(result)
        self.assertEqual(result.returncode, code, text)
        self.assertEqual(result.stdout, b"")
        for word in words:
            self.assertIn(word, re.sub(r"\s+", " ", text))

    # ---- answers and files ----

    def test_files(self):
        done = self.fit(*GIVEN, *QUICK)
        self.assertIn(done.returncode, (0, 1), said(done))
        self.assertEqual(sorted(os.listdir(self.out)),
                         ["chain-1.csv", "chain-2.csv", "fit.json", "logs.tree", "manifest.json", "run.json", "study.yaml"])
        self.assertEqual(read(self.out, "study.yaml"), read(DIAG))
        fit = self.json()
        self.assertEqual(list(fit["parameters"]), ["log_alpha"])
        self.assertEqual(list(fit["parameters"]["log_alpha"])[:len(KEYS)], KEYS)
        self.assertEqual((fit["method"], fit["requested"]), ("ridge", "auto"))
        self.assertIn("It was chosen because its weights can be trusted.", re.sub(r"\s+", " ", said(done)))
        self.assertEqual(fit["given"]["beta"], 1.25)
        self.assertEqual(fit["logs"]["episodes"], 120)
        # The truth is log .5; the posterior is a few tenths wide.
        self.assertLess(abs(fit["parameters"]["log_alpha"]["mean"] + 0.693), 0.5)
        self.assertGreater(fit["parameters"]["log_alpha"]["contraction"], 0.9)
        # So few logs do not speak against half the optimism, with which alpha is another.
        self.assertIn((fit["parameters"]["log_alpha"]["identified"], fit["parameters"]["log_alpha"]["doubt"]),
                      (("yes", None), ("weakly", "assumptions")))
        self.assertEqual(fit["trust"]["good"], done.returncode == 0)
        made = json.loads(read(self.out, "run.json"))
        self.assertEqual(made["command"][1], "fit")
        import hashlib
        for what, path in (("study", DIAG), ("logs", self.logs)):
            with open(path, "rb") as file:
                self.assertEqual(made[what]["sha256"], hashlib.sha256(file.read()).hexdigest())
        chain = [line for line in read(self.out, "chain-1.csv").splitlines() if not line.startswith("#")]
        self.assertEqual(chain[0].split(",")[:1] + chain[0].split(",")[-1:], ["lp__", "log_alpha"])
        self.assertEqual(len(chain), 61)
        # The median of the draws is the one that is told.
        draws = []
        for k in (1, 2):
            lines = [line for line in read(self.out, f"chain-{k}.csv").splitlines() if not line.startswith("#")]
            draws += [float(line.split(",")[-1]) for line in lines[1:]]
        draws.sort()
        self.assertAlmostEqual(fit["parameters"]["log_alpha"]["q50"], (draws[59] + draws[60]) / 2, places=10)

    # ---- the method that is chosen ----

    def test_ridge_is_chosen(self):
        """The problem of README.md. A quadrature with 96,100 points has optimism at .689 (mean), with 5 % of it above 1.384."""
        logs = os.path.join(self.folder, "logs.csv")
        run("simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001", "-n", 1000, "--seed", 1, "-o", logs)
        done = self.fit("--no-sensitivity", logs=logs)
        self.assertEqual(done.returncode, 0, said(done))
        fit = self.json()
        self.assertEqual((fit["method"], fit["requested"]), ("ridge", "auto"))
        self.assertNotIn("tried", fit)
        self.assertTrue(fit["trust"]["khat"] < 0.7 and fit["trust"]["kish"] >= 1000 and fit["trust"]["inside"], fit["trust"])
        optimism = fit["parameters"]["optimism"]
        self.assertLess(abs(optimism["mean"] - 0.689), 0.03 * optimism["sd"] + 5e-4)
        self.assertLess(abs(optimism["q95"] - 1.384), 0.06 * optimism["sd"] + 5e-4)

    @unittest.skipIf(SANITIZED, "it takes minutes with a sanitizer")
    def test_ridge_is_refused(self):
        """A single log leaves all the width of the priors, and so wide a prior of an error's cost has no ridge to speak of."""
        logs = os.path.join(self.folder, "logs.csv")
        run("simulate", DIAG, "-p", "alpha=0.1", "-p", "beta=1.25", "-p", "eta=0", "-n", 1, "--seed", 5, "-o", logs)
        study = self.write("wide.yaml", read(DIAG).replace("wrong: -36", "wrong: {learn: 'normal(-36, 1500)', standard: -36}"))
        done = self.fit("--no-sensitivity", *QUICK, logs=logs, study=study)
        self.assertIn(done.returncode, (0, 1), said(done))
        fit = self.json()
        self.assertEqual((fit["method"], fit["requested"], fit["tried"]["method"]), ("nuts", "auto", "ridge"))
        bad = fit["tried"]
        self.assertTrue(bad["khat"] >= 0.7 or bad["kish"] < 1000 or not bad["inside"], bad)
        why = ("the weights of the method ridge cannot be trusted (k-hat" if bad["inside"]
               else "a maximum, or the end of a ridge, lies outside the points of the method ridge")
        self.assertIn("It was chosen because " + why, re.sub(r"\s+", " ", said(done)))
        # What the flag says is what it does.
        forced = self.fit("--no-sensitivity", "--method", "ridge", "--resolution", "24", "--force", logs=logs, study=study)
        self.assertEqual(forced.returncode, 1)
        self.assertIn("NOT TO BE TRUSTED", said(forced))

    def test_summary_says_the_same(self):
        done = self.fit(*GIVEN, "--method", "map")
        self.assertEqual(done.returncode, 0, said(done))
        again = run("summary", self.out)
        self.assertEqual(again.stdout, done.stdout)
        self.assertEqual(run("summary", self.out, "--json").stdout.decode(), read(self.out, "fit.json"))
        text = done.stdout.decode()
        order = [text.index(word) for word in ("Diagnosis (DIAG), 120 episodes", "WHAT THEY DO", "monitor at the start",
                                               "AS IF, assuming", "choice randomness", "WHAT THE LOGS CANNOT TELL", "TRUST")]
        self.assertEqual(order, sorted(order))
        self.assertNotIn("chain-1.csv", os.listdir(self.out))

    def test_json(self):
        done = self.fit(*GIVEN, "--method", "ml", "--json")
        self.assertEqual(done.stdout.decode(), read(self.out, "fit.json"))
        fit = json.loads(done.stdout)
        self.assertIsNone(fit["maximum"]["log_posterior"])
        for key in ("contraction", "identified", "rhat", "ess_bulk"):
            self.assertIsNone(fit["parameters"]["log_alpha"][key])
        # What is done at the start is counted in the table.
        first = [row[2] for row in self.rows[1:] if row[1] == "0"]
        for action, numbers in fit["histories"][0]["actions"].items():
            self.assertAlmostEqual(numbers["observed"], first.count(action) / len(first), places=12)
        self.assertAlmostEqual(sum(n["predicted"] for n in fit["histories"][0]["actions"].values()), 1, places=9)

    def test_same_bytes(self):
        names = ["chain-1.csv", "chain-2.csv", "fit.json", "logs.tree", "study.yaml"]
        self.fit(*GIVEN, *QUICK, "--seed", 7, "--threads", 1)
        first = {name: read_bytes(self.out, name) for name in names}
        other = os.path.join(self.folder, "other")
        self.fit(*GIVEN, *QUICK, "--seed", 7, "--threads", 2, out=other)
        for name in names:
            self.assertEqual(first[name], read_bytes(other, name), name)
        third = os.path.join(self.folder, "third")
        self.fit(*GIVEN, *QUICK, "--seed", 8, out=third)
        self.assertNotEqual(first["chain-1.csv"], read_bytes(third, "chain-1.csv"))

    @unittest.skipIf(SANITIZED, "it takes minutes with a sanitizer")
    def test_same_bytes_nuts(self):
        """Chains that learnt their shape from the ridge, which threads weighted together: the warm-up is short."""
        names = ["chain-1.csv", "chain-2.csv", "chain-3.csv", "fit.json"]
        how = ["-p", "eta=0", "--method", "nuts", "--chains", "3", "--draws", "60", "--resolution", "24"]
        found = {}
        for threads in (1, 2, 3):
            out = os.path.join(self.folder, f"threads-{threads}")
            self.fit(*how, "--threads", threads, out=out)
            found[threads] = {name: read_bytes(out, name) for name in names}
        self.assertEqual(json.loads(found[1]["fit.json"])["draws"]["warmup"], 150)
        for name in names:
            self.assertEqual(found[1][name], found[2][name], name)
            self.assertEqual(found[1][name], found[3][name], name)

    def checkpoints(self):
        staged = os.path.join(self.out, ".asif", "new")
        try:
            return [name for name in os.listdir(staged) if name.startswith("checkpoint-")]
        except FileNotFoundError:  # not made yet, or moved into place a moment ago
            return []

    def test_interrupted(self):
        """Ctrl-C leaves a checkpoint, and says how to go on."""
        args = ["--method", "nuts", "--chains", "1", "--warmup", "3000", "--draws", "100000"]
        process = subprocess.Popen([ASIF, "fit", DIAG, self.logs, "-o", self.out, "--checkpoint", "0.1", *args],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        begun = time.time()
        while time.time() - begun < 100 and not self.checkpoints():
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, -signal.SIGINT, text)
        self.assertIn("stopped before the end; the draws so far are saved", text)
        self.assertIn("goes on from where it was", text)
        self.assertTrue(self.checkpoints())
        self.refused(run("summary", self.out), "no finished fit", "goes on from where it was")
        # Other flags are another fit.
        self.refused(self.fit(*args[:-1], "5"), "--force")
        done = self.fit(*GIVEN, "--method", "map", "--force")
        self.assertEqual(done.returncode, 0, said(done))
        self.assertFalse(os.path.exists(os.path.join(self.out, ".asif")))

    def test_interrupted_before_the_draws(self):
        """While the maximum is sought there is nothing to save; and it is said."""
        process = subprocess.Popen([ASIF, "fit", DIAG, self.logs, "-o", self.out, "--starts", "5000"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not os.path.exists(os.path.join(self.out, ".asif", "new", "begun")):
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        text = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, -signal.SIGTERM, text)
        self.assertIn("there are no draws yet", text)
        self.assertIn("begins again", text)

    def test_published(self):
        done = self.fit(*GIVEN, "--method", "published", "--warmup", "50", "--draws", "20")
        self.assertEqual(done.returncode, 1, said(done))
        fit = self.json()
        self.assertEqual(fit["draws"], {"chains": 1, "warmup": 50, "draws": 20, "thin": 10, "seed": 0})
        self.assertIsNone(fit["parameters"]["log_alpha"]["contraction"])
        self.assertIn("NOT TO BE TRUSTED", done.stdout.decode())

    def test_no_names_are_copied(self):
        logs = self.write("logs.csv", "patient,t,action,observation,arm\n" +
                          "".join(f"Mrs-Miller-{row[0]},{','.join(row[1:])},x\n" for row in self.rows[1:]))
        done = self.fit(*GIVEN, "--method", "map", "--map", "episode=patient", "--where", "arm=x", logs=logs)
        self.assertEqual(done.returncode, 0, said(done))
        for name in os.listdir(self.out):
            self.assertNotIn(b"Miller", read_bytes(self.out, name), name)

    def test_environment_file(self):
        tiger = os.path.join(SOURCE, "examples", "tiger")
        logs = os.path.join(self.folder, "tiger.csv")
        study = self.write("study.yaml", read(tiger, "study.yaml"))
        shutil.copy(os.path.join(tiger, "tiger.pomdp"), self.folder)
        given = run("simulate", study, "-p", "alpha=1", "-n", 30, "--max-steps", 20, "-o", logs)
        self.assertEqual(given.returncode, 0, said(given))
        text = re.sub(r"alpha: *[0-9.e-]+", "alpha: learn", read(study))
        self.assertIn("alpha: learn", text)
        quick = ["--method", "map", "--starts", "2", "--resolution", "20"]
        done = self.fit(*quick, study=self.write("study.yaml", text), logs=logs)
        self.assertIn(done.returncode, (0, 1), said(done))
        self.assertEqual(read(self.out, "tiger.pomdp"), read(tiger, "tiger.pomdp"))
        # The copy can be fitted again.
        again = run("fit", os.path.join(self.out, "study.yaml"), os.path.join(self.out, "logs.tree"), "-o",
                    os.path.join(self.folder, "again"), *quick)
        self.assertEqual(again.returncode, done.returncode, said(again))
        self.assertEqual(again.stdout, done.stdout)

    # ---- groups ----

    def test_where(self):
        done = self.fit(*GIVEN, "--method", "ml", "--where", "arm=b", "--where", "year=2020", logs=self.grouped)
        self.assertEqual(done.returncode, 0, said(done))
        chosen = self.write("chosen.csv", "\n".join(
            [",".join(self.rows[0])] + [",".join(row) for row in self.rows[1:]
                                        if int(row[0]) > 3 and int(row[0]) % 2 == 1 and int(row[0]) % 3 == 1]))
        fit, other = self.json(), os.path.join(self.folder, "other")
        self.fit(*GIVEN, "--method", "ml", logs=chosen, out=other)
        want = json.loads(read(other, "fit.json"))
        self.assertEqual(fit["where"], ["arm=b", "year=2020"])
        self.assertEqual(fit["logs"]["episodes"], want["logs"]["episodes"])
        self.assertEqual(fit["logs"]["decisions"], want["logs"]["decisions"])
        self.assertEqual(fit["maximum"], want["maximum"])
        self.assertIn("arm=b, year=2020", done.stdout.decode())

    def test_by(self):
        done = self.fit(*GIVEN, "--method", "ml", "--by", "arm", logs=self.grouped)
        self.assertEqual(done.returncode, 0, said(done))
        self.assertIn("3 episodes without a value of `arm`: left out", done.stderr.decode())
        self.assertEqual(sorted(os.listdir(self.out)), ["a_1", "b", "manifest.json"])
        text = done.stdout.decode()
        for word in ("by arm", "a/1", "choice randomness"):
            self.assertIn(word, text)
        self.assertEqual(self.json("b")["group"], {"column": "arm", "value": "b"})
        self.assertEqual(run("summary", self.out).stdout, done.stdout)
        self.assertIn("arm = a/1", run("summary", os.path.join(self.out, "a_1")).stdout.decode())
        self.assertEqual(len(json.loads(run("summary", self.out, "--json").stdout)["groups"]), 2)
        # A group that is finished is not made again; what would be another fit is refused.
        shutil.rmtree(os.path.join(self.out, "b"))
        again = self.fit(*GIVEN, "--method", "ml", "--by", "arm", logs=self.grouped)
        self.assertIn("a/1: finished before", again.stderr.decode())
        self.assertEqual(again.stdout, done.stdout)
        self.refused(self.fit(*GIVEN, "--method", "map", "--by", "arm", logs=self.grouped), "finished fits", "--force")

    def test_groups_of_other_logs(self):
        """What is finished is known by its counts: other logs are not taken for it."""
        args = [*GIVEN, "--method", "ml", "--by", "arm"]
        done = self.fit(*args, logs=self.grouped)
        self.assertEqual(done.returncode, 0, said(done))
        fewer = self.write("fewer.csv", "".join(line + "\n" for line in read(self.grouped).splitlines()[:200]))
        self.refused(self.fit(*args, logs=fewer), "holds finished fits")
        again = self.fit(*args, "--force", logs=fewer)
        self.assertNotEqual(again.stdout, done.stdout)

    def test_spellings_of_a_group(self):
        """Groups whose names differ in case and hyphens only are named, and fitted as they are."""
        arms = ["North Wing", "north-wing", "south", "North Wing"]
        logs = self.write("spelt.csv", ",".join(self.rows[0]) + ",site\n" +
                          "".join(",".join(row) + ",%s\n" % arms[int(row[0]) % 4] for row in self.rows[1:]))
        done = self.fit(*GIVEN, "--method", "ml", "--by", "site", logs=logs)
        self.assertEqual(done.returncode, 0, said(done))
        self.assertEqual(said(done).count("are two groups of `site`"), 1, said(done))
        self.assertIn("`North Wing` and `north-wing` are two groups of `site`", said(done))
        self.assertTrue(os.path.isdir(self.out))

    def test_empty_column(self):
        logs = self.write("logs.csv", ",".join(self.rows[0]) + ",site\n" +
                          "".join(",".join(row) + ",\n" for row in self.rows[1:]))
        self.refused(self.fit(*GIVEN, "--by", "site", logs=logs), "no episode has a value of `site`: there are no groups")
        self.assertFalse(os.path.exists(self.out))

    def test_groups_that_are_not_there(self):
        self.refused(self.fit(*GIVEN, "--where", "arm=c", logs=self.grouped), "no episode has arm=c",
                     "the column `arm` has (missing), a/1, b")
        self.refused(self.fit(*GIVEN, "--where", "arm=b", "--where", "year=1999", logs=self.grouped),
                     "no episode has year=1999", "in the episodes that have the rest, the column `year` has 2019, 2020, 2021")
        self.refused(self.fit(*GIVEN, "--where", "arm", logs=self.grouped), "--where wants COLUMN=VALUE")
        self.refused(self.fit(*GIVEN, "--by", "sex", logs=self.grouped), "sex")
        self.refused(self.fit(*GIVEN, "--where", "sex=f", logs=self.grouped), "sex")

    def test_by_from_a_tree(self):
        tree = os.path.join(self.folder, "logs.tree")
        run("count", self.grouped, "--study", DIAG, "--by", "arm", "-o", tree)
        done = self.fit(*GIVEN, "--method", "ml", "--by", "arm", "-q", logs=tree)
        self.assertEqual(done.returncode, 0, said(done))
        self.assertEqual(done.stderr, b"")
        plain = os.path.join(self.folder, "plain.tree")
        run("count", self.grouped, "--study", DIAG, "-o", plain)
        self.refused(self.fit(*GIVEN, "--by", "arm", logs=plain, out=self.out + "2"), "saved without the column `arm`")

    # ---- what the logs cannot tell ----

    def test_action_never_taken(self):
        logs = self.write("logs.csv", "episode,t,action,observation\n" + "".join(
            f"{n},0,monitor,positive\n{n},1,declare_diseased,\n" for n in range(30)))
        done = self.fit(*GIVEN, "--method", "map", logs=logs)
        self.assertIn(done.returncode, (0, 1), said(done))
        self.assertEqual(self.json()["logs"]["never_taken"], ["declare_healthy"])
        self.assertIn("`declare_healthy` was never taken", done.stdout.decode())

    def test_parameter_that_does_not_matter(self):
        study = self.write("study.yaml", """\
asif: 1
states: [on, off]
actions: [stay, leave]
observations: [seen, unseen]
environment: {start: [0.5, 0.5], emissions: [[0.5, 0.5], [0.5, 0.5]], ends: [stay, leave]}
agent: {discount: 0, utility: {stay: 1, leave: 0}, parameters: {alpha: 1, eta: learn}}
""")
        logs = self.write("logs.csv", "episode,t,action,observation\n" + "".join(
            f"{n},0,{'stay' if n % 4 else 'leave'},\n" for n in range(40)))
        done = self.fit(*QUICK, study=study, logs=logs)
        self.assertIn(done.returncode, (0, 1), said(done))
        eta = self.json()["parameters"]["eta"]
        self.assertEqual(eta["identified"], "no")
        self.assertLess(abs(eta["contraction"]), 0.25)
        self.assertTrue(eta["flat_below"] and eta["flat_above"])
        self.assertIn("next to nothing about taste for surprise", done.stdout.decode())

    def test_optimism_with_one_world(self):
        study = self.write("study.yaml", re.sub(r"  worlds:.*?(?=  utility)", "", read(DIAG), flags=re.S))
        self.refused(self.fit("-p", "eta=0", "-p", "alpha=0.5", *QUICK, study=study), "the agent has one world", "beta: inf")

    def test_one_subject(self):
        logs = self.write("logs.csv", "subject," + ",".join(self.rows[0]) + "\n" +
                          "".join("me," + ",".join(row) + "\n" for row in self.rows[1:]))
        done = self.fit(*GIVEN, "--method", "map", logs=logs)
        self.assertEqual(done.returncode, 0, said(done))
        self.assertIn("one subject", done.stdout.decode())

    def test_bound(self):
        logs = os.path.join(self.folder, "sure.csv")
        run("simulate", DIAG, "-p", "alpha=0.00001", *GIVEN, "-n", 100, "-o", logs)
        done = self.fit(*GIVEN, *QUICK, logs=logs)
        alpha = self.json()["parameters"]["log_alpha"]
        self.assertEqual([alpha[key] for key in ("bound", "identified_below", "identified")], ["below", "no", "no"])
        self.assertIn(alpha["identified_above"], ("weakly", "yes"))
        self.assertIn("lower limit no", re.sub(r"\s+", " ", done.stdout.decode()))

    # ---- mistakes ----

    def test_impossible_observation(self):
        study = self.write("study.yaml", CERTAIN % "learn")
        rows = "".join(f"{n},0,look,r\n{n},1,look,r\n{n},2,go,\n" for n in range(13333))
        logs = self.write("logs.csv", "episode,t,action,observation\n" + rows + "x,0,look,l\nx,1,look,r\nx,2,go,\n")
        done = self.fit("--method", "map", study=study, logs=logs)
        self.refused(done, "logs.csv: row 40001: 'r' after 'look' is impossible here in every world of the agent")
        self.assertFalse(os.path.exists(self.out))

    def test_nothing_to_learn(self):
        self.refused(self.fit(*GIVEN, "-p", "alpha=1"), "nothing is left to estimate", "asif plan")
        self.assertFalse(os.path.exists(self.out))
        study = self.write("study.yaml", CERTAIN % "0.5")
        self.refused(self.fit(study=study), "nothing is to be estimated", "alpha: learn")

    def test_given_values(self):
        self.refused(self.fit("-p", "alpha=0"), "alpha")
        self.refused(self.fit("-p", "gamma=1"), "gamma")
        self.refused(self.fit("-p", "alpha"), "NAME=VALUE")
        done = self.fit("-p", "optimism=0.8", "-p", "eta=0", "--method", "ml")
        self.assertEqual(list(self.json()["parameters"]), ["log_alpha"], said(done))

    def test_other_labels(self):
        logs = self.write("logs.csv", "episode,t,action,observation\n1,0,biopsy,positive\n")
        self.refused(self.fit(logs=logs), "biopsy")

    def test_missing_files(self):
        self.refused(self.fit(study=os.path.join(self.folder, "none.yaml")), "none.yaml")
        self.refused(self.fit(*GIVEN, logs=os.path.join(self.folder, "none.csv")), "none.csv")
        self.assertFalse(os.path.exists(self.out))
        self.refused(run("summary", self.folder), "holds no fit", "asif fit STUDY LOGS")
        self.refused(run("summary", os.path.join(self.folder, "nowhere")), "holds no fit")

    def test_usage(self):
        self.refused(run("fit", DIAG, self.logs), "needs -o DIR")
        self.refused(run("fit", "-", "-", "-o", self.out), "cannot both come from standard input")
        self.refused(self.fit("--method", "nut"), "there is no method 'nut'", "did you mean nuts?")
        self.refused(self.fit("--method", "map", "--draws", "10"), "has no use for --draws")
        self.refused(self.fit("--chains", "0"), "--chains must be a whole number from 1 to 1000, not '0'")
        self.refused(self.fit("--method", "map", "--checkpoint", "1"), "has no use for --checkpoint")
        self.refused(run("fit", DIAG, self.logs, "-o", ""), "needs -o DIR")
        self.assertFalse(os.path.exists(self.out))

    def test_standard_input(self):
        with open(DIAG, "rb") as file:
            done = run("fit", "-", self.logs, "-o", self.out, *GIVEN, "--method", "ml", stdin=file.read())
        self.assertEqual(done.returncode, 0, said(done))
        with open(self.logs, "rb") as file:
            again = run("fit", DIAG, "-", "-o", self.out + "2", *GIVEN, "--method", "ml", stdin=file.read())
        self.assertEqual(again.stdout, done.stdout)
        self.assertIsNone(json.loads(read(self.out + "2", "run.json"))["logs"]["sha256"])

    def test_pipe(self):
        """Logs through a pipe with a name are read once: the fit waits for no second writer, and tells no digest."""
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        with subprocess.Popen(["cp", self.logs, pipe]) as writer:
            done = run("fit", DIAG, pipe, "-o", self.out, *GIVEN, "--method", "ml")
            self.assertEqual(writer.wait(), 0)
        self.assertEqual(done.returncode, 0, said(done))
        self.assertEqual(json.loads(read(self.out, "run.json"))["logs"], {"file": pipe, "sha256": None})

    def test_folder(self):
        first = self.fit(*GIVEN, "--method", "ml")
        self.assertEqual(first.returncode, 0, said(first))
        self.refused(self.fit(*GIVEN, "--method", "ml"), "holds a finished fit", "--force")
        # What is there stays until all that was given is known to be good.
        self.refused(self.fit(*GIVEN, "--force", logs=os.path.join(self.folder, "none.csv")), "none.csv")
        self.refused(self.fit("-p", "alfa=1", "--force"), "no parameter 'alfa'", "did you mean 'alpha'?")
        self.assertEqual(run("summary", self.out).stdout, first.stdout)
        self.assertEqual(self.fit(*GIVEN, "--method", "ml", "--force").stdout, first.stdout)
        file = self.write("file", "")
        self.refused(self.fit(out=file), "cannot make the folder", code=3)
        if os.getuid() != 0:
            os.mkdir(self.out + "3", 0o500)
            self.refused(self.fit(out=self.out + "3"), "cannot make the folder", code=3)

    def test_damaged_summary(self):
        os.mkdir(self.out)
        for text in ("", "{}", "{\"method\": \"nuts\", \"parameters\": {\"a\": 3}, \"trust\": {}}"):
            with open(os.path.join(self.out, "fit.json"), "w") as file:
                file.write(text)
            done = run("summary", self.out)
            self.assertIn(done.returncode, (1, 2), said(done))

    def test_help(self):
        for command in ("fit", "summary"):
            done = run(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertTrue(all(len(line) < 80 for line in done.stdout.decode().splitlines()))


def read_bytes(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


if __name__ == "__main__":
    unittest.main()
