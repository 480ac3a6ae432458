#!/usr/bin/env python3
"""`asif people` against common Markov chains over the numbers of the population and of all people at once (people_direct.c): 20 people
with 30 episodes each. Means of the population's means and standard deviations, and of every person's numbers, agree to 0.1 posterior standard
deviations, and their standard deviations to 10 %. Both sides have at least 4,000 effective draws of the population.

    tests/long/people_direct.py BUILD FOLDER [--people 20] [--episodes 30] [--draws 24000] [--warmup 1000] [--chains 4] [--workers 2]

Needs a C compiler. Takes about 10 minutes of processor time. Grids and chains that are in FOLDER are not made again."""
import argparse
import csv
import json
import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from people_sbc import write_study

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..")
EFFECTIVE = 4000


def run(*command, codes=(0,)):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"{command[0]}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def compile_direct(build, folder):
    program = os.path.join(folder, "people_direct")
    library = os.path.join(build, "src")
    run(os.environ.get("CC", "cc"), "-std=c17", "-O2", os.path.join(HERE, "people_direct.c"), f"-I{os.path.join(SOURCE, 'include')}", f"-L{library}",
        "-lasif", f"-Wl,-rpath,{os.path.abspath(library)}", "-lm", "-o", program)
    return program


def make(path, *command):
    """Run a command of which `FILE` is the output, unless there is one."""
    if not os.path.exists(path):
        run(*(path + ".new" if word == "FILE" else str(word) for word in command))
        os.rename(path + ".new", path)
    return path


def make_grid(program, args, study, logs, part):
    return make(os.path.join(args.folder, f"grid-{part}-of-{args.workers}"), program, "grid", study, logs, part, args.workers, "FILE")


def sample(program, args, study, logs, grid, chain):
    return make(os.path.join(args.folder, f"direct-{chain}"), program, "sample", study, logs, chain, args.warmup, args.draws, "FILE", *grid)


def read_direct(program, study, logs, files):
    """Mean, sd, R-hat and effective draws of each number."""
    return {line[0]: tuple(map(float, line[1:])) for line in map(str.split, run(program, "summarise", study, logs, *files).splitlines())}


def read_people(folder):
    """Mean and sd of each number of the population, and of each person's; and the fewest effective draws of the population."""
    with open(os.path.join(folder, "population.json"), encoding="utf-8") as file:
        found = json.load(file)
    out = {name: (n["mean"], n["sd"]) for name, n in found["population"].items()}
    with open(os.path.join(folder, "units.csv"), encoding="utf-8") as file:
        for i, row in enumerate(csv.DictReader(file)):
            for name in found["units_differ"]:
                out[f"{name}_of_{i + 1}"] = (float(row[name]), float(row[name + "_sd"]))
    return out, min(n["ess"] for n in found["population"].values())


def compare(direct, people):
    """Prints both; returns whether what has to agree does."""
    good = True
    worst = {}
    print(f"{'':28}{'direct':>20}{'asif people':>20}{'off, in sd':>12}{'sd over sd':>12}")
    for name, (mean, sd) in people.items():
        there, there_sd = direct[name][:2]
        off, ratio = (mean - there) / there_sd, sd / there_sd
        what = name.split("_")[0] if "_of_" not in name else "people"
        worst[what] = [max(a, b) for a, b in zip(worst.get(what, (0, 0)), (abs(off), abs(ratio - 1)))]
        if "_of_" not in name:
            print(f"{name:28}{there:11.3f} {there_sd:8.3f}{mean:11.3f} {sd:8.3f}{off:12.2f}{ratio:12.3f}")
    for what, (off, ratio) in worst.items():
        inside = off <= 0.1 and ratio <= 0.1
        good = good and (inside or what == "cor")
        print(f"{what}: means off by at most {off:.3f} sd, sds by at most {100 * ratio:.1f} %")
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--episodes", type=int, default=30)
    parser.add_argument("--draws", type=int, default=24000)
    parser.add_argument("--warmup", type=int, default=1000)
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    asif = os.path.join(args.build, "cli", "asif")
    study, logs, people = (os.path.join(args.folder, name) for name in ("study.yaml", "logs.csv", "people"))
    write_study(study)
    with open(logs, "w", encoding="utf-8") as file:
        file.write(run(asif, "simulate", study, "--people", str(args.people), "-n", str(args.episodes), "--max-steps", "40", "--seed", "1", "-q", "-o", "-"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(asif, "people", study, logs, "-o", people, "--force", "-q", "--draws", "8000", "--warmup", "500", codes=(0, 1))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = compile_direct(args.build, args.folder)
    with ThreadPoolExecutor(args.workers) as pool:
        grid = list(pool.map(lambda k: make_grid(program, args, study, logs, k), range(args.workers)))
        files = list(pool.map(lambda k: sample(program, args, study, logs, grid, k), range(1, args.chains + 1)))
    direct = read_direct(program, study, logs, files)
    (share,), (gradients,) = direct.pop("share"), direct.pop("gradients")
    seconds = float(run(program, "gradient", study, logs))
    here, effective = read_people(people)
    fewest, largest = min(d[3] for d in direct.values()), max(d[2] for d in direct.values())
    good = compare(direct, here)
    print(f"weights of the draws, exact over interpolated: effective share {share:.3f}")
    print(f"processor time of 4 chains of 1,000 draws after as many steps of warm-up, had every one of the {gradients:.0f} gradients of a draw been "
          f"exact: {8000 * gradients * seconds:.0f} s ({seconds:.4f} s each); of asif people: {after.ru_utime - before.ru_utime:.0f} s")
    print(f"effective draws: direct at least {fewest:.0f} (R-hat at most {largest:.4f}), asif people {effective:.0f}")
    good = good and fewest >= EFFECTIVE and effective >= EFFECTIVE and largest < 1.01
    print("good" if good else "NOT GOOD")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
