#!/usr/bin/env python3
"""The beads task (Lu, Yi and Zhang 2019), 104 people with many decisions each: the exact task, its people, and halves by a trait and by lot.

    tests/long/beads.py [BUILD] [--only exact,worlds,people,halves,sbc] [--halves N] [--seed N]

exact: examples/beads/study.yaml, solved at the 1,386 beliefs that can be reached. Its log-likelihood must be that of backward induction
without asif, its maximum that of `study-all.yaml`, which tells it by hand as states that are seen, and its posterior must have the
maximum inside. The time of the posterior is printed.

worlds: the same with candidate worlds, optimism and a taste for surprise. Values are then interpolated between beliefs. The
log-likelihood of one such agent must be that of backward induction without asif, by splines over the logarithm of the odds, to .02 nats
with 960 intervals of a graded lattice, and an even lattice with as many must be worse. The time of a posterior of the five numbers is
printed. Needs numpy and scipy.

people: each with numbers of their own (`asif people`). The population must be fitted with a table whose error is below .15 posterior
standard deviations, the posteriors of all people must be accurate, their numbers must explain what they did better than one agent for
all does, by backward induction without asif, and no interval of a coefficient of AQ may exclude 0.

sbc (only if asked for, half an hour of one processor): 100 populations of 50 people with 20 urns each, drawn from the priors and fitted
again. Ranks of their numbers must be uniform, and at most 5 may be refused.

halves: those by the trait must not be reported as different, and of 30 halves by lot at most 8 may be, at 10 % (some 3 are expected).
Fits are maxima of the posterior (`--method map`), whose differences `asif compare` judges against the spread between people.

The data are looked for beside the oracle (ASIF_ORACLE, by default ../shared/oracle): data/people/beads."""
import argparse
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ORACLE = os.environ.get("ASIF_ORACLE") or os.path.join(SOURCE, "..", "shared", "oracle")
DATA = os.path.join(ORACLE, "..", "data", "people", "beads")
LEVEL = 0.1


with open(os.path.join(SOURCE, "examples", "beads", "study.yaml"), encoding="utf-8") as example:
    TASK = example.read()
AVAILABLE, NO_SURPRISE = "  available: {draw: draws < 20}\n", "    eta: 0\n"
assert AVAILABLE in TASK and NO_SURPRISE in TASK and "    draw: look\n" in TASK
# As in study-all.yaml, the prize is lost with the 21st draw.
LOST = TASK.replace(AVAILABLE, "  terminal: draws=20\n").replace("    draw: look\n", "    draw: {draws=20: 0, any: look}\n")
SURPRISE = TASK.replace(NO_SURPRISE, "    eta: learn\n")
OFF = (-0.1, 0, 0.1)  # by how much the share of beads that have the urn's colour may differ from the share that is told


def emissions(evidence, off):
    share = evidence + off
    return f"        evidence={evidence}/blue: [{share:.1f}, {1 - share:.1f}]\n        evidence={evidence}/pink: [{1 - share:.1f}, {share:.1f}]\n"


WORLDS = TASK.replace("agent:\n", "agent:\n  worlds:\n" + "".join(f"    - emissions:\n{emissions(0.6, off)}{emissions(0.8, off)}" for off in OFF))
WORLDS = WORLDS.replace("    beta: inf\n    eta: 0\n", "    optimism: learn\n    eta: learn\n")
assert "optimism: learn" in WORLDS


def read_decisions():
    """Rows of the table that the study reads, of the people whom the authors kept, with AQ in standard deviations."""
    with open(os.path.join(DATA, "subjects.csv"), encoding="utf-8") as file:
        aq = {row["subject"]: float(row["aq_score_4"]) for row in csv.DictReader(file) if row["kept"] == "yes"}
    mean, sd = statistics.mean(aq.values()), statistics.stdev(aq.values())
    rows = []
    for evidence in (6, 8):
        for name, cost in (("0", 0), ("01", 0.1), ("04", 0.4)):
            with open(os.path.join(DATA, f"beads-evidence{evidence}-cost{name}.csv"), encoding="utf-8") as table:
                rows += [{"subject": row["subject"], "episode": f"{row['subject']}.{evidence}.{name}.{row['episode']}", "evidence": evidence / 10,
                          "cost": cost, "draws": int(row["t"]), "action": row["action"], "observation": row["observation"],
                          "aq": f"{(aq[row['subject']] - mean) / sd:.4f}"} for row in csv.DictReader(table) if row["kept"] == "yes"]
    return rows


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def induction(price, look, alpha, evidence, cost, discount=0.999, most=20):
    """Log-probabilities of draw (where there is one), say_blue and say_pink by (draws, blue draws), by backward induction."""
    value, policy = {}, {}
    for n in range(most, -1, -1):
        for blue in range(n + 1):
            p = 1 / (1 + ((1 - evidence) / evidence) ** (2 * blue - n))
            prize = 10 - price * cost * n
            q = [p * prize, (1 - p) * prize]
            if n < most:
                next_blue = p * evidence + (1 - p) * (1 - evidence)
                q = [look + discount * (next_blue * value[n + 1, blue + 1] + (1 - next_blue) * value[n + 1, blue])] + q
            top = max(q)
            value[n, blue] = top + alpha * math.log(sum(math.exp((x - top) / alpha) for x in q) / len(q))
            policy[n, blue] = [(x - value[n, blue]) / alpha - math.log(len(q)) for x in q]
    return policy


def count_decisions(rows):
    """How often each person took each action in each place: (evidence, cost, draws, blue draws, action)."""
    counts, blue = {}, 0
    for row in rows:
        blue = blue if row["draws"] else 0
        place = row["evidence"], row["cost"], row["draws"], blue, row["action"]
        own = counts.setdefault(row["subject"], {})
        own[place] = own.get(place, 0) + 1
        blue += row["observation"] == "b"
    return counts


def log_likelihood(counts, price, look, alpha):
    """Of these people, and of stopping alone before the last draw."""
    policy = {(e, c): induction(price, look, alpha, e, c) for e in (0.6, 0.8) for c in (0, 0.1, 0.4)}
    total = stopping = 0
    for own in counts:
        for (evidence, cost, draws, blue, action), count in own.items():
            log_p = policy[evidence, cost][draws, blue]
            total += count * log_p[{"draw": 0, "say_blue": -2, "say_pink": -1}[action]]
            if draws < 20:
                stopping += count * (log_p[0] if action == "draw" else math.log(-math.expm1(log_p[0])))
    return total, stopping


def fitted(asif, study, logs, folder, *more):
    done = subprocess.run([asif, "fit", study, logs, "-o", folder, "--no-answers", "--no-sensitivity", "-q", "--force", *more],
                          capture_output=True, timeout=1800)
    assert done.returncode in (0, 1), done.stderr.decode()
    with open(os.path.join(folder, "fit.json"), encoding="utf-8") as file:
        return json.load(file)


def exact_task(asif, folder, logs, rows):
    """The exact task; returns what is wrong."""
    wrong, studies = [], {}
    lattices = [(f"lattice-{n}", LOST + f"solver: {{beliefs: lattice, resolution: {n}}}\n") for n in (200, 1000)]
    for name, text in (("lost", LOST), ("none", TASK), ("eta", SURPRISE), *lattices):
        studies[name] = os.path.join(folder, name + ".yaml")
        with open(studies[name], "w", encoding="utf-8") as file:
            file.write(text)

    def likelihood(name, price, look, alpha, nodes=1386):
        done = subprocess.run([asif, "check", studies[name], logs, "-p", f"price={price!r}", "-p", f"look={look!r}", "-p", f"alpha={alpha!r}",
                               "--no-forecast", "--json"], capture_output=True, timeout=600)
        told = json.loads(done.stdout)
        assert told["study"]["solver"]["nodes"] == nodes, told["study"]["solver"]
        return told["log_likelihood"]

    def near(what, found, wanted, room):
        print(f"{what}: {found:.6f}, wanted {wanted} within {room}", flush=True)
        if not abs(found - wanted) <= room:
            wrong.append(what)

    near("log-likelihood where the 21st draw loses the prize", likelihood("lost", 0.620, 0.5107, 0.5085), -76696.2678, 1e-4)
    by_hand = fitted(asif, os.path.join(DATA, "study-all.yaml"), os.path.join(DATA, "beads-counts.csv"), os.path.join(folder, "hand"),
                     "--method", "map")["maximum"]["values"]
    best = by_hand["price"], by_hand["look"], math.exp(by_hand["log_alpha"])
    exact = likelihood("lost", *best)
    for n, wanted, room in ((200, -5.4, 0.1), (1000, 0, 1)):
        near(f"an even lattice of {n} intervals less the exact one, at the maximum of study-all.yaml",
             likelihood(f"lattice-{n}", *best, nodes=6 * 21 * (n + 1)) - exact, wanted, room)
    near("log-likelihood without a 21st draw, there", likelihood("none", *best), -75549.39, 0.01)
    counts = count_decisions(rows).values()
    for values in ((0.62, 0.5107, 0.5085), (1.3, -0.2, 0.2), (0.1, 1.1, 3.0)):
        want = log_likelihood(counts, *values)[0]
        near(f"log-likelihood at {values} by backward induction", likelihood("none", *values), want, 1e-9 * abs(want))
    found = fitted(asif, studies["lost"], logs, os.path.join(folder, "lost"), "--method", "map")["maximum"]["values"]
    for name, value in by_hand.items():
        near("maximum, " + name, found[name], value, 1e-3)
    for study, method in (("none", "auto"), ("none", "nuts"), ("eta", "auto")):
        begun, used = time.time(), os.times()
        fit = fitted(asif, studies[study], logs, os.path.join(folder, study), "--method", method)
        now = os.times()
        print(f"posterior of {', '.join(fit['maximum']['values'])} by {fit['method']}: {time.time() - begun:.0f} s, "
              f"{now.children_user - used.children_user:.0f} s of processor time", flush=True)
        for name in ("price", "look"):
            row = fit["parameters"][name]
            if not row["q05"] < fit["maximum"]["values"][name] < row["q95"]:
                wrong.append(f"{name} by {method}: the maximum is not in the interval")
    return wrong


def worlds_likelihood(rows, price, look, alpha, optimism, eta, discount=0.999, most=20, width=40, step=0.005):
    """By backward induction over the logarithm of the odds of blue, where values are cubic splines. Beliefs beyond `width` are certain
    to within 4e-18."""
    import numpy as np
    from scipy.interpolate import CubicSpline

    grid, total = np.arange(-width, width + step / 2, step), 0.0

    def certainty(scale, values):  # equal weights
        top = np.max(scale * values, 0)
        return (top + np.log(np.mean(np.exp(scale * values - top), 0))) / scale

    def policy(odds, n, later, shares, cost):
        """V, log-probabilities of the actions, and what worlds are thought to be, at logarithms of odds."""
        p, prize = 1 / (1 + np.exp(-odds)), 10 - price * cost * n
        q, weight = [p * prize, (1 - p) * prize], None
        if n < most:
            k = []
            for share in shares:
                blue, change = p * share + (1 - p) * (1 - share), math.log(share / (1 - share))
                future = blue * later(np.clip(odds + change, -width, width)) + (1 - blue) * later(np.clip(odds - change, -width, width))
                k.append(discount * future - eta * (blue * np.log(blue) + (1 - blue) * np.log(1 - blue)))
            k = np.array(k)
            weight = np.exp(optimism * (k - k.max(0)))
            weight, q = weight / weight.sum(0), [look + certainty(optimism, k), *q]
        q = np.array(q)
        value = certainty(1 / alpha, q)
        return value, (q - value) / alpha - math.log(len(q)), weight

    for evidence in (0.6, 0.8):
        for cost in (0, 0.1, 0.4):
            shares, later, values = [evidence + off for off in OFF], None, {}
            for n in range(most, -1, -1):
                values[n] = later
                later = CubicSpline(grid, policy(grid, n, later, shares, cost)[0])
            taken, history = {}, ""
            for row in rows:
                if (row["evidence"], row["cost"]) == (evidence, cost):
                    history = history if row["draws"] else ""
                    taken.setdefault(history, []).append(row["action"])
                    history += row["observation"]
            odds = {"": 0.0}
            for n in range(most + 1):
                names = sorted(h for h in taken if len(h) == n)
                if not names:
                    break
                at = np.array([odds[h] for h in names])
                _, log_p, weight = policy(at, n, values[n], shares, cost)
                p = 1 / (1 + np.exp(-at))
                for i, h in enumerate(names):
                    total += sum(log_p[{"draw": 0, "say_blue": -2, "say_pink": -1}[action], i] for action in taken[h])
                    for seen in "bp" if n < most else "":
                        blue = pink = 0.0  # the mean over worlds of what each of them has after this bead
                        for share, part in zip(shares, weight[:, i]):
                            with_blue, with_pink = (share, 1 - share) if seen == "b" else (1 - share, share)
                            chance = p[i] * with_blue + (1 - p[i]) * with_pink
                            blue, pink = blue + part * p[i] * with_blue / chance, pink + part * (1 - p[i]) * with_pink / chance
                        odds[h + seen] = math.log(blue / pink)
    return total


def worlds_that_differ(asif, folder, logs, rows):
    """With candidate worlds, optimism and a taste for surprise; returns what is wrong."""
    values, found = {"price": 0.62, "look": 0.2, "alpha": 0.5, "optimism": 0.3, "eta": 0.4}, {}
    want = worlds_likelihood(rows, **values)
    for kind in ("lattice", "graded"):
        for n in (60, 120, 240, 480, 960):
            study = os.path.join(folder, f"{kind}-{n}.yaml")
            with open(study, "w", encoding="utf-8") as file:
                file.write(WORLDS + f"solver: {{beliefs: {kind}, resolution: {n}}}\n")
            given = [word for name, value in values.items() for word in ("-p", f"{name}={value}")]
            done = subprocess.run([asif, "check", study, logs, *given, "--no-forecast", "--json"], capture_output=True, timeout=600)
            found[kind, n] = json.loads(done.stdout)["log_likelihood"] - want
        print(f"{kind}: log-likelihoods with 60 to 960 intervals less {want:.4f}:", " ".join(f"{found[kind, n]:+.4f}" for n in (60, 120, 240, 480, 960)),
              flush=True)
    study = os.path.join(folder, "worlds.yaml")
    with open(study, "w", encoding="utf-8") as file:
        file.write(WORLDS)
    used, begun = os.times(), time.time()
    fit = fitted(asif, study, logs, os.path.join(folder, "worlds"))
    print(f"posterior of {', '.join(fit['maximum']['values'])} by {fit['method']}: {time.time() - begun:.0f} s, "
          f"{os.times().children_user - used.children_user:.0f} s of processor time; lattice: {fit['solver']}", flush=True)
    near = abs(found["graded", 960]) < 0.02 and abs(found["lattice", 960]) > abs(found["graded", 960])
    return [] if near and fit["solver"]["beliefs"] == "graded" else ["worlds that differ"]


def all_people(asif, folder, logs, rows):
    """Everybody with numbers of their own; returns what is wrong."""
    study, out, used = os.path.join(SOURCE, "examples", "beads", "study.yaml"), os.path.join(folder, "people"), os.times()
    done = subprocess.run([asif, "people", study, logs, "-o", out, "-q"], capture_output=True, timeout=1800)
    print(done.stdout.decode(), f"{os.times().children_user - used.children_user:.0f} s of processor time", sep="\n", flush=True)
    with open(os.path.join(out, "population.json"), encoding="utf-8") as file:
        told = json.load(file)
    if done.returncode or not told["usable"]:
        return ["the population was refused"]
    wrong = [] if told["table"]["worst_error"] < 0.15 else ["the error of the table"]
    wrong += [name for name, n in told["population"].items() if name.startswith("coef_") and not n["q05"] < 0 < n["q95"]]
    if told["units_served"] != told["units"]:
        wrong.append("posteriors of people")
    counts, total, stopping = count_decisions(rows), 0, 0
    with open(os.path.join(out, "units.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            own = log_likelihood([counts[row["unit"]]], float(row["price"]), float(row["look"]), math.exp(float(row["log_alpha"])))
            total, stopping = total + own[0], stopping + own[1]
    print(f"log-likelihood at people's posterior means {total:.0f}, of stopping {stopping:.0f}; one agent for all has -75541", flush=True)
    # fits of everybody alone reach -68343 where the 21st draw loses the prize
    return wrong if total > -68343 else wrong + ["what people did is explained too badly"]


def fit_and_compare(asif, table, folder):
    """Differences of all numbers, high against low."""
    fit = subprocess.run([asif, "fit", os.path.join(DATA, "study-all.yaml"), table, "--by", "aq", "-o", folder, "--method", "map",
                          "--starts", "1", "--force", "--no-sensitivity", "-q"], capture_output=True, timeout=600)
    assert fit.returncode in (0, 1), fit.stderr.decode()
    done = subprocess.run([asif, "compare", folder, "--first", "low", "--episodes", "2", "--json"], capture_output=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr.decode()
    answer = json.loads(done.stdout)
    assert all(group["judged_by"] == "subjects" and group["subjects"] == 52 for group in answer["groups"]), answer["groups"]
    return {row["name"]: next(cell["difference"] for cell in row["groups"] if cell["group"] == "high") for row in answer["parameters"]}


def compare_halves(asif, folder, halves, seed):
    """Halves by the trait and by lot; returns whether too many differ."""
    with open(os.path.join(DATA, "beads-counts.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    people = sorted({row["subject"] for row in rows}, key=int)
    trait = {row["subject"]: row["aq"] for row in rows}
    generator, found = random.Random(seed), []
    for k in range(halves + 1):
        half = ["low", "high"] * (len(people) // 2)
        generator.shuffle(half)
        group = dict(zip(people, half)) if k else trait
        table = os.path.join(folder, "halves.csv")
        write_rows(table, [{**row, "aq": group[row["subject"]]} for row in rows])
        found.append(fit_and_compare(asif, table, os.path.join(folder, "fits")))
        print("by lot" if k else "by AQ ", " ".join(f"{name} {d['q50']:+.3f} ({d['q05']:+.3f} to {d['q95']:+.3f}), tail {d['tail']:.3f};"
                                                   for name, d in found[-1].items()), flush=True)
    told = {"any, after Holm's adjustment": sum(any(d["tail"] <= LEVEL / 2 for d in run.values()) for run in found[1:]),
            "by the word of the command (2 %)": sum(any(d["differs"] for d in run.values()) for run in found[1:])}
    for name in found[0]:
        told[f"{name}, 90 % interval without 0"] = sum(run[name]["q05"] > 0 or run[name]["q95"] < 0 for run in found[1:])
        print(f"{name}: standard error by AQ {found[0][name]['error']:.4f}; differences by lot have a standard deviation of "
              f"{statistics.pstdev(run[name]['q50'] for run in found[1:]):.4f}")
    for what, count in told.items():
        print(f"reported as different, {what}: {count} of {halves}")
    by_trait = any(d["tail"] <= LEVEL / 2 for d in found[0].values())
    print("halves by AQ:", "different" if by_trait else "not different")
    return ["halves"] if by_trait or max(told.values()) > 8 * halves / 30 else []


def calibrate(asif, folder):
    """Simulated populations of the exact task; returns what is wrong."""
    study = os.path.join(folder, "plain.yaml")
    with open(study, "w", encoding="utf-8") as file:
        file.write("".join(line for line in TASK.splitlines(keepends=True) if not line.startswith("population:")))
    out = os.path.join(folder, "sbc")
    done = subprocess.run([asif, "sbc", study, "--people", "50", "-n", "20", "--replicates", "100", "--bins", "10", "--seed", "1", "-q", "-o", out],
                          capture_output=True, text=True)
    print(done.stdout, flush=True)
    with open(os.path.join(out, "replicates.csv"), encoding="utf-8") as file:
        fitted_again = int(done.stdout.split(" populations")[0].split()[-1]), sum(1 for _ in file) - 2
    print("populations fitted again: %d of %d" % fitted_again)
    return [] if "All ranks are uniform" in done.stdout and fitted_again[0] >= 95 else ["calibration"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default=os.path.join(SOURCE, "build", "release"))
    parser.add_argument("--only", default="exact,worlds,people,halves")
    parser.add_argument("--halves", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    asif, only, wrong = os.path.join(args.build, "cli", "asif"), args.only.split(","), []
    if not os.path.isdir(DATA):
        print("skipped: there is no", DATA)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        logs, rows = os.path.join(folder, "beads.csv"), read_decisions()
        write_rows(logs, rows)
        if "exact" in only:
            wrong += exact_task(asif, folder, logs, rows)
        if "worlds" in only:
            wrong += worlds_that_differ(asif, folder, logs, rows)
        if "people" in only:
            wrong += all_people(asif, folder, logs, rows)
        if "sbc" in only:
            wrong += calibrate(asif, folder)
        if "halves" in only:
            wrong += compare_halves(asif, folder, args.halves, args.seed)
    print("beads:", ", ".join(wrong) or "all as it should be")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
