"""asif fit, killed again and again and started again each time, gives the bytes of a fit that nobody disturbed.

ASIF_KILLS says how many fits are killed (each of them twice; default 3, tests/long/resume.sh takes 20), ASIF_SEED when.
"""
# ctest label: slow
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

signal.signal(signal.SIGINT, signal.default_int_handler)  # where it is ignored, as in the background, commands would ignore it, too
ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
KILLS = int(os.environ.get("ASIF_KILLS", 3))
SEED = int(os.environ.get("ASIF_SEED", 0))
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
# Much of a chain's state has to be in a checkpoint: what it has learnt of the metric, its warm start, its draws.
METHODS = [["--method", "nuts", "-p", "eta=0.001", "--chains", "3", "--warmup", "100", "--draws", "100"],
           ["--method", "metropolis", "--chains", "3", "--warmup", "400", "--draws", "1500"],
           []]  # the default has no chains to save here: it begins again
MOMENTS = ["searching", "drawing", "writing"]
COMMON = ["--resolution", "20", "--starts", "3", "--seed", "11", "--checkpoint", "0.02"]


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def names(folder):
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:  # not made yet, or moved into place a moment ago
        return []


def staged(folder):
    return os.path.join(folder, ".asif", "new")


def checkpoints(folder):
    return [name for name in names(staged(folder)) if name.startswith("checkpoint-")]


class Resume(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.logs = os.path.join(self.folder, "logs.csv")
        subprocess.run([ASIF, "simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001", "-n", "200",
                        "--seed", "3", "-q", "-o", self.logs], check=True, stdout=subprocess.DEVNULL)
        self.dice = random.Random(SEED)
        self.killed = dict.fromkeys((*MOMENTS, "too late"), 0)
        self.resumed = 0

    def start(self, method, threads, folder):
        return subprocess.Popen([ASIF, "fit", DIAG, self.logs, "-o", folder, *method, *COMMON, "--threads", str(threads)],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self, process, folder):
        message = process.communicate(timeout=300)[1].decode()
        self.resumed += "going on from there" in message
        self.assertIn(process.returncode, (0, 1), message)
        self.assertEqual(checkpoints(folder), [])

    def look(self, folder):
        """What a fit has come to: its newest checkpoint, and whether its first chain is written."""
        newest = 0
        for name in checkpoints(folder):
            try:
                newest = max(newest, os.stat(os.path.join(staged(folder), name)).st_mtime_ns)
            except FileNotFoundError:
                pass
        return newest, "chain-1.csv" in names(staged(folder)) + names(folder)

    def times(self, method, threads, folder):
        """A fit that is left alone: when its first checkpoint was there, and how long it drew after that."""
        begun, first, written = time.monotonic(), None, None
        process = self.start(method, threads, folder)
        while process.poll() is None:
            now, (newest, chain) = time.monotonic() - begun, self.look(folder)
            first = first or (now if newest else None)
            written = written or (now if chain else None)
            time.sleep(0.002)
        self.finish(process, folder)
        ended = time.monotonic() - begun
        first = first or ended
        return first, (written or ended) - first

    def kill(self, process, folder, when, first, drawing):
        """SIGKILL at a random moment while the maximum is sought, while it draws, or when it writes what it found; whether it
        came before the end."""
        wait = self.dice.uniform(0, {"searching": 0.8 * first, "drawing": 0.8 * drawing, "writing": 0.02}[when])
        before = self.look(folder)[0]
        since = time.monotonic() if when == "searching" else None
        while process.poll() is None:
            newest, chain = self.look(folder)
            if since is None and (chain if when == "writing" else newest != before):
                since = time.monotonic()
            if since is not None and time.monotonic() - since >= wait:
                process.kill()
                break
            time.sleep(0.001)
        message = process.communicate()[1].decode()
        self.resumed += "going on from there" in message
        if process.returncode >= 0:
            self.killed["too late"] += 1
            return False
        newest, chain = self.look(folder)
        self.killed["writing" if chain else "drawing" if newest != before else "searching"] += 1
        return True

    def test_killed(self):
        whole = []
        for i, method in enumerate(METHODS):
            folder = os.path.join(self.folder, f"whole-{i}")
            whole.append((folder, self.times(method, 2, folder)))
        for trial in range(KILLS):
            i = trial % len(METHODS)
            want, times = whole[i]
            folder = os.path.join(self.folder, f"killed-{trial}")
            first = trial if KILLS == 3 else self.dice.randrange(3)
            for when in (MOMENTS[(first + 1) % 3], self.dice.choice(MOMENTS)):
                process = self.start(METHODS[i], 1 + self.dice.randrange(2), folder)
                if not self.kill(process, folder, when, *times):
                    break
            if names(folder) != names(want):
                self.finish(self.start(METHODS[i], 1 + trial % 2, folder), folder)
            for name in names(want):
                if name not in ("run.json", "manifest.json"):
                    self.assertEqual(read(want, name), read(folder, name), f"{name}, trial {trial}")
            self.assertEqual(names(folder), names(want))
        print(f"killed: {self.killed}; {self.resumed} starts went on from a checkpoint")
        self.assertGreater(self.killed["drawing"], 0)
        self.assertGreater(self.resumed, 0)

    def reports(self, folder, until=None):
        """The reports on the sampling of a fit; it is interrupted when `until` holds for one."""
        found = []
        with subprocess.Popen([ASIF, "fit", DIAG, self.logs, "-o", folder, "--method", "nuts", "--resolution", "50", "--progress",
                               "json", "--checkpoint", "0.5", "--no-sensitivity"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                report = json.loads(line) if line.startswith("{") else {"stage": None}
                if report["stage"] == "sampling":
                    found.append(report)
                    if until and until(report):
                        process.send_signal(signal.SIGINT)
                        until = None
        return found

    def test_forecast(self):
        """The time left is forecast from what this run did, not from what an earlier one had done."""
        folder = os.path.join(self.folder, "forecast")
        begun = self.reports(folder, until=lambda report: report["done"] > 0.4)
        resumed = self.reports(folder)
        self.assertGreater(resumed[0]["done"], 0.5 * begun[-1]["done"])
        forecast = [report["seconds"] + report["seconds_left"] for report in resumed if report["seconds_left"] is not None]
        took = resumed[-1]["seconds"]
        self.assertLess(forecast[0], 4 * took + 4)
        self.assertGreater(forecast[0], took / 4)


if __name__ == "__main__":
    unittest.main()
