"""Results that were seen and are lost: do fits that average over them (`missing: unrecorded`) cover the truth?

    ASIF=build/release/cli/asif ASIF_SOURCE=. python3 tests/long/unrecorded.py FOLDER [SETS]

Each set: an agent of the diagnosis task whose numbers are drawn from the priors, 400 episodes of it, and 3 % of the results
lost at random. 90 % intervals cover each number in at least 30 of 40 sets, and the root mean square of (mean - truth)/sd is
between .67 and 1.36. Beside it, the same with the lost results read as not seen, which is not judged. What was done stays in
FOLDER: the same command goes on where it ended. Twelve seconds a set."""
import csv
import json
import math
import os
import random
import subprocess
import sys

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF) or len(sys.argv) < 2:
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set, or there is no FOLDER")
    sys.exit(77)

FOLDER, SETS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40
EPISODES, LOST = 400, 0.03
PRIORS = {"alpha": "lognormal(-0.7, 0.4)", "optimism": "normal(0.5, 0.4)", "eta": "normal(0, 10)"}
WAYS = {"unrecorded": "observation: {column: observation, missing: unrecorded}",
        "not_seen": "observation: observation, missing: not_seen"}
NUMBERS = ["log_alpha", "optimism", "eta"]


def study(way):
    """The diagnosis task with these priors."""
    with open(os.path.join(SOURCE, "examples", "diag", "study.yaml"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    out = []
    for line in lines:
        key = line.strip().split(":")[0]
        if key == "beta":
            out.append('    optimism: "learn ~ %s"' % PRIORS["optimism"])
        elif key in PRIORS:
            out.append('    %s: "learn ~ %s"' % (key, PRIORS[key]))
        elif key == "solver":
            out.append("solver: {resolution: 60}")
        elif key == "logs":
            out.append("logs: {episode: episode, time: t, action: action, %s}" % WAYS[way])
        else:
            out.append(line)
    path = os.path.join(FOLDER, way + ".yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")
    return path


def run(*args):
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done


def lose(source, target, rng):
    with open(source, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["observation"] and rng.random() < LOST:
            row["observation"] = ""
    with open(target, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)


def one_set(seed, studies):
    path = os.path.join(FOLDER, "set%d.json" % seed)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    rng = random.Random(1000 + seed)
    truth = {"log_alpha": rng.gauss(-0.7, 0.4), "optimism": rng.gauss(0.5, 0.4), "eta": rng.gauss(0, 10)}
    whole, logs = os.path.join(FOLDER, "whole%d.csv" % seed), os.path.join(FOLDER, "logs%d.csv" % seed)
    run("simulate", studies["unrecorded"], "-p", "alpha=%.12g" % math.exp(truth["log_alpha"]), "-p", "optimism=%.12g" % truth["optimism"],
        "-p", "eta=%.12g" % truth["eta"], "-n", EPISODES, "--seed", seed, "-o", whole, "-q")
    lose(whole, logs, rng)
    result = {"truth": truth}
    for way, file in studies.items():
        fit = os.path.join(FOLDER, "fit")
        run("fit", file, logs, "-o", fit, "--force", "--no-sensitivity", "--seed", seed, "-q")
        with open(os.path.join(fit, "fit.json"), encoding="utf-8") as text:
            numbers = json.load(text)["parameters"]
        result[way] = {n: [numbers[n][k] for k in ("mean", "sd", "q05", "q95")] for n in NUMBERS}
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(result, file)
    os.replace(path + ".new", path)
    return result


def main():
    os.makedirs(FOLDER, exist_ok=True)
    studies = {way: study(way) for way in WAYS}
    results = []
    for seed in range(SETS):
        results.append(one_set(seed, studies))
        print("set %d done" % seed, flush=True)
    good = True
    print("%-11s %-10s %7s %24s" % ("", "", "covered", "rms of (mean - truth)/sd"))
    for way in WAYS:
        for n in NUMBERS:
            covered, squares = 0, 0.0
            for r in results:
                mean, sd, low, high = r[way][n]
                covered += low <= r["truth"][n] <= high
                squares += ((mean - r["truth"][n]) / sd) ** 2
            rms = math.sqrt(squares / SETS)
            print("%-11s %-10s %2d of %2d %24.2f" % (way, n, covered, SETS, rms))
            good = good and (way != "unrecorded" or (covered >= 0.75 * SETS and 0.67 <= rms <= 1.36))
    print("holds" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
