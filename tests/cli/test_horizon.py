"""Studies with a horizon or terminal actions: plans and likelihoods of simulated logs against a recursion over all histories,
without a lattice; `terminal` against a state `done`; and what is refused."""
import csv
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

ACTIONS = ["left", "right", "look"]
UTILITY = {"left": [3.0, -5.0], "right": [-5.0, 3.0], "look": [-0.25, -0.25]}

STUDY = """\
asif: 1
states: [here, there]
actions: [left, right, look]
observations: [low, high]
environment:
  start: uniform
  emissions: [[0.75, 0.25], [0.25, 0.75]]
  ends: [left, right]
  horizon: %(horizon)d
agent:
  discount: %(discount)s
  worlds: %(worlds)s
  utility:
    - {left: {here: 3, there: -5}, right: {here: -5, there: 3}, look: -0.25}
    - {on: observation, high: 0.5, action: look}
  parameters: {alpha: %(alpha)s, optimism: %(optimism)s, eta: %(eta)s}
solver: {resolution: %(resolution)d}
logs: {episode: episode, time: t, action: action, observation: observation}
"""


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, timeout=120)


def ce(a, values, weights):
    """The certainty equivalent log sum w exp(a v) / a; the mean at a = 0."""
    if a == 0:
        return sum(w * v for w, v in zip(weights, values))
    top = max(a * v for v in values)
    return (top + math.log(sum(w * math.exp(a * v - top) for w, v in zip(weights, values)))) / a


class Agent:
    """Plans by recursion over decisions, worlds and observations; nothing is interpolated."""

    def __init__(self, horizon, discount, accuracy, alpha, optimism, eta):
        self.N, self.discount, self.accuracy = horizon, discount, accuracy
        self.alpha, self.optimism, self.eta, self.known = alpha, optimism, eta, {}

    def see(self, b, p):
        """Probabilities of low and high, and the beliefs (of `there`) after them."""
        low, high = (1 - b) * p + b * (1 - p), (1 - b) * (1 - p) + b * p
        return [(low, b * (1 - p) / low), (high, b * p / high)]

    def futures(self, t, b):
        """The value of what follows `look`, by world."""
        out = []
        for p in self.accuracy:
            k = 0.0
            for x, (chance, after) in enumerate(self.see(b, p)):
                k += chance * (0.5 if x else 0.0)
                if t + 1 < self.N:
                    k += chance * (self.discount * self.value(t + 1, after) - self.eta * math.log(chance))
            out.append(k)
        return out

    def values(self, t, b):
        q = [(1 - b) * UTILITY[u][0] + b * UTILITY[u][1] for u in ACTIONS]
        even = [1 / len(self.accuracy)] * len(self.accuracy)
        q[2] += ce(self.optimism, self.futures(t, b), even)
        return q

    def value(self, t, b):
        if (t, b) not in self.known:
            self.known[t, b] = ce(1 / self.alpha, self.values(t, b), [1 / 3] * 3)
        return self.known[t, b]

    def policy(self, t, b):
        q, v = self.values(t, b), self.value(t, b)
        return [math.exp((x - v) / self.alpha) / 3 for x in q]

    def recognise(self, t, b, x):
        """The mean of the worlds' beliefs, by the weights with which the agent thinks of them when it looks."""
        k = self.futures(t, b)
        top = max(self.optimism * v for v in k)
        weight = [math.exp(self.optimism * v - top) for v in k]
        return sum(w * self.see(b, p)[x][1] for w, p in zip(weight, self.accuracy)) / sum(weight)


class Horizon(unittest.TestCase):
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

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def study(self, name="study.yaml", horizon=3, discount="1", accuracy=(0.75,), alpha=0.8, optimism=0.4, eta=0.3, resolution=8580):
        worlds = "[%s]" % ", ".join("{emissions: [[%g, %g], [%g, %g]]}" % (p, 1 - p, 1 - p, p) for p in accuracy)
        path = self.write(name, STUDY % {"horizon": horizon, "discount": discount, "worlds": worlds, "alpha": alpha,
                                         "optimism": optimism, "eta": eta, "resolution": resolution})
        return path, Agent(horizon, float(discount), accuracy, alpha, optimism, eta)

    def answer(self, *args):
        done = run(*args, "--json")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def test_plan(self):
        """Beliefs that can be reached in three decisions, in the plans of two worlds, are nodes of the lattice."""
        for accuracy in ((0.75,), (0.75, 0.6)):
            for horizon, discount in ((1, "1"), (2, "0.9"), (3, "1")):
                path, agent = self.study(horizon=horizon, discount=discount, accuracy=accuracy)
                for t in range(horizon):
                    for b in (0.5, 0.25) if t == 0 and horizon < 3 else (0.5,):
                        got = self.answer("plan", path, "--belief", "%r,%r" % (1 - b, b), "--decision", t + 1)["beliefs"][0]
                        self.assertEqual(got["decision"], t + 1)
                        self.assertAlmostEqual(got["value"], agent.value(t, b), delta=1e-9)
                        for name, want in zip(ACTIONS, agent.policy(t, b)):
                            self.assertAlmostEqual(got["policy"][name], want, delta=1e-9)

    def test_likelihood(self):
        """Simulated logs: nobody decides more often than the horizon allows, and the likelihood is that of the recursion. With
        two worlds recognised beliefs lie between the nodes, and values are interpolated."""
        for accuracy, room in (((0.75,), 1e-8), ((0.75, 0.6), 1e-5)):
            path, agent = self.study(accuracy=accuracy)
            done = run("simulate", path, "-n", 300, "--seed", 5, "-o", self.at("logs.csv"))
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.at("logs.csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            total, longest, b, looked = 0.0, 0, 0.5, 0
            for k, row in enumerate(rows):
                t, u = int(row["t"]), ACTIONS.index(row["action"])
                b = 0.5 if t == 0 else b
                longest = max(longest, t + 1)
                total += math.log(agent.policy(t, b)[u])
                goes_on = k + 1 < len(rows) and rows[k + 1]["episode"] == row["episode"]
                looked += not goes_on and u == 2
                self.assertTrue(u == 2 or not goes_on)
                if goes_on:
                    b = agent.recognise(t, b, ["low", "high"].index(row["observation"]))
            self.assertEqual(longest, 3)
            self.assertGreater(looked, 20)  # their last decision was to look
            got = self.answer("check", path, self.at("logs.csv"))
            self.assertAlmostEqual(got["log_likelihood"], total, delta=room * abs(total))
            self.assertNotIn("do not end", json.dumps(got))  # they are complete

    def test_maximum(self):
        """The maximum of the posterior that a fit finds is that of the recursion."""
        path, _ = self.study(alpha="'learn ~ lognormal(0, 1)'", optimism=0, eta=0, resolution=20)
        run("simulate", path, "-n", 300, "-p", "alpha=0.8", "--seed", 6, "-o", self.at("logs.csv"))
        done = run("fit", path, self.at("logs.csv"), "-o", self.at("fit"), "--method", "map", "--starts", 1, "--no-answers", "-q")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with open(self.at("logs.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))

        def score(log_alpha):
            agent, total, b = Agent(3, 1.0, (0.75,), math.exp(log_alpha), 0, 0), 0.0, 0.5
            for row in rows:
                t, u = int(row["t"]), ACTIONS.index(row["action"])
                b = 0.5 if t == 0 else b
                total += math.log(agent.policy(t, b)[u])
                b = agent.see(b, 0.75)[row["observation"] == "high"][1]
            return total

        with open(self.at("fit/fit.json"), encoding="utf-8") as file:
            fit = json.load(file)
        x = fit["maximum"]["values"]["log_alpha"]
        self.assertAlmostEqual(fit["maximum"]["log_likelihood"], score(x), delta=1e-6)
        slope = (score(x + 1e-4) - score(x - 1e-4)) / 2e-4 - x  # the prior of log alpha is normal(0, 1)
        self.assertLess(abs(slope), 1e-3)

    def test_terminal(self):
        """Without a horizon, `terminal` equals a state `done` in which nothing is worth anything."""
        short = self.write("short.yaml", """\
asif: 1
states: [here, there]
actions: [left, right, look]
observations: [low, high]
environment:
  start: uniform
  transitions: {left: terminal, right: terminal, look: [[0.9, 0.1], [0.2, 0.8]]}
  emissions: [[0.75, 0.25], [0.25, 0.75]]
agent:
  discount: 0.9
  utility: {left: {here: 3, there: -5}, right: {here: -5, there: 3}, look: -0.25}
  parameters: {alpha: 0.8, beta: inf, eta: 0}
solver: {resolution: 40}
""")
        long = self.write("long.yaml", """\
asif: 1
states: [here, there, done]
actions: [left, right, look]
observations: [low, high, nothing]
environment:
  start: [0.5, 0.5, 0]
  transitions: {any: {any: done}, look: [[0.9, 0.1, 0], [0.2, 0.8, 0], [0, 0, 1]]}
  emissions: [[0.75, 0.25, 0], [0.25, 0.75, 0], [0, 0, 1]]
agent:
  discount: 0.9
  utility: {left: {here: 3, there: -5, done: 0}, right: {here: -5, there: 3, done: 0}, look: {here: -0.25, there: -0.25, done: 0}}
  parameters: {alpha: 0.8, beta: inf, eta: 0}
solver: {resolution: 40}
""")
        for b in (0, 0.2, 0.5, 0.925):
            one = self.answer("plan", short, "--belief", "%r,%r" % (1 - b, b))["beliefs"][0]
            two = self.answer("plan", long, "--belief", "%r,%r,0" % (1 - b, b))["beliefs"][0]
            self.assertAlmostEqual(one["value"], two["value"], delta=1e-9)
            for name in ACTIONS:
                self.assertAlmostEqual(one["policy"][name], two["policy"][name], delta=1e-9)
        told = self.answer("check", short)["study"]
        self.assertEqual((told["ends"], told["stops"]), (["left", "right"], ["left", "right"]))
        self.assertNotIn("horizon", told)
        done = run("simulate", short, "-n", 50, "-o", self.at("logs.csv"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("check", short, self.at("logs.csv"), "--map", "episode=episode").returncode, 0)

    def test_reachable(self):
        """Without a resolution, an agent of one world is solved at the beliefs that it can reach: exactly, at a horizon at which few
        of them are nodes of a lattice. Only `beliefs` and `resolution` decide otherwise."""
        path, agent = self.study(horizon=8, discount="0.95")
        exact = self.write("exact.yaml", self.read(path).replace("solver: {resolution: 8580}\n", ""))
        told = self.answer("check", exact)["study"]["solver"]
        # after t looks, of which some may show nothing: 2 t + 1 beliefs
        self.assertEqual((told["beliefs"], told["nodes"]), ("reachable", sum(2 * t + 1 for t in range(8))))
        self.assertNotIn("beliefs", self.answer("check", path)["study"]["solver"])
        got = self.answer("plan", exact, "--history", "look:high,look:high,look:low,look:high,look:high")
        b, t = 0.5, 0
        for x in (1, 1, 0, 1, 1):
            b, t = agent.recognise(t, b, x), t + 1
        got = got["history"][-1]
        self.assertAlmostEqual(got["value"], agent.value(t, b), delta=1e-12)
        for name, want in zip(ACTIONS, agent.policy(t, b)):
            self.assertAlmostEqual(got["policy"][name], want, delta=1e-12)
        for text in (self.read(exact) + "solver: {beliefs: lattice}\n", self.read(path).replace("resolution: 8580", "resolution: 100")):
            self.assertNotIn("beliefs", self.answer("check", self.write("lattice.yaml", text))["study"]["solver"])
        both = self.write("both.yaml", self.read(path).replace("resolution: 8580", "resolution: 30, beliefs: reachable"))
        self.assertEqual(self.answer("check", both)["study"]["solver"]["nodes"], told["nodes"])
        away = [self.answer("plan", s, "--belief", "0.3,0.7", "--decision", 2, *more)["beliefs"][0]["value"]
                for s, more in ((both, ()), (exact, ("--resolution", 30)))]
        self.assertEqual(*away)  # a belief that cannot be reached
        path, _ = self.study(accuracy=(0.75, 0.6))
        text = self.read(path).replace("resolution: 8580", "beliefs: reachable")
        self.assertIn("two.yaml", self.refused("the agent's worlds differ", "check", self.write("two.yaml", text)))
        self.assertEqual(self.answer("check", self.write("two.yaml", text.replace("solver: {beliefs: reachable}\n", "")))["study"]["solver"]["beliefs"],
                         "graded")
        learns = text.replace("worlds: [", "start: learn\n  worlds: [").replace(", {emissions: [[0.6, 0.4], [0.4, 0.6]]}", "")
        self.refused("need a start that is given", "check", self.write("learns.yaml", learns))

    def test_reachable_fit(self):
        """Logs in which some results were not seen: the maximum that a fit finds by folding histories is that of the recursion."""
        path, _ = self.study(alpha="'learn ~ lognormal(0, 1)'", optimism=0, eta=0, horizon=6)
        path = self.write("exact.yaml", self.read(path).replace("solver: {resolution: 8580}\n", "").replace("logs: {", "logs: {missing: not_seen, "))
        run("simulate", path, "-n", 400, "-p", "alpha=0.8", "--seed", 7, "-o", self.at("all.csv"))
        with open(self.at("all.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows[::9]:
            row["observation"] = ""
        with open(self.at("logs.csv"), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        done = run("fit", path, self.at("logs.csv"), "-o", self.at("fit"), "--method", "map", "--starts", 1, "--no-answers", "-q")
        self.assertIn(done.returncode, (0, 1), done.stderr)

        def score(log_alpha):
            agent, total, b = Agent(6, 1.0, (0.75,), math.exp(log_alpha), 0, 0), 0.0, 0.5
            for row in rows:
                t, u = int(row["t"]), ACTIONS.index(row["action"])
                b = 0.5 if t == 0 else b
                total += math.log(agent.policy(t, b)[u])
                b = agent.see(b, 0.75)[row["observation"] == "high"][1] if row["observation"] else b
            return total

        fit = json.loads(self.read(self.at("fit/fit.json")))
        self.assertEqual(fit["solver"]["beliefs"], "reachable")
        x = fit["maximum"]["values"]["log_alpha"]
        self.assertAlmostEqual(fit["maximum"]["log_likelihood"], score(x), delta=1e-9 * abs(score(x)))
        self.assertLess(abs((score(x + 1e-4) - score(x - 1e-4)) / 2e-4 - x), 1e-3)
        self.assertEqual(run("summary", self.at("fit")).returncode in (0, 1), True)
        lattice = self.at("lattice")
        run("fit", path, self.at("logs.csv"), "-o", lattice, "--method", "map", "--starts", 1, "--no-answers", "-q", "--resolution", 400)
        fit = json.loads(self.read(lattice + "/fit.json"))
        self.assertNotIn("beliefs", fit["solver"])
        self.assertAlmostEqual(fit["maximum"]["values"]["log_alpha"], x, delta=1e-3)

    def refused(self, words, *args):
        done = run(*args)
        self.assertIn(done.returncode, (1, 2, 3), done.stderr + done.stdout)
        said = " ".join((done.stderr + done.stdout).split())
        self.assertIn(words, said)
        return said

    def test_refused_rows(self):
        path, _ = self.study()
        head = "episode,t,action,observation\n"
        logs = self.write("long.csv", head + "".join("1,%d,look,low\n" % t for t in range(4)))
        said = self.refused("this is decision 4 of its episode, and the horizon is 3", "check", path, logs)
        self.assertIn("long.csv:5", said)
        self.refused("which ends an episode", "check", path, self.write("after.csv", head + "1,0,left,low\n1,1,look,low\n"))
        drop = self.write("drop.yaml", self.read(path).replace("logs: {", "logs: {missing: drop_row, "))
        holes = self.write("holes.csv", head + "1,0,look,low\n1,1,,low\n1,2,look,low\n")
        said = self.refused("this row cannot be left out", "check", drop, holes)
        self.assertIn("holes.csv:3", said)
        first = self.write("first.yaml", self.read(path).replace(
            "logs: {", "logs: {observes: before, initial_observation: look, "))
        self.refused("`initial_observation` is not yet possible", "check", first, self.write("first.csv", head + "1,0,look,low\n"))

    def test_refused_studies(self):
        """Words that need another part of the study to be wrong; each is met at its place."""
        path, _ = self.study()
        text = self.read(path)
        rows = [
            ("terminal in a world", "worlds: [{emissions", "worlds: [{transitions: {left: reset}, emissions",
             "`reset` is not possible with a `horizon`"),
            ("another planner", "discount: 1", "discount: 1\n  planner: differentiable",
             "knows neither horizons nor actions after which nothing follows"),
            ("another inverse planner", "logs:", "inverse: distribution-matching\nlogs:",
             "knows neither horizons nor actions after which nothing follows"),
            ("above 1", "discount: 1", "discount: 1.01", "must be at least 0 and below 1"),
        ]
        for name, old, new, words in rows:
            self.assertEqual(text.count(old), 1, name)
            said = self.refused(words, "check", self.write("wrong.yaml", text.replace(old, new)))
            self.assertRegex(said, r"wrong\.yaml:[0-9]+:[0-9]+: ", name)
        seen = self.write("seen.yaml", """\
asif: 1
states: [a, b]
actions: [stay, go]
environment:
  start: a
  %s
agent: {discount: 0.9, utility: {stay: 0, go: 1}, parameters: {alpha: 1, beta: inf, eta: 0}}
""" % "horizon: 3")
        self.assertIn("seen.yaml:6:12", self.refused("`horizon` needs `observations`", "check", seen))
        seen = self.write("seen.yaml", self.read(seen).replace("horizon: 3", "transitions: {go: terminal}"))
        self.assertIn("seen.yaml:6:21", self.refused("only where there are `observations`", "check", seen))
        ended = self.write("ended.yaml", text.replace("  horizon: 3\n", "  transitions: {left: terminal, right: reset}\n").replace(
            "discount: 1", "discount: 0.9").replace("worlds: [{emissions", "worlds: [{transitions: {left: reset}, emissions"))
        self.assertIn("ended.yaml:", self.refused("nothing follows `left`", "check", ended))

    def test_refused_tree(self):
        """A tree of longer episodes was counted without the horizon."""
        path, _ = self.study()
        free = self.write("free.yaml", self.read(path).replace("  horizon: 3\n", "").replace(
            "discount: 1", "discount: 0.9"))
        logs = self.write("long.csv", "episode,t,action,observation\n" + "".join("1,%d,look,low\n" % t for t in range(4)))
        done = run("count", logs, "--study", free, "-o", self.at("long.tree"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.refused("the horizon is 3", "check", path, self.at("long.tree"))

    def test_refused_questions(self):
        path, _ = self.study(alpha="learn", resolution=20)
        run("simulate", path, "-p", "alpha=0.8", "-n", 60, "-o", self.at("logs.csv"))
        done = run("fit", path, self.at("logs.csv"), "-o", self.at("fit"), "--method", "map", "--starts", 1, "-q")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.refused("not yet possible with a horizon", "convert", path, self.at("out.pomdp"))
        self.assertEqual(run("predict", self.at("fit")).returncode, 0)
        self.assertIn("at most 3 decisions", run("check", path).stdout)
        self.refused("the horizon is 3 decisions", "plan", path, "-p", "alpha=1", "--decision", 4)
        self.refused("the horizon is 3 decisions", "plan", path, "-p", "alpha=1", "--history", "look:low,look:low,look:low")


if __name__ == "__main__":
    unittest.main()
