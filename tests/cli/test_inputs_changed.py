"""Nothing is resumed, and no finished part is used again, after a file that the study names was edited.

Each case runs a command, edits one file (a .pomdp, a features table, a pairs table), and runs the same command again. The edit leaves the
study and the logs as they are, so only a key that counts the file itself notices it.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

TIGER = """asif: 1
environment: {pomdp: tiger.pomdp}
agent: {parameters: {alpha: learn}}
solver: {resolution: 20}
"""
MACHINE = """asif: 1
states: [good, worn]
actions: [run, service]
environment:
  transitions: {run: [[0.8, 0.2], [0.1, 0.9]], service: [[1, 0], [0.6, 0.4]]}
agent:
  discount: 0.9
  utility: {features: features.csv}
  parameters:
    alpha: 1
    gain: {learn: "normal(0, 10)", standard: 1}
"""
FEATURES = "state,action,gain,constant\ngood,run,1,0\nworn,run,0.5,0\ngood,service,0,-0.1\nworn,service,0,-0.1\n"
LONG = ["--draws", "300000", "--checkpoint", "0.01"]


def found(folder, begins):
    return [name for _, _, names in os.walk(folder) for name in names if name.startswith(begins)]


class Changed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(os.path.join(SOURCE, "examples", "tiger", "tiger.pomdp"), self.folder)
        self.write("tiger.yaml", TIGER)
        self.write("machine.yaml", MACHINE)
        self.write("features.csv", FEATURES)
        for name in ("preference-extrapolation.yaml", "preference-extrapolation.csv", "preference-extrapolation-pairs.csv"):
            shutil.copy(os.path.join(SOURCE, "examples", "inverses", name), self.folder)

    def path(self, *name):
        return os.path.join(self.folder, *name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def edit(self, name, old, new):
        with open(self.path(name)) as file:
            text = file.read()
        self.assertIn(old, text)
        self.write(name, text.replace(old, new, 1))

    def run_asif(self, *words, code=(0, 1)):
        done = subprocess.run([ASIF, *words], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertIn(done.returncode, code, done.stderr)
        return done

    def simulate(self, study, value, logs, *more):
        self.run_asif("simulate", study, "-p", value, "-n", "40", "--max-steps", "20", "--seed", "1", "-q", "-o", logs, *more)

    def interrupt(self, *words):
        process = subprocess.Popen([ASIF, *words, *LONG], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not found(self.path("fit"), "checkpoint-") and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        self.assertTrue(found(self.path("fit"), "checkpoint-"), "it was not interrupted")

    def fit_case(self, study, logs, name, old, new, *method):
        words = ["fit", study, logs, "-o", "fit", *method]
        self.interrupt(*words)
        self.edit(name, old, new)
        said = self.run_asif(*words, *LONG, code=(2,)).stderr
        self.assertIn("--force", said)
        short = [*method, "--warmup", "20", "--draws", "20", "--no-sensitivity"]
        self.run_asif("fit", study, logs, "-o", "fit", "--force", *short)
        self.run_asif("fit", study, logs, "-o", "fresh", *short)
        for file in ("fit.json", "chain-1.csv"):
            with open(self.path("fit", file)) as a, open(self.path("fresh", file)) as b:
                self.assertEqual(a.read(), b.read(), file)

    def test_published_and_pomdp(self):
        """The published walk begins at a point that no input changes: only the key protects it."""
        self.simulate("tiger.yaml", "alpha=5", "logs.csv")
        self.fit_case("tiger.yaml", "logs.csv", "tiger.pomdp", "0.95", "0.96", "--method", "published")

    def test_walk_and_features(self):
        self.simulate("machine.yaml", "gain=2", "logs.csv")
        self.fit_case("machine.yaml", "logs.csv", "features.csv", "worn,run,0.5", "worn,run,0.4", "--method", "metropolis")

    def test_nuts_and_pairs(self):
        logs = "preference-extrapolation.csv"
        self.fit_case("preference-extrapolation.yaml", logs, "preference-extrapolation-pairs.csv", "week 69,week 51",
                      "week 51,week 69", "--method", "metropolis", "--starts", "2", "--chains", "1")

    def test_groups(self):
        """A group that was finished before the edit is not taken for one of the new world."""
        self.simulate("tiger.yaml", "alpha=5", "a.csv")
        with open(self.path("a.csv")) as file:
            head, *rows = file.read().splitlines()
        at = head.split(",").index("episode")
        self.write("logs.csv", "\n".join([head + ",arm"] + [row + "," + ("a" if int(row.split(",")[at]) % 2 else "b")
                                                              for row in rows]) + "\n")
        words = ["fit", "tiger.yaml", "logs.csv", "--by", "arm", "--method", "map", "--starts", "2", "--no-sensitivity"]
        self.run_asif(*words, "-o", "fit")
        self.assertIn("finished before", self.run_asif(*words, "-o", "fit").stderr)
        self.edit("tiger.pomdp", "0.95", "0.96")
        said = self.run_asif(*words, "-o", "fit", code=(2,)).stderr
        self.assertNotIn("finished before", said)
        self.assertIn("--force", said)
        self.run_asif(*words, "-o", "fit", "--force")
        self.run_asif(*words, "-o", "fresh")
        for arm in "ab":
            with open(self.path("fit", arm, "fit.json")) as a, open(self.path("fresh", arm, "fit.json")) as b:
                self.assertEqual(a.read(), b.read(), arm)

    def replicates_case(self, command, study, name, old, new, *more):
        words = [command, study, "--replicates", "2", "-n", "20", "--max-steps", "20", "--chains", "1", "--warmup", "50", *more]
        self.run_asif(*words, "-o", "kept")
        again = self.run_asif(*words, "-o", "kept", "--json").stdout
        self.edit(name, old, new)
        said = self.run_asif(*words, "-o", "kept", code=(2,)).stderr
        self.assertIn("another study", said)
        other = self.run_asif(*words, "-o", "other", "--json").stdout
        self.assertNotEqual(json.loads(again)["fits"], json.loads(other)["fits"])

    def test_recover(self):
        self.replicates_case("recover", "machine.yaml", "features.csv", "worn,run,0.5", "worn,run,-0.4", "--draws", "50")

    def test_sbc(self):
        self.replicates_case("sbc", "tiger.yaml", "tiger.pomdp", "0.85 0.15", "0.80 0.20", "--method", "metropolis", "--draws", "9",
                             "--bins", "2")


if __name__ == "__main__":
    unittest.main()
