#!/usr/bin/env python3
"""`asif people` with many people: DIAG with 10 episodes each, drawn from a known population. Prints how long it took, how much memory it needed
and how many posteriors are accurate. The 90 % intervals of the population's means have to cover in at least 15 of 20 tables of logs (or as
large a share of fewer), and at least 99.9 % of the posteriors have to be accurate. A population that is refused covers nothing.

    tests/long/people_many.py ASIF FOLDER [--people 100000] [--episodes 10] [--tables 20] [--first 1] [--threads 2] [--keep]

The same command goes on from what is in FOLDER. A table of 100,000 people takes 4 minutes on two cores, one of 1,000,000 half an hour."""
import argparse
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import time

from people_sbc import CENTRE, NAMES, SCALE, write_study


def run(*command, codes=(0,)):
    """Seconds, seconds of the processor, and what it printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def cover_people(units, truths):
    """The share of the people's 90 % intervals that hold the truth, for each number."""
    inside, people = dict.fromkeys(NAMES, 0), 0
    with open(units, encoding="utf-8") as here, open(truths, encoding="utf-8") as there:
        for row, true in zip(csv.DictReader(here), csv.DictReader(there)):
            assert row["unit"] == true["subject"]
            people += 1
            for name in NAMES:
                inside[name] += float(row[f"{name}_q05"]) <= float(true[name]) <= float(row[f"{name}_q95"])
    return {name: count / people for name, count in inside.items()}


def table(o, study, seed):
    kept = os.path.join(o.folder, f"{seed}.json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            return json.load(file)
    logs, truths, out = (os.path.join(o.folder, f"{seed}{end}") for end in (".csv", ".truths.csv", ".fit"))
    threads = ["--threads", str(o.threads)]
    run(o.asif, "simulate", study, "--people", str(o.people), "-n", str(o.episodes), "--max-steps", "40", "--seed", str(seed), "-q", "-o", logs,
        "--parameters", truths, *threads)
    seconds, processor, text = run(o.asif, "people", study, logs, "-o", out, "--force", "--map", "subject=subject", "--seed", str(seed), "-q",
                                   "--json", *threads, codes=(0, 1))
    found = json.loads(text)
    result = {"seconds": seconds, "processor": processor, "memory": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
              "units": found["units"], "rows": found["different_units"], "served": found["units_served"], "points": found["table"]["points"],
              "refused": found.get("refused")}
    if not result["refused"]:
        result |= {"population": found["population"], "people": cover_people(os.path.join(out, "units.csv"), truths)}
    if not o.keep:
        shutil.rmtree(out)
        os.remove(logs)
        os.remove(truths)
    with open(kept, "w", encoding="utf-8") as file:
        json.dump(result, file)
    return result


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("asif", type=os.path.abspath)
    parse.add_argument("folder", type=os.path.abspath)
    for name, default in (("people", 100000), ("episodes", 10), ("tables", 20), ("first", 1), ("threads", 2)):
        parse.add_argument(f"--{name}", type=int, default=default)
    parse.add_argument("--keep", action="store_true", help="keep the logs and the fits")
    o = parse.parse_args()
    os.makedirs(o.folder, exist_ok=True)
    study = os.path.join(o.folder, "study.yaml")
    write_study(study)
    truth = dict(zip(NAMES, CENTRE))
    covered, good = dict.fromkeys(NAMES, 0), True
    for seed in range(o.first, o.first + o.tables):
        r = table(o, study, seed)
        print(f"table {seed}: {r['units']} people, {r['rows']} that differ, {r['points']} points; {r['seconds']:.0f} s, {r['processor']:.0f} s of the "
              f"processor, at most {r['memory'] / 2**30:.2f} GB; accurate {100 * r['served'] / r['units']:.3f} %", flush=True)
        good = good and (r["refused"] or r["served"] >= 0.999 * r["units"])
        if r["refused"]:
            print("   ", r["refused"], flush=True)
            continue
        print("   ", ", ".join(f"{name} {n['mean']:.4f} ± {n['sd']:.4f}" for name, n in r["population"].items()))
        print("    90 % intervals of people cover in", ", ".join(f"{100 * share:.1f} % ({name})" for name, share in r["people"].items()), flush=True)
        for name in NAMES:
            n = r["population"][f"mean_{name}"]
            covered[name] += n["q05"] <= truth[name] <= n["q95"]
    spread = dict(zip(NAMES, SCALE))
    print("true sds:", ", ".join(f"{name} {spread[name]}" for name in NAMES))
    print(f"of {o.tables} tables, 90 % intervals of the means cover in", ", ".join(f"{c} ({name})" for name, c in covered.items()))
    good = good and all(count >= 0.75 * o.tables for count in covered.values())
    print("passed" if good else "failed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
