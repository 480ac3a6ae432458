"""Does the exit code of `asif fit` mean what it says? Fits to logs of their own model exit with 1 in at most one of ten; the check
by subject, at 5 %, rejects logs of one kind of subject in at most one of ten, and finds subjects of two kinds.

    ASIF=build/release/cli/asif ASIF_SOURCE=. python3 tests/long/subjects.py [own|kinds] [sets] [method]

Each set: examples/diag with 20 subjects of 25 episodes; alpha and optimism are learnt, eta is given; lattice 12. `own`: all subjects are one
agent, whose numbers go through a grid over the sets. `kinds`: alpha is .5 in one half of the subjects, .8 in the other. Half a second
a set with `map` (the default), 5 seconds with `nuts` (2 chains of 300 + 1,000 draws)."""
import csv
import json
import os
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

STUDY = os.path.join(SOURCE, "examples", "diag", "study.yaml")
SUBJECTS, EPISODES = 20, 25
ALPHAS, OPTIMISMS, ETA = [0.3, 0.5, 0.8, 1.2], [0.0, 0.4, 0.8], "0.001"


METHOD = sys.argv[3] if len(sys.argv) > 3 else "map"
CHAINS = ["--chains", 2, "--warmup", 300, "--draws", 1000] if METHOD == "nuts" else []


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, check=False)


def simulate(folder, alpha, optimism, episodes, seed):
    path = os.path.join(folder, "simulated.csv")
    beta = "inf" if optimism == 0 else 1 / optimism
    done = run("simulate", STUDY, "-p", f"alpha={alpha}", "-p", f"beta={beta}", "-p", f"eta={ETA}", "--resolution", 12,
               "-n", episodes, "--seed", seed, "-o", path)
    assert done.returncode == 0, done.stderr.decode()
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path, kinds):
    """Rows of kinds of subjects; the episodes of a kind are dealt out to its subjects."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["subject", "episode", "t", "action", "observation"])
        for k, rows in enumerate(kinds):
            for row in rows:
                subject = int(row["episode"]) % (SUBJECTS // len(kinds))
                out.writerow([f"{k}-{subject}", row["episode"], row["t"], row["action"], row["observation"]])


def fit(folder, kinds, seed):
    logs, out = os.path.join(folder, "logs.csv"), os.path.join(folder, "fit")
    write(logs, kinds)
    done = run("fit", STUDY, logs, "-o", out, "-p", f"eta={ETA}", "--resolution", 12, "--method", METHOD, *CHAINS,
               "--no-sensitivity", "--seed", seed, "--force", "-q")
    assert done.returncode in (0, 1), done.stderr.decode()
    with open(os.path.join(out, "fit.json"), encoding="utf-8") as file:
        answer = json.load(file)
    return done.returncode, answer


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else "own"
    sets = int(sys.argv[2]) if len(sys.argv) > 2 else {"own": 200, "kinds": 20}[what]
    total = SUBJECTS * EPISODES
    ones, computation, rejected, at_level, by_family, values = 0, 0, 0, 0, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(sets):
            if what == "own":
                kinds = [simulate(folder, ALPHAS[i % 4], OPTIMISMS[i // 4 % 3], total, 1000 + i)]
            else:
                kinds = [simulate(folder, alpha, 0.4, total // 2, 3000 + 2 * i + k) for k, alpha in enumerate((0.5, 0.8))]
            code, answer = fit(folder, kinds, i)
            families = {f["name"]: f for f in answer["checks"]["families"]}
            subjects = families["subjects"]
            assert subjects["judged"] and subjects["subjects"] == SUBJECTS, subjects
            ones += code
            computation += not answer["trust"]["good"]
            rejected += subjects["p"] < 0.05
            at_level += subjects["missed"]
            values.append(subjects["p"])
            for name, family in families.items():
                by_family[name] = by_family.get(name, 0) + family["missed"]
            print(i + 1, "exit", code, "" if answer["trust"]["good"] else "(computation)", "subjects p %.3f" % subjects["p"],
                  [name for name, family in families.items() if family["missed"]], flush=True)
    values.sort()
    print(f"{what}, {METHOD}: {sets} sets; exit 1 in {ones}, of which the computation in {computation}; missed by family: {by_family}")
    print(f"the check by subject rejects {rejected} at 5 %, {at_level} at the level of a family; "
          f"quartiles of its p: {[round(values[len(values) * q // 4], 3) for q in (1, 2, 3)]}")
    if what == "own":
        sys.exit(ones > sets / 10 or rejected > sets / 10)
    sys.exit(rejected == 0)


main()
