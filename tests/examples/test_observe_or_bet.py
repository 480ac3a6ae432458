"""Observe or bet: examples/observe-or-bet/study.yaml against a recursion of its own over decisions left, last bet and belief, without
a lattice. The worth of repeating a bet is planned for: an agent that adds it in choice only acts otherwise."""
import csv
import functools
import json
import math
import os
import subprocess
import sys
import tempfile

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

STUDY = os.path.join(SOURCE, "examples", "observe-or-bet", "study.yaml")
ACTIONS, HORIZON, STAYS, KEPT = ("observe", "bet_blue", "bet_red"), 50, 0.905, 0.75


def moved(p):
    return round(STAYS * p + (1 - STAYS) * (1 - p), 14)


class Agent:
    """`p` is the belief that blue is lucky."""

    def __init__(self, look, stick, alpha, planned=True):
        self.look, self.stick, self.alpha, self.planned = look, stick, alpha, planned
        self.value = functools.lru_cache(None)(self.value)

    def worth(self, left, last, p, sticks):
        after = moved(p)  # the light may change before it is seen
        then = lambda last, p: self.value(left - 1, last, p) if left > 1 else 0  # noqa: E731
        worth = [self.look + after * then(last, 1.0) + (1 - after) * then(last, 0.0)]
        for action, right in (("bet_blue", p), ("bet_red", 1 - p)):
            worth.append(right * KEPT + (1 - right) * (1 - KEPT) + (self.stick if sticks and action == last else 0) + then(action, after))
        return worth

    def value(self, left, last, p):
        worth = self.worth(left, last, p, self.planned)
        top = max(worth)
        return top + self.alpha * math.log(sum(math.exp((w - top) / self.alpha) for w in worth) / len(worth))

    def log_policy(self, left, last, p, action):
        worth = self.worth(left, last, p, True)
        top = max(worth)
        return (worth[ACTIONS.index(action)] - top) / self.alpha - math.log(sum(math.exp((w - top) / self.alpha) for w in worth))

    def log_likelihood(self, rows):
        total = 0
        for row in rows:
            if row["t"] == "0":
                last, p = None, 0.5
            total += self.log_policy(HORIZON - int(row["t"]), last, p, row["action"])
            if row["action"] == "observe":
                p = 1.0 if row["observation"] == "blue" else 0.0
            else:
                last, p = row["action"], moved(p)
        return total


def run(*args):
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    logs, bare = os.path.join(folder, "logs.csv"), os.path.join(folder, "bare.csv")
    for look, stick, alpha in ((0.06, 0.58, 0.48), (-0.2, -0.4, 0.3), (0.3, 0, 0.2)):
        agent = ["-p", f"look={look}", "-p", f"stick={stick}", "-p", f"alpha={alpha}"]
        run("simulate", STUDY, *agent, "-n", 30, "-o", logs)
        with open(logs, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert {row["last"] for row in rows if row["t"] == "0"} == {"none"}
        with open(bare, "w", encoding="utf-8") as file:  # the last bet follows from the actions
            file.write("episode,t,action,observation\n" + "".join(f"{r['episode']},{r['t']},{r['action']},{r['observation']}\n" for r in rows))
        expected = Agent(look, stick, alpha).log_likelihood(rows)
        for table in (logs, bare):
            found = json.loads(run("check", STUDY, table, *agent, "--json"))["log_likelihood"]
            assert abs(found - expected) < 1e-9 * abs(expected), (look, stick, alpha, found, expected)
        unplanned = Agent(look, stick, alpha, planned=False).log_likelihood(rows)
        assert (abs(unplanned - expected) > 1) == (stick != 0), (unplanned, expected)
print("observe-or-bet: all as it should be")
