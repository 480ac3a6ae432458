"""Results that were seen and are lost (`missing: unrecorded`): the likelihood against the sum over all completions, each with
its probability in the environment and the agent's decisions on it, enumerated here; its derivatives against differences; many
points at once against one; parts of logs, saved trees and the order of rows; and what is refused."""
import csv
import ctypes
import itertools
import json
import random

from common import Checks, Folder, attempt, np
from library import Engine, Target, pointer

checks, folder = Checks("lost results"), Folder()

START = [0.6, 0.4]
T = {"wait": [[0.9, 0.1], [0.2, 0.8]], "test": [[0.95, 0.05], [0.1, 0.9]], "treat": [[0.7, 0.3], [0.6, 0.4]]}
SIGN = [[0.8, 0.2], [0.35, 0.65]]
SCAN = {"wait": [[1, 0, 0], [1, 0, 0]], "test": [[0, 0.75, 0.25], [0, 0.2, 0.8]], "treat": [[1, 0, 0], [1, 0, 0]]}
SIGNS, SCANS, ACTIONS = ["well", "ill"], ["none", "clear", "shadow"], ["wait", "test", "treat"]
STUDY = """asif: 1
states: [healthy, sick]
actions: [wait, test, treat]
observations: {sign: [well, ill], scan: [none, clear, shadow]}
environment:
  start: [0.6, 0.4]
  transitions: {wait: [[0.9, 0.1], [0.2, 0.8]], test: [[0.95, 0.05], [0.1, 0.9]], treat: [[0.7, 0.3], [0.6, 0.4]]}
  emissions:
    sign: [[0.8, 0.2], [0.35, 0.65]]
    scan: {test: [[0, 0.75, 0.25], [0, 0.2, 0.8]], any: [[1, 0, 0], [1, 0, 0]]}
agent:
  planner: bounded-rational
  discount: 0.9
  worlds: [{}, {mix: uniform, share: 0.4}]
  utility: {wait: {healthy: 1, sick: -2}, test: {healthy: 0.6, sick: -2.2}, treat: {healthy: -1, sick: 1.5}}
  parameters: {alpha: 0.5, optimism: 0.8, eta: 0.2}
solver: {resolution: 40}
logs:
  episode: episode
  time: t
  observes: %s
  observation:
    sign: {column: sign, %s}
    scan: {column: scan, missing: unrecorded}
%s"""


def study(name, observes="after", sign="labels: {w: well, i: ill}, missing: unrecorded", rest=""):
    return folder.file(name, STUDY % (observes, sign, rest))


def label(code):
    return code // 3, code % 3


def emission(action, state, code):
    sign, scan = label(code)
    return SIGN[state][sign] * SCAN[action][state][scan]


def write(path, episodes, before=False):
    """Episodes as lists of (action, sign or None, scan or None)."""
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["episode", "t", "action", "sign", "scan", "arm"])
        for e, steps in enumerate(episodes):
            for t, (action, sign, scan) in enumerate(steps):
                out.writerow([e + 1, t, action, "" if sign is None else SIGNS[sign][0], "" if scan is None else SCANS[scan],
                              "ab"[e % 2]])
    return path


class Brute:
    """The agent of a study, and sums over completions."""

    def __init__(self, path, **parameters):
        self.engine = Engine(path)
        self.engine.solve(**parameters)

    def log_policy(self, moves):
        state = np.zeros((1, self.engine.width))
        self.engine.lib.asif_behavior_init(self.engine.behavior, 0, ctypes.c_uint32(0xFFFFFFFF), pointer(state))
        for action, code in moves:
            state = self.engine.step(state, [ACTIONS.index(action)], [code])
        return self.engine.look(state, 3, 2)["lpi"][0]

    def episode(self, steps, before=False, initial="wait"):
        """log of sum P_env pi / sum P_env, over everything that agrees with the record."""
        n = len(steps)
        ways = []
        for _, sign, scan in steps:
            ways.append([3 * a + b for a in range(2) for b in range(3) if sign in (None, a) and scan in (None, b)])
        both, alone = 0.0, 0.0
        for codes in itertools.product(*ways):
            belief, p, pi, moves = np.array(START), 1.0, 1.0, []
            pairs = [(initial if i == 0 else steps[i - 1][0], codes[i]) for i in range(n)] if before else \
                    [(steps[i][0], codes[i]) for i in range(n)]
            for i in range(n + 1):
                if not before and i < n:
                    pi *= np.exp(self.log_policy(moves)[ACTIONS.index(steps[i][0])])
                if i < n:
                    action, code = pairs[i]
                    belief = belief @ np.array(T[action]) * [emission(action, s, code) for s in range(2)]
                    if belief.sum() == 0:
                        p = 0
                        break
                    p, belief = p * belief.sum(), belief / belief.sum()
                    moves.append((action, code))
                if before and i < n:
                    pi *= np.exp(self.log_policy(moves)[ACTIONS.index(steps[i][0])])
            both, alone = both + p * pi, alone + p
        return np.log(both / alone)


def simulate(n, seed, steps=5, lose=0.2, before=False):
    """Episodes of a random agent in the environment, with lost results."""
    rng = random.Random(seed)
    out = []
    for _ in range(n):
        state, episode, last = rng.choices([0, 1], START)[0], [], "wait"
        for _ in range(rng.randint(1, steps)):
            action = rng.choice(ACTIONS)
            shows, last = last if before else action, action
            state = rng.choices([0, 1], T[shows][state])[0]
            sign, scan = rng.choices([0, 1], SIGN[state])[0], rng.choices([0, 1, 2], SCAN[shows][state])[0]
            episode.append((action, None if rng.random() < lose else sign, None if rng.random() < lose else scan))
        out.append(episode)
    return out


def check_value(path, *args):
    done = attempt("check", path, *args, "--json", "-q")
    checks.true(done.returncode == 0, done.stderr + done.stdout[:300])
    return json.loads(done.stdout)["log_likelihood"]


# ------------------------------------------------------------------ against all completions
after = study("after.yaml")
brute = Brute(after)
for seed in range(6):
    episodes = simulate(8, seed)
    logs = write(folder.file("after%d.csv" % seed), episodes)
    want = sum(brute.episode(e) for e in episodes)
    checks.near("seed %d" % seed, check_value(after, logs), want, rtol=1e-12, kind="value")
before = study("before.yaml", "before", rest="  initial_observation: wait\n")
brute_before = Brute(before)
for seed in range(6):
    episodes = simulate(8, 50 + seed, before=True)
    logs = write(folder.file("before%d.csv" % seed), episodes)
    checks.near("before, seed %d" % seed, check_value(before, logs), sum(brute_before.episode(e, True) for e in episodes),
                rtol=1e-12, kind="value")

# ------------------------------------------------------------------ derivatives, and many points
episodes = simulate(300, 99, 6, 0.1)
logs = write(folder.file("many.csv"), episodes)
names = [("alpha", float("nan"), False), ("optimism", float("nan"), False), ("eta", float("nan"), False)]
target = Target(after, logs, names, mapped=True)
rng = np.random.default_rng(5)
points = []
for k in range(5):
    x = np.array([rng.normal(-0.7, 0.3), rng.normal(0.5, 0.4), rng.normal(0.2, 0.3)])
    points.append(x)
    value, gradient = target(x)
    for j in range(3):
        h = np.zeros(3)
        h[j] = 1e-4  # smaller ones show the residual of the solver
        far = (target.likelihood([x + 2 * h])[0] - target.likelihood([x - 2 * h])[0]) / 4e-4
        near = (target.likelihood([x + h])[0] - target.likelihood([x - h])[0]) / 2e-4
        checks.near("gradient %d of %d" % (j, k), gradient[j], (4 * near - far) / 3, rtol=1e-6, kind="gradient")
checks.near("many points", target.many(points), [target(x)[0] for x in points], rtol=1e-11, kind="many")

# ------------------------------------------------------------------ nothing lost, trees, parts, order of rows
whole = simulate(50, 7, lose=0)
logs_whole = write(folder.file("whole.csv"), whole)
checks.near("nothing lost", check_value(after, logs_whole), sum(brute.episode(e) for e in whole), rtol=1e-12)
some = simulate(60, 8)
logs_some = write(folder.file("some.csv"), some)
total = check_value(after, logs_some)
tree = folder.file("some.tree")
counted = attempt("count", logs_some, "--study", after, "-o", tree, "-q", "--by", "arm")
checks.true(counted.returncode == 0, counted.stderr)
checks.near("saved tree", check_value(after, tree), total, rtol=1e-14)
with open(logs_some) as f:
    lines = f.read().splitlines()
shuffled = lines[1:]
random.Random(1).shuffle(shuffled)
with open(folder.file("shuffled.csv"), "w") as f:
    f.write("\n".join([lines[0]] + shuffled) + "\n")
checks.true(check_value(after, folder.file("shuffled.csv")) == total, "the order of rows does not matter")

# ------------------------------------------------------------------ what is said and refused
said = attempt("check", after, logs_some)
checks.true("unrecorded" in said.stdout + said.stderr and "does not depend on what it was" in said.stdout + said.stderr,
            "the assumption is told: " + said.stdout + said.stderr)
long = write(folder.file("long.csv"), [[("test", None, None)] * 9 + [("wait", 0, 0)]])
done = attempt("check", after, long)
checks.true(done.returncode != 0 and "more than 10000 ways" in done.stdout and "long.csv:" in done.stdout, done.stdout)
impossible = write(folder.file("impossible.csv"), [[("wait", None, 1), ("wait", 0, 0)]])
done = attempt("check", after, impossible)
checks.true(done.returncode != 0 and "impossible.csv:2:" in done.stdout, done.stdout)
unlearnt = folder.file("unlearnt.yaml", (STUDY % ("after", "missing: unrecorded", "")).replace(
    "transitions: {wait: [[0.9, 0.1], [0.2, 0.8]], test: [[0.95, 0.05], [0.1, 0.9]], treat: [[0.7, 0.3], [0.6, 0.4]]}",
    "transitions: learn shared"))
done = attempt("learn-world", unlearnt, logs_some, "-o", folder.file("learnt.yaml"))
checks.true(done.returncode != 0 and "cannot be learnt where results are lost" in done.stdout + done.stderr, done.stdout + done.stderr)
weighted = folder.file("weighted.csv")
with open(weighted, "w") as f:
    f.write("episode,t,action,sign,scan,times\n1,0,test,w,,1\n1,1,wait,i,none,2\n")
done = attempt("check", after, weighted, "--map", "weight=times")
checks.true(done.returncode != 0 and "weighted.csv:2:" in done.stdout and "the weights differ" in done.stdout, done.stdout)
done = attempt("evaluate", after, logs_some, "--folds", 2, "--json")
checks.true(done.returncode == 0 and "follow a lost result" in done.stderr + done.stdout, done.stderr)
checks.finish()
