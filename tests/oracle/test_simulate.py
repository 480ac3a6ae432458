"""The agent in the environment: actions as its policy at the beliefs it holds, observations as the world
emits them.

Both are exact given the history so far: the policy at the belief after it, and the environment's own
filter (which is not the agent's) for the next observation. Counts are compared by chi-square at fixed
seeds.
"""
import csv
import os
from collections import Counter, defaultdict

from common import Checks, Folder, labels, np, number, run, source, study_text
import generate
from reference import Problem, Reference
from scipy.stats import chi2

checks, folder = Checks("simulation"), Folder()
EPISODES = int(os.environ.get("ASIF_EPISODES", "4000"))


def simulate(study, given, seed, options=(), n=EPISODES):
    path = folder.file("logs.csv")
    args = ["simulate", study, "-n", n, "-o", path, "--seed", seed]
    for name, value in given.items():
        args += ["-p", "%s=%s" % (name, number(value))]
    run(*args, *options)
    episodes = defaultdict(list)
    with open(path, newline="") as f:
        for line in csv.DictReader(f):
            episodes[line["episode"]].append(line)
    return list(episodes.values()), open(path, "rb").read()


class Tally:
    """Chi-square over many small tables: cells expected to hold under 5 are put together."""

    def __init__(self):
        self.statistic, self.freedom, self.never = 0.0, 0, []

    def add(self, what, counts, p):
        total = counts.sum()
        if (counts[p <= 0] > 0).any():
            self.never.append("%s: %s with probabilities %s" % (what, counts, p))
            return
        small = total * p < 5
        counts, p = np.append(counts[~small], counts[small].sum()), np.append(p[~small], p[small].sum())
        if p[-1] * total < 5:  # too little even together: to the largest
            big = p.argmax()
            if big != len(p) - 1:
                counts[big] += counts[-1]
                p[big] += p[-1]
            counts, p = counts[:-1], p[:-1]
        if len(p) > 1:
            self.statistic += ((counts - total * p) ** 2 / (total * p)).sum()
            self.freedom += len(p) - 1

    def check(self, what):
        p = chi2.sf(self.statistic, self.freedom)
        checks.true(not self.never, what + ": impossible events: " + "; ".join(self.never[:3]))
        if checks.true(self.freedom >= 5, what + ": only %d degrees of freedom" % self.freedom):
            checks.true(
                1e-4 < p < 1 - 1e-9,
                "%s: chi-square %.1f on %d degrees of freedom, p = %.2g"
                % (what, self.statistic, self.freedom, p),
            )
            print("%s: chi-square %.1f on %d, p = %.3f" % (what, self.statistic, self.freedom, p))


def examine(at, p, agent, episodes, actions, observations, least=40):
    """Along every prefix met at least `least` times: the actions taken there, and what the world showed after
    each."""
    taken, seen = defaultdict(Counter), defaultdict(Counter)
    for rows in episodes:
        prefix = ()
        for k, line in enumerate(rows):
            checks.true(
                int(line["t"]) - int(rows[0]["t"]) == k, at + "t is %s in row %d" % (line["t"], k + 1)
            )
            u = actions.index(line["action"])
            taken[prefix][u] += 1
            if u in p.ends:
                checks.true(k == len(rows) - 1, at + "an episode goes on after it ended: %s" % rows)
            if line["observation"] == "":
                checks.true(k == len(rows) - 1, at + "an observation is missing in the middle: %s" % rows)
                break
            x = observations.index(line["observation"])
            seen[prefix, u][x] += 1
            prefix += ((u, x),)
    belief, truth = {(): p.z0}, {(): p.env_start}

    def agent_at(prefix):
        if prefix not in belief:
            belief[prefix] = agent.step(agent_at(prefix[:-1]), *prefix[-1])[0]
        return belief[prefix]

    def world_at(prefix):
        """P(state | history) in the environment: the agent's choices tell nothing beyond the history."""
        if prefix not in truth:
            u, x = prefix[-1]
            joint = (world_at(prefix[:-1]) @ p.env_tau[:, u]) * p.env_omega[u][:, x]
            truth[prefix] = joint / joint.sum()
        return truth[prefix]

    policy, emission = Tally(), Tally()
    for prefix, counts in sorted(taken.items()):
        if sum(counts.values()) >= least:
            policy.add(
                "%safter %s" % (at, prefix),
                np.array([counts[u] for u in range(p.U)]),
                agent.look(agent_at(prefix))["pi"],
            )
    for (prefix, u), counts in sorted(seen.items()):
        if sum(counts.values()) >= least:
            emission.add(
                "%safter %s and action %d" % (at, prefix, u),
                np.array([counts[x] for x in range(p.X)]),
                (world_at(prefix) @ p.env_tau[:, u]) @ p.env_omega[u],
            )
    policy.check(at + "actions")
    emission.check(at + "observations")


# DIAG: the optimistic agent and the neutral one.
tau = np.array([[[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]]])
omega = np.array([[[[q, 1 - q], [1 - q, q]]] * 3 for q in (0.6, 0.7, 0.8)])
diag = Problem(
    np.stack([tau] * 3),
    omega,
    [[10.0, -36.0, -1.0], [-36.0, 10.0, -1.0]],
    0.95,
    [0.5, 0.5],
    ends=(0, 1),
    env_tau=tau,
    env_omega=omega[1],
)
study = source("examples", "diag", "study.yaml")
names = ["declare_healthy", "declare_diseased", "monitor"], ["negative", "positive"]
for name, given in (
    ("optimistic", {"alpha": 0.5, "beta": 1.25, "eta": 0.001}),
    ("neutral", {"alpha": 2.0, "beta": "inf", "eta": 0}),
):
    episodes, data = simulate(study, given, 7, ["--resolution", 50])
    checks.true(len(episodes) == EPISODES, "%d episodes" % len(episodes))
    checks.true(
        all(actions[-1]["action"] != "monitor" for actions in episodes), name + ": an episode did not end"
    )
    examine("DIAG, %s: " % name, diag, Reference(diag, n=50, **given), episodes, *names)
    again, same = simulate(study, given, 7, ["--resolution", 50])
    checks.true(same == data, name + ": the same seed gives other logs")
    _, other = simulate(study, given, 8, ["--resolution", 50])
    checks.true(other != data, name + ": another seed gives the same logs")
    fewer, _ = simulate(study, given, 7, ["--resolution", 50], n=100)
    checks.true(fewer == episodes[:100], name + ": the first episodes depend on how many follow")

# Random problems whose world is none of the agent's candidates; episodes cut after a few steps.
for seed in range(4):
    rng = np.random.default_rng([9, seed])
    p, given = generate.problem(rng, reward=seed == 1, states=(2, 3)), generate.theta(rng, limits=seed == 3)
    # What the world shows, some candidate must allow.
    p.omega = 0.9 * p.omega + 0.1 / p.X
    n, at = 6, "random world %d: " % seed
    if seed < 3:
        given["alpha"] = float(np.sign(given["alpha"]) * 2 * p.v.std())  # every action is taken now and then
    if seed == 2:
        p.ends = (0,)
    path = folder.file("world.yaml", study_text(p, given, n))
    episodes, _ = simulate(path, {}, seed, ["--max-steps", 4])
    checks.true(max(len(rows) for rows in episodes) <= 4, at + "an episode is longer than --max-steps")
    examine(at, p, Reference(p, n=n, **given), episodes, labels("a", p.U), labels("x", p.X))

# States that are seen: each transition as the world makes it, each action as the policy of the state before
# it.
rng = np.random.default_rng(10)
p = generate.problem(rng, full=True, states=(4, 4))
given = {"alpha": 3.0, "beta": -4.0, "eta": 0.1}
p.tau = 0.9 * p.tau + 0.1 / p.S  # the world's transitions are possible in each candidate
agent = Reference(p, **given)
path = folder.file("seen.yaml", study_text(p, given))
episodes, _ = simulate(path, {}, 3, ["--max-steps", 6])
counts, moves = np.zeros((p.S, p.U)), np.zeros((p.S, p.U, p.S))
states, first = labels("s", p.S), np.zeros(p.S)
for rows in episodes:
    first[states.index(rows[0]["state"])] += 1
    for line, after in zip(rows, rows[1:] + [None]):
        s, u = states.index(line["state"]), int(line["action"][1:])
        counts[s, u] += 1
        if after:
            moves[s, u, states.index(after["state"])] += 1
policy, world, start = Tally(), Tally(), Tally()
for s in range(p.S):
    policy.add("state %d" % s, counts[s], agent.look(np.eye(p.S)[s])["pi"])
    for u in range(p.U):
        if moves[s, u].sum():
            world.add("state %d, action %d" % (s, u), moves[s, u], p.env_tau[s, u])
start.add("start", first, p.env_start)
checks.true(not start.never and start.statistic < chi2.isf(1e-4, p.S - 1), "seen states: starts %s" % first)
policy.check("seen states: actions")
world.check("seen states: transitions")
checks.finish()
