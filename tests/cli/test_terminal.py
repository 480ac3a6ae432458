"""The command at a terminal: how wide its text is, the line of progress, Ctrl-C, and completion in shells."""
import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

from test_cli import AGENT, ASIF, COMMANDS, DIAG, Case, read, run, text


class Terminal(Case):
    """What depends on a terminal: how wide the text is, its characters, and the line of progress."""

    def run_on_terminal(self, columns, *args, language="C", until=None, variables=None):
        try:
            ours, theirs = pty.openpty()
        except OSError as problem:
            self.skipTest(f"no terminal to be had here: {problem}")
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
        environment.update({"LANG": language, "TERM": "xterm", **(variables or {})})
        with subprocess.Popen([ASIF, *args], stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    piece = os.read(ours, 65536)
                except OSError:  # the other side is closed
                    piece = b""
                if not piece:
                    break
                shown += piece
                if until and until in shown:
                    process.send_signal(signal.SIGINT)
            os.close(ours)
            code = process.wait(timeout=60)
        return code, shown.decode().replace("\r\n", "\n")

    def test_width(self):
        commands = [["plan", DIAG, *AGENT], ["check", DIAG], ["list"],
                    ["plan", DIAG, *AGENT, "--occupancy", "--belief", "0.3,0.7", "--history", "monitor:positive"]]
        for columns, most in ((40, 40), (80, 80), (200, 100)):
            for language in ("C", "C.UTF-8"):
                for args in commands:
                    code, shown = self.run_on_terminal(columns, *args, language=language)
                    self.assertEqual(code, 0, shown)
                    if language == "C":
                        self.assertTrue(shown.isascii())
                    elif args == commands[0]:
                        self.assertIn("\u2588", shown)
                    for line in shown.splitlines():
                        self.assertLessEqual(len(line), most, shown)

    def test_progress(self):
        logs = self.path("logs.csv")
        code, shown = self.run_on_terminal(80, "simulate", DIAG, *AGENT, "-n", "1000000000", "-o", logs, until=b"left")
        self.assertRegex(shown, r"^\rsimulating \[ +\] 0 %, \d+ s\x1b\[K")
        self.assertRegex(shown, r"\rsimulating \[[# ]+\] \d+ %, \d+ s, about [\d.]+ (s|min|h) left\x1b\[K")
        self.assertEqual(code, -signal.SIGINT)
        self.assertEqual(os.listdir(self.folder), [])
        frames = [frame for frame in shown.split("\r") if frame]
        for frame in frames[:-1]:  # nothing flickers: each is drawn over the last, and what is left of that erased behind it
            self.assertRegex(frame, r"^simulating [^\x1b\n]*\x1b\[K$")
        seconds = int(re.findall(r"%, (\d+) s", shown)[-1]) + 1
        self.assertLessEqual(len(frames), 5 * seconds + 2, shown)  # five a second
        code, shown = self.run_on_terminal(80, "simulate", DIAG, *AGENT, "-n", "250000", "-o", logs, "--progress", "none")
        self.assertEqual((code, "\r" in shown, "simulating" in shown), (0, False, False), shown)
        os.remove(logs)
        # Not where the table itself goes to the terminal, nor where nobody wants it.
        code, shown = self.run_on_terminal(80, "simulate", DIAG, *AGENT, "-n", "20", "-o", "-")
        self.assertTrue(shown.startswith("episode,t,action,observation\n1,0,"))


    def test_messages(self):
        """Messages are broken between words on a terminal; elsewhere a message is one line."""
        misspelt = self.path("misspelt.yaml")
        with open(DIAG, encoding="utf-8") as file, open(misspelt, "w", encoding="utf-8") as out:
            out.write(file.read().replace("emissions:", "emisions:", 1).replace("discount: 0.95", "discount: 95"))
        for args in (["check", misspelt, "-q"], ["plan", misspelt], ["fit"], ["sbc", DIAG, "--replicates", "many"]):
            code, shown = self.run_on_terminal(60, *args, variables={"NO_COLOR": "1"})
            done = subprocess.run([ASIF, *args], capture_output=True, text=True, check=False)
            plain = done.stdout + done.stderr
            self.assertEqual(code, done.returncode)
            self.assertEqual(shown.split(), plain.split())
            for line in plain.splitlines():
                self.assertRegex(line, r"^(asif: |\S+:\d+:\d+: |  hint: |asif )")
            longest = max(map(len, plain.split()))
            for line in shown.splitlines():
                self.assertLessEqual(len(line), max(60, 4 + longest), shown)
        self.assertGreater(len(shown.splitlines()), len(plain.splitlines()))

    def test_colour(self):
        for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            code, shown = self.run_on_terminal(80, "plna", variables=variables)
            self.assertEqual(code, 2)
            self.assertEqual("\x1b" in shown, coloured, shown)
            self.assertIn("there is no command 'plna'", shown)


class Progress(Case):
    def reports(self, *args, until=None):
        """The reports of a command with --progress json; it is interrupted when `until` holds for one."""
        with subprocess.Popen([ASIF, *args, "--progress", "json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            found = []
            for line in process.stderr:
                if line.startswith("{"):
                    found.append(json.loads(line))
                    if until and until(found[-1]):
                        process.send_signal(signal.SIGINT)
                        until = None
            process.wait(timeout=60)
        return found

    def test_json(self):
        logs = self.path("logs.csv")
        found = self.reports("simulate", DIAG, *AGENT, "-n", "1000000000", "-o", logs, until=lambda r: r["seconds_left"])
        self.assertEqual({r["stage"] for r in found}, {"simulating"})
        last = found[-1]
        self.assertGreater(last["done"], 0)
        self.assertAlmostEqual(last["seconds"] / (last["seconds"] + last["seconds_left"]), last["done"], delta=0.5 * last["done"])

    def test_verbose(self):
        """Every step that took a while, with its time; quiet or not."""
        for more in ([], ["-q"], ["--progress", "none"]):
            said = self.good("simulate", DIAG, *AGENT, "-n", "250000", "-o", self.path("many.csv"), "--verbose", *more).stderr.decode()
            self.assertRegex(said, r"(?m)^asif: simulating: took \d+\.\d s$")
            self.assertNotIn("left", said)
        self.assertNotIn("took", self.good("plan", DIAG, *AGENT).stderr.decode())

    def test_in_tmux(self):
        """One line that stays where it is, is never empty in between, and is gone at the end."""
        if not shutil.which("tmux"):
            self.skipTest("tmux is not installed")
        logs, socket = self.path("logs.csv"), self.path("tmux")

        def tmux(*words):
            return subprocess.run(["tmux", "-S", socket, *words], capture_output=True, text=True, check=False).stdout
        line = " ".join(map(shlex.quote, [ASIF, "simulate", DIAG, *AGENT, "-n", "1000000000", "-o", logs]))
        tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", line + "; echo; echo ended; sleep 60")
        try:
            seen, end = [], time.monotonic() + 60
            while len(seen) < 30 and time.monotonic() < end:
                lines = tmux("capture-pane", "-p").split("\n")
                if seen or lines[0]:
                    seen.append(lines)
                time.sleep(0.05)
            self.assertEqual(len(seen), 30)
            for lines in seen:
                self.assertRegex(lines[0], r"^simulating \[[# ]{20}\] \d+ %, \d+ s")
                self.assertEqual("".join(lines[1:]), "")
            tmux("send-keys", "C-c")
        finally:
            tmux("kill-server")

    def test_in_a_pipe(self):
        """No carriage returns, and no escapes."""
        said = self.good("simulate", DIAG, *AGENT, "-n", "250000", "-o", self.path("many.csv")).stderr
        self.assertEqual((b"\r" in said, b"\x1b" in said), (False, False))

    def test_modes(self):
        self.bad(2, ["--progress must be auto, plain, json or none", "'loud'"], "plan", DIAG, *AGENT, "--progress", "loud")
        for mode in ("auto", "plain", "none"):
            self.assertEqual(self.good("plan", DIAG, *AGENT, "--progress", mode).stderr, b"")


class Completion(Case):
    """Completion in the shells themselves; a shell that is not installed is passed over."""

    BASH = """
source <(asif completion bash)
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _asif; printf '%s\\n' "${COMPREPLY[@]}"; }
"""
    # A shell inside of the shell, since zsh completes only lines that are being edited.
    ZSH = """
zmodload zsh/zpty
zpty -b inner zsh -f -i
send() { zpty -w inner "$1"; }
send 'PS1=""; autoload -Uz compinit; compinit -u -D; source <(asif completion zsh)'
send 'zstyle ":completion:*" list-separator "#"; LISTMAX=0; setopt noautomenu; stty columns 200 rows 500'
sleep $2
zpty -w -n inner "$1"$'\\t\\t'
sleep $2
zpty -r inner all '*' ; print -r -- "$all"
while zpty -rt inner more; do print -r -- "$more"; done
zpty -d inner
"""

    def environment(self):
        return {**os.environ, "PATH": os.path.dirname(os.path.abspath(ASIF)) + ":" + os.environ["PATH"], "HOME": self.folder,
                "TERM": "dumb"}

    def need(self, shell):
        if not shutil.which(shell):
            self.skipTest(f"{shell} is not installed")

    def test_bash(self):
        self.need("bash")

        def complete(*words):
            line = " ".join(f"'{w}'" for w in words)
            return subprocess.run(["bash", "-c", self.BASH + "complete_line " + line], env=self.environment(), text=True,
                                  stdout=subprocess.PIPE, check=True).stdout.split()
        self.assertEqual(complete("asif", "learn"), ["learn-world"])
        self.assertEqual(complete("asif", "re"), ["report", "recover"])
        self.assertEqual(complete("asif", "fit", "--meth"), ["--method"])
        self.assertEqual(set(complete("asif", "")), {*COMMANDS, "help"})
        self.assertIn(DIAG, complete("asif", "check", DIAG[:-2]))

    def test_fish(self):
        self.need("fish")

        def complete(line):
            script = f"asif completion fish | source; complete -C '{line}'"
            return [row.split("\t")[0] for row in subprocess.run(["fish", "-c", script], env=self.environment(), text=True,
                                                                 stdout=subprocess.PIPE, check=True).stdout.splitlines()]
        self.assertEqual(complete("asif learn"), ["learn-world"])
        self.assertEqual(complete("asif fit --meth"), ["--method"])
        self.assertTrue({*COMMANDS, "help"} <= set(complete("asif ")))

    def test_zsh(self):
        self.need("zsh")

        def complete(line, seconds):
            return subprocess.run(["zsh", "-f", "-c", self.ZSH, "zsh", line, str(seconds)], env=self.environment(), text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60 + 2 * seconds).stdout

        # Nothing says that the inner shell has drawn its line: a busy machine gets more time.
        for line, word in (("asif learn", "learn-world"), ("asif fit --meth", "--method")):
            said = ""
            for seconds in (1, 5, 25):
                said = complete(line, seconds)
                if word in said:
                    break
            self.assertIn(word, said)

    def test_scripts_name_every_flag(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.good("completion", shell).stdout.decode()
            for command in COMMANDS:
                for flag in re.findall(r"^ +(?:-\w, )?--([\w-]+)", self.good(command, "--help").stdout.decode(), re.M):
                    self.assertIn(f"-l {flag}" if shell == "fish" else f"--{flag}", script)
        self.bad(2, ["no completion for 'tcsh'", "bash, zsh and fish"], "completion", "tcsh")


if __name__ == "__main__":
    unittest.main()
