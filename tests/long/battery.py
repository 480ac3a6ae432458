"""Forty designs of known answer: verdicts must be right on 38, and none of the wrong ones may be `yes`.

Twenty are asked of `asif identify`, ten that identify the numbers in question and ten that do not. Twenty are asked of `asif fit`: logs
of models that do not describe them, of two kinds of subjects, with a bound given 40 % off, with two explanations, of decisions that never
vary, with two words for one observation, and logs that are as they should be. Each says why its answer is known: by an argument
(something cancels), by the information of a choice model that is written down here, independently of asif, by how the logs were
made, or by what the oracle measured on DIAG. Where it can be computed, the contraction that is expected stands beside asif's."""
import csv
import importlib.util
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

spec = importlib.util.spec_from_file_location("tops", os.path.join(os.path.dirname(os.path.abspath(__file__)), "tops.py"))
tops = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tops)

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
        if done.returncode == 2 and b"optimism cannot be estimated" in done.stderr:
            refused = {"identified": "refused", "contraction": math.nan, "correlation": None}
            return {"parameters": {name: refused for name in self.asks}, "trust": {"good": True}}
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{self.name}: {done.stderr.decode()}")
        return json.loads(done.stdout)

    def verdict(self, found, name):
        """Of `log_alpha`, or of one side: `log_alpha below`."""
        number, side = (name + " ").split(" ")[:2]
        return found["parameters"][number]["identified" + ("_" + side if side else "")]

    def judge(self, found):
        """Whether all verdicts asked for are right."""
        right = {"yes": lambda v: v == "yes", "not yes": lambda v: v != "yes", "no": lambda v: v == "no",
                 "any": lambda v: True, "refused": lambda v: v == "refused"}
        return all(right[ask](self.verdict(found, name)) for name, ask in self.asks.items())

    def overclaims(self, found):
        """Whether something is told as found that is not."""
        return any(ask != "yes" and self.verdict(found, name) == "yes" for name, ask in self.asks.items())


class Fitted(Design):
    """Asked of `asif fit`. `write(asif, logs, study)` writes the logs, and `says(found)`, if any, must hold as well. The exit code
    must be as is said; None: whatever."""
    def __init__(self, kind, name, study, write, asks, why, code=None, says=None, flags=(), expect=None):
        super().__init__(kind, name, study, {}, 0, asks, why, expect)
        self.write, self.code, self.says, self.flags = write, code, says, flags

    def run(self, asif, folder, *flags):
        study, logs, out = (os.path.join(folder, name) for name in ("study.yaml", "logs.csv", "fit"))
        with open(study, "w") as file:
            file.write(self.study)
        self.write(asif, logs, study)
        done = subprocess.run([asif, "fit", study, logs, "-o", out, "--force", "--seed", "11", "--warmup", "500", "--draws", "800",
                               "-q", *self.flags, *flags], capture_output=True, text=True, timeout=900)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{self.name}: {done.stderr}")
        with open(os.path.join(out, "fit.json")) as file:
            found = json.load(file)
        found["code"], found["words"] = done.returncode, done.stdout
        return found

    def judge(self, found):
        return (super().judge(found) and self.code in (None, found["code"]) and
                (self.says is None or self.says(found)))


# ---- logs ----

def simulated(agent, episodes, seed=1, change=None):
    """By asif simulate, with these values; `change` may alter the rows."""
    def write(asif, logs, study):
        rows = rows_of(asif, study, agent, episodes, seed)
        put(logs, change(rows) if change else rows)
    return write


def rows_of(asif, study, agent, episodes, seed):
    given = [x for name, value in agent.items() for x in ("-p", f"{name}={value}")]
    done = subprocess.run([asif, "simulate", study, "-n", str(episodes), "-o", "-", "--seed", str(seed), "--max-steps", "60", "-q",
                           *given], capture_output=True, text=True, check=True)
    return list(csv.DictReader(done.stdout.splitlines()))


def put(path, rows):
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def chosen(*shares):
    """Plain choices of CHOICE: so many of `a` of so many, for each subject."""
    def write(asif, logs, study):
        rows = []
        for subject, (a, of) in enumerate(shares, 1):
            for i in range(of):
                rows.append({"subject": subject, "episode": len(rows) + 1, "t": 0, "action": "a" if i < a else "b", "observation": ""})
        put(logs, rows)
    return write


def ruled(rule, episodes=300, seed=5):
    """Logs of DIAG by a rule: results so far to an action. Positive results come with .7 of the diseased and .3 of the healthy."""
    def write(asif, logs, study):
        draw, rows = random.Random(seed), []
        for episode in range(1, episodes + 1):
            diseased, seen, action = draw.random() < 0.5, [], "monitor"
            while action == "monitor":
                action = rule(seen, draw)
                result = ""
                if action == "monitor":
                    result = "positive" if draw.random() < (0.7 if diseased else 0.3) else "negative"
                rows.append({"episode": episode, "t": len(seen), "action": action, "observation": result})
                seen.append(result)
        put(logs, rows)
    return write


def majority(seen):
    return "declare_diseased" if 2 * seen.count("positive") > len(seen) else "declare_healthy"


def two_kinds(asif, logs, study):
    """20 subjects of 20 cases, alpha .25 and 1.5 in turn."""
    rows = []
    for subject in range(1, 21):
        for row in rows_of(asif, study, {"alpha": (0.25, 1.5)[subject % 2], "beta": "inf", "eta": 0}, 20, 100 + subject):
            rows.append({"subject": subject, **row, "episode": 1000 * subject + int(row["episode"])})
    put(logs, rows)


def synonyms(rows):
    """Half of the positive results under another name."""
    draw = random.Random(3)
    return [{**row, "observation": "reactive" if row["observation"] == "positive" and draw.random() < 0.5 else row["observation"]}
            for row in rows]


SPLIT = DIAG.replace("[negative, positive]", "[negative, positive, reactive]")
for correct in ("0.6", "0.7", "0.8"):
    wrong = f"{1 - float(correct):.1f}"
    SPLIT = SPLIT.replace(f"[[{correct}, {wrong}], [{wrong}, {correct}]]",
                          f"[[{correct}, {float(wrong) / 2:.2f}, {float(wrong) / 2:.2f}], "
                          f"[{wrong}, {float(correct) / 2:.2f}, {float(correct) / 2:.2f}]]")


def covers(**truth):
    def says(found):
        return all(found["parameters"][name]["q05"] <= value <= found["parameters"][name]["q95"] for name, value in truth.items())
    return says


def warns_of(name):
    """Whether of every number that is told as found the short sensitivity says that it depends on a value that was given: other values
    that explain the logs as well move it by more than its standard deviation."""
    def moved(found, number):
        at = [point["numbers"][number]["moved"] for variation in found["sensitivity"]["variations"] if variation["name"] == name
              for point in variation["points"] if number in point.get("numbers", {})]
        return max((abs(x) for x in at if x is not None), default=0)

    def says(found):
        return all(p["identified"] != "yes" or moved(found, number) > 1 for number, p in found["parameters"].items())
    return says


def fitted():
    made = []

    def add(*args, **more):
        made.append(Fitted(*args, **more))

    two = DIAG % "wrong: -36, alpha: learn, beta: learn, eta: learn"
    alone = DIAG % "wrong: -36, alpha: learn, beta: inf, eta: 0"
    pays = choice("a: 1, b: 0", "alpha: learn")
    several = {"log_alpha": "not yes", "optimism": "not yes", "eta": "not yes"}
    # The model does not describe the logs.
    add("misfit", "always three tests, then the majority", two,
        ruled(lambda seen, _: "monitor" if len(seen) < 3 else majority(seen)), several,
        "the same number of tests whatever they show: no agent of the model does that", code=1)
    add("misfit", "until the first positive test, five at most", two,
        ruled(lambda seen, _: "declare_diseased" if "positive" in seen else "monitor" if len(seen) < 5 else "declare_healthy"),
        several, "one positive test decides and four negative ones do not, though both errors cost the same", code=1)
    add("misfit", "tests by the toss of a coin, then the majority", two,
        ruled(lambda seen, draw: "monitor" if not seen or draw.random() < 0.5 else majority(seen)), several,
        "another test is as likely after agreeing results as after results that cancel", code=1)
    # Subjects.
    add("subjects", "two kinds of subjects on DIAG", two, two_kinds, several, "ten subjects have alpha .25, ten 1.5", code=1)
    add("subjects", "two kinds of subjects in a plain choice", pays, chosen(*[(48, 50)] * 10, *[(28, 50)] * 10),
        {"log_alpha": "not yes"}, "ten subjects choose a in 96 %, ten in 56 %: no number describes both", code=1)
    add("subjects", "twenty subjects of one kind", pays,
        chosen(*[(44, 50), (43, 50), (46, 50), (41, 50), (45, 50)] * 4), {"log_alpha": "yes"},
        "shares of 82 to 92 % spread as 50 tosses of one coin do (.88 has an sd of .046)", code=0,
        says=covers(log_alpha=-math.log(math.log(0.876 / 0.124))))
    # A bound that is given 40 % off.
    add("given wrongly", "consistency given as .5 where it is .7, DIAG", DIAG % "wrong: -36, alpha: 0.5, beta: learn, eta: learn",
        simulated({"alpha": 0.7, "beta": 2, "eta": 5}, 400), {"optimism": "any", "eta": "any"},
        "what is found with alpha .5 are other numbers than .5 and 5: what is told as found needs the word that it depends on alpha",
        says=warns_of("alpha"))
    add("given wrongly", "a utility with consistency given as .5 where it is .7",
        choice("a: x, b: 0.3", "alpha: 0.5, x: {learn: , standard: 1}"), chosen((700, 1000)), {"x": "any"},
        "x is .3 + alpha log(.7/.3) for any alpha: told as found, it needs the word that it depends on alpha",
        says=warns_of("alpha"))
    # Two explanations.
    add("two explanations", "an even likelihood", tops.EVEN, lambda asif, logs, study: tops.write_logs(logs, "even"), {"optimism": "no"},
        "optimism and pessimism make the same choice likely", code=1, says=lambda found: len(found["tops"]) == 2)
    add("two explanations", "two utilities that may change places", tops.PRIZES,
        lambda asif, logs, study: tops.write_logs(logs, "prizes"), {"x": "no", "y": "no"},
        "the logs know the mean of x and y, and what a free choice between them is worth", code=1,
        says=lambda found: len(found["tops"]) == 2)
    add("two explanations", "an even likelihood, and a prior that decides",
        tops.EVEN.replace("optimism: learn", 'optimism: {learn: "normal(1.5, 0.6)"}'),
        lambda asif, logs, study: tops.write_logs(logs, "even"), {"optimism": "any"},
        "at the other top, -1.5, this prior is e^12 times less dense; what is left depends on alpha, which is assumed", code=0,
        says=lambda found: len(found["tops"]) == 1 and found["parameters"]["optimism"]["contraction"] > 0.9 and
        found["parameters"]["optimism"]["doubt"] in (None, "assumptions"))
    # Decisions that never vary.
    add("never varies", "consistency of a choice that is always the same", pays, chosen((500, 500)),
        {"log_alpha below": "no", "log_alpha": "no"}, "the smaller alpha, the better: only the prior ends it below")
    add("never varies", "a utility of a choice that is always the same", choice("a: x, b: 0", "alpha: 0.1, x: {learn: , standard: 1}"),
        chosen((500, 500)), {"x above": "no", "x": "no"}, "the larger x, the better: only the prior ends it above")
    add("never varies", "consistency of an agent without error, DIAG", alone, simulated({"alpha": 0.001}, 300),
        {"log_alpha below": "no", "log_alpha": "no"}, "every smaller alpha gives the same decisions")
    # Two words for one observation.
    add("synonyms", "optimism and surprise, two words for positive", SPLIT % "wrong: -36, alpha: 0.5, beta: learn, eta: learn",
        simulated({"beta": 1.25, "eta": 10}, 1000), {"optimism": "any", "eta": "any"},
        "beliefs are the same whichever word is seen: as in DIAG, the oracle's sd .075 and 2.3 if alpha is .5, which is assumed",
        says=lambda found: covers(optimism=0.8, eta=10)(found) and all(
            p["contraction"] > 0.9 and p["doubt"] in (None, "assumptions") for p in found["parameters"].values()))
    # It does not matter, or can be read off.
    add("does not matter", "the weight of a world that is there twice",
        choice("a: 1, b: 0", "alpha: 0.5", more=", worlds: [{emissions: uniform}, {emissions: uniform}], world_weights: learn"), chosen((880, 1000)),
        {"world_weights.1": "no"}, "both worlds are the same")
    add("does not matter", "consistency of planning where there is nothing to plan",
        choice("a: 1, b: 0", "alpha: learn, act_alpha: learn"), chosen((880, 1000)), {"log_alpha": "no", "log_act_alpha": "yes"},
        "whatever is chosen, the same new case comes next: planning cancels, the odds of a are exp(1/act_alpha)",
        says=covers(log_act_alpha=-math.log(math.log(0.88 / 0.12))))
    add("too few logs", "one utility from twenty choices", choice("a: x, b: 0", "alpha: 0.5, x: {learn: , standard: 1}"),
        chosen((15, 20)), {"x": "not yes"}, "twenty choices hold at most 20 of information, the prior 4: contraction is at most .83",
        expect=expected(lambda t: [softmax(np.array([t[0], 0]) / 0.5)], [0.5 * math.log(3)], 20, [0.5]))
    add("identified", "consistency, from logs of the model, DIAG", alone, simulated({"alpha": 0.5}, 600), {"log_alpha": "yes"},
        "the oracle: sd .21 of log alpha with optimism and surprise free too", code=0, says=covers(log_alpha=math.log(0.5)))
    add("identified", "a utility, from logs of a plain choice", choice("a: x, b: 0", "alpha: 0.5, x: {learn: , standard: 1}"),
        chosen((700, 1000)), {"x": "yes"}, "x is alpha log(.7/.3)", code=0, says=covers(x=0.5 * math.log(7 / 3)))
    return made


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
        {"beta": 2}, 500, {"optimism": "refused"}, "with one world there is nothing to be optimistic about")
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
    right, trusted, overclaimed, all_designs = 0, 0, 0, designs() + fitted()
    assert len(all_designs) == 40 and sum(d.kind == "identified" for d in designs()) == 10
    chosen_designs = [d for d in all_designs if len(sys.argv) < 2 or any(word in d.name for word in sys.argv[1:])]
    print(f"{'':2} {'kind':18} {'design':58} asked    asif: verdict, contraction (expected), correlation")
    with tempfile.TemporaryDirectory() as folder:
        for design in chosen_designs:
            assert consistent(design), f"{design.name}: {design.expect}"
            found = design.run(asif, folder, "--threads", "2")
            good = design.judge(found)
            right += good
            trusted += found["trust"]["good"]
            overclaimed += not good and design.overclaims(found)
            for k, (name, ask) in enumerate(design.asks.items()):
                p = found["parameters"][name.split(" ")[0]]
                want = f"{design.expect[0][k]:.2f}" if design.expect else "-"
                c, r = ("-" if p[key] is None else format(p[key], ".2f") for key in ("contraction", "correlation"))
                print(f"{'' if good else '!!':2} {design.kind if k == 0 else '':18} "
                      f"{design.name if k == 0 else '':58} {ask:8} {name:16} {design.verdict(found, name)!s:7} "
                      f"{c:>5} ({want}) {r}", flush=True)
            print(f"{'':21} because {design.why}" + (f"; exit {found['code']}" if "code" in found else ""), flush=True)
    print(f"{right} of {len(chosen_designs)} right, {overclaimed} of the wrong ones a yes; {trusted} of these short chains meet the rules "
          "for trust")
    sys.exit(right < len(chosen_designs) - 2 or overclaimed > 0)


if __name__ == "__main__":
    main()
