"""`asif fit` where the study leaves the dynamics of hidden states to be learnt: in the world of the estimates (given), or in worlds drawn from what
the observations say about the dynamics (cut)."""
# ctest label: slow
import csv
import json
import os
import subprocess
import tempfile
import unittest

ASIF = os.environ["ASIF"]
WORLD = """\
  start: [0.6, 0.4]
  transitions: [[0.9, 0.1], [0.15, 0.85]]
  emissions:
    sign: [[0.8, 0.2], [0.25, 0.75]]
    image: {scan: [[0, 0.85, 0.15], [0, 0.2, 0.8]], wait: none}
"""
MARKS = """\
  start: learn
  transitions: learn shared
  emissions:
    sign: learn
    image: {scan: learn except none, wait: none}
"""
STUDY = """\
asif: 1
states: [well, ill]
actions: [wait, scan]
observations: {sign: [weak, strong], image: [none, clear, dark]}
environment:
%s\
agent:
  discount: 0.9
  worlds: %s
  utility:
    - {wait: 0, scan: -1}
    - {ramp: certainty, from: 0.6, to: 1, add: 3}
  parameters: {alpha: %s, optimism: %s}
solver: {resolution: 12, tol: 1e-8}
"""
MIXED = "[{}, {mix: uniform, share: 0.5}]"
WORLDS = 8


def chains(folder):
    """The draws: {column: [chains][draws]}."""
    out = {}
    for k in range(1, 5):
        with open(os.path.join(folder, f"chain-{k}.csv")) as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        for name in rows[0]:
            out.setdefault(name, []).append([float(r[name]) for r in rows])
    return out


class World(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="asif-test-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.truth = cls.path("truth.yaml", STUDY % (WORLD, MIXED, 0.4, 0.5))
        cls.study = cls.path("study.yaml", STUDY % (MARKS, MIXED, "learn", "learn"))
        cls.logs = cls.path("logs.csv")
        cls.run_asif("simulate", cls.truth, "-n", 250, "--max-steps", 5, "--seed", 3, "-o", cls.logs, "-q")

    @classmethod
    def path(cls, name, content=None):
        path = os.path.join(cls.folder.name, name)
        if content is not None:
            with open(path, "w") as file:
                file.write(content)
        return path

    @staticmethod
    def run_asif(*args, codes=(0,)):
        done = subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, timeout=300)
        if done.returncode not in codes:
            raise AssertionError(done.stdout + done.stderr)
        return done

    def fit(self, name, *args, study=None):
        out = self.path(name)
        done = self.run_asif("fit", study or self.study, self.logs, "-o", out, "--no-answers", "-q", *args, codes=(0, 1))
        with open(os.path.join(out, "fit.json")) as file:
            return done.stdout, json.load(file)

    def refuse(self, *args, study=None):
        done = self.run_asif("fit", study or self.study, self.logs, "-o", self.path("refused"), *args, codes=(2,))
        self.assertFalse(os.path.exists(self.path("refused")))
        return done.stderr

    def test_cut_is_wider_than_given(self):
        text, given = self.fit("given", "--world", "given")
        self.assertIn("leave out what is uncertain", " ".join(text.split()))
        text, cut = self.fit("cut", "--worlds", WORLDS)
        world = cut["world"]
        self.assertEqual((world["mode"], world["worlds"], world["free"]), ("cut", WORLDS, 7))
        self.assertEqual(given["world"]["mode"], "given")
        self.assertEqual(world["along_ridge"] + world["by_chains"], WORLDS)
        for name in ("log_alpha", "optimism"):
            one, other = given["parameters"][name], cut["parameters"][name]
            self.assertGreater(other["q95"] - other["q05"], one["q95"] - one["q05"])
            for key in ("mean", "sd", "q05", "q95"):  # the fit in the world of the estimates is the same
                self.assertEqual(world["parameters"][name]["given"][key], one[key])
        self.assertIn(f"fitted in {WORLDS} worlds", " ".join(text.split()))
        self.assertIn("%.0f %% for optimism" % (100 * world["parameters"]["optimism"]["part"]), " ".join(text.split()))

    def test_parts_are_those_of_the_draws(self):
        """Variance of the means over all variance, from the files of the draws, in which worlds follow one another."""
        _, cut = self.fit("parts", "--worlds", WORLDS)
        for name, values in chains(self.path("parts")).items():
            if name.endswith("__"):
                continue
            each = len(values[0]) // WORLDS
            means = [sum(sum(c[w * each:(w + 1) * each]) for c in values) / (4 * each) for w in range(WORLDS)]
            everything = [x for c in values for x in c]
            mean = sum(everything) / len(everything)
            between = sum((m - mean) ** 2 for m in means) / WORLDS
            total = sum((x - mean) ** 2 for x in everything) / len(everything)
            number = cut["world"]["parameters"][name]
            self.assertAlmostEqual(number["part"], between / total, 9)
            self.assertTrue(0 < number["part"] < 1)
            for a, b in zip(number["means"], means):
                self.assertAlmostEqual(a, b, 9)
            self.assertAlmostEqual(cut["parameters"][name]["mean"], mean, 9)

    def test_threads_make_no_difference(self):
        for threads in (1, 3):
            self.fit(f"threads-{threads}", "--worlds", 4, "--threads", threads)
        for name in ("fit.json", "study.yaml", "chain-1.csv", "chain-4.csv", "logs.tree"):
            with open(os.path.join(self.path("threads-1"), name), "rb") as a, open(os.path.join(self.path("threads-3"), name), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)

    def test_key(self):
        keys = {self.fit(f"key-{i}", *args)[1]["key"]
                for i, args in enumerate([("--worlds", 2), ("--worlds", 3), ("--world", "given"), ("--world", "cut", "--worlds", 2)])}
        self.assertEqual(len(keys), 3)

    def test_saved_study_has_the_estimates(self):
        self.fit("saved", "--world", "given")
        learnt = self.path("learnt.yaml")
        self.run_asif("learn-world", self.study, self.logs, "-o", learnt, "--seed", 0, "-q")
        with open(os.path.join(self.path("saved"), "study.yaml")) as a, open(learnt) as b:
            self.assertEqual(a.read(), b.read())
        _, known = self.fit("known", study=learnt)
        _, given = self.fit("unknown", "--world", "given")
        self.assertEqual(known["parameters"], given["parameters"])
        self.run_asif("summary", self.path("saved"))

    def test_ladder_follows(self):
        """Worlds around the environment are those around the drawn one: the start of the agent, too."""
        study = self.path("ladder.yaml", STUDY % (MARKS, "{around: environment, emissions: +-0.1}", "learn", "0.5"))
        _, cut = self.fit("ladder", "--worlds", 3, study=study)
        means = cut["world"]["parameters"]["log_alpha"]["means"]
        self.assertEqual(len(set(means)), 3)

    def test_joint(self):
        """Agent and dynamics together: chains of NUTS, the same for any number of threads, beside the interval in the estimated world."""
        args = ("--world", "joint", "--chains", 2, "--warmup", 40, "--draws", 40)
        for threads in (1, 2):
            text, joint = self.fit(f"joint-{threads}", *args, "--threads", threads)
        self.assertEqual((joint["world"]["mode"], joint["world"]["drawn"], joint["method"]), ("joint", True, "nuts"))
        self.assertIn("together with the agent (--world joint)", " ".join(text.split()))
        _, given = self.fit("joint-given", "--world", "given", "--chains", 2, "--draws", 40)
        for name in ("log_alpha", "optimism"):
            self.assertEqual(joint["world"]["parameters"][name]["given"]["q95"], given["parameters"][name]["q95"])
            self.assertLess(abs(joint["parameters"][name]["mean"] - given["parameters"][name]["mean"]), 3 * given["parameters"][name]["sd"])
        for name in ("fit.json", "chain-1.csv", "chain-2.csv"):
            with open(os.path.join(self.path("joint-1"), name), "rb") as a, open(os.path.join(self.path("joint-2"), name), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)

    def test_joint_refuses_ladders(self):
        study = self.path("ladder-joint.yaml", STUDY % (MARKS, "{around: environment, emissions: +-0.1}", "learn", "0.5"))
        done = self.run_asif("fit", study, self.logs, "-o", self.path("ladder-joint"), "--no-answers", "-q", "--world", "joint", codes=(2,))
        self.assertIn("neither the environment nor the environment mixed", " ".join(done.stderr.split()))

    def test_methods_without_draws(self):
        _, found = self.fit("map", "--method", "map")
        self.assertEqual(found["world"]["mode"], "given")
        self.assertIn("no draws", self.refuse("--method", "map", "--world", "cut"))

    def test_refused(self):
        self.assertIn("--world is cut, given or joint, not 'cot'", self.refuse("--world", "cot"))
        self.assertIn("--world given has no use for --worlds", self.refuse("--world", "given", "--worlds", 5))
        known = self.path("all-known.yaml", STUDY % (WORLD, MIXED, "learn", "learn"))
        self.assertIn("leave hidden dynamics to be learnt", self.refuse("--world", "cut", study=known))
        seen = self.path("seen.yaml", "asif: 1\nstates: [a, b]\nactions: [u]\nenvironment: {transitions: {u: learn}}\n"
                                      "agent: {discount: 0.5, utility: {u: 1}, parameters: {alpha: learn}}\n")
        self.assertIn("asif learn-world STUDY LOGS", self.refuse(study=seen))


if __name__ == "__main__":
    unittest.main()
