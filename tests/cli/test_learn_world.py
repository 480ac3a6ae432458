"""asif learn-world as a user meets it: counts and increments from small tables whose answer is counted by hand."""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
if not ASIF or not os.path.exists(ASIF):
    print("ASIF (path of the command) is not set")
    sys.exit(77)

# A ladder of five rungs: climb moves up, jump begins at rung 1.
LADDER = """\
asif: 1
title: A ladder   # of five rungs
states: 5
actions: [climb, jump]
environment:
  start: 0
  increments: {usual: learn 0 to 2}   # rungs
  transitions:
    climb: {increments: usual}
    jump: {increments: usual, from: 1}
agent:
  discount: 0.9
  utility: {climb: 2 * reward * state, jump: 1}
  parameters: {reward: 1, alpha: 1}
"""
# Rows (episode, group, state, action). Steps by hand, in states from which all of 0, 1, 2 can be told apart (0, 1, 2; a jump begins
# at 1): in a 0->1 (1), 1->3 (2); in b jump 2->1 (0), jump 1->2 (1), climb 2->2 (0), 2->4 (2), and from 4, where nothing can be told.
LADDER_ROWS = [
    ("a", "x", 0, "climb"), ("a", "x", 1, "climb"), ("a", "x", 3, "climb"),
    ("b", "y", 2, "jump"), ("b", "y", 1, "jump"), ("b", "y", 2, "climb"), ("b", "y", 2, "climb"),
    ("b", "y", 4, "climb"), ("b", "y", 4, "jump"),
    ("c", "z", 0, "climb"), ("c", "z", 0, "climb"),
]

ROOMS = """\
asif: 1
states: [hall, "the attic", cellar]
actions: [wait, go]
environment:
  start: hall
  transitions:
    wait: identity
    go: learn          # by counts
agent: {discount: 0.9, utility: {any: {hall: 1, any: 0}}, parameters: {alpha: 1}}
"""
ROOMS_ROWS = [("1", "x", s, "go") for s in ["hall", "cellar", "hall", "cellar", "hall", "the attic", "the attic"]]


def table(rows):
    return "episode,group,state,action\n" + "".join("%s,%s,%s,%s\n" % row for row in rows)


class LearnWorld(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="asif-test-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(content)
        return path

    def read(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def run_asif(self, *args, code=0):
        done = subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, encoding="utf-8", timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def learn(self, study, rows, *args, code=0):
        """The JSON, and the text of the study with its world; or what was said."""
        study, logs = self.path("study.yaml", study), self.path("logs.csv", table(rows))
        done = self.run_asif("learn-world", study, logs, "-o", self.path("new.yaml"), "--json", *args, code=code)
        return (json.loads(done.stdout), self.read("new.yaml")) if code == 0 else done.stderr

    def given(self, text):
        """Transitions as asif understands a text."""
        self.run_asif("check", self.path("new.yaml", text), "-q")

    def plan(self, text):
        """What an agent does, without the time that it took."""
        answer = json.loads(self.run_asif("plan", self.path("s.yaml", text), "--json").stdout)
        return {key: value for key, value in answer.items() if key not in ("solver", "solution")}

    # ---- increments ----

    def test_increments(self):
        answer, new = self.learn(LADDER, LADDER_ROWS)
        (part,) = answer["parts"]
        counts = [3, 2, 2]   # 0: jump 2->1, 2->2, c's 0->0; 1: 0->1, jump 1->2; 2: 1->3, 2->4
        self.assertEqual([p["count"] for p in part["probabilities"]], counts)
        self.assertEqual([p["increment"] for p in part["probabilities"]], [0, 1, 2])
        for p, count in zip(part["probabilities"], counts):
            self.assertAlmostEqual(p["probability"], count / 7, 15)
            self.assertAlmostEqual(p["standard_error"], math.sqrt(count / 7 * (1 - count / 7) / 7), 15)
        self.assertEqual((part["name"], part["kind"], part["left_out"]), ("usual", "increments", 1))
        self.assertEqual(part["actions"], [{"action": "climb"}, {"action": "jump", "from": "1"}])
        self.assertEqual((answer["episodes"], answer["decisions"]), (3, 11))
        # Nothing else changes.
        before, after = LADDER.split("learn 0 to 2")
        self.assertTrue(new.startswith(before + "[") and new.endswith("]" + after), new)
        self.given(new)

    def test_some_of_the_logs(self):
        answer, _ = self.learn(LADDER, LADDER_ROWS, "--where", "group=x,z")
        self.assertEqual([p["count"] for p in answer["parts"][0]["probabilities"]], [1, 1, 1])
        self.assertEqual(answer["episodes"], 2)
        self.assertEqual(answer["where"], ["group=x,z"])
        said = self.learn(LADDER, LADDER_ROWS, "--where", "group=q", code=2)
        self.assertIn("no episode has group=q", said)
        said = self.learn(LADDER, [(e, s, s, a) for e, _, s, a in LADDER_ROWS], "--where", "group=0", code=2)
        self.assertIn("changes from", said)

    def test_prior(self):
        answer, _ = self.learn(LADDER, LADDER_ROWS, "--prior", "0.5")
        for p in answer["parts"][0]["probabilities"]:
            self.assertAlmostEqual(p["probability"], (p["count"] + 0.5) / 8.5, 15)

    def test_downward(self):
        study = LADDER.replace("learn 0 to 2", "learn -1 to 0").replace(", from: 1", "")
        rows = [("a", "x", s, "climb") for s in [4, 3, 3, 2, 1]]
        answer, new = self.learn(study, rows)
        self.assertEqual([p["count"] for p in answer["parts"][0]["probabilities"]], [3, 1])
        self.assertIn("{-1: 0.75, 0: 0.25}", new)
        self.given(new)

    def test_mistakes_in_increments(self):
        said = self.learn(LADDER, [("a", "x", 0, "climb"), ("a", "x", 4, "climb")], code=2)
        self.assertIn("no increment from 0 to 2; the first is from `0` by `climb` to `4`", said)
        said = self.learn(LADDER, [("a", "x", 0, "climb"), ("b", "x", 1, "climb")], code=2)
        self.assertIn("no transition of the logs tells the increments usual", said)
        for wrong, words in [("learn 2 to 0", "which increments are possible"), ("learn", "which increments"),
                             ("learn 0 to 9", "which increments"), ("[0.5, 0.6]", "sum")]:
            said = self.learn(LADDER.replace("learn 0 to 2", wrong), LADDER_ROWS, code=2)
            self.assertIn(words, said)
        said = self.learn(LADDER.replace("climb: {increments: usual}", "climb: {increments: usal}"), LADDER_ROWS, code=2)
        self.assertIn("did you mean `usual`", said)

    def test_given_increments(self):
        """The shorthand is the matrix that it stands for."""
        given = LADDER.replace("learn 0 to 2", "[0.5, 0.3, 0.2]")
        rows = ["[%s]" % ", ".join(map(str, row)) for row in (
            [.5, .3, .2, 0, 0], [0, .5, .3, .2, 0], [0, 0, .5, .3, .2], [0, 0, 0, .5, .5], [0, 0, 0, 0, 1])]
        climb = "[%s]" % ", ".join(rows)
        full = given.replace("climb: {increments: usual}", "climb: " + climb)
        full = full.replace("jump: {increments: usual, from: 1}", "jump: [%s]" % ", ".join([rows[1]] * 5))
        full = full.replace("  increments: {usual: [0.5, 0.3, 0.2]}   # rungs\n", "")
        self.assertEqual(self.plan(given), self.plan(full))

    # ---- rows ----

    def test_rows(self):
        answer, new = self.learn(ROOMS, ROOMS_ROWS, "--unseen", "stay")
        (part,) = answer["parts"]
        self.assertEqual([(p["from"], p["to"], p["count"]) for p in part["probabilities"]],
                         [("hall", "the attic", 1), ("hall", "cellar", 2), ("the attic", "the attic", 1),
                          ("cellar", "hall", 2)])
        self.assertAlmostEqual(part["probabilities"][1]["probability"], 2 / 3, 15)
        self.assertEqual(part["unseen"], [])
        self.assertIn("# by counts", new)
        self.given(new)

    def test_states_that_nobody_left(self):
        rows = ROOMS_ROWS[:3]
        said = self.learn(ROOMS, rows, code=2)
        self.assertIn("do not tell what follows `go` in 1 of 3 states: the attic", said)
        for how, expected in (("stay", [("the attic", 1)]),
                              ("uniform", [("hall", 1 / 3), ("the attic", 1 / 3), ("cellar", 1 / 3)])):
            answer, new = self.learn(ROOMS, rows, "--unseen", how)
            part = answer["parts"][0]
            self.assertEqual([(p["to"], p["probability"]) for p in part["probabilities"]
                              if p["from"] == "the attic"], expected)
            self.assertEqual(part["unseen"], ["the attic"])
            self.given(new)
        answer, _ = self.learn(ROOMS, rows, "--prior", "1")
        self.assertEqual([(p["to"], p["probability"]) for p in answer["parts"][0]["probabilities"]
                          if p["from"] == "hall"], [("hall", .25), ("the attic", .25), ("cellar", .5)])
        # What is terminal stays, and need not be seen.
        answer, _ = self.learn(ROOMS.replace("  start: hall", "  start: hall\n  terminal: the attic"), rows)
        self.assertEqual(answer["parts"][0]["unseen"], [])

    def test_all_actions_by_one_word(self):
        study = ROOMS.replace("    wait: identity\n    go: learn          # by counts\n", "").replace(
            "  transitions:\n", "  transitions: learn\r\n")
        rows = ROOMS_ROWS + [("2", "x", s, "wait") for s in ["hall", "hall", "cellar", "cellar", "the attic", "hall"]]
        answer, new = self.learn(study, rows)
        self.assertEqual([p["actions"] for p in answer["parts"]], [[{"action": "wait"}], [{"action": "go"}]])
        self.given(new)

    # ---- before and elsewhere ----

    def test_other_commands_refuse(self):
        study, logs = self.path("study.yaml", LADDER), self.path("logs.csv", table(LADDER_ROWS))
        for args, code in (["check", study], 1), (["plan", study], 2), (["fit", study, logs, "-o", self.path("f")], 2):
            done = self.run_asif(*args, code=code)
            self.assertIn("asif learn-world", done.stdout + done.stderr)
            self.assertEqual((done.stdout + done.stderr).count("still to be learnt"), 1)

    def test_refusals(self):
        cases = [
            (LADDER.replace("learn 0 to 2", "[1]"), [], "nothing to learn"),
            (ROOMS.replace("wait: identity", "any: learn").replace("go: learn", "go: identity").replace(
                "[wait, go]", "[wait, sit, go]"), [], "name every action"),
            (ROOMS.replace("  start: hall", "  start: hall\n  ends: go"), [], "`go` ends an episode"),
            (ROOMS.replace("agent: {", "agent: {worlds: [{transitions: learn}], "), [], "believes in cannot be learnt"),
            (LADDER.replace("actions:", "observations: [a]\nactions:").replace(
                "  start: 0", "  start: 0\n  emissions: uniform"), [], "only where the agent sees the state"),
            (ROOMS, ["--unseen", "guess"], "refuse, stay or uniform"),
        ]
        for study, args, words in cases:
            self.assertIn(words, self.learn(study, ROOMS_ROWS, *args, code=2))
        study, logs = self.path("study.yaml", ROOMS), self.path("logs.csv", table(ROOMS_ROWS))
        self.assertIn("would replace the study",
                      self.run_asif("learn-world", study, logs, "-o", study, code=2).stderr)
        self.assertIn("standard output", self.run_asif("learn-world", study, logs, "--json", code=2).stderr)

    def test_standard_output(self):
        study, logs = self.path("study.yaml", ROOMS), self.path("logs.csv", table(ROOMS_ROWS))
        done = self.run_asif("learn-world", study, logs)
        self.given(done.stdout)
        self.assertIn("standard error", done.stderr)
        self.assertEqual(self.run_asif("learn-world", study, logs, "-q").stderr, "")

    def test_times_state_needs_numbers(self):
        wrong = ROOMS.replace("{any: {hall: 1, any: 0}}", "{wait: 0, go: 2 * state}").replace("learn ", "reset ")
        self.assertIn("needs states that are numbers", self.run_asif("check", self.path("s.yaml", wrong), code=1).stdout)
        # With numbers it is the utility by state.
        short = LADDER.replace("learn 0 to 2", "[1]")
        long = short.replace("2 * reward * state", "{%s}" % ", ".join("%d: %d * reward" % (s, 2 * s) for s in range(5)))
        self.assertEqual(self.plan(short), self.plan(long))


if __name__ == "__main__":
    unittest.main(verbosity=1)
