"""The command as a user meets it: every subcommand, its JSON, exit codes, and the mistakes people make."""
import csv
import io
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

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
MAN = os.path.join(SOURCE, "docs", "man")
AGENT = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001"]
COMMANDS = ["new", "check", "plan", "simulate", "count", "identify", "fit", "people", "summary", "compare", "outcomes", "predict",
            "sensitivity", "project", "evaluate", "explain", "recover", "sbc", "report", "learn-world",
            "convert", "list", "completion"]
ACTIONS = ["declare_healthy", "declare_diseased", "monitor"]

# Two states that are seen: `stay` keeps, `go` swaps; being in b pays 1.
SEEN = """\
asif: 1
title: Two rooms
states: [a, b]
actions: [stay, go]
environment:
  start: [1, 0]
  transitions:
    stay: identity
    go: [[0, 1], [1, 0]]
agent:
  discount: 0.9
  utility: {stay: {a: 0, b: 1}, go: {a: 0, b: 1}}
  parameters: {alpha: 0, beta: inf, eta: 0}
"""

MANY = """\
asif: 1
states: [s1, s2, s3, s4, s5, s6]
actions: [{actions}]
observations: [dark, bright]
environment:
  start: uniform
  emissions: [[.9, .1], [.8, .2], [.7, .3], [.3, .7], [.2, .8], [.1, .9]]
agent:
  discount: 0.5
  utility: {{any: {{s1: 1, any: 0}}}}
  parameters: {{alpha: 1}}
solver: {{resolution: 4}}
"""


def run(*args, env=None, stdin=None, cwd=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    environment.update(env or {})
    return subprocess.run([ASIF, *map(str, args)], input=stdin, capture_output=True, env=environment, cwd=cwd,
                          timeout=120)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def text(result):
    return result.stdout.decode() + result.stderr.decode()


def without_seconds(output):
    return re.sub(rb'"seconds": [^,]*,', b"", output)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        return path

    def good(self, *args, **options):
        result = run(*args, **options)
        self.assertEqual(result.returncode, 0, text(result))
        return result

    def bad(self, code, words, *args, **options):
        """The exit code, words of the message on stderr, and nothing on stdout."""
        result = run(*args, **options)
        self.assertEqual(result.returncode, code, text(result))
        self.assertEqual(result.stdout, b"")
        message = result.stderr.decode()
        self.assertTrue(message.startswith("asif: "), message)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, message)
        return message


class Usage(Case):
    def test_nothing(self):
        shown = self.good().stdout.decode()
        for command in COMMANDS:
            self.assertIn("\n  %s " % command, shown)

    def test_version(self):
        header = read(os.path.join(SOURCE, "include", "asif", "base.h"))
        parts = [re.search("ASIF_VERSION_%s ([0-9]+)" % p, header).group(1) for p in ("MAJOR", "MINOR", "PATCH")]
        commit = subprocess.run(["git", "-C", SOURCE, "describe", "--always", "--abbrev=12", "--exclude=*"], capture_output=True, text=True)
        said = re.fullmatch(r"asif (\S+)(?: \(commit ([0-9a-f]+)(-dirty)?\))?\n", self.good("--version").stdout.decode())
        self.assertEqual(said[1], ".".join(parts))
        if commit.returncode == 0 and os.path.exists(os.path.join(SOURCE, ".git")):
            self.assertEqual(said[2], commit.stdout.strip())
        self.assertEqual(self.good("-V").stdout, self.good("--version").stdout)

    def test_help(self):
        overview = self.good("help").stdout
        self.assertEqual(self.good("--help").stdout, overview)
        self.assertEqual(self.good("-h").stdout, overview)
        for command in COMMANDS:
            shown = self.good("help", command).stdout
            self.assertEqual(self.good(command, "--help").stdout, shown)
            self.assertEqual(self.good(command, "-h").stdout, shown)
            self.assertIn(b"Examples:\n  asif %s" % command.encode(), shown)
            for line in shown.decode().splitlines():
                self.assertLessEqual(len(line), 82, line)

    def test_every_flag_is_documented(self):
        """The help lists what the parser takes; the manual pages list what the help does, and nothing else."""
        for command in COMMANDS:
            shown = self.good(command, "--help").stdout.decode()
            flags = set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", shown, re.M))
            page = read(os.path.join(MAN, "asif-%s.1" % command))
            items = " ".join(re.findall(r"^\.It (.*)$", page, re.M))
            self.assertEqual(flags, set(re.findall(r"Fl -([\w-]+)", items)), command)
            letters = set(re.findall(r"^ +-(\w), --", shown, re.M))
            self.assertEqual(letters, set(re.findall(r"Fl (\w)\b", items)), command)
            for flag in flags - {"help"}:
                result = run(command, "--" + flag)
                self.assertNotIn("no flag", result.stderr.decode())
        reference = read(os.path.join(SOURCE, "docs", "reference", "command.md"))
        common, *sections = re.split(r"^## asif ", reference, flags=re.M)
        self.assertEqual([section.split()[0] for section in sections], COMMANDS)
        for command, section in zip(COMMANDS, sections):
            shown = self.good(command, "--help").stdout.decode()
            for letter, flag in re.findall(r"^ +(?:-(\w), )?--([\w-]+)", shown, re.M):
                row = re.search(r"^\| (?:`-(\w)`, )?`--%s\b[^|]*\|([^|]*)\|" % flag, section, re.M)
                if not row:
                    row = re.search(r"^\| (?:`-(\w)`, )?`--%s\b[^|]*\|([^|]*)\|" % flag, common, re.M)
                    self.assertIsNotNone(row, "asif %s --%s" % (command, flag))
                    self.assertTrue(row.group(2).strip() == "all" or command in row.group(2), "%s --%s" % (command, flag))
                self.assertEqual(row.group(1) or "", letter)
            for flag in re.findall(r"^\| (?:`-\w`, )?`--([\w-]+)", section, re.M):
                self.assertIn("--" + flag, shown)
        overview = read(os.path.join(MAN, "asif.1"))
        for command in COMMANDS:
            self.assertIn(".Xr asif-%s 1" % command, overview)

    def test_mistakes(self):
        rows = [
            (["plna"], ["no command 'plna'", "asif plan"]),
            (["frobnicate"], ["no command", "asif help"]),
            (["help", "plna"], ["no command"]),
            (["plan"], ["needs more", "STUDY"]),
            (["plan", DIAG, "extra"], ["no use for 'extra'"]),
            (["plan", DIAG, "--beleif", "1,0"], ["no flag --beleif", "did you mean --belief?"]),
            (["plan", DIAG, "-z"], ["no flag -z"]),
            (["plan", DIAG, "--tol"], ["--tol needs a value"]),
            (["plan", DIAG, "--tol", "small"], ["--tol must be a number from", "not 'small'"]),
            (["plan", DIAG, "--tol=nan"], ["--tol must be a number"]),
            (["plan", DIAG, "--resolution", "0"], ["--resolution", "from 1"]),
            (["plan", DIAG, "--resolution", "-5"], ["--resolution must be a whole number"]),
            (["plan", DIAG, "--seed", "1", "--seed", "2"], ["--seed is given twice"]),
            (["plan", DIAG, "--json=yes"], ["--json takes no value"]),
            (["plan", DIAG, "-p", "alpha"], ["-p wants NAME=VALUE", "-p alpha=0.5"]),
            (["plan", DIAG, "-p", "=3"], ["-p wants NAME=VALUE"]),
            (["plan", DIAG, "-p", "alpha=high"], ["alpha", "number"]),
            (["plan", DIAG, "-p", "alhpa=1"], ["no parameter 'alhpa'", "did you mean 'alpha'?"]),
            (["plan", DIAG, *AGENT, "-p", "eta=inf"], ["eta"]),
            (["plan", DIAG, *AGENT, "-p", "discount=1"], ["discount"]),
            (["plan", "no-such.yaml"], ["no-such.yaml"]),
            (["check", "no-such.yaml"], ["no-such.yaml"]),
            (["plan", DIAG, *AGENT, "--belief", "0.5"], ["1 number for 2 states", "'healthy' to 'diseased'"]),
            (["plan", DIAG, *AGENT, "--belief", "0.5,0.4"], ["sum to 0.9"]),
            (["plan", DIAG, *AGENT, "--belief", "0.5,0.500002"], ["sum to"]),
            (["plan", DIAG, *AGENT, "--belief", "1.5,-0.5"], ["from 0 to 1"]),
            (["plan", DIAG, *AGENT, "--belief", "half,half"], ["'half' is not a number"]),
            (["plan", DIAG, *AGENT, "--belief", "0.5,,0.5"], ["'' is not a number"]),
            (["plan", DIAG, *AGENT, "--history", "monitor"], ["without what followed"]),
            (["plan", DIAG, *AGENT, "--history", "scan:positive"], ["'scan' is not an action", "monitor"]),
            (["plan", DIAG, *AGENT, "--history", "monitor:maybe"], ["'maybe' is not an observation", "positive"]),
            (["plan", DIAG, *AGENT, "--start", "high"], ["'high' is not a start class"]),
            (["simulate", DIAG, "-o", "x"], ["-n N"]),
            (["simulate", DIAG, "-n", "5"], ["-o FILE"]),
            (["simulate", DIAG, "-n", "0", "-o", "x"], ["--episodes"]),
            (["simulate", DIAG, "-n", "5", "-o", "-", "--json"], ["standard output"]),
            (["convert", DIAG], ["needs more"]),
            (["convert", DIAG, "x.doc"], ["x.doc", ".pomdp"]),
            (["list", "cats"], ["no list of 'cats'", "planners"]),
        ]
        for args, words in rows:
            with self.subTest(args=args):
                self.bad(2, words, *args, cwd=self.folder)
        self.assertEqual(os.listdir(self.folder), [])

    def test_values_missing(self):
        message = self.bad(2, ["alpha", "beta", "eta", "-p alpha=", "-p beta=", "-p eta="], "plan", DIAG)
        self.assertNotIn("discount", message)
        self.bad(2, ["-p eta="], "plan", DIAG, "-p", "alpha=1", "-p", "optimism=0.5")

    def test_forms_of_flags(self):
        want = without_seconds(self.good("plan", DIAG, *AGENT, "--belief", "0.5,0.5", "--json").stdout)
        for args in [
            ["--json", "-palpha=0.5", "--param=beta=1.25", "--param", "eta=0.001", "--belief=0.5,0.5", DIAG],
            ["-b0.5,0.5", *AGENT, "--json", "-q", "--", DIAG],
            ["-qb", "0.5,0.5", *AGENT, "--json", DIAG],
        ]:
            self.assertEqual(without_seconds(self.good("plan", *args).stdout), want)

    def test_reader_that_leaves(self):
        """As in `asif ... | head`: the signal ends the command without a word."""
        with subprocess.Popen([ASIF, "simulate", DIAG, *AGENT, "-n", "1000000000", "-o", "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                              ) as process:
            self.assertEqual(process.stdout.readline(), b"episode,t,action,observation\n")
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
            self.assertEqual(process.wait(timeout=60), -signal.SIGPIPE)

    def test_output_that_fails(self):
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                for args in (["list"], ["plan", DIAG, *AGENT, "--json"], ["help"],
                             ["simulate", DIAG, *AGENT, "-n", "1", "-o", "-"]):
                    result = subprocess.run([ASIF, *args], stdout=full, stderr=subprocess.PIPE)
                    self.assertEqual(result.returncode, 3, args)
                    self.assertEqual(result.stderr.count(b"standard output"), 1)

    def test_input_that_is_no_study(self):
        os.mkdir(self.path("folder.yaml"))
        self.bad(2, "this is a folder", "check", self.path("folder.yaml"))
        self.bad(2, "this is a folder", "plan", self.path("folder.yaml"))
        self.bad(2, "this is a folder", "convert", self.folder + "/folder.yaml", self.path("x.pomdp"))
        noise = bytes(range(1, 256)) * 8
        for ending in ("yaml", "pomdp", "drn"):
            with open(self.path("noise." + ending), "wb") as file:
                file.write(noise)
            message = self.bad(2, "noise", "convert", self.path("noise." + ending), self.path("x.pomdp"),
                               "--discount", "0.9")
            # What is quoted from a file must not reach the terminal as a command to it.
            self.assertIsNone(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", message))
        self.assertFalse(os.path.exists(self.path("x.pomdp")))


class New(Case):
    def test_new(self):
        result = self.good("new", "my study", cwd=self.folder)
        self.assertIn("my study.yaml", result.stdout.decode())
        study = self.path("my study.yaml")
        written = read(study)
        self.good("check", study)
        flags = re.search(r"asif plan FILE((?: -p \S+)+)", written).group(1).split()
        self.assertEqual(len(json.loads(self.good("plan", study, *flags, "--json").stdout)["history"]), 1)
        self.good("simulate", study, *flags, "-n", "3", "-o", "-")

        message = self.bad(2, "there already", "new", "my study", cwd=self.folder)
        self.assertIn("hint", message)
        self.assertEqual(read(study), written)
        self.assertEqual(os.listdir(self.folder), ["my study.yaml"])

    def test_names(self):
        self.good("new", "other.yaml", "-q", cwd=self.folder)
        self.assertEqual(os.listdir(self.folder), ["other.yaml"])
        self.bad(3, "no-such-folder", "new", "no-such-folder/x", cwd=self.folder)
        self.bad(2, "name", "new", "", cwd=self.folder)


class Check(Case):
    def test_good(self):
        shown = self.good("check", DIAG).stdout.decode()
        for word in ["Diagnosis (DIAG)", "healthy", "declare_diseased", "positive", "0.7", "3 candidate worlds",
                     "wrong", "-36", "to estimate alpha ~ lognormal(-0.776529, 1.5)", "a lattice of 101"]:
            self.assertIn(word, shown)
        for line in shown.splitlines():
            self.assertLessEqual(len(line), 80, line)
            self.assertEqual(line, line.rstrip())
        self.assertEqual(self.good("check", "-", stdin=read(DIAG).encode()).stdout.decode(), shown)

    def test_good_json(self):
        answer = json.loads(self.good("check", DIAG, "--json").stdout)
        self.assertIs(answer["ok"], True)
        study = answer["study"]
        self.assertEqual(study["states"], ["healthy", "diseased"])
        self.assertEqual(study["actions"], ACTIONS)
        self.assertEqual(study["ends"], ACTIONS[:2])
        self.assertEqual(study["estimated"], ["alpha", "beta", "eta"])
        # utilities span 46
        self.assertEqual(study["priors"], {"alpha": "lognormal(-0.776529, 1.5)", "beta": "normal(0, 1)",
                                           "eta": "normal(0, 46)"})
        self.assertIsNone(study["not_estimable"])
        self.assertEqual(study["given"]["wrong"], -36)
        self.assertEqual(study["utility_by_state"]["declare_healthy"], {"healthy": "correct", "diseased": "wrong"})
        self.assertEqual(study["solver"]["nodes"], 101)

    def test_observations_that_count_as_one(self):
        synonyms = (read(DIAG).replace("[negative, positive]", "[negative, weak, strong]")
                    .replace("[[0.7, 0.3], [0.3, 0.7]]", "[[0.7, 0.1, 0.2], [0.3, 0.2, 0.5]]")
                    .replace("[[0.6, 0.4], [0.4, 0.6]]", "[[0.6, 0.2, 0.2], [0.4, 0.3, 0.3]]")
                    .replace("[[0.8, 0.2], [0.2, 0.8]]", "[[0.8, 0.1, 0.1], [0.2, 0.4, 0.4]]"))
        apart = self.path("apart.yaml", synonyms)  # the environment is the second world
        self.assertNotIn("surprise", self.good("check", apart).stdout.decode())
        self.assertEqual(json.loads(self.good("check", apart, "--json").stdout)["study"]["surprise_classes"], [])
        one = synonyms.replace("    - emissions: [[0.7, 0.1, 0.2], [0.3, 0.2, 0.5]]\n", "")
        shown = " ".join(self.good("check", self.path("one.yaml", one)).stdout.decode().split())
        self.assertIn("with any action, the observations weak and strong lead to the same beliefs, so they count as one "
                      "event in the surprise term", shown)
        answer = json.loads(self.good("check", self.path("one.yaml", one), "--json").stdout)
        self.assertEqual(answer["study"]["surprise_classes"], [{"actions": ACTIONS, "observations": ["weak", "strong"]}])
        by_action = one.replace("[[0.6, 0.2, 0.2], [0.4, 0.3, 0.3]]", "{monitor: [[0.6, 0.2, 0.2], [0.4, 0.3, 0.3]], "
                                "any: [[0.6, 0.2, 0.2], [0.6, 0.2, 0.2]]}").replace(
                                "[[0.8, 0.1, 0.1], [0.2, 0.4, 0.4]]", "{monitor: [[0.8, 0.1, 0.1], [0.2, 0.4, 0.4]], "
                                "any: [[0.5, 0.2, 0.3], [0.5, 0.2, 0.3]]}")
        shown = " ".join(self.good("check", self.path("by.yaml", by_action)).stdout.decode().split())
        self.assertIn("with declare_healthy and declare_diseased, all observations lead to the same beliefs", shown)
        self.assertIn("with monitor, the observations weak and strong lead to the same beliefs", shown)
        nothing = self.path("nothing.yaml", one.replace("eta:   learn", "eta:   0"))  # no surprise term to speak of
        self.assertNotIn("surprise", self.good("check", nothing).stdout.decode())
        self.assertIsNone(json.loads(self.good("check", self.path("seen.yaml", SEEN), "--json").stdout)["study"]["surprise_classes"])

    def test_bad(self):
        study = self.path("bad.yaml", read(DIAG)
                          .replace("declare_healthy:  {", "declare_helthy:  {").replace("0.95", "1.5"))
        result = run("check", study)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, b"")
        shown = result.stdout.decode()
        self.assertRegex(shown, r"bad\.yaml:\d+:\d+: .*1\.5")
        self.assertRegex(shown, r"bad\.yaml:\d+:\d+: .*declare_helthy")
        self.assertIn("\n  hint: ", shown)

        places = [tuple(map(int, place)) for place in re.findall(r"bad\.yaml:(\d+):(\d+)", shown)]
        self.assertEqual(places, sorted(places))

        answer = json.loads(run("check", study, "--json").stdout)
        self.assertIs(answer["ok"], False)
        self.assertEqual(answer["errors"], len(answer["problems"]))
        self.assertIsNone(answer["study"])
        self.assertGreaterEqual(len(answer["problems"]), 2)
        for problem in answer["problems"]:
            self.assertEqual(problem["severity"], "error")
            self.assertIsInstance(problem["line"], int)
            self.assertIsInstance(problem["column"], int)
        self.bad(2, ["declare_helthy", "1.5"], "plan", study, *AGENT)

    def test_notes(self):
        study = self.path("note.yaml", SEEN.replace("  start: [1, 0]\n", ""))
        shown = self.good("check", study).stdout.decode()
        self.assertRegex(shown, r"\n\n\S*note\.yaml:6:\d+: note: no `start` is given.*\n  hint: ")
        self.assertEqual(self.good("check", study, "-q").stdout, b"")
        answer = json.loads(self.good("check", study, "--json").stdout)
        self.assertEqual([problem["severity"] for problem in answer["problems"]], ["note"])
        self.assertEqual(answer["errors"], 0)
        self.assertIn("asif: %s:6:" % study, self.good("plan", study).stderr.decode())
        self.assertEqual(self.good("plan", study, "-q").stderr, b"")

    def test_too_many_problems(self):
        study = self.path("many.yaml", SEEN + "".join("zebra%d: 1\n" % i for i in range(30)))
        result = run("check", study)
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stdout.decode().endswith("\nand 10 more\n"))
        answer = json.loads(run("check", study, "--json").stdout)
        self.assertEqual((answer["errors"], len(answer["problems"])), (30, 20))

    def test_broken_text(self):
        for content in ["", "{", "asif: 1\n\tx: 2\n", "- 1\n", "\xff"]:
            study = self.path("broken.yaml", content)
            self.assertEqual(run("check", study).returncode, 1, content)
            self.bad(2, "broken.yaml", "plan", study)


class Plan(Case):
    def check_entry(self, entry, actions, worlds):
        self.assertIsInstance(entry["value"], (int, float))
        for key in ("q", "policy", "log_policy", "worlds"):
            self.assertEqual(list(entry[key]), actions)
        self.assertAlmostEqual(sum(entry["policy"].values()), 1, places=12)
        for action in actions:
            p, log_p = entry["policy"][action], entry["log_policy"][action]
            self.assertAlmostEqual(math.exp(float(log_p)), p, places=12)
            self.assertEqual(len(entry["worlds"][action]), worlds)
            self.assertAlmostEqual(sum(entry["worlds"][action]), 1, places=12)

    def test_json(self):
        answer = json.loads(self.good("plan", DIAG, *AGENT, "--belief", "0.5,0.5", "--belief", "0.1,0.9", "--history",
                                      "monitor:positive,monitor:positive", "--json").stdout)
        self.assertEqual(list(answer), ["planner", "parameters", "solver", "beliefs", "history"])
        self.assertEqual(answer["planner"], "bounded-rational")
        given = dict(alpha=0.5, beta=1.25, eta=0.001, discount=0.95, correct=10, wrong=-36, cost=-1)
        for name, value in given.items():
            self.assertAlmostEqual(answer["parameters"][name], value, places=15)
        solver = answer["solver"]
        self.assertEqual(set(solver), {"residual", "bound", "backups", "nodes", "seconds", "stop"})
        self.assertEqual(solver["stop"], "converged")
        self.assertEqual(solver["nodes"], 101)
        self.assertIsInstance(solver["backups"], int)
        self.assertAlmostEqual(solver["bound"], 19 * solver["residual"], places=20)

        self.assertEqual([e["belief"] for e in answer["beliefs"]], [[0.5, 0.5], [0.1, 0.9]])
        history = answer["history"]
        self.assertEqual(len(history), 3)
        self.assertEqual(history[0]["belief"], [0.5, 0.5])
        self.assertNotIn("action", history[0])
        for entry in history[1:]:
            self.assertEqual((entry["action"], entry["observation"]), ("monitor", "positive"))
        for entry in answer["beliefs"] + history:
            self.check_entry(entry, ACTIONS, 3)

        # Declaring resets the belief, so that at even odds only utilities differ: e^-24 / (1 + 2 e^-24).
        closed = math.exp(-24) / (1 + 2 * math.exp(-24))
        for entry in (answer["beliefs"][0], history[0]):
            for action in ("declare_diseased", "declare_healthy"):
                self.assertAlmostEqual(entry["policy"][action] / closed, 1, places=12)

    def test_limits_are_strings(self):
        answer = json.loads(self.good("plan", DIAG, "-p", "alpha=0", "-p", "beta=inf", "-p", "eta=0", "--belief", "1,0",
                                      "--json").stdout)
        self.assertEqual(answer["parameters"]["alpha"], 0)
        self.assertEqual(answer["parameters"]["beta"], "inf")
        entry = answer["beliefs"][0]
        self.assertEqual(entry["policy"], {"declare_healthy": 1, "declare_diseased": 0, "monitor": 0})
        self.assertEqual(entry["log_policy"], {"declare_healthy": 0, "declare_diseased": "-inf", "monitor": "-inf"})

    def test_nothing_asked(self):
        answer = json.loads(self.good("plan", DIAG, *AGENT, "--json").stdout)
        self.assertEqual(answer["beliefs"], [])
        self.assertEqual(len(answer["history"]), 1)

    def test_occupancy(self):
        answer = json.loads(self.good("plan", DIAG, *AGENT, "--occupancy", "--json").stdout)
        costs = answer["occupancy"]
        self.assertEqual(set(costs), {"value", "utility", "decision", "specification", "recognition"})
        # What the agent is worth is its utility less what its information costs (Lemma 1).
        price = 0.5 * costs["decision"] + 1.25 * costs["specification"] + 0.001 * costs["recognition"]
        worth = costs["utility"] - price
        self.assertAlmostEqual(worth, 0.05 * costs["value"], places=9)
        self.assertIn("utility", self.good("plan", DIAG, *AGENT, "--occupancy").stdout.decode())

    def test_table(self):
        shown = self.good("plan", DIAG, *AGENT).stdout.decode()
        self.assertTrue(shown.isascii())
        rows = re.findall(r"^ +([01]\.\d{3}) +([01]\.\d{3}) .*%$", shown, re.M)
        self.assertEqual([float(row[1]) for row in rows], [i / 10 for i in range(11)])
        self.assertIn("P(diseased)", shown)
        for line in shown.splitlines():
            self.assertLessEqual(len(line), 80, line)
            self.assertEqual(line, line.rstrip())
        shown = self.good("plan", DIAG, *AGENT, env={"LC_ALL": "C.UTF-8"}).stdout.decode()
        self.assertIn("\u2588", shown)
        history = self.good("plan", DIAG, *AGENT, "--history", "monitor:positive,monitor:positive").stdout.decode()
        # 96.4 % and 0.907: measured by another implementation.
        self.assertRegex(history, r"\n +2 +monitor +positive +0\.907 .* 96\.4 % ")

    def test_sketch(self):
        """The sketch has a line for each action, and an agent who cannot choose draws three equal ones."""
        shown = self.good("plan", DIAG, "-p", "alpha=inf", "-p", "beta=inf", "-p", "eta=0").stdout.decode()
        lines = [line.split(maxsplit=1)[1] for line in shown.splitlines() if re.match(r" +(declare\w+|monitor)  ", line)]
        lines = [line for line in lines if set(line) <= set(" .:-=+*%#")]
        self.assertEqual(len(lines), 3)
        self.assertEqual(len(set("".join(lines))), 1)

    def test_seen(self):
        study = self.path("rooms.yaml", SEEN)
        answer = json.loads(self.good("plan", study, "--belief", "a", "--belief", "b", "--history", "go:b,stay:b",
                                      "--json").stdout)
        self.assertEqual([e["state"] for e in answer["beliefs"]], ["a", "b"])
        self.assertEqual([e["state"] for e in answer["history"]], ["a", "b", "b"])
        self.assertNotIn("belief", answer["history"][0])
        # Staying in b pays 1 for ever, 1 / (1 - 0.9); from a it begins a step later.
        self.assertAlmostEqual(answer["beliefs"][1]["value"], 10, places=9)
        self.assertAlmostEqual(answer["beliefs"][0]["value"], 9, places=9)
        self.assertEqual(answer["beliefs"][0]["policy"], {"stay": 0, "go": 1})
        self.bad(2, ["'c' is not a state", "a, b"], "plan", study, "--belief", "c")
        self.bad(2, "step 1", "plan", study, "--history", "go:a")
        shown = self.good("plan", study).stdout.decode()
        self.assertRegex(shown, r"\n  a +9\.000 +0 % +100 %\n  b +10\.000 +100 % +0 %\n")
        self.good("plan", study, "--history", "go:b", "--occupancy")

    def test_first(self):
        """The state to begin with: of the history, and of what is expected in the long run."""
        study = self.path("rooms.yaml", SEEN.replace("start: [1, 0]", "start: {by: wing, west: [1, 0], east: [0.25, 0.75]}")
                          .replace("alpha: 0,", "alpha: 0.5,"))

        def plan(*args):
            return json.loads(self.good("plan", study, "--occupancy", "--json", *args).stdout)

        a, b = plan("--first", "a"), plan("--first", "b")
        self.assertEqual([x["history"][0]["state"] for x in (a, b, plan(), plan("--start", "east"))], ["a", "b", "a", "b"])
        self.assertEqual(a["occupancy"], plan("--start", "west")["occupancy"])
        for x in (a, b):
            self.assertAlmostEqual(x["occupancy"]["value"], x["history"][0]["value"], places=9)
        east = plan("--start", "east")["occupancy"]
        for key, value in east.items():
            self.assertAlmostEqual(value, 0.25 * a["occupancy"][key] + 0.75 * b["occupancy"][key], places=12)
        self.assertAlmostEqual(east["utility"] - 0.5 * east["decision"], 0.1 * east["value"], places=9)
        self.assertEqual([entry["state"] for entry in plan("--first", "b", "--history", "go:a")["history"]], ["b", "a"])
        self.bad(2, ["'c' is not a state", "a, b"], "plan", study, "--first", "c")
        self.bad(2, "see the state", "plan", DIAG, *AGENT, "--first", "healthy")

    def test_many_actions(self):
        for count in (2, 6, 40):
            names = ", ".join("a_rather_long_name_%d" % i for i in range(count))
            study = self.path("many.yaml", MANY.format(actions=names))
            shown = self.good("plan", study).stdout.decode()
            shown += self.good("plan", study, "-b", "0.1,0.1,0.1,0.1,0.1,0.5", "--history",
                               "a_rather_long_name_0:dark").stdout.decode()
            shown += self.good("check", study).stdout.decode()
            self.assertIn("certainly s1", shown)
            self.assertIn("all equally likely", shown)
            for line in shown.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_solver_flags(self):
        def solver(*args):
            return json.loads(self.good("plan", DIAG, *AGENT, "--json", *args).stdout)["solver"]

        self.assertEqual(solver("--resolution", "37")["nodes"], 38)
        exact, rough = solver(), solver("--tol", "1e-3")
        self.assertLess(rough["backups"], exact["backups"])
        self.assertGreater(rough["residual"], exact["residual"])

    def test_not_converged(self):
        study = self.path("short.yaml", read(DIAG).replace("tol: 1e-12", "max_backups: 2"))
        result = run("plan", study, *AGENT, "--json")
        self.assertEqual(result.returncode, 1, text(result))
        self.assertEqual(json.loads(result.stdout)["solver"]["stop"], "backups")
        self.assertIn("max_backups", result.stderr.decode())
        self.assertIn("NOT solved", run("plan", study, *AGENT).stdout.decode())
        self.bad(1, "max_backups", "simulate", study, *AGENT, "-n", "5", "-o", self.path("logs.csv"))
        self.assertFalse(os.path.exists(self.path("logs.csv")))

    def test_same_bytes(self):
        args = ["plan", DIAG, *AGENT, "--resolution", "500", "--belief", "0.3,0.7", "--json"]
        first = without_seconds(self.good(*args).stdout)
        self.assertEqual(without_seconds(self.good(*args).stdout), first)
        self.assertEqual(without_seconds(self.good(*args, "--threads", "2").stdout), first)

    def test_locales(self):
        args = ["plan", DIAG, *AGENT, "--belief", "0.25,0.75", "--json"]
        first = without_seconds(self.good(*args, env={"LC_ALL": "C"}).stdout)
        there = subprocess.run(["locale", "-a"], capture_output=True, check=False).stdout.decode().split()
        commas = [name for name in there if name.startswith(("de_", "fr_", "pt_", "ru_"))]
        for name in commas[:2] + ["de_DE.UTF-8", "C.UTF-8", "no-such-locale"]:
            self.assertEqual(without_seconds(self.good(*args, env={"LC_ALL": name, "LANG": name}).stdout), first)


class Simulate(Case):
    def simulate(self, *args):
        return self.good("simulate", DIAG, *AGENT, "-o", "-", *args).stdout

    def test_logs(self):
        rows = list(csv.DictReader(io.StringIO(self.simulate("-n", "300", "--seed", "3").decode())))
        self.assertEqual(list(rows[0]), ["episode", "t", "action", "observation"])
        episodes = {}
        for row in rows:
            episodes.setdefault(int(row["episode"]), []).append(row)
        self.assertEqual(sorted(episodes), list(range(1, 301)))
        for steps in episodes.values():
            self.assertEqual([int(row["t"]) for row in steps], list(range(len(steps))))
            self.assertTrue(steps[-1]["action"].startswith("declare"))
            self.assertTrue(all(row["action"] == "monitor" for row in steps[:-1]))
        # 4.46 decisions an episode in a million episodes of another implementation; its sd is about 2.4.
        self.assertAlmostEqual(len(rows) / 300, 4.46, delta=0.6)

    def test_same_bytes(self):
        first = self.simulate("-n", "200", "--seed", "5")
        self.assertEqual(self.simulate("-n", "200", "--seed", "5"), first)
        self.assertEqual(self.simulate("-n", "200", "--seed", "5", "--threads", "2"), first)
        self.assertNotEqual(self.simulate("-n", "200", "--seed", "6"), first)
        # An episode is the same however many others there are.
        few = self.simulate("-n", "20", "--seed", "5")
        self.assertEqual(first[:len(few)], few)

    def test_file(self):
        logs = self.path("logs.csv", "old")
        self.good("simulate", DIAG, *AGENT, "-n", "50", "--seed", "1", "-o", logs)
        self.assertEqual(read(logs).encode(), self.simulate("-n", "50", "--seed", "1"))
        answer = json.loads(self.good("simulate", DIAG, *AGENT, "-n", "50", "--seed", "1", "-o", logs, "--json").stdout)
        self.assertEqual(answer["episodes"], 50)
        self.assertEqual(answer["decisions"], len(read(logs).encode().splitlines()) - 1)
        self.assertEqual(os.listdir(self.folder), ["logs.csv"])
        self.assertEqual(self.good("simulate", DIAG, *AGENT, "-q", "-n", "1", "-o", logs).stderr, b"")

    def test_file_keeps_its_rights_and_links(self):
        logs, link = self.path("logs.csv", "old"), self.path("link.csv")
        os.chmod(logs, 0o600)
        os.symlink("logs.csv", link)
        self.good("simulate", DIAG, *AGENT, "-n", "5", "-o", link)
        self.assertTrue(os.path.islink(link))
        self.assertNotEqual(read(logs).encode(), b"old")
        self.assertEqual(os.stat(logs).st_mode & 0o777, 0o600)

    def test_unwritable(self):
        self.bad(3, "no-such", "simulate", DIAG, *AGENT, "-n", "5", "-o", self.path("no-such/logs.csv"))
        if os.path.exists("/dev/full"):
            self.bad(3, "/dev/full", "simulate", DIAG, *AGENT, "-n", "5000", "-o", "/dev/full")
        self.bad(3, self.folder, "simulate", DIAG, *AGENT, "-n", "5", "-o", self.folder)

    def test_interrupted(self):
        """A file that is not finished leaves nothing behind, and the old one as it was."""
        logs = self.path("logs.csv", "old")
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([ASIF, "simulate", DIAG, *AGENT, "-n", "1000000000", "-o", logs]) as process:
                for _ in range(1000):
                    if len(os.listdir(self.folder)) > 1:
                        break
                    time.sleep(0.01)
                self.assertEqual(len(os.listdir(self.folder)), 2)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), -number)
            self.assertEqual(os.listdir(self.folder), ["logs.csv"])
            self.assertEqual(read(logs), "old")

    def test_nothing_is_left_when_the_input_is_bad(self):
        logs = self.path("logs.csv", "old")
        self.bad(2, "-p alpha", "simulate", DIAG, "-n", "5", "-o", logs)
        self.assertEqual(read(logs), "old")
        self.assertEqual(os.listdir(self.folder), ["logs.csv"])

    def test_seen(self):
        study = self.path("rooms.yaml", SEEN)
        shown = self.good("simulate", study, "-n", "2", "--max-steps", "3", "-o", "-").stdout.decode()
        self.assertEqual(shown, "episode,t,state,action\n" + "".join(
            "%d,0,a,go\n%d,1,b,stay\n%d,2,b,stay\n" % (i, i, i) for i in (1, 2)))

    def test_labels_in_quotes(self):
        study = self.path("rooms.yaml", SEEN.replace("[stay, go]", "['stay, please', 'say \"go\"']")
                          .replace("stay:", "'stay, please':").replace("go:", "'say \"go\"':"))
        shown = self.good("simulate", study, "-n", "1", "--max-steps", "2", "-o", "-").stdout.decode()
        self.assertEqual(shown, 'episode,t,state,action\n1,0,a,"say ""go"""\n1,1,b,"stay, please"\n')
        history = json.loads(self.good("plan", study, "--history", 'say "go":b,stay, please:b', "--json").stdout)["history"]
        self.assertEqual([entry.get("action") for entry in history], [None, 'say "go"', "stay, please"])


class Convert(Case):
    def test_study_to_pomdp_and_back(self):
        pomdp, again, study = self.path("diag.pomdp"), self.path("again.pomdp"), self.path("diag.yaml")
        self.good("convert", DIAG, pomdp)
        self.good("convert", pomdp, again)
        files = [re.sub("#.*\n", "", read(path)) for path in (pomdp, again)]
        self.assertEqual(files[0], files[1])
        self.good("convert", again, study)
        self.assertIn("again.pomdp", read(study))
        self.good("check", study)
        # One world, the environment: the same agent from either file.
        one = self.path("one.yaml", re.sub(r"  worlds:.*?(?=  utility)", "", read(DIAG),
                                           flags=re.S))
        args = ["-p", "alpha=0.5", "-p", "beta=inf", "-p", "eta=0", "--belief", "0.3,0.7", "--json"]
        answers = [json.loads(self.good("plan", name, *args).stdout)["beliefs"][0] for name in (study, one)]
        for action in ACTIONS:
            self.assertAlmostEqual(answers[0]["q"][action], answers[1]["q"][action], places=10)

    def test_study_in_another_folder(self):
        os.mkdir(self.path("below"))
        pomdp = self.path("diag.pomdp")
        self.good("convert", DIAG, pomdp)
        self.good("convert", pomdp, self.path("below/diag.yaml"))
        self.good("check", self.path("below/diag.yaml"))

    def test_missing_values(self):
        study = self.path("learn.yaml", read(DIAG).replace(
            "wrong: -36", "wrong: {learn: 'normal(-36, 23)', standard: -36}"))
        self.bad(2, ["wrong", "-p "], "convert", study, self.path("x.pomdp"))
        self.good("convert", study, self.path("x.pomdp"), "-p", "wrong=-36")

    def test_drn(self):
        study, drn = self.path("rooms.yaml", SEEN), self.path("rooms.drn")
        self.good("convert", study, drn)
        self.good("convert", drn, self.path("again.drn"))
        files = [re.sub("//.*\n", "", read(path)) for path in (drn, self.path("again.drn"))]
        self.assertEqual(files[0], files[1])
        self.bad(2, "--discount", "convert", drn, self.path("rooms.pomdp"))
        self.good("convert", drn, self.path("rooms.pomdp"), "--discount", "0.9")
        self.good("convert", self.path("rooms.pomdp"), self.path("third.drn"))
        self.good("convert", drn, self.path("drn.yaml"), "--discount", "0.9")
        answer = json.loads(self.good("plan", self.path("drn.yaml"), "-p", "alpha=0", "--json").stdout)
        self.assertAlmostEqual(answer["history"][0]["value"], 9, places=9)
        self.bad(2, "", "convert", DIAG, self.path("diag.drn"))

    def test_mistakes(self):
        self.bad(2, "study", "convert", DIAG, self.path("x.yaml"))
        self.bad(2, "no-such.pomdp", "convert", self.path("no-such.pomdp"), self.path("x.pomdp"))
        bad = self.path("bad.pomdp", "discount: 0.9\nvalues: reward\nstates: 2\nactions: 1\nT: 0 identiti\n")
        self.bad(2, "bad.pomdp:5:", "convert", bad, self.path("x.pomdp"))
        self.good("convert", DIAG, self.path("x.pomdp"))
        self.bad(3, "no-such", "convert", DIAG, self.path("no-such/x.pomdp"))


class List(Case):
    def test_list(self):
        shown = self.good("list").stdout.decode()
        answer = json.loads(self.good("list", "--json").stdout)
        self.assertEqual(list(answer), ["planners", "inverses", "presets", "formats"])
        self.assertIn("bounded-rational", [row["name"] for row in answer["planners"]])
        self.assertEqual(len(answer["presets"]), len({row["name"] for row in answer["presets"]}))
        for name, rows in answer.items():
            one = json.loads(self.good("list", name, "--json").stdout)
            self.assertEqual(one, {name: rows})
            for row in rows:
                self.assertIn(row["name"], shown)
                self.assertTrue(row["summary"])
        for line in shown.splitlines():
            self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    unittest.main()
