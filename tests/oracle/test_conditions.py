"""Conditions (`by: COLUMN`): a study that differs by columns of the logs against the studies of its conditions, each written by
itself: likelihoods, parameters by condition, gradients, fits, the agent of a condition, and what is answered to mistakes."""
import csv
import itertools
import json
import os
import subprocess

from common import Checks, Folder, np
from library import Target, have_library

ASIF = os.environ["ASIF"]
checks, folder = Checks("conditions"), Folder()


def run(*arguments, code=0):
    done = subprocess.run([ASIF, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, (arguments, done.returncode, done.stderr + done.stdout)
    return done.stdout if code == 0 else done.stderr + done.stdout


def given(values):
    return [word for name, value in values.items() for word in ("-p", f"{name}={value!r}")]


def likelihood(study, logs, values):
    return json.loads(run("check", study, logs, *given(values), "--no-forecast", "--json"))["log_likelihood"]


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(name, rows):
    path = folder.file(name)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


# ---- three problems: with parts that are seen, without, and with states that are seen. Each is the text of a study with holes, what
# fills them in one condition, and what fills them in the study of all. ----

BEADS = """asif: 1
states: {seen: {draws: 0 to 20}, hidden: {urn: [blue, pink]}}
actions: [draw, say_blue, say_pink]
observations: [b, p]
environment:
  start: {draws: 0, urn: uniform}
  transitions: {draw: {draws: +1}, any: terminal}
  available: {draw: draws < 20}
  emissions: %s
agent:
  discount: 0.999
  utility: {draw: look, say_blue: {blue: %s, pink: 0}, say_pink: {pink: %s, blue: 0}}
  parameters:
    price: %s
    look: {learn: "normal(0, 1)", standard: 0.1}
    alpha: learn
"""
URNS = {"0.6": "{blue: [0.6, 0.4], pink: [0.4, 0.6]}", "0.8": "{blue: [0.8, 0.2], pink: [0.2, 0.8]}"}
BEADS_ALL = BEADS % ("{by: evidence, 0.6: %(0.6)s, 0.8: %(0.8)s}" % URNS, "{by: cost, 0: 10, any: 10 - price * cost * draws}",
                     "{by: cost, 0: 10, 0.1: 10 - 0.1 * price * draws, 0.4: 10 - 0.4 * price * draws}",
                     '{by: cost, 0: 1, 0.1: {learn: "normal(1, 1)", standard: 1}, 0.4: {learn: "normal(1, 1)", standard: 1}}')


def beads_one(evidence, cost):
    prize = f"10 - {cost} * price * draws"
    return BEADS % (URNS[evidence], prize, prize, '{learn: "normal(1, 1)", standard: 1}')


CLINIC = """asif: 1
states: [healthy, diseased]
actions: [test, treat, leave]
observations: [neg, pos]
environment:
  start: %s
  transitions: {test: %s, any: terminal}
  emissions: %s
agent:
  discount: 0.95
  worlds: [{}, {emissions: %s}]
  utility: {test: %s, treat: {diseased: 0, healthy: -10}, leave: {healthy: 0, diseased: miss}}
  parameters:
    cost: {learn: "normal(-1, 1)", standard: -1}
    dear: {learn: "normal(-2, 1)", standard: -2}
    miss: %s
    alpha: learn
    optimism: {learn: "normal(0, 1)"}
    eta: {learn: "normal(0, 1)"}
solver: {resolution: 40}
"""
RISK = {"low": "[0.9, 0.1]", "high": "[0.6, 0.4]"}
DEVICE = {"old": ("{sensitivity: 0.7, specificity: 0.7}", "{sensitivity: 0.6, specificity: 0.6}", "cost"),
          "new": ("{sensitivity: 0.9, specificity: 0.85}", "{sensitivity: 0.8, specificity: 0.8}", "dear")}
STAYS = {"low": "[[0.95, 0.05], [0, 1]]", "high": "[[0.9, 0.1], [0, 1]]"}
MISS = '{learn: "normal(-20, 10)", standard: -20}'
CLINIC_ALL = CLINIC % ("{by: risk, low: %(low)s, high: %(high)s}" % RISK, "{by: [risk], low: %(low)s, any: %(high)s}" % STAYS,
                       "{by: device, old: %s, new: %s}" % (DEVICE["old"][0], DEVICE["new"][0]),
                       "{by: [device, risk], old/low: %s, old/high: %s, any: %s}" % (DEVICE["old"][1], DEVICE["old"][1], DEVICE["new"][1]),
                       "{by: device, old: cost, new: dear}", "{by: risk, %s" % MISS[1:])


def clinic_one(risk, device):
    return CLINIC % (RISK[risk], STAYS[risk], *DEVICE[device], MISS)


REPAIR = """asif: 1
states: [fine, worn, broken]
actions: [run, repair]
environment:
  start: %s
  transitions: {run: %s, repair: [[1, 0, 0], [1, 0, 0], [1, 0, 0]]}
agent:
  discount: 0.9
  utility: {run: {fine: 1, worn: 0.5, broken: down}, repair: %s}
  parameters:
    down: %s
    cost: {learn: "normal(-2, 1)", standard: -2}
    alpha: learn
    eta: 0.1
"""
WEAR = {"low": "[[0.8, 0.2, 0], [0, 0.8, 0.2], [0, 0, 1]]", "high": "[[0.5, 0.4, 0.1], [0, 0.5, 0.5], [0, 0, 1]]"}
DOWN = '{learn: "normal(-4, 2)", standard: -4}'
SITE = {"a": ("fine", "cost"), "b": ("uniform", "2 * cost")}
REPAIR_ALL = REPAIR % ("{by: site, a: fine, b: uniform}", "{by: load, low: %(low)s, high: %(high)s}" % WEAR,
                       "{by: site, a: cost, b: 2 * cost}", "{by: load, %s" % DOWN[1:])


def repair_one(site, load):
    return REPAIR % (SITE[site][0], WEAR[load], SITE[site][1], DOWN)


# name, study of all, columns, study of one, numbers of all, and of one in a condition
PROBLEMS = [
    ("beads", BEADS_ALL, {"evidence": ["0.6", "0.8"], "cost": ["0", "0.1", "0.4"]}, beads_one,
     {"price.0.1": 1.4, "price.0.4": 0.6, "look": 0.4, "alpha": 0.5},
     lambda p, at: {"price": p.get("price." + at["cost"], 1), "look": p["look"], "alpha": p["alpha"]}),
    ("clinic", CLINIC_ALL, {"risk": ["low", "high"], "device": ["old", "new"]}, clinic_one,
     {"cost": -0.7, "dear": -1.2, "miss.low": -25.0, "miss.high": -12.0, "alpha": 0.6, "optimism": 0.4, "eta": 0.2},
     lambda p, at: {k: p[k] for k in ("cost", "dear", "alpha", "optimism", "eta")} | {"miss": p["miss." + at["risk"]]}),
    ("repair", REPAIR_ALL, {"site": ["a", "b"], "load": ["low", "high"]}, repair_one,
     {"cost": -1.5, "down.low": -3.0, "down.high": -5.0, "alpha": 0.4},
     lambda p, at: {"cost": p["cost"], "down": p["down." + at["load"]], "alpha": p["alpha"]}),
]
LEARNT = {"beads": [("look", 0.1, 0), ("price.0.1", 1.0, 0), ("price.0.4", 1.0, 0), ("alpha", np.nan, 0)],
          "clinic": [("cost", -1.0, 0), ("dear", -2.0, 0), ("miss.low", -20.0, 0), ("miss.high", -20.0, 0), ("alpha", np.nan, 0), ("optimism", np.nan, 0),
                     ("eta", np.nan, 0)],
          "repair": [("cost", -2.0, 0), ("down.low", -4.0, 0), ("down.high", -4.0, 0), ("alpha", np.nan, 0)]}


def gradient(name, study, logs, values):
    """The gradient against central differences, at the numbers of the simulation."""
    target = Target(study, logs, LEARNT[name])
    x = np.array([np.log(values[n]) if n == "alpha" else values[n] for n, _, _ in LEARNT[name]])
    _, found = target(x)
    for i in range(len(x)):
        step = 1e-5 * max(1, abs(x[i]))
        ends = target.likelihood(np.array([x + step * np.eye(len(x))[i], x - step * np.eye(len(x))[i]]))
        checks.near(f"{name}: gradient in {LEARNT[name][i][0]}", found[i], (ends[0] - ends[1]) / (2 * step), 1e-6, 1e-4)


for name, text, columns, one, values, within in PROBLEMS:
    study, logs = folder.file(name + ".yaml", text), folder.file(name + ".csv")
    run("simulate", study, *given(values), "-n", "400", "--max-steps", "20", "--seed", "5", "-o", logs)
    rows, total = rows_of(logs), 0
    for cells in itertools.product(*columns.values()):
        at = dict(zip(columns, cells))
        mine = [row for row in rows if all(row[c] == v for c, v in at.items())]
        assert mine, (name, at, "simulated logs have every condition")
        alone = folder.file("one.yaml", one(*cells))
        # the columns of conditions are left out: that study does not know them
        total += likelihood(alone, table("one.csv", [{k: v for k, v in r.items() if k not in columns} for r in mine]), within(values, at))
    whole = likelihood(study, logs, values)
    checks.near(f"{name}: sum of the likelihoods of {len(list(itertools.product(*columns.values())))} conditions", whole, total, 1e-12)
    # rows after an episode's first may leave the condition out
    sparse = [{**r, **{c: "" for c in columns if r["t"] != "0"}} for r in rows]
    checks.near(f"{name}: conditions in first rows only", likelihood(study, table("sparse.csv", sparse), values), whole)
    if have_library():
        gradient(name, study, logs, values)

# ---- shared and by condition: one fit of a study whose numbers are all by condition is the fits of its conditions ----

apart = REPAIR_ALL.replace("cost: {learn", "cost: {by: site, learn").replace("down: {by: load", "down: {by: [site, load]").replace(
    "alpha: learn", "alpha: 0.4")
study, logs = folder.file("apart.yaml", apart), folder.file("repair.csv")
ends = {}
for site in "ab":
    mine = [{k: v for k, v in r.items() if k != "site"} for r in rows_of(logs) if r["site"] == site]
    alone = REPAIR % (SITE[site][0], "{by: load, low: %(low)s, high: %(high)s}" % WEAR, SITE[site][1], "{by: load, %s" % DOWN[1:])
    alone = folder.file("alone.yaml", alone.replace("alpha: learn", "alpha: 0.4"))
    found = json.loads(run("fit", alone, table("cut.csv", mine), "--method", "map", "-o", folder.file("alone-" + site), "--json"))
    ends[site] = {name: p["q50"] for name, p in found["parameters"].items()}
together = json.loads(run("fit", study, logs, "--method", "map", "-o", folder.file("together"), "--json"))
both = {name: p["q50"] for name, p in together["parameters"].items()}
for site in "ab":
    checks.near(f"fit by condition: cost.{site}", both["cost_" + site], ends[site]["cost"], 1e-4)
    for load in ("low", "high"):
        checks.near(f"fit by condition: down.{site}.{load}", both[f"down_{site}_{load}"], ends[site]["down_" + load], 1e-4)

# ---- the agent of a condition, and simulated episodes of it ----

study, values = folder.file("clinic.yaml", CLINIC_ALL), PROBLEMS[1][4]
for cells in itertools.product(*PROBLEMS[1][2].values()):
    at = dict(zip(PROBLEMS[1][2], cells))
    named = ",".join(f"{c}={v}" for c, v in at.items())
    found = json.loads(run("plan", study, *given(values), "--condition", named, "--belief", "0.7,0.3", "--json"))
    alone = folder.file("one.yaml", clinic_one(*cells))
    wanted = json.loads(run("plan", alone, *given(PROBLEMS[1][5](values, at)), "--belief", "0.7,0.3", "--json"))
    checks.near(f"plan {named}", found["beliefs"][0]["value"], wanted["beliefs"][0]["value"], 1e-10)
    run("simulate", study, *given(values), "-n", "20", "-o", folder.file("some.csv"), "--condition", "/".join(cells))
    checks.true(all(row[c] == v for row in rows_of(folder.file("some.csv")) for c, v in at.items()), f"simulate --condition {named}")

# ---- mistakes: where they are, what is found, what to do ----

def mistake(text, *wanted):
    path = folder.file("wrong.yaml", text)
    told = run("check", path, code=1)
    for words in wanted:
        checks.true(words in told.replace(path, "study"), f"`{words}` in\n{told}")


def wrong_rows(change, *wanted):
    rows = rows_of(folder.file("clinic.csv"))
    change(rows)
    path = table("wrong.csv", rows)
    told = run("check", study, path, "--no-forecast", code=1)
    for words in wanted:
        checks.true(words in told.replace(path, "logs"), f"`{words}` in\n{told}")


def column_line(text, piece):
    before = text[:text.index(piece)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


hole = CLINIC_ALL.replace("{by: device, old: cost, new: dear}", "{by: device, old: cost}")
mistake(hole, f"study:{column_line(hole, '{by: device, old: cost}')}: `new` is not named here", "name every value, or give `any`")
slip = CLINIC_ALL.replace("old/high:", "high/old:")
mistake(slip, "is not named here, and elsewhere the study names it")
many = CLINIC_ALL.replace("alpha: learn", "alpha: {by: risk, low: 1, high: 2}")
mistake(many, f"study:{column_line(many, 'alpha: {by')}: `alpha` is the same in all conditions", "asif fit --by")
role = CLINIC_ALL.replace("by: device, old: cost", "by: episode, old: cost")
mistake(role, "`episode` cannot be a column by which a study differs", "name a column of the logs")
bare = CLINIC_ALL.replace("{by: device, old: cost, new: dear}", "{by: device}")
mistake(bare, "what is by `device` names no value of it", "write {by: COLUMN, VALUE: ...")
typo = CLINIC_ALL.replace("new: dear}", "new: deer}")
mistake(typo, f"study:{column_line(typo, 'deer')}: `deer` is neither a number nor a parameter", "did you mean `dear`?")
both = CLINIC_ALL.replace("alpha: learn", "alpha: lern")  # what all conditions share is reported once
checks.true(run("check", folder.file("wrong.yaml", both), code=1).count("lern") == 1, "a mistake in what is shared is reported once")
part = BEADS_ALL.replace("by: cost, 0: 10, any", "by: draws, 0: 10, any")
mistake(part, "`draws` cannot be a column by which a study differs", "it is a part of the state")


def change(rows):
    later = next(i for i in range(1, len(rows)) if rows[i]["episode"] == rows[i - 1]["episode"])
    rows[later]["risk"] = "low" if rows[later]["risk"] == "high" else "high"


def unknown(rows):
    rows[3]["device"] = rows[5]["device"] = "odd"


wrong_rows(change, "`risk` changes within the episode", "a seen part of the state: `states: {seen: ...}`")
wrong_rows(unknown, "logs:5:4: `odd` is no value of `device` that the study knows", "(in 2 rows: 4, 6)", "`old`, `new`")
wrong_rows(lambda rows: rows[0].update(risk=""), "logs:2:3: row 1: the condition of this episode is not known")
told = run("plan", study, *given(values), "--condition", "risk=none,device=old", code=2)
checks.true("is not a condition of this study" in told and "risk=low,device=old" in told, told)
checks.finish()
