"""`explain` and `outcomes` of studies with a seen part of the state and a horizon: beliefs, policies, values and measures of
episodes against a recursion over everything that can be seen, without a lattice and without simulation."""
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

# Tests cost money, sometimes two coins, more often in the second urn: the money tells something of the urn, too.
STUDY = """\
asif: 1
states: {seen: {money: [none, one, two, three]}, hidden: {urn: [blue, pink]}}
actions: [test, say_blue, say_pink]
observations: [b, p]
environment:
  start: {money: [0, 0, 0.25, 0.75], urn: uniform}
  transitions:
    test: %(moves)s
  emissions: [[0.75, 0.25], [0.25, 0.75]]
  available: {test: money != none}
  ends: [say_blue, say_pink]
  %(horizon)s
agent:
  discount: 0.9
  worlds: %(worlds)s
  utility:
    test: {none: 0, any: -0.1}
    say_blue: {one/blue: 3.25, two/blue: 3.5, three/blue: 3.75, blue: 3, pink: -3}
    say_pink: {one/pink: 3.25, two/pink: 3.5, three/pink: 3.75, pink: 3, blue: -3}
  parameters: {alpha: learn, optimism: %(optimism)s, eta: 0.2}
solver: {%(solver)s}
"""
ACTIONS = ["test", "say_blue", "say_pink"]
MONEY = ["none", "one", "two", "three"]
TWICE = [0.2, 0.5]  # how likely a test is to cost two coins, by urn
RIGHT = 0.75  # how often a draw has the colour of the urn, in the environment
MOVES = [[0.0] * 8 for _ in range(8)]
for y in range(4):
    for h in range(2):
        MOVES[2 * y + h][2 * max(y - 1, 0) + h] += 1 - TWICE[h]
        MOVES[2 * y + h][2 * max(y - 2, 0) + h] += TWICE[h]


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, timeout=120)


def equivalent(a, values, weights):
    """The certainty equivalent: log sum w exp(a v) / a, the mean at a = 0, and the largest value at a = inf."""
    known = [(w, v) for w, v in zip(weights, values) if w > 0]
    if a == 0:
        return sum(w * v for w, v in known)
    top = max(v for _, v in known)
    return top if a == math.inf else top + math.log(sum(w * math.exp(a * (v - top)) for w, v in known)) / a


def seen_after(y, b, right):
    """What can be seen after a test, with its probability and the belief in pink after it, in a world."""
    out = {}
    for after in range(4):
        for x in range(2):
            joint = [(1 - b, b)[h] * MOVES[2 * y + h][2 * after + h] * (right if x == h else 1 - right) for h in range(2)]
            if sum(joint) > 0:
                out[after, x] = (sum(joint), joint[1] / sum(joint))
    return out


def says(y, b):
    """The utilities of saying blue and pink, at a belief in pink."""
    prize = 3 + y / 4
    return (1 - b) * prize - 3 * b, b * prize - 3 * (1 - b)


class Agent:
    """Plans by recursion over decisions, worlds, and what is seen."""

    def __init__(self, horizon, worlds, alpha, optimism, eta):
        self.N, self.worlds, self.alpha, self.optimism, self.eta = horizon, worlds, alpha, optimism, eta
        self.known, self.start = {}, 0.5

    def futures(self, t, y, b):
        out = []
        for right in self.worlds:
            k = 0.0
            for (after, _), (chance, belief) in seen_after(y, b, right).items():
                if t + 1 < self.N:
                    k += chance * (0.9 * self.value(t + 1, after, belief) - self.eta * math.log(chance))
            out.append(k)
        return out

    def prior(self, y):
        return [0, 0.5, 0.5] if y == 0 else [1 / 3] * 3

    def values(self, t, y, b):
        even = [1 / len(self.worlds)] * len(self.worlds)
        test = -math.inf if y == 0 else -0.1 + equivalent(self.optimism, self.futures(t, y, b), even)
        return [test, *says(y, b)]

    def value(self, t, y, b):
        key = (t, y, round(b, 12))
        if key not in self.known:
            self.known[key] = equivalent(1 / self.alpha if self.alpha else math.inf, self.values(t, y, b), self.prior(y))
        return self.known[key]

    def policy(self, t, y, b):
        q = self.values(t, y, b)
        if self.alpha == 0:
            best = [x > max(q) - 1e-9 for x in q]
            return [x / sum(best) for x in best]
        return [w * math.exp((x - self.value(t, y, b)) / self.alpha) if w else 0.0 for w, x in zip(self.prior(y), q)]

    def recognise(self, t, y, b, after, x):
        """The mean of the worlds' beliefs, by the weights with which the agent thinks of them when it tests."""
        k = self.futures(t, y, b)
        weight = [math.exp(self.optimism * (v - max(k))) for v in k]
        return sum(w * seen_after(y, b, right)[after, x][1] for w, right in zip(weight, self.worlds)) / sum(weight)


class Learner(Agent):
    """The Bayes-optimal agent: a belief is a tuple of the probabilities of (world, urn)."""

    def __init__(self, horizon, worlds):
        super().__init__(horizon, worlds, 0, 0, 0)
        self.start = (0.5 / len(worlds),) * (2 * len(worlds))

    def after(self, y, belief, next_y, x):
        """The probability of what is seen, and the belief after it."""
        joint = [belief[2 * m + h] * MOVES[2 * y + h][2 * next_y + h] * (right if x == h else 1 - right)
                 for m, right in enumerate(self.worlds) for h in range(2)]
        return sum(joint), tuple(p / sum(joint) for p in joint) if sum(joint) > 0 else None

    def values(self, t, y, belief):
        test, pink = -math.inf if y == 0 else -0.1, sum(belief[1::2])
        for next_y, x in [(a, x) for a in range(4) for x in range(2)] if y and t + 1 < self.N else []:
            chance, after = self.after(y, belief, next_y, x)
            test += chance * 0.9 * max(self.values(t + 1, next_y, after)) if chance > 0 else 0
        return [test, *says(y, pink)]

    def recognise(self, t, y, belief, next_y, x):
        return self.after(y, belief, next_y, x)[1]


def conduct(agent, start):
    """Decisions of an episode, its utility, wrong endings, discounted utility, and how often each action is taken."""
    sums = {"decisions": 0.0, "utility": 0.0, "wrong": 0.0, "discounted": 0.0, "actions": [0.0] * 3}

    def go(t, y, b, truth, weight):  # `truth`: the probability of pink, given all that was seen
        policy = agent.policy(t, y, b)
        gains = [-0.1, *says(y, truth)]
        for u in range(3):
            share = weight * policy[u]
            if share < 1e-12:
                continue
            sums["decisions"] += share
            sums["actions"][u] += share
            sums["utility"] += share * gains[u]
            sums["discounted"] += 0.9 ** t * share * gains[u]
            sums["wrong"] += share * (0, truth, 1 - truth)[u]
            if u == 0 and t + 1 < agent.N:
                for (after, x), (chance, believed) in seen_after(y, truth, RIGHT).items():
                    go(t + 1, after, agent.recognise(t, y, b, after, x), believed, share * chance)

    for y, weight in start.items():
        go(0, y, agent.start, 0.5, weight)
    return sums


class Acting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def at(self, name):
        return os.path.join(self.folder, name)

    def answer(self, *args):
        done = run(*args, "--json")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def fit(self, worlds, optimism, horizon=4, solver="beliefs: reachable"):
        """Fit the randomness of choices; returns the agents: fitted, without bounds, and with the true world."""
        told = "[%s]" % ", ".join("{emissions: [[%g, %g], [%g, %g]]}" % (p, 1 - p, 1 - p, p) for p in worlds)
        with open(self.at("study.yaml"), "w", encoding="utf-8") as file:
            file.write(STUDY % {"moves": MOVES, "worlds": told, "optimism": optimism, "horizon": "horizon: %d" % horizon if horizon else "", "solver": solver})
        done = run("simulate", self.at("study.yaml"), "-p", "alpha=0.6", "-n", 200, "-o", self.at("logs.csv"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("fit", self.at("study.yaml"), self.at("logs.csv"), "-o", self.at("fit"), "--method", "map", "--starts", 1, "-q", "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with open(self.at("fit/fit.json"), encoding="utf-8") as file:
            alpha = math.exp(json.load(file)["maximum"]["values"]["log_alpha"])
        return {"fitted": Agent(horizon, worlds, alpha, optimism, 0.2), "same": Agent(horizon, worlds, 0, 0, 0),
                "true": Agent(horizon, [RIGHT], 0, 0, 0)}

    def check_steps(self, agents, near):
        history = [(2, None), (1, 0), (0, 1)]  # money, and the colour that was seen before
        typed = "test:one/b,test:none/p,say_pink:none/b"
        told = self.answer("explain", self.at("fit"), "--history", typed, "--start", "two")
        self.assertEqual(told["states"], ["blue", "pink"])
        self.assertEqual([step["seen_part"] for step in told["steps"]], ["two", "one", "none"])
        self.assertTrue(told["path"]["ended"])
        for name, agent in agents.items():
            b = 0.5
            for t, (step, (y, x)) in enumerate(zip(told["steps"], history)):
                if t:
                    b = agent.recognise(t - 1, history[t - 1][0], b, y, x)
                self.assertAlmostEqual(step["belief"]["pink"][name]["mean"], b, delta=near)
                for action, want in zip(ACTIONS, agent.policy(t, y, b)):
                    self.assertAlmostEqual(step["policy"][action][name]["mean"], want, delta=near)
                if name == "true":
                    q = agent.values(t, y, b)
                    for u, action in enumerate(ACTIONS):
                        if y or u:
                            self.assertAlmostEqual(step["q"][action]["mean"], q[u], delta=near)
                        else:
                            self.assertIsNone(step["q"][action])
                    taken = q[2] if t == 2 else q[0]
                    self.assertAlmostEqual(step["cost"]["mean"], max(q) - taken, delta=near)

    def check_conduct(self, agents):
        told = self.answer("outcomes", self.at("fit"), "--episodes", 4000)
        for row, share in [(told["conduct"], None)] + [(row, row["start"]) for row in told["by_start"]]:
            weight = {row["start"]: row["weight"] for row in told["by_start"]}
            start = {MONEY.index(name): part for name, part in weight.items()} if share is None else {MONEY.index(share): 1}
            keys = {"fitted": "fitted", "same": "without_bounds", "bayes": "ideal_bayes", "true": "ideal_true"}
            for name, key in keys.items():
                if name not in agents:
                    continue
                want = conduct(agents[name], start)
                got = row[key]
                pairs = [(got[k], want[k]) for k in ("decisions", "utility", "wrong")]
                pairs += [(got["actions"][u], want["actions"][i]) for i, u in enumerate(ACTIONS)]
                for number, expected in pairs:
                    self.assertLess(abs(number["mean"] - expected), 5 * number["error"] + 2e-3, (key, number, expected))
                    self.assertLess(number["error"], 0.05)
        start = {MONEY.index(row["start"]): row["weight"] for row in told["by_start"]}
        for key, name in (("value", "fitted"), ("value_ideal_true", "true")):
            number, expected = told["losses"][key], conduct(agents[name], start)["discounted"]
            self.assertLess(abs(number["mean"] - expected), 5 * told["losses"]["whole"]["error"] + 2e-3, (key, number, expected))
        self.assertIsNone(told["losses"]["whole_per_decision"])
        return told

    def test_one_world(self):
        """A wrong world: the agent thinks that its tests are better than they are. All beliefs are exact."""
        agents = self.fit([0.9], 0)
        self.check_steps(agents, 1e-6)
        told = self.check_conduct(agents)
        self.assertFalse(told["bayes"]["apart"])
        self.assertIn("until nothing follows", run("outcomes", self.at("fit")).stdout)

    def test_two_worlds(self):
        """The Bayes-optimal agent learns that the colours mean little; without bounds the same model tests as long as it can."""
        worlds = [0.3, 0.95]
        agents = self.fit(worlds, 0.4, solver="resolution: 2000")
        self.check_steps(agents, 2e-4)
        agents["bayes"] = Learner(4, worlds)
        told = self.check_conduct(agents)
        self.assertTrue(told["bayes"]["computed"] and told["bayes"]["apart"])
        rows = told["conduct"]
        self.assertGreater(rows["without_bounds"]["decisions"]["mean"] - rows["ideal_bayes"]["decisions"]["mean"], 0.5)
        for row in told["histories"]:
            y, belief = MONEY.index(row["start_class"]), agents["bayes"].start
            for t, event in enumerate(row["history"]):
                after, colour = event["observation"].split("/")
                belief = agents["bayes"].recognise(t, y, belief, MONEY.index(after), "bp".index(colour))
                y = MONEY.index(after)
            want = agents["bayes"].policy(len(row["history"]), y, belief)
            for action, share in zip(ACTIONS, want):
                self.assertAlmostEqual(row["actions"][action]["ideal_bayes"]["mean"], share)

    def test_comes_again(self):
        """Where seen values can come again, the Bayes-optimal agent is left out."""
        self.fit([0.6, 0.9], 0.4, horizon=0, solver="resolution: 50")
        self.assertEqual(self.answer("outcomes", self.at("fit"))["bayes"], {"computed": False, "apart": True, "why": "seen"})
        self.assertIn("seen values that cannot come again", " ".join(run("outcomes", self.at("fit")).stdout.split()))

    def test_words(self):
        self.fit([0.9], 0, horizon=2)
        said = " ".join(run("explain", self.at("fit"), "--history", "test:one/b", "--start", "two").stdout.split())
        self.assertRegex(said, r"1 two 50 50 test .* 2 one/b ")
        for history, words in (("test:one/b,test:none/b,say_blue:none/b", "the horizon is 2"),
                               ("test:none/b,test:none/b", "'test' is not available where 'none' is seen")):
            done = run("explain", self.at("fit"), "--history", history, "--start", "two")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
            self.assertNotIn("row", done.stderr)
        for seed in range(5):
            path = self.answer("explain", self.at("fit"), "--seed", seed, "--start", "two")
            self.assertIn(path["steps"][0]["state"], ("blue", "pink"))
        self.assertEqual(run("report", self.at("fit"), "-o", self.at("page.html")).returncode, 0)
        with open(self.at("page.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("Step by step: a simulated case", page)
        self.assertIn("belief in pink, fitted", page)
        for rule in ("belated", "surprising"):
            self.assertEqual(self.answer("explain", self.at("fit"), self.at("logs.csv"), "--find", rule)["episodes"], 200)


if __name__ == "__main__":
    unittest.main()
