"""Studies in which a part of the state is seen: forms by part against full matrices, a task with a counter against a recursion
over all histories, columns that may be left out of the logs, and what is refused."""
import csv
import itertools
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

# Three draws of beads at most; how much they cost is seen, the urn is not.
BEADS = """\
asif: 1
states:
  seen: {cost: [0, 0.5], draws: 0 to 2}
  hidden: {urn: [blue, pink]}
actions: [draw, say_blue, say_pink]
observations: [b, p]
environment:
  start: {cost: [0.25, 0.75], draws: 0, urn: uniform}
  transitions: {draw: {draws: +1}, any: terminal}
  terminal: draws=2
  emissions: [[0.75, 0.25], [0.25, 0.75]]
agent:
  discount: 0.9
  utility:
    draw: {draws=2: 0, any: look}
    say_blue: {blue: 4 - price * cost * draws, pink: -1}
    say_pink: {pink: 4 - price * cost * draws, blue: -1}
  parameters: {price: 1.5, look: 0.3, alpha: 0.7, beta: inf, eta: 0.2}
solver: {resolution: 20}
"""

# The same dynamics by part, and as matrices of crossed states.
BY_PART = """\
  start: {a: [0.2, 0.8, 0], b: x, h: [0.5, 0.3, 0.2]}
  transitions:
    go: {a: +1, h: [[0.9, 0.1, 0], [0, 0.8, 0.2], [0.3, 0.3, 0.4]]}
    back: {a: -2, b: {x: [0.5, 0.5], any: x}}
    any: {a: one, b: uniform}
  emissions:
    go: {y/h=second: [1, 0], x/h=second: [0.3, 0.7], y: [0.4, 0.6], any: uniform}
    any: identity
"""


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, timeout=120)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def at(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.at(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.at(name)

    def answer(self, *args):
        done = run(*args, "--json")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def refused(self, words, *args):
        done = run(*args)
        self.assertIn(done.returncode, (1, 2, 3), done.stderr + done.stdout)
        said = " ".join((done.stderr + done.stdout).split())
        self.assertIn(words, said)
        return said

    def rows(self, name):
        with open(self.at(name), encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Task(Folder):
    """The beads of BEADS by a recursion: the belief is a function of what was drawn."""

    def value(self, cost, draws, b):
        q = self.values(cost, draws, b)
        top = max(q)
        return top + 0.7 * math.log(sum(math.exp((x - top) / 0.7) for x in q) / 3)

    def values(self, cost, draws, b):
        prize = 4 - 1.5 * cost * draws
        draw = 0.0
        if draws < 2:
            draw = 0.3
            for right in (0.75, 0.25):
                chance = b * right + (1 - b) * (1 - right)
                draw += chance * (0.9 * self.value(cost, draws + 1, b * right / chance) - 0.2 * math.log(chance))
        return [draw, b * prize - (1 - b), (1 - b) * prize - b]

    def policy(self, cost, draws, b):
        q, v = self.values(cost, draws, b), self.value(cost, draws, b)
        return [math.exp((x - v) / 0.7) / 3 for x in q]

    def test_plan(self):
        path = self.write("beads.yaml", BEADS)
        for cost, draws, b in (("0", 0, 0.5), ("0.5", 0, 0.5), ("0.5", 1, 0.75), ("0", 1, 0.25), ("0.5", 2, 0.9), ("0.5", 2, 0.35)):
            got = self.answer("plan", path, "--seen", "%s/%d" % (cost, draws), "--belief", "%r,%r" % (b, 1 - b))["beliefs"][0]
            self.assertEqual(got["seen"], "%s/%d" % (cost, draws))
            self.assertAlmostEqual(got["value"], self.value(float(cost), draws, b), delta=1e-9)
            for name, want in zip(("draw", "say_blue", "say_pink"), self.policy(float(cost), draws, b)):
                self.assertAlmostEqual(got["policy"][name], want, delta=1e-9)

    def test_logs(self):
        """Simulated logs have the columns of the seen part, whose shares are those of the start; the column `draws` follows from
        the actions, and may be left out."""
        path = self.write("beads.yaml", BEADS)
        done = run("simulate", path, "-n", 400, "--seed", 2, "-o", self.at("logs.csv"))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows("logs.csv")
        self.assertEqual(list(rows[0]), ["episode", "t", "cost", "draws", "action", "observation"])
        total, b = 0.0, 0.5
        for row in rows:
            b = 0.5 if row["t"] == "0" else b
            self.assertEqual(row["draws"], row["t"])
            u = ["draw", "say_blue", "say_pink"].index(row["action"])
            total += math.log(self.policy(float(row["cost"]), int(row["draws"]), b)[u])
            right = 0.75 if row["observation"] == "b" else 0.25
            b = b * right / (b * right + (1 - b) * (1 - right))
        first = [row["cost"] for row in rows if row["t"] == "0"]
        self.assertLess(abs(first.count("0") - 100), 4 * math.sqrt(400 * 0.25 * 0.75))
        self.assertAlmostEqual(self.answer("check", path, self.at("logs.csv"))["log_likelihood"], total, delta=1e-8 * abs(total))
        keep = [name for name in rows[0] if name != "draws"]
        with open(self.at("short.csv"), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, keep, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
        self.assertAlmostEqual(self.answer("check", path, self.at("short.csv"))["log_likelihood"], total, delta=1e-8 * abs(total))

    def test_refused_rows(self):
        path = self.write("beads.yaml", BEADS)
        head = "episode,t,cost,draws,action,observation\n"
        rows = [
            ("1,0,0,0,draw,b\n1,1,0,2,draw,b\n", 3, "cannot follow `draw` in row 1"),
            ("1,0,0,0,draw,b\n1,1,0.5,1,draw,b\n", 3, "cannot follow `draw` in row 1"),
            ("1,0,0,1,draw,b\n", 2, "no episode begins with the seen part"),
            ("1,0,,0,draw,b\n", 2, "the seen part `cost` of the state is not known here"),
            ("1,0,0.50,0,draw,b\n", 2, "`0.50` is no value of `cost`"),
            ("1,0,0,0,draw,b\n1,1,0,1,draw,b\n1,2,0,2,draw,b\n1,3,0,2,draw,b\n", 5, "a row follows a terminal state"),
            ("1,0,0,0,draw,\n1,1,0,1,say_blue,\n", 2, "the observation is missing"),
        ]
        for text, line, words in rows:
            said = self.refused(words, "check", path, self.write("wrong.csv", head + text))
            self.assertIn("wrong.csv:%d:" % line, said)

    def test_words(self):
        """What `check` says of the study: different rows of large matrices, examples of utilities, and what nothing follows."""
        said = " ".join(run("check", self.write("beads.yaml", BEADS)).stdout.split())
        many = " ".join(run("check", self.write("many.yaml", BEADS.replace("0 to 2", "0 to 20"))).stdout.split())
        self.assertIn("(84 probabilities, too many to show; for example from the start) 0/0/blue: 0/1/blue 1", many)
        for words in ("after say_blue, say_pink: nothing, it is the end", "0/0/blue and 5 more: b 0.75, p 0.25", "0/0/pink and 5 more: b 0.25, p 0.75",
                      "0/1/blue and 1 more: 0/2/blue 1", "in 0/0/blue: draw look, say_blue 4, say_pink -1",
                      "say_blue -1, say_pink -price + 4"):
            self.assertIn(words, said)

    def test_refused_questions(self):
        path = self.write("beads.yaml", BEADS.replace("alpha: 0.7", "alpha: learn"))
        run("simulate", path, "-p", "alpha=0.7", "-n", 60, "-o", self.at("logs.csv"))
        done = run("fit", path, self.at("logs.csv"), "-o", self.at("fit"), "--method", "map", "--starts", 1, "-q")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        # conditions are named where histories begin, and what follows surely (the counter) is left out
        self.assertRegex(done.stdout, r"draw at the start \(start: 0.5/0\)")
        self.assertRegex(done.stdout, r"after draw(→|->)[bp] \(start: 0(.5)?/0\)")
        self.refused("not yet possible where a part of the state is seen", "convert", path, self.at("out.pomdp"))
        self.check_beliefs()

    def test_lattice(self):
        """The resolution is chosen by the beliefs of one lattice of each seen value, and its error is reported; a utility that depends
        on the belief is evaluated on three lattices."""
        text = BEADS.replace("alpha: 0.7", "alpha: learn").replace("{resolution: 20}", "{beliefs: lattice, resolution: auto}")
        text = text.replace("[[0.75, 0.25], [0.25, 0.75]]", "[[0.7, 0.3], [0.3, 0.7]]")
        path = self.write("auto.yaml", text)
        run("simulate", path, "-p", "alpha=0.7", "-n", 200, "-o", self.at("logs.csv"))
        done = run("fit", path, self.at("logs.csv"), "-o", self.at("fit"), "--no-answers", "--no-sensitivity", "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        solver = json.loads(done.stdout)["solver"]
        self.assertIn(solver["resolution"], (20, 40, 80, 160))
        self.assertTrue(0 < solver["lattice_error"] <= solver["lattice_error_wanted"], solver)
        ramp = BEADS.replace("    draw: {draws", "    - draw: {draws").replace("    say_", "      say_")
        ramp = ramp.replace("  parameters: {", "    - {ramp: certainty, from: 0.6, to: 1, add: 0.5}\n  parameters: {")
        told = self.answer("check", self.write("ramp.yaml", ramp), self.at("logs.csv"))
        self.assertEqual([row["resolution"] for row in told["lattices"]], [20, 21, 40])

    def check_beliefs(self):
        """Decisions by belief: bins of P(pink), and their counts by Bayes' rule."""
        beliefs = next(family for family in self.answer("predict", self.at("fit"))["families"] if family["name"] == "beliefs")
        found = {(round(group["low"], 9), round(group["high"], 9)): group["count"] for group in beliefs["groups"]}
        self.assertEqual({group["of"] for group in beliefs["groups"]}, {"pink"})
        want, odds = dict.fromkeys(found, 0), 1
        for row in self.rows("logs.csv"):
            odds = 1 if row["t"] == "0" else odds
            pink = odds / (1 + odds) + 1e-9
            want[next(bin for bin in found if bin[0] <= pink < bin[1])] += 1
            odds *= 3 if row["observation"] == "p" else 1 / 3
        self.assertEqual({bin: round(count, 6) for bin, count in found.items()}, want)


class Available(Task):
    """BEADS without a draw after the second: nothing is drawn there, and the prior is shared by the two answers."""

    TEXT = BEADS.replace("  terminal: draws=2\n", "  available: {draw: draws < 2}\n").replace("{draws=2: 0, any: look}", "look")

    def value(self, cost, draws, b):
        q = self.values(cost, draws, b)[draws == 2 :]
        top = max(q)
        return top + 0.7 * math.log(sum(math.exp((x - top) / 0.7) for x in q) / len(q))

    def policy(self, cost, draws, b):
        q, v = self.values(cost, draws, b), self.value(cost, draws, b)
        if draws == 2:
            return [0.0] + [math.exp((x - v) / 0.7) / 2 for x in q[1:]]
        return [math.exp((x - v) / 0.7) / 3 for x in q]

    def write(self, name, text):
        return super().write(name, self.TEXT if text == BEADS else text)

    def test_plan(self):
        super().test_plan()
        path = self.at("beads.yaml")
        self.assertEqual(self.answer("check", path)["study"]["available"], {"draw": ["0/0", "0/1", "0.5/0", "0.5/1"]})
        self.assertIn("draw with 4 of 6 seen values", run("check", path).stdout)

    def test_refused_rows(self):
        path = self.write("beads.yaml", BEADS)
        rows = "episode,t,cost,action,observation\n1,0,0,draw,b\n1,1,0,draw,b\n1,2,0,draw,p\n2,0,0.5,say_pink,\n"
        said = self.refused("`draw` is not available where `0/2` is seen", "check", path, self.write("wrong.csv", rows))
        self.assertIn("wrong.csv:4:", said)

    def test_refused_questions(self):
        """A fit with lapses and the gradient, and a summary of it."""
        path = self.write("fit.yaml", self.TEXT.replace("alpha: 0.7", "alpha: learn, lapse: learn").replace("look: 0.3", "look: {learn: \"normal(0, 1)\", standard: 0.3}"))
        self.assertEqual(run("simulate", path, "-p", "alpha=0.7", "-p", "lapse=0.1", "-p", "look=0.3", "-n", 400, "-o", self.at("logs.csv")).returncode, 0)
        self.assertNotIn(("2", "draw"), {(row["draws"], row["action"]) for row in self.rows("logs.csv")})
        done = run("fit", path, self.at("logs.csv"), "-o", self.at("fit"), "--method", "map", "--starts", 1, "-q")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(run("predict", self.at("fit")).returncode, 0)

    def test_refused_studies(self):
        rows = [
            ("{draw: draws < 2}", "{draw: draws < 2, say_blue: draws < 2, say_pink: [cost = 0, draws < 2]}", "no action is available where `0.5/2` is seen"),
            ("{draw: draws < 2}", "{draw: urn = blue}", "`urn` is hidden"),
            ("{draw: draws < 2}", "{draw: drawn < 2}", "`drawn` is no part of the state"),
            ("{draw: draws < 2}", "{draw: draws = 7}", "`7` is no value of `draws`"),
            ("{draw: draws < 2}", "{draw: draws < many}", "`many` is not a number"),
            ("{draw: draws < 2}", "{draw: later}", "is no condition on a seen part"),
            ("{draw: draws < 2}", "{drow: draws < 2}", "draw"),
        ]
        for old, new, words in rows:
            self.assertEqual(self.TEXT.count(old), 1, old)
            said = self.refused(words, "check", super().write("wrong.yaml", self.TEXT.replace(old, new)))
            self.assertRegex(said, r"wrong\.yaml:[0-9]+:[0-9]+: ")
        plain = "asif: 1\nstates: [a, b]\nactions: [u, w]\nobservations: [x]\nenvironment: {start: uniform, emissions: uniform, available: {u: a = 1}}\n"
        plain += "agent: {discount: 0.9, utility: {u: 1, w: 0}, parameters: {alpha: 1}}\n"
        self.refused("`available` needs a part of the state that is seen", "check", super().write("plain.yaml", plain))


# Conditions of an experiment are seen parts that never change; one parameter has a value for each cost.
CONDITIONS = """\
asif: 1
states: {seen: {%s draws: 0 to 3}, hidden: {urn: [blue, pink]}}
actions: [draw, say_blue, say_pink]
observations: [b, p]
environment:
  start: {%s draws: 0, urn: uniform}
  transitions: {draw: {draws: +1}, any: terminal}
  available: {draw: draws < 3}
  emissions: %s
agent:
  discount: 0.9
  utility: {draw: look, say_blue: {%s, pink: -1}, say_pink: {%s, blue: -1}}
  parameters: {%s, look: 0.3, alpha: 0.7, beta: inf, eta: 0.2}
solver: {resolution: 20}
"""


class Conditions(Folder):
    def test_sum(self):
        """One study over six conditions has the sum of the likelihoods of six studies, at the same numbers."""
        costs, emissions = {"0": 0, "0.1": 1.5, "0.4": 0.6}, {"6": [[0.6, 0.4], [0.4, 0.6]], "8": [[0.8, 0.2], [0.2, 0.8]]}

        def prize(cost, price):
            return "4 - %s * %s * draws" % (price, cost)

        rows = "{%s}" % ", ".join("evidence=%s/%s: %r" % (e, urn, p[i]) for e, p in emissions.items() for i, urn in enumerate(("blue", "pink")))
        paid = {urn: ", ".join("cost=%s/%s: %s" % (c, urn, prize("cost", "price." + c)) for c in costs) for urn in ("blue", "pink")}
        prices = ", ".join("price.%s: %r" % item for item in costs.items())
        together = self.write("six.yaml", CONDITIONS % ("evidence: [6, 8], cost: [0, 0.1, 0.4],", "evidence: uniform, cost: uniform,", rows,
                                                         paid["blue"], paid["pink"], prices))
        self.assertEqual(run("simulate", together, "-n", 600, "--seed", 3, "-o", self.at("logs.csv")).returncode, 0)
        rows, total, seen = self.rows("logs.csv"), 0.0, 0
        for e, p in emissions.items():
            for c, price in costs.items():
                alone = self.write("one.yaml", CONDITIONS % ("", "", p, "blue: " + prize(c, "price"), "pink: " + prize(c, "price"), "price: %r" % price))
                mine = [row for row in rows if (row["evidence"], row["cost"]) == (e, c)]
                with open(self.at("one.csv"), "w", encoding="utf-8", newline="") as file:
                    writer = csv.DictWriter(file, ["episode", "t", "draws", "action", "observation"], extrasaction="ignore")
                    writer.writeheader()
                    writer.writerows(mine)
                total += self.answer("check", alone, self.at("one.csv"))["log_likelihood"]
                seen += len(mine) > 0
        self.assertEqual(seen, 6)
        self.assertAlmostEqual(self.answer("check", together, self.at("logs.csv"))["log_likelihood"], total, delta=1e-12 * abs(total))


class Forms(Folder):
    def study(self, environment):
        return self.write("study.yaml", """\
asif: 1
states: {seen: {a: [one, two, three], b: [x, y]}, hidden: {h: [first, second, third]}}
actions: [go, back, rest]
observations: [%s]
environment:
%s
agent:
  discount: 0.9
  utility: {go: {two: 2, two/x: 3, any: 0}, back: {first: 1, any: -1}, rest: 0.1}
  parameters: {alpha: 0.6, beta: inf, eta: 0.1}
solver: {resolution: 8}
""" % environment)

    def test_by_part(self):
        """By part, and as matrices that are made here: the same likelihood of the same logs."""
        A, B, Z = ["one", "two", "three"], ["x", "y"], ["first", "second", "third"]
        states = list(itertools.product(A, B, Z))
        still = [[0.9, 0.1, 0], [0, 0.8, 0.2], [0.3, 0.3, 0.4]]

        def move(u, s, t):
            (a, b, h), (a2, b2, h2) = s, t
            if u == "go":
                return (A.index(a2) == min(A.index(a) + 1, 2)) * (b == b2) * still[Z.index(h)][Z.index(h2)]
            if u == "back":
                return (A.index(a2) == max(A.index(a) - 2, 0)) * (h == h2) * (0.5 if b == "x" else float(b2 == "x"))
            return (a2 == "one") * 0.5 * (h == h2)

        def show(u, s):
            if u != "go":
                return [float(s[2] == z) for z in Z]
            if s[2] == "second":
                return [1, 0, 0] if s[1] == "y" else [0.3, 0.7, 0]
            return [0.4, 0.6, 0] if s[1] == "y" else [1 / 3] * 3

        full = ["  start: %r" % [[0.2, 0.8, 0][A.index(a)] * (b == "x") * [0.5, 0.3, 0.2][Z.index(h)] for a, b, h in states], "  transitions:"]
        full += ["    %s: %r" % (u, [[float(move(u, s, t)) for t in states] for s in states]) for u in ("go", "back", "rest")]
        full += ["  emissions:"] + ["    %s: %r" % (u, [show(u, s) for s in states]) for u in ("go", "back", "rest")]
        observations = ", ".join(Z)
        parted = BY_PART.replace("[1, 0]", "[1, 0, 0]").replace("[0.3, 0.7]}", "[0.3, 0.7, 0]}").replace("x/h=second: [0.3, 0.7]", "x/h=second: [0.3, 0.7, 0]")
        parted = parted.replace("y: [0.4, 0.6]", "y: [0.4, 0.6, 0]")
        values = []
        for text in (parted, "\n".join(full)):
            path = self.study((observations, text))
            if not values:
                done = run("simulate", path, "-n", 150, "--max-steps", 6, "--seed", 4, "-o", self.at("logs.csv"))
                self.assertEqual(done.returncode, 0, done.stderr)
            values.append(self.answer("check", path, self.at("logs.csv"))["log_likelihood"])
        self.assertAlmostEqual(values[0], values[1], delta=1e-9 * abs(values[0]))
        self.assertLess(values[0], -100)

    def test_refused(self):
        good = BY_PART.replace("[1, 0]", "[1, 0, 0]").replace("x/h=second: [0.3, 0.7]", "x/h=second: [0.3, 0.7, 0]").replace(
            "y: [0.4, 0.6]", "y: [0.4, 0.6, 0]")
        rows = [
            ("a: +1", "a: +x", "cannot be `+x`"),
            ("a: +1", "c: +1", "`c` is no state, and no value of a part"),
            ("b: x, h: [0.5, 0.3, 0.2]", "h: [0.5, 0.3, 0.2]", "says nothing of the part `b`"),
            ("y/h=second", "fourth", "`fourth` is no state, and no value of a part of the state"),
            ("y: [0.4", "two: [0.5, 0.5, 0], y: [0.4", "both apply to the state"),
            ("any: identity", "any: learn", "cannot be learnt yet where a part of the state is seen"),
            ("start: {a: [0.2, 0.8, 0], b: x, h: [0.5, 0.3, 0.2]}", "start: {by: group, one: uniform}",
             "cannot be by a column where a part of the state is seen"),
            ("  emissions:", "  terminal: second\n  emissions:", "`terminal` must name seen parts only"),
        ]
        for old, new, words in rows:
            self.assertEqual(good.count(old), 1, old)
            said = self.refused(words, "check", self.study(("first, second, third", good.replace(old, new))))
            self.assertRegex(said, r"study\.yaml:[0-9]+:[0-9]+: ")
        whole = self.study(("first, second, third", good))
        with open(whole, encoding="utf-8") as file:
            text = file.read()
        others = [
            ("hidden: {h: [first, second, third]}", "hidden: {}", "`hidden` names no part"),
            (", hidden: {h: [first, second, third]}", "", "`states` has no `hidden` part"),
            ("{a: [one, two, three], b", "{action: [one, two, three], b", "cannot be called `action`"),
            ("a: [one, two, three]", "a: 3 to 1", "is not a range of whole numbers"),
            ("a: [one, two, three]", "a: [one, two/2, three]", "has a `/` or `=` in its label"),
            ("observations: [first, second, third]\n", "", "need `observations`"),
            ("rest: 0.1", "rest: 2 * b", "`b` cannot be a factor: its value `x` is not a number"),
            ("discount: 0.9", "discount: 0.9\n  planner: recurrent", "does not know states of which a part is seen"),
            ("solver:", "inverse: distribution-matching\nsolver:", "does not know states of which a part is seen"),
        ]
        for old, new, words in others:
            self.assertEqual(text.count(old), 1, old)
            said = self.refused(words, "check", self.write("wrong.yaml", text.replace(old, new)))
            self.assertRegex(said, r"wrong\.yaml:[0-9]+:[0-9]+: ")


if __name__ == "__main__":
    unittest.main()
