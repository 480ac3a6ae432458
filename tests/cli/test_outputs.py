"""Where an output goes, what it leaves alone, and inputs that have no end."""
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

signal.signal(signal.SIGINT, signal.default_int_handler)  # where it is ignored, as in the background, commands would ignore it, too
ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
AGENT = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "--resolution", "5", "--tol", "1e-6", "-q"]
SANITIZED = "asan" in os.environ.get("ASIF_BUILD", "")


class Outputs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, text="old\n"):
        with open(self.path(name), "w") as file:
            file.write(text)

    def run_(self, *args, **keywords):
        keywords = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords}
        return subprocess.run([ASIF, *map(str, args)], cwd=self.folder, timeout=120, **keywords)

    def simulate(self, out, seed=1, **keywords):
        return self.run_("simulate", DIAG, *AGENT, "-n", 20, "--seed", seed, "-o", out, **keywords)

    def good(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, done, words, code=2):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr.decode())

    def logs(self):
        self.good(self.simulate("plain.csv"))
        return self.read("plain.csv")

    def test_links_and_modes(self):
        logs = self.logs()
        self.write("target")
        os.chmod(self.path("target"), 0o640)
        for link, target in (("link", "target"), ("dangling", "not-yet")):
            os.symlink(target, self.path(link))
            self.good(self.simulate(link))
            self.assertEqual(os.readlink(self.path(link)), target)
            self.assertEqual(self.read(target), logs)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("target")).st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ["dangling", "link", "not-yet", "plain.csv", "target"])

    def test_standard_output(self):
        logs = self.logs()
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            self.assertEqual(self.good(self.simulate(name)).stdout, logs, name)
            with open(self.path("file"), "wb") as file:
                file.write(b"before\n")
                file.flush()
                self.good(self.simulate(name, stdout=file))
                file.write(b"after\n")
            self.assertEqual(self.read("file"), b"before\n" + logs + b"after\n", name)

    def test_pipe(self):
        logs, got = self.logs(), []
        os.mkfifo(self.path("pipe"))
        reader = threading.Thread(target=lambda: got.append(self.read("pipe")))
        reader.start()
        self.good(self.simulate("pipe"))
        reader.join()
        self.assertEqual(got, [logs])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
        self.refused(self.simulate("/dev/full"), "cannot write", 3)

    def test_inputs_are_no_outputs(self):
        logs = self.logs()
        shutil.copy(DIAG, self.path("study.yaml"))
        shutil.copy(os.path.join(SOURCE, "examples", "tiger", "tiger.pomdp"), self.path("tiger.pomdp"))
        self.write("tiger.yaml", "asif: 1\nenvironment: {pomdp: tiger.pomdp}\nagent: {parameters: {alpha: 0.5, beta: inf, eta: 0}}\n")
        os.symlink("plain.csv", self.path("soft"))
        os.link(self.path("plain.csv"), self.path("hard"))
        study, tiger = self.read("study.yaml"), self.read("tiger.pomdp")
        words = "is also an input"
        for out in ("plain.csv", "soft", "hard", "./plain.csv"):
            self.refused(self.run_("count", "plain.csv", "-o", out), words)
        with open(self.path("plain.csv")) as file:
            self.refused(self.run_("count", "-", "-o", "hard", stdin=file), words)
        self.refused(self.run_("count", "plain.csv", "--study", "study.yaml", "-o", "study.yaml"), words)
        self.refused(self.run_("convert", "tiger.pomdp", "tiger.pomdp"), words)
        self.refused(self.run_("simulate", "tiger.yaml", "-n", 2, "-o", "tiger.pomdp", "--resolution", 5), words)
        self.refused(self.run_("simulate", "study.yaml", *AGENT, "-n", 2, "-o", "study.yaml"), words)
        self.assertEqual((self.read("plain.csv"), self.read("study.yaml"), self.read("tiger.pomdp")), (logs, study, tiger))

    def test_limit_of_size(self):
        self.write("out.csv")
        done = self.simulate("out.csv", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.refused(done, "cannot write", 3)
        self.assertIn(b"hint", done.stderr)
        self.assertEqual((os.listdir(self.folder), self.read("out.csv")), (["out.csv"], b"old\n"))

    def test_signals(self):
        """A signal in the midst of a long table leaves the old one and nothing else."""
        self.write("out.csv")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGUSR1):
            process = subprocess.Popen([ASIF, "simulate", DIAG, *AGENT, "-n", "100000000", "-o", "out.csv"], cwd=self.folder)
            for _ in range(1000):
                if len(os.listdir(self.folder)) > 1:
                    break
                time.sleep(0.01)
            self.assertEqual(len(os.listdir(self.folder)), 2)
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number)
            self.assertEqual((os.listdir(self.folder), self.read("out.csv")), (["out.csv"], b"old\n"))

    def test_wrong_places(self):
        self.refused(self.simulate("no/such/folder/x.csv"), "the folder must be there", 3)
        self.refused(self.simulate(self.folder), "Is a directory", 3)
        if os.getuid() != 0:
            self.write("locked.csv")
            os.chmod(self.path("locked.csv"), 0o400)
            self.refused(self.simulate("locked.csv"), "Permission denied", 3)

    def test_no_end(self):
        self.logs()
        shutil.copy(DIAG, self.path("study.yaml"))
        cases = [("check", "/dev/zero"), ("count", "/dev/zero"), ("check", "study.yaml", "/dev/zero"), ("plan", "/dev/zero")]
        for case in cases[:2] if SANITIZED else cases:
            self.refused(self.run_(*case), "the limit of 512 MB for a pipe or device")
        self.refused(self.run_("new", "--from", "/dev/zero", "x"), "a row is longer than 16 MB")
        endless = subprocess.Popen(["yes", "1,0,monitor,positive"], stdout=subprocess.PIPE)
        self.refused(self.run_("count", "-", stdin=endless.stdout), "the limit of 512 MB for a pipe or device")
        endless.stdout.close()
        endless.wait()

    @unittest.skipIf(SANITIZED, "a sanitizer takes memory of its own")
    def test_wide_table(self):
        columns = 10000
        with open(self.path("wide.csv"), "w") as file:
            file.write("episode,t,action,observation," + ",".join(f"c{i}" for i in range(columns)) + "\n")
            for row in range(300):
                numbers = ",".join(str((row * 7919 + i * 104729) % 1000 / 8) for i in range(columns))
                file.write(f"{row // 3},{row % 3},{'ab'[row % 2]},{'xyz'[row % 3]},{numbers}\n")
        process = subprocess.Popen([ASIF, "new", "--from", "wide.csv", "wide", "-q"], cwd=self.folder)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertEqual(status, 0)
        self.assertLess(used.ru_maxrss, 200000)  # kB
        self.good(self.run_("check", "wide.yaml"))


if __name__ == "__main__":
    unittest.main()
