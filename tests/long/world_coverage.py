"""Coverage of intervals where the dynamics of hidden states are learnt from the same logs: cohorts of 1,700 people of the dementia study with a
ramp, simulated by an independent implementation (cohort.py beside the oracle; no number comes from a patient). Optimism is 1 in truth.

    ASIF=build/release/cli/asif ASIF_ORACLE=../shared/oracle python3 tests/long/world_coverage.py FOLDER [--cohorts 40] [--joint 10] [--first 1]
        [--workers 1]

By `--world cut` 90 % intervals of optimism cover in at least 30 of 40 cohorts, and the root mean square of (mean - truth) / sd is between 0.67 and
1.36; the same of `given` is told beside it, and of `joint` on the first of the cohorts. Every cohort leaves a file in FOLDER, and the same
command goes on from there. Needs numpy. A cohort takes about a minute of processor time, and three more with `joint`, whose chains are a quarter as
long as the default.
"""
import argparse
import concurrent.futures
import json
import math
import os
import shutil
import subprocess
import sys

ORACLE = os.environ.get("ASIF_ORACLE", "")
SHARED = os.path.join(ORACLE, "..", "dementia")
PEOPLE, TRUTH, RESOLUTION = 1700, 1.0, 20
FLAGS = {"cut": [], "joint": ["--chains", "4", "--warmup", "200", "--draws", "250"]}
STUDY = """asif: 1
states:       [normal, mild, dementia]
actions:      [no_mri, mri]
observations: {cdr: [normal, questionable, suspected], mri: [none, low, average, high]}
environment:
  start: learn
  transitions: learn shared
  emissions:
    cdr: learn
    mri: {mri: learn except none, no_mri: none}
agent:
  planner: bounded-rational
  discount: 0.95
  worlds: [{}, {mix: uniform, share: 0.5}]
  utility:
    - {no_mri: 0, mri: -1}
    - {ramp: certainty, from: 0.8, to: 1, add: 2.5}
  parameters: {alpha: learn, optimism: learn, eta: learn}
logs: {episode: episode, time: t, action: action, observation: observation}
"""


def simulate(path, seed):
    sys.path.insert(0, SHARED)
    import cohort
    us, xs, _ = cohort.simulate(PEOPLE, seed, v=cohort.utility(ramp=.1), n=RESOLUTION)
    with open(path, "w") as f:
        f.write("episode,t,action,observation\n")
        for i, (u, x) in enumerate(zip(us, xs)):
            for t, (a, o) in enumerate(zip(u, x)):
                f.write(f"{i + 1},{t},{cohort.ACTIONS[a]},{cohort.OBS[o]}\n")


def kept(path, make):
    """What a file holds; it is made first if it is not there."""
    if not os.path.exists(path):
        made = make()
        with open(path + ".new", "w") as f:
            json.dump(made, f)
        os.rename(path + ".new", path)
    with open(path) as f:
        return json.load(f)


def optimism(result):
    return {k: result["parameters"]["optimism"][k] for k in ("mean", "sd", "q05", "q95")}


def cut(result):
    """The optimism of one cohort: mean, sd and interval by `cut` and by `given`."""
    world = result["world"]
    row = {"trusted": result["trust"]["good"], "worlds": world["worlds"]}
    if world["worlds"]:  # else there are rival explanations in the estimated world, and nothing was pooled
        row["cut"] = optimism(result)
        row["given"] = world["parameters"]["optimism"]["given"]
        row["part"] = world["parameters"]["optimism"]["part"]
        row.update({k: world[k] for k in ("along_ridge", "by_chains", "untrusted", "rivals", "agree")})
    return row


def joint(result):
    return {"trusted": result["trust"]["good"], "joint": optimism(result)}


def fit(folder, seed, mode):
    """What `mode` (cut or joint) takes from the fit of one cohort."""
    logs, out, study = (os.path.join(folder, f"{mode.__name__}-{name}-{seed}") for name in ("logs.csv", "fit", "study.yaml"))
    simulate(logs, seed)
    with open(study, "w") as f:
        f.write(STUDY)
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([os.environ["ASIF"], "fit", study, logs, "-o", out, "--world", mode.__name__, "--resolution", str(RESOLUTION), "--no-answers",
                           "--threads", "1", "-q", *FLAGS[mode.__name__]],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: not trusted, which counts all the same
        raise SystemExit(f"seed {seed}: exit code {done.returncode}\n{done.stderr}")
    with open(os.path.join(out, "fit.json")) as f:
        row = {"seed": seed, **mode(json.load(f))}
    shutil.rmtree(out)
    os.remove(logs)
    os.remove(study)
    return row


def tell(rows, mode):
    """How many intervals cover, and the root mean square of the errors in standard deviations. Where there is no interval, it does not cover."""
    cohorts, rows = len(rows), [r for r in rows if mode in r]
    covers = sum(r[mode]["q05"] <= TRUTH <= r[mode]["q95"] for r in rows)
    rms = math.sqrt(sum(((r[mode]["mean"] - TRUTH) / r[mode]["sd"]) ** 2 for r in rows) / len(rows))
    widths = sorted(r[mode]["q95"] - r[mode]["q05"] for r in rows)
    print(f"{mode}: {covers} of {cohorts} cover, root mean square error {rms:.2f} sd, median width {widths[len(widths) // 2]:.2f}")
    return covers, rms


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--cohorts", type=int, default=40)
    parser.add_argument("--joint", type=int, default=10, help="cohorts that are fitted by joint too")
    parser.add_argument("--first", type=int, default=1, help="seed of the first cohort")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("numpy is not here")
        return 77
    if not os.path.exists(os.path.join(SHARED, "cohort.py")):
        print("the synthetic cohort is not here (ASIF_ORACLE)")
        return 77
    os.makedirs(args.folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(args.workers) as pool:
        seeds = range(args.first, args.first + args.cohorts)
        rows = list(pool.map(lambda seed: kept(os.path.join(args.folder, f"cut-{seed}.json"), lambda: fit(args.folder, seed, cut)), seeds))
        both = list(pool.map(lambda seed: kept(os.path.join(args.folder, f"joint-{seed}.json"), lambda: fit(args.folder, seed, joint)), seeds[:args.joint]))
    covers, rms = tell(rows, "cut")
    tell(rows, "given")
    if both:
        tell(both, "joint")
        print(f"joint, not trusted: {sum(not r['trusted'] for r in both)}")
    parts = sorted(r["part"] for r in rows if "part" in r)
    print(f"the world's part of the variance of optimism: {parts[0]:.2f} to {parts[-1]:.2f}, median {parts[len(parts) // 2]:.2f}")
    print(f"not trusted: {sum(not r['trusted'] for r in rows)}")
    good = covers >= 0.75 * len(rows) and 0.67 <= rms <= 1.36
    print("good" if good else "NOT GOOD")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
