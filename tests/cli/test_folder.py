"""The folder of a fit: nothing of the user's is touched, one writer at a time, the old fit or the new one is always whole.

ASIF_PAIRS says how many pairs of fits are started at once into one folder (default 2; tests/long/folder.sh takes 50), ASIF_KILLS how often
commands are killed (default 6; there 500), ASIF_SEED when.
"""
# ctest label: slow
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
PAIRS = int(os.environ.get("ASIF_PAIRS", 2))
KILLS = int(os.environ.get("ASIF_KILLS", 6))
SEED = int(os.environ.get("ASIF_SEED", 0))
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

STUDY = """asif: 1
states: [good, worn]
actions: [run, service]
environment:
  transitions: {run: [[0.8, 0.2], [0.1, 0.9]], service: [[1, 0], [0.6, 0.4]]}
agent:
  discount: 0.9
  utility: {features: features.csv}
  parameters: {alpha: 1, gain: {learn: "normal(0, 10)", standard: 1}}
"""
FEATURES = "state,action,gain,constant\ngood,run,1,0\nworn,run,0.5,0\ngood,service,0,-0.1\nworn,service,0,-0.1\n"
QUICK = ["--method", "map", "--starts", "1", "--no-sensitivity"]
DRAWN = ["--method", "metropolis", "--starts", "1", "--chains", "2", "--warmup", "20", "--draws", "20", "--no-sensitivity"]
FILES = ["features.csv", "fit.json", "logs.tree", "manifest.json", "run.json", "study.yaml"]
ANYHOW = ("run.json", "manifest.json")  # with times in them


def snapshot(folder):
    """Every name below a folder: what it is, its mode, and its bytes or target."""
    found = {}
    for top, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(top, name)
            about = os.lstat(path)
            content = os.readlink(path) if os.path.islink(path) else None
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    content = file.read()
            found[os.path.relpath(path, folder)] = (about.st_mode, content)
    return found


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("features.csv", FEATURES)
        self.write("machine.yaml", STUDY)
        self.asif("simulate", "machine.yaml", "-p", "gain=2", "-n", "30", "--max-steps", "10", "--seed", "1", "-q", "-o", "a.csv")
        with open(self.path("a.csv")) as file:
            head, *rows = file.read().splitlines()
        at = head.split(",").index("episode")
        arm = ["b", "fit.json", "0.5"]
        self.write("logs.csv", "\n".join([head + ",arm"] + [row + "," + arm[int(row.split(",")[at]) % 3] for row in rows]) + "\n")

    def path(self, *name):
        return os.path.join(self.folder, *name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def asif(self, *words, code=(0, 1)):
        done = subprocess.run([ASIF, *words], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertIn(done.returncode, code, f"{words}: {done.stdout} {done.stderr}")
        return done

    def fit(self, *more, folder="fit", code=(0, 1)):
        return self.asif("fit", "machine.yaml", "logs.csv", "-o", folder, *more, code=code)

    def assert_whole(self, folder):
        """Every file that the manifest names is there, as it says, and nothing else of asif's."""
        with open(self.path(folder, "manifest.json")) as file:
            manifest = json.load(file)
        for one in manifest["files"]:
            with open(self.path(folder, one["name"]), "rb") as file:
                data = file.read()
            self.assertEqual((len(data), hashlib.sha256(data).hexdigest()), (one["bytes"], one["sha256"]), one["name"])
        with open(self.path(folder, "fit.json")) as file:
            self.assertEqual(json.load(file)["key"], manifest["key"])
        return sorted(one["name"] for one in manifest["files"])

    # ---- what is in it ----

    def test_manifest(self):
        self.fit(*QUICK)
        self.assertEqual(sorted(os.listdir(self.path("fit"))), FILES)
        self.assertEqual(self.assert_whole("fit") + ["manifest.json"], sorted(set(FILES) - {"manifest.json"}) + ["manifest.json"])

    def test_replaced(self):
        """The new fit has fewer files: those of the old one go, and the user's stay."""
        self.fit(*DRAWN)
        self.write("fit/notes.txt", "mine")
        self.write("fit/chain-of-custody.csv", "mine")
        self.write("fit/chain-7.csv", "mine")
        self.fit(*QUICK, code=(2,))
        self.assertIn("chain-1.csv", os.listdir(self.path("fit")))
        self.fit(*QUICK, "--force")
        self.assert_whole("fit")
        self.assertEqual(sorted(os.listdir(self.path("fit"))), sorted(FILES + ["notes.txt", "chain-of-custody.csv", "chain-7.csv"]))

    # ---- the user's files ----

    def test_lookalikes(self):
        """A user's file with a name that asif needs is refused before anything is computed, also with --force."""
        for name in FILES + ["chain-1.csv"]:
            for force in ([], ["--force"]):
                self.write("fit/" + name, "mine\n")
                self.write("fit/checkpoint-notes", "mine\n")
                os.chmod(self.path("fit", name), 0o600)
                os.symlink("nowhere", self.path("fit", "link"))
                os.mkfifo(self.path("fit", "pipe"))
                before = snapshot(self.path("fit"))
                said = self.fit(*DRAWN, *force, code=(2,)).stderr
                self.assertIn(name, said)
                self.assertEqual(snapshot(self.path("fit")), before, name)
                shutil.rmtree(self.path("fit"))

    def test_strange_kinds(self):
        """A link or a folder in the place of a file of ours."""
        for make in (lambda path: os.symlink(self.path("machine.yaml"), path), os.mkdir, os.mkfifo):
            os.mkdir(self.path("fit"))
            make(self.path("fit", "study.yaml"))
            before = snapshot(self.folder)
            self.fit(*QUICK, "--force", code=(2,))
            self.assertEqual(snapshot(self.folder), before)
            shutil.rmtree(self.path("fit"))

    def test_changed(self):
        """A file that the user edited in a fit is the user's now."""
        self.fit(*QUICK)
        with open(self.path("fit", "study.yaml"), "a") as file:
            file.write("# my note\n")
        before = snapshot(self.path("fit"))
        self.assertIn("changed", self.fit(*QUICK, "--force", code=(2,)).stderr)
        self.assertEqual(snapshot(self.path("fit")), before)

    def test_nothing_left(self):
        """A fit that fails leaves no folder behind that was not there before."""
        self.write("bad.csv", "episode,t,state,action\n1,0,good,fly\n")
        self.asif("fit", "machine.yaml", "bad.csv", "-o", "new/deep", code=(2,))
        self.assertFalse(os.path.exists(self.path("new", "deep")))

    # ---- groups ----

    def test_groups(self):
        self.fit(*QUICK, "--by", "arm")
        self.assertEqual(sorted(os.listdir(self.path("fit"))), ["0.5", "b", "fit_json", "manifest.json"])
        for name in ("0.5", "b", "fit_json"):
            self.assert_whole("fit/" + name)
        self.fit(*QUICK, code=(2,))
        self.fit(*QUICK, "--force", code=(2,))

    def test_unfinished_groups(self):
        """A group that is missing is named wherever the others are read, and the same command makes it."""
        self.fit(*QUICK, "--by", "arm")
        whole = snapshot(self.path("fit"))
        shutil.rmtree(self.path("fit", "b"))
        for words in (["summary", "fit"], ["compare", "fit", "--draws", "2", "-n", "2"], ["report", "fit", "-o", "page.html"]):
            self.assertIn("1 of the 3 groups in fit is not finished: b", self.asif(*words).stderr)
        with open(self.path("page.html")) as file:
            self.assertTrue("not finished" in file.read(), "the page does not name the group")
        self.asif("explain", "fit/b", code=(2,))
        said = self.fit(*QUICK, "--by", "arm").stderr
        self.assertEqual(said.count("finished before"), 2)
        again = snapshot(self.path("fit"))
        for name in whole:
            if os.path.basename(name) not in ANYHOW:
                self.assertEqual(whole[name], again[name], name)

    def test_groups_replaced(self):
        """Other groups take the place of the old ones together; the user's file in a group that is gone stays."""
        self.fit(*QUICK, "--by", "arm")
        self.write("fit/b/notes.txt", "mine")
        with open(self.path("logs.csv")) as file:
            text = file.read().replace(",b\n", ",c\n")
        self.write("logs.csv", text)
        self.assertIn("--force", self.fit(*QUICK, "--by", "arm", code=(2,)).stderr)
        self.fit(*QUICK, "--by", "arm", "--force")
        self.assertEqual(sorted(os.listdir(self.path("fit"))), ["0.5", "b", "c", "fit_json", "manifest.json"])
        self.assertEqual(os.listdir(self.path("fit", "b")), ["notes.txt"])
        self.assertIn("c ", self.asif("summary", "fit").stdout)

    def test_half_cleared(self):
        """Killed while the staged copies of groups that are in place were cleared away: the same command begins anew."""
        words = [*QUICK, "--by", "arm", "--force"]
        self.fit(*words)
        whole = snapshot(self.path("fit"))
        with open(self.path("fit", "manifest.json")) as file:
            key = json.load(file)["key"]
        for left in (["study.yaml"], ["manifest.json", "study.yaml"]):
            os.makedirs(self.path("fit", ".asif", "new", "b"))
            self.write("fit/.asif/new/begun", f"asif fit, key {key}\n")
            for name in left:
                shutil.copy(self.path("fit", "b", name), self.path("fit", ".asif", "new", "b"))
            self.fit(*words)
            again = snapshot(self.path("fit"))
            self.assertEqual(sorted(again), sorted(whole))
            for name in whole:
                if os.path.basename(name) not in ANYHOW:
                    self.assertEqual(whole[name], again[name], name)

    def test_parts(self):
        """Killed while it wrote its answer: the same command clears away what was left of it, and nothing else."""
        small = ["-n", "5", "--max-steps", "5", "--replicates", "2", "--chains", "1", "--warmup", "5", "--method", "metropolis"]
        for command, more in (("recover", ["--draws", "5"]), ("sbc", ["--draws", "3", "--bins", "2"])):
            left = [f"{command}.json.25255-0.part", "replicates.csv.25255-3.part"]
            mine = [f"{command}.json.part", f"{command}.json.a-0.part", "other.json.25255-0.part"]
            for name in left + mine:
                self.write(f"{command}/{name}", "half")
            self.asif(command, "machine.yaml", *small, *more, "-o", command)
            self.assertEqual(sorted(os.listdir(self.path(command))), sorted(mine + [f"{command}.json", "replicates.csv"]))

    def test_killed_at_first(self):
        """Killed while it wrote the first file of all, the note of what was begun: the same command goes on, and a file of the user's in
        that place is still refused."""
        self.fit(*QUICK, folder="whole")
        for name, code in (("begun.25255-0.part", (0, 1)), ("begun.mine.part", (2,))):
            self.write("half/.asif/new/" + name, "asif f")
            self.fit(*QUICK, folder="half", code=code)
            want = sorted(os.listdir(self.path("whole"))) if code != (2,) else [".asif"]
            self.assertEqual(sorted(os.listdir(self.path("half"))), want)
            shutil.rmtree(self.path("half"))

    def test_killed_at_last(self):
        """Killed when the fit was in place and the folder where it was made was still to be removed: the same command removes it."""
        for more, places in (([], [""]), (["--by", "arm"], ["", "b"])):
            for place in places:
                self.fit(*QUICK, *more, folder="done")
                whole = sorted(snapshot(self.path("done")))
                os.makedirs(self.path("done", place, ".asif/new"))
                self.fit(*QUICK, *more, folder="done", code=(0, 1, 2))
                self.assertEqual(sorted(snapshot(self.path("done"))), whole, (more, place))
                shutil.rmtree(self.path("done"))

    # ---- pipes ----

    def test_pipes(self):
        """Logs through a pipe with a name: nobody waits for a second writer, and the answer is that of the file."""
        self.fit(*DRAWN)
        self.fit(*DRAWN, "--seed", "2", folder="other")
        os.mkfifo(self.path("pipe"))
        for words in (["count", "LOGS", "--study", "machine.yaml", "--json"], ["compare", "fit", "other", "--logs", "LOGS", "--json"]):
            with subprocess.Popen(["cp", "logs.csv", "pipe"], cwd=self.folder) as writer:
                piped = self.asif(*[word.replace("LOGS", "pipe") for word in words]).stdout
                self.assertEqual(writer.wait(), 0)
            whole = self.asif(*[word.replace("LOGS", "logs.csv") for word in words]).stdout
            piped, whole = json.loads(piped), json.loads(whole)
            for key in {"episodes", "decisions", "units", "models"} & set(whole):
                self.assertEqual(piped[key], whole[key], words)

    # ---- two writers ----

    def test_two_writers(self):
        """Of two fits into one folder one is refused, and the other is whole."""
        long = ["--method", "metropolis", "--starts", "1", "--chains", "1", "--warmup", "20", "--draws", "60000", "--no-sensitivity"]
        refused = 0
        for pair in range(PAIRS):
            folder = f"fit-{pair}"
            words = [ASIF, "fit", "machine.yaml", "logs.csv", "-o", folder, *long]
            both = [subprocess.Popen([*words, "--seed", str(seed)], cwd=self.folder, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True) for seed in (1, 2)]
            said = [process.communicate(timeout=120)[1] for process in both]
            codes = sorted(process.returncode for process in both)
            self.assertIn(codes[0], (0, 1), said)
            self.assertEqual(codes[1], 2, said)
            loser = said[0] if both[0].returncode == 2 else said[1]
            refused += "another asif is writing into this folder (process " in loser
            self.assertTrue("another asif is writing" in loser or "holds a finished fit" in loser, loser)
            self.assert_whole(folder)
        print(f"{PAIRS} pairs: {refused} were refused by the lock with the name of the other")
        self.assertGreater(refused, 0)

    # ---- kills ----

    def test_killed(self):
        """Commands that are killed at any moment and given again come to the same bytes; at no moment is there neither the old nor the
        new fit."""
        dice = random.Random(SEED)
        fit = ["fit", "machine.yaml", "logs.csv", *DRAWN, "--checkpoint", "0"]
        small = ["-n", "20", "--max-steps", "10", "--chains", "1", "--warmup", "30", "--method", "metropolis"]
        commands = {"fit": fit, "force": fit + ["--force"], "groups": fit + ["--by", "arm"], "by-force": fit + ["--by", "arm", "--force"],
                    "recover": ["recover", "machine.yaml", "--replicates", "4", "--draws", "30", *small],
                    "sbc": ["sbc", "machine.yaml", "--replicates", "4", "--draws", "9", "--bins", "2", *small]}
        want, seconds = {}, {}
        for name, words in commands.items():
            self.before(name, "whole-" + name)
            begun = time.monotonic()
            self.asif(*words, "-o", "whole-" + name)
            seconds[name] = time.monotonic() - begun
            want[name] = snapshot(self.path("whole-" + name))
        killed = dict.fromkeys(commands, 0)
        names = list(commands)
        for trial in range(KILLS):
            name = names[trial % len(names)]
            folder = f"killed-{trial}"
            self.before(name, folder)
            for _ in range(1 + dice.randrange(2)):
                process = subprocess.Popen([ASIF, *commands[name], "-o", folder], cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                time.sleep(dice.uniform(0, 1.1 * seconds[name]))
                process.send_signal(signal.SIGKILL)
                killed[name] += process.wait() == -signal.SIGKILL
                if name in ("force", "by-force"):
                    self.asif("summary", folder)
            self.asif(*commands[name], "-o", folder, code=(0, 1, 2))
            got = snapshot(self.path(folder))
            self.assertEqual(sorted(got), sorted(want[name]), f"{name}, trial {trial}")
            for file in got:
                if os.path.basename(file) not in ANYHOW:
                    self.assertEqual(got[file], want[name][file], f"{name}, trial {trial}, {file}")
            shutil.rmtree(self.path(folder))
        print(f"killed: {killed}")
        self.assertGreater(sum(killed.values()), KILLS // 3)

    def before(self, name, folder):
        """What is replaced by --force: another fit."""
        if name == "force":
            self.fit(*QUICK, folder=folder)
        if name == "by-force":
            self.fit(*QUICK, "--by", "arm", folder=folder)


if __name__ == "__main__":
    unittest.main()
