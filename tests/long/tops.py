"""Two designs whose posteriors have two tops, which asif fit must tell for each of twelve seeds, at its default settings:

- `even`: three worlds in which optimism and pessimism make the same choice more likely, so that the likelihood is even in
  optimism (a turn of the sign exchanges the actions' values and the worlds);
- `prizes`: two utilities that the logs know by their mean and by what a free choice between them is worth, and so up to which
  is which.

    tops.py [BUILD]        tests/cli/test_tops.py runs them with shorter chains
"""
import json
import math
import os
import subprocess
import sys
import tempfile

SELF = "p1: p1, p2: p2, m1: m1, m2: m2"
EVEN = f"""\
asif: 1
title: even
states: [go, p1, p2, m1, m2]
actions: [A, B]
environment:
  start: go
  terminal: [p1, p2, m1, m2]
  transitions:
    A: {{go: {{p1: 0.6666666667, m2: 0.3333333333}}, {SELF}}}
    B: {{go: {{p2: 0.3333333333, m1: 0.6666666667}}, {SELF}}}
agent:
  discount: 0.9
  worlds:
    - transitions: {{A: {{go: p1, {SELF}}}, B: {{go: p2, {SELF}}}}}
    - transitions: {{A: {{go: p1, {SELF}}}, B: {{go: m1, {SELF}}}}}
    - transitions: {{A: {{go: m2, {SELF}}}, B: {{go: m1, {SELF}}}}}
  utility:
    any: {{go: 0, p1: 1, p2: 2, m1: -1, m2: -2}}
  parameters: {{alpha: 0.3, optimism: learn, eta: 0}}
"""
PRIZES = """\
asif: 1
title: two prizes
states: [lottery, door, pick, first, second, out]
actions: [go, stay]
environment:
  start: {lottery: 0.5, door: 0.5}
  terminal: [first, second, out]
  transitions:
    go: {lottery: {first: 0.5, second: 0.5}, door: pick, pick: first, first: first, second: second, out: out}
    stay: {lottery: out, door: out, pick: second, first: first, second: second, out: out}
agent:
  discount: 0.9
  utility:
    any: {lottery: 0, door: 0, pick: 0, first: x, second: y, out: 0}
  parameters: {alpha: 1, x: {learn: "normal(0, 3)", standard: 1}, y: {learn: "normal(0, 3)", standard: 1}}
"""
SHARES = {"even": {"go": ("B", 0.82, 400)}, "prizes": {"lottery": ("go", 0.611, 1000), "door": ("go", 0.86, 1000)}}
STUDIES = {"even": EVEN, "prizes": PRIZES}
OTHER = {"B": "A", "go": "stay"}


def write(folder, name):
    """Study and logs of a design, a decision an episode."""
    study, logs = os.path.join(folder, name + ".yaml"), os.path.join(folder, name + ".csv")
    with open(study, "w") as file:
        file.write(STUDIES[name])
    write_logs(logs, name)
    return study, logs


def write_logs(path, name):
    episode = 0
    with open(path, "w") as file:
        file.write("episode,t,state,action\n")
        for state, (action, share, count) in SHARES[name].items():
            for i in range(count):
                episode += 1
                file.write(f"{episode},0,{state},{action if i < share * count else OTHER[action]}\n")


def prizes():
    """x and y in closed form: log-odds of going are .9 (x + y) / 2 and .9 log((e^.9x + e^.9y) / 2), which give sum and product of
    e^.9x and e^.9y."""
    (lottery, door) = (math.log(p / (1 - p)) / 0.9 for _, p, _ in SHARES["prizes"].values())
    half = math.exp(door)
    product = math.exp(0.9 * 2 * lottery)
    root = math.sqrt(half * half - product)
    return math.log(half + root) / 0.9, math.log(half - root) / 0.9


def share(asif, study, optimism):
    """How often an agent of `even` does B, by asif plan."""
    out = subprocess.run([asif, "plan", study, "-p", f"optimism={optimism}", "--json"], capture_output=True,
                         text=True, check=True)
    return next(row for row in json.loads(out.stdout)["history"] if row["state"] == "go")["policy"]["B"]


def fit(asif, study, logs, folder, *flags):
    out = os.path.join(folder, "fit")
    done = subprocess.run([asif, "fit", study, logs, "-o", out, "--force", "--quiet", *flags], capture_output=True, text=True)
    with open(os.path.join(out, "fit.json")) as file:
        return done, json.load(file)


def faults(asif, name, study, done, found):
    """What a fit of a design says wrongly; an empty list: nothing."""
    said = []
    if done.returncode != 1 or found["trust"]["good"]:
        said.append(f"exit code {done.returncode}")
    if not found["rivals"] or len(found["tops"]) != 2:
        return said + [f"{len(found['tops'])} tops"]
    if "Explanation 2" not in done.stdout:
        said.append("the summary tells one explanation")
    for number, p in found["parameters"].items():
        if p["identified"] != "no" or p["doubt"] != "tops" or p["q05"] is not None:
            said.append(f"{number}: {p['identified']}, {p['doubt']}, {p['q05']}")
    for top in found["tops"]:
        if found["method"] != "ml" and abs(top["weight"] - 0.5) > 1e-3:
            said.append(f"weight {top['weight']}")
    if name == "even":
        at = [top["parameters"]["optimism"] for top in found["tops"]]
        if abs(at[0]["maximum"] + at[1]["maximum"]) > 1e-3:
            said.append(f"maxima at {at[0]['maximum']}, {at[1]['maximum']}")
        for p in at:
            if not (p["q05"] < p["maximum"] < p["q95"]) or p["q05"] * p["q95"] < 0:
                said.append(f"interval {p['q05']} to {p['q95']}")
            if abs(share(asif, study, p["maximum"]) - 0.82) > 0.01:  # half a standard error of 400 choices, for the prior
                said.append(f"P(B) {share(asif, study, p['maximum'])} at {p['maximum']}")
    else:
        want = prizes()
        for top, (x, y) in zip(sorted(found["tops"], key=lambda t: -t["parameters"]["x"]["maximum"]), (want, want[::-1])):
            for number, value in (("x", x), ("y", y)):
                p = top["parameters"][number]
                if not p["q05"] < value < p["q95"] or abs(p["maximum"] - value) > 0.05:
                    said.append(f"{number} {p['q05']} to {p['q95']}, not {value}")
    return said


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build/release"
    asif = os.path.join(build, "cli", "asif")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in STUDIES:
            study, logs = write(folder, name)
            right = 0
            for seed in range(1, 13):
                said = faults(asif, name, study, *fit(asif, study, logs, folder, "--seed", str(seed)))
                right += not said
                for fault in said:
                    print(f"{name}, seed {seed}: {fault}")
            print(f"{name}: both tops are told in {right} of 12 seeds")
            wrong += 12 - right
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
