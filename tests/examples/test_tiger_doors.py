"""Three doors and a tiger: examples/tiger-doors/study.yaml against a recursion over all beliefs that its agent plans for, without a lattice.
Where candidate worlds count alike, beliefs are the mean of Bayes' rule over them.

ctest label: slow"""
import functools
import json
import math
import os
import subprocess
import sys

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

STUDY = os.path.join(SOURCE, "examples", "tiger-doors", "study.yaml")
DOORS, WORLDS, DISCOUNT, HORIZON, TIGER = ("left", "middle", "right"), (0.70, 0.84, 0.94), 0.999, 8, -10
AGENT = {"straight": 1.1, "cost": -5.6, "alpha": 0.6, "optimism": -0.3, "eta": 8.2}
HISTORIES = ["middle,left", "right,right", "left,middle,right,left"]


def listen(belief, right):
    """Probabilities of the roars, and the beliefs after them."""
    joint = [[b * (right if door == roar else (1 - right) / 2) for door, b in enumerate(belief)] for roar in range(3)]
    return [(sum(j), tuple(x / sum(j) for x in j)) for j in joint]


def mean(values, scale):
    """log mean exp(scale value) / scale."""
    if scale == 0:
        return sum(values) / len(values)
    top = max(scale * v for v in values)
    return (top + math.log(sum(math.exp(scale * v - top) for v in values) / len(values))) / scale


class Agent:
    def __init__(self, straight, cost, alpha, optimism, eta):
        self.straight, self.cost, self.alpha, self.optimism, self.eta = straight, cost, alpha, optimism, eta
        self.value = functools.lru_cache(None)(self.value)

    def worlds(self, decision, belief):
        """What listening is worth in each candidate world."""
        if decision == HORIZON - 1:
            return [self.cost] * len(WORLDS)
        return [sum(p * (self.cost + DISCOUNT * self.value(decision + 1, tuple(round(x, 12) for x in after))) - self.eta * p * math.log(p)
                    for p, after in listen(belief, right)) for right in WORLDS]

    def actions(self, decision, belief):
        doors = [b * TIGER + (1 - b) * (self.straight if door == 1 else 0) for door, b in enumerate(belief)]
        return [mean(self.worlds(decision, belief), self.optimism), *doors]

    def value(self, decision, belief):
        return mean(self.actions(decision, belief), 1 / self.alpha)

    def recognise(self, decision, belief, roar):
        """The mean of the beliefs in all worlds, each by how much it counts."""
        worth = [self.optimism * w for w in self.worlds(decision, belief)] if self.optimism else [0] * len(WORLDS)
        weight = [math.exp(w - max(worth)) for w in worth]
        after = [listen(belief, right)[roar][1] for right in WORLDS]
        return tuple(sum(w * a[door] for w, a in zip(weight, after)) / sum(weight) for door in range(3))


def plan(values, history, resolution):
    flags = [flag for name, value in values.items() for flag in ("-p", f"{name}={value!r}")]
    steps = ",".join(f"listen:{door}" for door in history.split(","))
    done = subprocess.run([ASIF, "plan", STUDY, *flags, "--resolution", str(resolution), "--history", steps, "--json"], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)["history"]


def follow(agent, points):
    """The largest differences of beliefs, and of probabilities of actions, along a history; the latter where candidate worlds differ."""
    belief, worst = (1 / 3, 1 / 3, 1 / 3), [0.0, 0.0]
    for decision, point in enumerate(points):
        if decision:
            belief = agent.recognise(decision - 1, belief, DOORS.index(point["observation"]))
        worst[0] = max(worst[0], *(abs(a - b) for a, b in zip(point["belief"], belief)))
        if agent.optimism:
            worth = agent.actions(decision, belief)
            weight = [math.exp((w - max(worth)) / agent.alpha) for w in worth]
            worst[1] = max(worst[1], *(abs(a - w / sum(weight)) for a, w in zip(point["policy"].values(), weight)))
    return worst


agent, alike = Agent(**AGENT), {**AGENT, "optimism": 0}
for history in HISTORIES:
    coarse, fine = (follow(agent, plan(AGENT, history, resolution)) for resolution in (15, 120))
    assert fine[0] < 1e-4 and fine[1] < 5e-4, (history, fine)
    assert fine[1] < coarse[1] / 4, (history, coarse, fine)
    assert follow(Agent(**alike), plan(alike, history, 15))[0] < 1e-12, history
print("tiger-doors: all as it should be")
