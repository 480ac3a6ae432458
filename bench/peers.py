#!/usr/bin/env python3
"""asif and other software on the same problems, by processor time, in one run on one machine.

    bench/peers.py ASIF [--sarsop FILE] [--pomdp-solve FILE] [--python FILE] [--buses TABLE] [--published FOLDER]
                   [--repeats 3]

Tiger, solved:           SARSOP (github.com/AdaCompNUS/sarsop; make -C src CYGWIN_CFLAGS=-fcommon; --sarsop src/pomdpsol)
                         pomdp-solve (github.com/cassandra/pomdp-solve; ./configure && make CFLAGS='-O2 -fcommon';
                         --pomdp-solve src/pomdp-solve)
Rust's buses, estimated: econirl (pip install econirl) and ruspy (github.com/OpenSourceEconomics/ruspy; pip install .
                         in its clone: `ruspy` of PyPI is other software), both in the interpreter --python;
                         --buses is the table rust1987_buses.csv, which docs/rust1987.md describes
A chain on DIAG:         the code of the paper's authors (github.com/vanderschaarlab/mlforhealthlabpub, alg/ibrc; its
                         diag/data.py has to be run first) in the interpreter --python with jax and dill;
                         --published is the folder alg/ibrc

What is missing is left out, and named. Each command runs from start to end, in turns; medians count. The answers are
printed, so that it can be seen whether the programs computed the same thing.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "examples")

BUSES = """
import sys, pandas
table = pandas.read_csv(sys.argv[1])
table = table[table.group.isin([1, 2, 3])]
"""
ECONIRL = BUSES + """
from econirl import NFXP
from econirl.datasets.rust_bus import rust_bus_reward_spec
model = NFXP(n_states=90, discount=0.9999, utility=rust_bus_reward_spec(90))
model.fit(table, state="mileage_bin", action="replaced", id="bus_id")
print("RC %.4f, theta %.4f" % (model.params_["replacement_cost"], 1e3 * model.params_["operating_cost"]))
"""
RUSPY = BUSES + """
import numpy, scipy.optimize
from ruspy.estimation.criterion_function import get_criterion_function
before = table.groupby("bus_id")[["mileage_bin", "replaced"]].shift(1)
usage = table.mileage_bin - before.mileage_bin.where(before.replaced == 0, 0)
frame = pandas.DataFrame({"Bus_ID": table.bus_id, "period": table.groupby("bus_id").cumcount(), "usage": usage,
                          "state": table.mileage_bin, "decision": table.replaced}).set_index(["Bus_ID", "period"])
functions, _ = get_criterion_function(
    {"model_specifications": {"discount_factor": 0.9999, "num_states": 90, "maint_cost_func": "linear", "cost_scale": 1e-3},
     "method": "NFXP"}, frame)
best = scipy.optimize.minimize(functions["criterion_function"], numpy.array([8.0, 2.0]),
                               jac=functions["criterion_derivative"], method="L-BFGS-B")
print("RC %.4f, theta %.4f" % tuple(best.x))
"""


def processor_time(command, cwd):
    """Runs a command: its processor time with that of its children in seconds, and its output."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read()
    if child.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {child.returncode}:\n{said[-2000:]}")
    return used.ru_utime + used.ru_stime, said


def contest(title, programs, repeats, folder):
    """Runs programs (name, command, expression that finds the answer in the output) in turns and prints a table."""
    times = {name: [] for name, _, _ in programs}
    answers = {}
    for _ in range(repeats):
        for name, command, pattern in programs:
            spent, said = processor_time(command, folder)
            times[name].append(spent)
            found = re.findall(pattern, said)
            answers[name] = found[-1] if found else "no answer found"
            if not isinstance(answers[name], str):
                answers[name] = ", ".join(answers[name])
    ours = statistics.median(times["asif"])
    print(title)
    for name, _, _ in programs:
        median = statistics.median(times[name])
        print(f"  {name:<12} {median:9.3f} s  {median / ours:8.1f} times asif  {answers[name].strip()}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("asif")
    for flag in ("--sarsop", "--pomdp-solve", "--python", "--buses", "--published"):
        parser.add_argument(flag)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    asif = os.path.abspath(args.asif)
    left_out = [flag for flag in ("sarsop", "pomdp_solve", "python", "buses", "published") if not getattr(args, flag)]
    path = {flag: os.path.abspath(value) for flag, value in vars(args).items() if isinstance(value, str)}

    with tempfile.TemporaryDirectory() as folder:
        tiger = os.path.join(EXAMPLES, "tiger")
        shutil.copytree(tiger, folder, dirs_exist_ok=True)
        programs = [("asif", [asif, "plan", "study.yaml"], r"0\.500 +0\.500 +([\d.]+)")]
        if args.sarsop:
            programs.append(("SARSOP", [path["sarsop"], "tiger.pomdp", "-p", "1e-3", "-o", "tiger.policy"],
                             r"\d+ +\d+ +\d+ +([\d.]+ +[\d.]+) +[\d.e-]+ +\d+ +\d+"))
        if args.pomdp_solve:
            programs.append(("pomdp-solve", [path["pomdp_solve"], "-pomdp", "tiger.pomdp", "-o", "tiger"], r"Epoch: (\d+)"))
        contest("Tiger: value of the belief one half (pomdp-solve: its last epoch)", programs, args.repeats, folder)

    if args.buses:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(EXAMPLES, "rust", "study.yaml"), folder)
            where = ["--where", "group=1,2,3"]
            subprocess.run([asif, "learn-world", "study.yaml", path["buses"], *where, "-o", "learnt.yaml"], cwd=folder,
                           check=True, stdout=subprocess.DEVNULL)
            fit = [asif, "fit", "learnt.yaml", path["buses"], *where, "--method", "ml", "--no-sensitivity", "--quiet",
                   "--force", "-o", "fit"]
            programs = [("asif", fit, r"utility +RC +([\d.]+).*\n +utility +theta +([\d.]+)")]
            if args.python:
                programs.append(("econirl", [args.python, "-c", ECONIRL, path["buses"]], r"RC.*"))
                programs.append(("ruspy", [args.python, "-c", RUSPY, path["buses"]], r"RC.*"))
            contest("Rust's buses, groups 1-3 (the first step, increments, is not counted for asif)", programs,
                    args.repeats, folder)

    if args.published and args.python:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(path["published"], folder, dirs_exist_ok=True)
            shutil.copy(os.path.join(EXAMPLES, "diag", "study.yaml"), folder)
            subprocess.run([asif, "simulate", "study.yaml", "-n", "1000", "--seed", "1", "-o", "logs.csv"], cwd=folder,
                           check=True, stdout=subprocess.DEVNULL)
            chain = [asif, "fit", "study.yaml", "logs.csv", "--method", "metropolis", "--chains", "1", "--warmup", "1000",
                     "--draws", "10000", "--no-sensitivity", "--quiet", "--force", "-o", "fit"]
            contest("DIAG: a random walk of 11,000 steps",
                    [("asif", chain, r"beta.*"), ("published", [args.python, "diag/main.py", "--tag", "bet"], r"\[.*\]")],
                    args.repeats, folder)

    if left_out:
        print("left out, as their flags are missing: " + ", ".join("--" + flag.replace("_", "-") for flag in left_out))


if __name__ == "__main__":
    main()
