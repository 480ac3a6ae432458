"""Twenty designs of known answer, ten that identify the numbers in question and ten that do not: `asif identify` must be right on
nineteen. Each says why its answer is known: by an argument (something cancels), by the information of a choice model that is
written down here, independently of asif, or by what the oracle measured on DIAG. Where it can be computed, the contraction that is
expected stands beside asif's."""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

DIAG = """\
asif: 1
states: [healthy, diseased]
actions: [declare_healthy, declare_diseased, monitor]
observations: [negative, positive]
environment:
  start: [0.5, 0.5]
  transitions: {monitor: identity, any: reset}
  emissions: [[0.7, 0.3], [0.3, 0.7]]
  ends: [declare_healthy, declare_diseased]
agent:
  discount: 0.95
  worlds:
    - emissions: [[0.6, 0.4], [0.4, 0.6]]
    - emissions: [[0.7, 0.3], [0.3, 0.7]]
    - emissions: [[0.8, 0.2], [0.2, 0.8]]
  utility:
    declare_healthy: {healthy: correct, diseased: wrong}
    declare_diseased: {healthy: wrong, diseased: correct}
    monitor: -1
  parameters: {correct: 10, %s}
solver: {resolution: 60}
"""

# One choice, after which the case is over: what comes next is the same whatever was chosen, and cancels.
CHOICE = """\
asif: 1
states: [%(states)s]
actions: [%(actions)s]
observations: [nothing]
environment: {start: %(start)s, reset: uniform, transitions: reset, emissions: uniform, ends: [%(actions)s]}
agent: {discount: %(discount)s, utility: {%(utility)s}, parameters: {%(parameters)s}%(more)s}
solver: {resolution: 10}
"""


def choice(utility, parameters, actions="a, b", states="s, t", start="uniform", discount="0.5", more=""):
    return CHOICE % dict(utility=utility, parameters=parameters, actions=actions, states=states, start=start,
                         discount=discount, more=more)


# ---- information of a choice model, independently of asif ----

def softmax(q):
    e = np.exp(q - np.max(q))
    return e / e.sum()


def expected(policies, truth, logs, prior_sd):
    """Contractions and the largest correlation of a normal posterior: Fisher information (by differences) and prior."""
    truth, prior_sd = np.asarray(truth, float), np.asarray(prior_sd, float)
    h = 1e-5
    information = np.diag(prior_sd ** -2.0)
    base = policies(truth)
    slopes = [[(p - m) / (2 * h) for p, m in zip(policies(truth + h * unit), policies(truth - h * unit))]
              for unit in np.eye(len(truth))]
    for i in range(len(truth)):
        for k in range(len(truth)):
            for (weight, p), a, b in zip(((1 / len(base), p) for p in base), slopes[i], slopes[k]):
                information[i, k] += logs * weight * np.sum(a * b / p)
    covariance = np.linalg.inv(information)
    sd = np.sqrt(np.diag(covariance))
    correlation = np.abs(covariance / np.outer(sd, sd) - np.eye(len(sd)))
    return list(1 - (sd / prior_sd) ** 2), correlation.max() if len(sd) > 1 else 0.0


def normal_contraction(sd, prior_sd):
    """Of a normal likelihood with this standard deviation."""
    return 1 - 1 / (1 + (prior_sd / sd) ** 2)


def waiting(logit_discount, alpha=0.5):
    """Take 1 now or 3 one step later; then the next case. Policy at the first state, by value iteration."""
    discount = 1 / (1 + math.exp(-logit_discount))
    now = later = 0.0

    def soft(q):
        return alpha * math.log(sum(math.exp(x / alpha) for x in q) / len(q))
    for _ in range(4000):
        q_now, q_later = [1 + discount * now, discount * later], [3 + discount * now, discount * later]
        now, later = soft(q_now), soft(q_later)
    return [softmax(np.array(q_now) / alpha), softmax(np.array(q_later) / alpha)]


# ---- the designs ----

class Design:
    def __init__(self, kind, name, study, agent, logs, asks, why, expect=None):
        self.kind, self.name, self.study, self.agent, self.logs = kind, name, study, agent, logs
        self.asks, self.why, self.expect = asks, why, expect

    def run(self, asif, folder, *flags):
        path = os.path.join(folder, "study.yaml")
        with open(path, "w") as file:
            file.write(self.study)
        given = [x for pair in self.agent.items() for x in ("-p", f"{pair[0]}={pair[1]}")]
        done = subprocess.run([asif, "identify", path, *given, "-n", str(self.logs), "--method", "metropolis",
                               "--chains", "4", "--warmup", "600", "--draws", "1500", "--starts", "5", "--seed", "11",
                               "--max-steps", "40", "--json", "-q", *flags], capture_output=True, timeout=600)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{self.name}: {done.stderr.decode()}")
        return json.loads(done.stdout)

    def judge(self, found):
        """Whether all verdicts asked for are right."""
        right = {"yes": lambda v: v == "yes", "not yes": lambda v: v in ("weakly", "no"), "no": lambda v: v == "no"}
        return all(right[ask](found["parameters"][name]["identified"]) for name, ask in self.asks.items())


def designs():
    made = []

    def add(*args, **more):
        made.append(Design(*args, **more))

    # Identified.
    add("identified", "consistency of a plain choice", choice("a: 1, b: 0", "alpha: learn"), {"alpha": 0.5}, 1000,
        {"log_alpha": "yes"}, "the odds of a are exp(1/alpha): 1,000 choices fix them",
        expect=expected(lambda t: [softmax(np.array([1, 0]) / math.exp(t[0]))], [math.log(0.5)], 1000, [1.5]))
    add("identified", "one utility of a plain choice", choice("a: x, b: 0", "alpha: 0.5, x: {learn: , standard: 1}"),
        {"x": 0.6}, 1000, {"x": "yes"}, "the log-odds of a are x/alpha, and alpha is given",
        expect=expected(lambda t: [softmax(np.array([t[0], 0]) / 0.5)], [0.6], 1000, [0.5]))
    add("identified", "two utilities, two kinds of cases",
        choice("a: {s: x, t: y}, b: 0", "alpha: 0.5, x: {learn: , standard: 1}, y: {learn: , standard: 0.5}",
               start="{by: kind, one: [0.9, 0.1], two: [0.1, 0.9]}"),
        {"x": 0.8, "y": 0.3}, 2000, {"x": "yes", "y": "yes"},
        "two kinds of cases give two log-odds, and these two mixtures of x and y",
        expect=expected(lambda t: [softmax(np.array([0.9 * t[0] + 0.1 * t[1], 0]) / 0.5),
                                   softmax(np.array([0.1 * t[0] + 0.9 * t[1], 0]) / 0.5)], [0.8, 0.3], 2000, [0.5, 0.5]))
    add("identified", "consistency and a utility, three actions",
        choice("a: x, b: 1, c: 0", "alpha: learn, x: {learn: , standard: 0.5}", actions="a, b, c"),
        {"alpha": 0.5, "x": 0.3}, 3000, {"log_alpha": "yes", "x": "yes"},
        "the odds of b against c give alpha, and then those of a against c give x",
        expect=expected(lambda t: [softmax(np.array([t[1], 1, 0]) / math.exp(t[0]))], [math.log(0.5), 0.3], 3000,
                        [1.5, 0.5]))
    add("identified", "habit", choice("a: 0.5, b: 0", "alpha: 0.5", more=", action_prior: learn"), {}, 1000,
        {"action_prior.1": "yes"}, "the odds of a are those of the habit times exp(0.5/alpha), and alpha is given",
        expect=expected(lambda t: [softmax(np.array([t[0] + 1, 0]))], [0.0], 1000, [5.8886 / 3.2897]))
    add("identified", "patience, where waiting pays", """\
asif: 1
states: [now, later]
actions: [take, wait]
environment: {start: now, transitions: {wait: [[0, 1], [0, 1]], take: reset}, ends: take}
agent: {discount: learn, utility: {take: {now: 1, later: 3}, wait: 0}, parameters: {alpha: 0.5}}
""", {"discount": 0.6}, 1000, {"discount": "yes"}, "to wait or not depends on the discount, and both are done often",
        expect=expected(lambda t: waiting(t[0])[:1], [math.log(0.6 / 0.4)], 1000, [5.9 / 3.2897]))
    add("identified", "consistency on DIAG", DIAG % "wrong: -36, alpha: learn, beta: 1.25, eta: 0.001", {"alpha": 0.5},
        1000, {"log_alpha": "yes"},
        "the oracle: sd .21 of log alpha with optimism and surprise free too; given them it is smaller; the prior's is 1.5",
        expect=([normal_contraction(0.21, 1.5)], 0.0))
    add("identified", "optimism and surprise on DIAG, consistency given",
        DIAG % "wrong: -36, alpha: 0.5, beta: learn, eta: learn", {"beta": 1.25, "eta": 0.001}, 1000,
        {"optimism": "yes", "eta": "yes"}, "the oracle: sd .075 and 2.3, correlation -.79; the priors' are 1 and 46",
        expect=([normal_contraction(0.075, 1), normal_contraction(2.3, 46)], 0.79))
    add("identified", "surprise alone on DIAG", DIAG % "wrong: -36, alpha: 0.5, beta: inf, eta: learn", {"eta": 0.001}, 1000,
        {"eta": "yes"}, "the oracle: sd 2.6 with optimism free too; given it, it is smaller; the prior's is 46",
        expect=([normal_contraction(2.6, 46)], 0.0))
    add("identified", "the cost of error on DIAG", DIAG % "wrong: {learn: , standard: -36}, alpha: 0.5, beta: inf, eta: 0",
        {"wrong": -36}, 1000, {"wrong": "yes"},
        "the oracle: the ratio of the two utilities is known to 1 %, so this one, with the other given, better than 5 of a "
        "prior's 23", expect=([normal_contraction(5, 23)], 0.0))

    # Not identified: confounded.
    add("confounded", "consistency and all utilities",
        choice("a: x, b: y", "alpha: learn, x: {learn: , standard: 1}, y: {learn: , standard: 0}"),
        {"alpha": 0.5, "x": 1, "y": 0}, 1000, {"log_alpha": "not yes", "x": "not yes", "y": "not yes"},
        "only (x - y)/alpha matters: three numbers, one of which can be known")
    add("confounded", "two utilities that matter by their difference",
        choice("a: x, b: y", "alpha: 0.5, x: {learn: , standard: 1}, y: {learn: , standard: 0}"), {"x": 1, "y": 0}, 1000,
        {"x": "not yes", "y": "not yes"}, "only x - y matters: each stays half as uncertain as it was",
        expect=expected(lambda t: [softmax(np.array([t[0], t[1]]) / 0.5)], [1.0, 0.0], 1000, [0.5, 0.5]))
    add("confounded", "consistency, optimism and surprise on DIAG",
        DIAG % "wrong: -36, alpha: learn, beta: learn, eta: learn", {"alpha": 0.5, "beta": 1.25, "eta": 0.001}, 1000,
        {"log_alpha": "not yes", "optimism": "not yes", "eta": "not yes"},
        "the oracle: correlations -.977, .985, -.990 at the truth",
        expect=([normal_contraction(0.21, 1.5), normal_contraction(0.35, 1), normal_contraction(13.6, 46)], 0.99))
    add("confounded", "optimism and surprise of a neutral agent on DIAG",
        DIAG % "wrong: -36, alpha: 0.5, beta: learn, eta: learn", {"beta": 1000, "eta": 0.001}, 1000,
        {"optimism": "not yes", "eta": "not yes"}, "the oracle: correlation -.97",
        expect=([normal_contraction(0.040, 1), normal_contraction(2.6, 46)], 0.97))
    # It does not matter.
    add("does not matter", "optimism with a single world", choice("a: {s: 1, t: 0}, b: 0.4", "alpha: 0.2, beta: learn"),
        {"beta": 2}, 500, {"optimism": "no"}, "with one world there is nothing to be optimistic about", expect=([0.0], 0.0))
    add("does not matter", "patience where every action ends the case",
        choice("a: 1, b: 0", "alpha: 0.5", discount="learn"), {"discount": 0.9}, 1000, {"discount": "no"},
        "whatever is chosen, the same new case comes next", expect=([0.0], 0.0))
    add("does not matter", "the utility of a state that never is",
        choice("a: {s: 1, t: x}, b: 0", "alpha: 0.5, x: {learn: , standard: 1}", start="s").replace("reset: uniform, ", ""),
        {"x": 0.5}, 1000, {"x": "no"}, "no case is ever t, so x has weight 0 in every decision", expect=([0.0], 0.0))
    # Weakly informative.
    add("weakly informative", "a utility of an agent who chooses nearly at random",
        choice("a: x, b: 0", "alpha: 50, x: {learn: , standard: 1}"), {"x": 1}, 1000, {"x": "no"},
        "the log-odds of a are x/50: they hardly move over all that the prior holds likely",
        expect=expected(lambda t: [softmax(np.array([t[0], 0]) / 50)], [1.0], 1000, [0.5]))
    add("weakly informative", "surprise where tests tell nothing", (DIAG % "wrong: -36, alpha: 5, beta: inf, eta: learn")
        .replace("[[0.7, 0.3], [0.3, 0.7]]", "[[0.5, 0.5], [0.5, 0.5]]")
        .replace("[[0.6, 0.4], [0.4, 0.6]]", "[[0.5, 0.5], [0.5, 0.5]]")
        .replace("[[0.8, 0.2], [0.2, 0.8]]", "[[0.5, 0.5], [0.5, 0.5]]"), {"eta": 1}, 500, {"eta": "no"},
        "what is seen is a coin toss after every action: its surprise is the same whatever is done", expect=([0.0], 0.0))
    # Too few logs.
    add("too few logs", "one utility from five choices", choice("a: x, b: 0", "alpha: 0.5, x: {learn: , standard: 1}"),
        {"x": 0.6}, 5, {"x": "not yes"},
        "five choices hold at most 5/4 / alpha^2 = 5 of information, the prior 4: contraction is at most .56",
        expect=expected(lambda t: [softmax(np.array([t[0], 0]) / 0.5)], [0.6], 5, [0.5]))
    return made


def consistent(design):
    """Whether the expectation written down here agrees with the answer that is claimed."""
    if design.expect is None:
        return True
    contractions, correlation = design.expect
    for ask, contraction in zip(design.asks.values(), contractions):
        yes, no = contraction >= 0.9 and correlation <= 0.9, contraction < 0.25
        if not {"yes": yes, "not yes": not yes, "no": no}[ask]:
            return False
    return True


def main():
    asif = os.environ.get("ASIF") or sys.exit("ASIF (path of the command) is not set")
    right, trusted, all_designs = 0, 0, designs()
    assert len(all_designs) == 20 and sum(d.kind == "identified" for d in all_designs) == 10
    print(f"{'':2} {'kind':18} {'design':52} asked    asif: verdict, contraction (expected), correlation")
    with tempfile.TemporaryDirectory() as folder:
        for design in all_designs:
            assert consistent(design), f"{design.name}: {design.expect}"
            found = design.run(asif, folder, "--threads", "2")
            good = design.judge(found)
            right += good
            trusted += found["trust"]["good"]
            for k, (name, ask) in enumerate(design.asks.items()):
                p = found["parameters"][name]
                want = f"{design.expect[0][k]:.2f}" if design.expect else "-"
                r = p["correlation"]
                print(f"{'' if good else '!!':2} {design.kind if k == 0 else '':18} "
                      f"{design.name if k == 0 else '':52} {ask:8} {name:14} {p['identified']:7} "
                      f"{p['contraction']:5.2f} ({want}) {'-' if r is None else format(r, '.2f')}", flush=True)
            print(f"{'':21} because {design.why}")
    print(f"{right} of 20 right; {trusted} of these short chains meet the rules for trust")
    sys.exit(right < 19)


if __name__ == "__main__":
    main()
