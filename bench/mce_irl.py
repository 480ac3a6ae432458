#!/usr/bin/env python3
"""Maximum-entropy reward learning on a gridworld, against `mce_irl` of the package imitation: same problem, same machine, one run.

    bench/mce_irl.py [BUILD] [--size N] [--episodes E] [--iterations I] [--rate R] [--quick] [--check] [--json FILE]

BUILD is build/release by default. The problem is that of bench/gridworld.py: N x N cells, 20 features, slip .1, discount .9; E
episodes of 100 steps of an agent that we know are simulated. asif is timed as a whole, `asif fit --method ml` from the start of its process to its
end, standard errors, predictions and checks included, with its nine starts and with one; the other side from the call of
its train() on, which leaves out start and imports. One thread each.

The other side is `imitation.algorithms.mce_irl.MCEIRL` if the package can be imported (pip install imitation), else, and with --quick, the same
algorithm written here with NumPy from its equations: soft values backward over a horizon of 100 steps, occupancies forward, Adam on the
difference of feature expectations. Over 100 steps at a discount of .9 the first policy is the stationary one to 3e-5 of the values. In imitation 1.0.1
the planner inside the gradient is called without the discount; the comparison passes it on, as otherwise two problems are compared.

What is compared: the log-likelihood of the same decisions under the weights that each finds, both by one routine (NumPy, soft value iteration to
1e-10), and the processor's time until then: of asif its whole run, of the other the first iterate within `--within` nats of the best it has.
--check exits with 1 if asif is not at least 20 times faster (of --quick: 2 times), or its likelihood is lower.
"""
import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
try:
    import numpy as np
except ImportError:
    print("needs NumPy")
    sys.exit(77)

import gridworld

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
DISCOUNT, SLIP, STEPS = 0.9, 0.1, 100

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build", nargs="?", default=os.path.join(root, "build", "release"))
parser.add_argument("--size", type=int, default=30)
parser.add_argument("--features", type=int, default=20)
parser.add_argument("--episodes", type=int, help="default: 100 for every 900 cells")
parser.add_argument("--iterations", type=int, default=1000, help="of the other side; imitation's default")
parser.add_argument("--rate", type=float, default=0.01, help="of its Adam; imitation's default")
parser.add_argument("--within", type=float, default=1.0, help="nats from its best that count as arrived")
parser.add_argument("--without", action="store_true", help="asif alone")
parser.add_argument("--quick", action="store_true")
parser.add_argument("--check", action="store_true")
parser.add_argument("--json")
args = parser.parse_args()
asif = os.path.join(args.build, "cli", "asif")
if args.quick:
    args.size, args.features, args.iterations, args.rate = 10, 20, 200, 0.05
if not args.episodes:
    args.episodes = max(20, args.size * args.size // 9)


class Problem:
    """The gridworld as arrays: successors [cell, action, k] with their probabilities."""

    def __init__(self, folder):
        has, weights = gridworld.write(folder, args.size, args.features, SLIP, DISCOUNT)
        self.folder, self.feature, self.truth = folder, np.array(has, float), np.array(weights)
        rows = list(gridworld.dynamics(args.size, SLIP))
        cells, actions = len(rows), len(rows[0])
        self.next = np.zeros((cells, actions, 4), int)
        self.p = np.zeros((cells, actions, 4))
        for s, row in enumerate(rows):
            for a, to in enumerate(row):
                self.next[s, a, :len(to)] = list(to)
                self.p[s, a, :len(to)] = list(to.values())

    def ahead(self, values):
        return (self.p * values[self.next]).sum(2)

    def policy(self, weights):
        """log pi of the stationary soft-optimal agent, alpha 1."""
        utility, values = self.feature @ weights, np.zeros(len(self.feature))
        while True:
            q = utility[:, None] + DISCOUNT * self.ahead(values)
            most = q.max(1)
            new = most + np.log(np.exp(q - most[:, None]).sum(1))
            if np.abs(new - values).max() < 1e-10 * (1 + np.abs(new).max()):
                return q - new[:, None]
            values = new

    def dense(self):
        cells, actions, _ = self.next.shape
        matrix = np.zeros((cells, actions, cells))
        for k in range(self.next.shape[2]):
            s, a = np.meshgrid(range(cells), range(actions), indexing="ij")
            np.add.at(matrix, (s, a, self.next[:, :, k]), self.p[:, :, k])
        return matrix


class Logs:
    def __init__(self, problem):
        self.file = os.path.join(problem.folder, "logs.csv")
        given = [f"-pf{i + 1}={w!r}" for i, w in enumerate(problem.truth.tolist())]
        run("simulate", os.path.join(problem.folder, "study.yaml"), *given, "-n", args.episodes, "--max-steps", STEPS,
            "--seed", 1, "-o", self.file)
        names = list(gridworld.ACTIONS)
        self.count = np.zeros((len(problem.feature), len(names)))
        self.occupancy = np.zeros(len(problem.feature))
        with open(self.file) as file:
            for row in csv.DictReader(file):
                self.count[int(row["state"]), names.index(row["action"])] += 1
                self.occupancy[int(row["state"])] += DISCOUNT ** int(row["t"]) / args.episodes

    def likelihood(self, problem, weights):
        return float((self.count * problem.policy(weights)).sum())


def run(*arguments):
    made = subprocess.run([asif, *map(str, arguments)], check=False, capture_output=True, text=True)
    if made.returncode not in (0, 1):
        sys.exit(made.stdout + made.stderr)
    return made


def used():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def fit(problem, logs, *flags):
    folder = os.path.join(problem.folder, "fit")
    begun, before = time.perf_counter(), used()
    run("fit", os.path.join(problem.folder, "study.yaml"), logs.file, "-o", folder, "--method", "ml", "--force", "-q",
        "--threads", 1, *flags)
    wall, seconds = time.perf_counter() - begun, used() - before
    with open(os.path.join(folder, "fit.json")) as a, open(os.path.join(folder, "run.json")) as b:
        made, how = json.load(a), json.load(b)
    weights = np.array([made["parameters"][f"f{i + 1}"]["mean"] for i in range(len(problem.truth))])
    return {"seconds": seconds, "wall": wall, "search": how["seconds_search"] / wall * seconds, "weights": weights,
            "told": made["maximum"]["log_likelihood"], "evaluations": made["maximum"]["evaluations"]}


def train_numpy(problem, logs):
    """The algorithm from its equations; [(seconds, weights)] of all iterates."""
    matrix, feature = problem.dense(), problem.feature
    cells, actions, _ = matrix.shape
    path, weights = [], np.zeros(feature.shape[1])
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    begun = time.process_time()
    for i in range(1, args.iterations + 1):
        path.append((time.process_time() - begun, weights.copy()))
        utility = feature @ weights
        policy = np.zeros((STEPS, cells, actions))
        q = np.repeat(utility[:, None], actions, 1)
        for t in reversed(range(STEPS)):
            most = q.max(1)
            values = most + np.log(np.exp(q - most[:, None]).sum(1))
            policy[t] = np.exp(q - values[:, None])
            q = utility[:, None] + DISCOUNT * (matrix @ values)
        now, visits = np.full(cells, 1 / cells), np.zeros(cells)
        for t in range(STEPS):
            visits += DISCOUNT ** t * now
            now = sum((now * policy[t, :, a]) @ matrix[:, a, :] for a in range(actions))
        slope = feature.T @ (visits - logs.occupancy)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope ** 2
        weights = weights - args.rate * (mean / (1 - 0.9 ** i)) / (np.sqrt(square / (1 - 0.999 ** i)) + 1e-8)
    path.append((time.process_time() - begun, weights.copy()))
    return path


def train_imitation(problem, logs):
    import torch
    from imitation.algorithms import mce_irl
    from imitation.rewards import reward_nets
    from seals import base_envs
    torch.set_num_threads(1)
    path, clock = [], time.process_time

    class Linear(reward_nets.RewardNet):
        def __init__(self, env):
            super().__init__(env.observation_space, env.action_space)
            self.layer = torch.nn.Linear(problem.feature.shape[1], 1, bias=False)
            torch.nn.init.zeros_(self.layer.weight)

        def forward(self, state, action, next_state, done):
            path.append((clock() - begun, self.layer.weight.detach().numpy().ravel().astype(float)))
            return self.layer(state)

    env = base_envs.TabularModelPOMDP(
        transition_matrix=problem.dense(), observation_matrix=problem.feature,
        reward_matrix=np.zeros(len(problem.feature)), horizon=STEPS,
        initial_state_dist=np.full(len(problem.feature), 1 / len(problem.feature)))
    planner = mce_irl.mce_partition_fh
    mce_irl.mce_partition_fh = lambda env, reward=None, discount=DISCOUNT: planner(
        env, reward=reward, discount=discount)
    begun = clock()
    learner = mce_irl.MCEIRL(logs.occupancy, env, Linear(env), np.random.default_rng(0), discount=DISCOUNT,
                             optimizer_kwargs={"lr": args.rate}, log_interval=None)
    learner.train(max_iter=args.iterations)
    return path


def importable():
    try:
        import imitation.algorithms.mce_irl  # noqa: F401
        return True
    except ImportError:
        return False


def arrival(problem, logs, path):
    """When it came within reach of the best it has; looked at every tenth iterate, then one by one."""
    tenth = path[::10] + path[-1:]
    value = [logs.likelihood(problem, w) for _, w in tenth]
    best = max(value)
    k = next(i for i, v in enumerate(value) if v >= best - args.within)
    for seconds, weights in path[max(0, 10 * k - 9):10 * k + 1]:
        if logs.likelihood(problem, weights) >= best - args.within:
            return seconds, best, len(path) - 1, path[-1][0]
    return tenth[k][0], best, len(path) - 1, path[-1][0]


with tempfile.TemporaryDirectory() as folder:
    problem = Problem(folder)
    logs = Logs(problem)
    decisions, cells = int(logs.count.sum()), len(problem.feature)
    print(f"{args.size} x {args.size} cells, {args.features} features, {args.episodes} episodes, {decisions} decisions")
    figures, failed = {"size": args.size, "decisions": decisions}, []
    rows = [("asif, 9 starts", fit(problem, logs)), ("asif, 1 start", fit(problem, logs, "--starts", 1))]
    for who, made in rows:
        value = logs.likelihood(problem, made["weights"])
        print(f"{who:28}{made['seconds']:9.2f} s{value:14.2f} nats   search {made['search']:.2f} s,"
              f" {made['evaluations']} evaluations")
        figures[who] = {k: v for k, v in made.items() if k != "weights"} | {"log_likelihood": value}
        if abs(value - made["told"]) > 1e-6 * abs(value):
            failed.append(f"{who} tells a log-likelihood of {made['told']}, NumPy {value}")
    truth = logs.likelihood(problem, problem.truth)
    print(f"{'the weights of the agent':28}{'':11}{truth:14.2f} nats")
    if not args.without:
        package = not args.quick and importable()
        path = (train_imitation if package else train_numpy)(problem, logs)
        who = "imitation's mce_irl" if package else "the same in NumPy"
        seconds, best, iterations, whole = arrival(problem, logs, path)
        print(f"{who:28}{seconds:9.2f} s{best:14.2f} nats   arrived within {args.within:g} nats of its best;"
              f" all {iterations} iterations {whole:.1f} s")
        figures["other"] = {"who": who, "seconds": seconds, "all": whole, "iterations": iterations, "log_likelihood": best,
                            "rate": args.rate}
        for name, made in rows:
            ratio, least = seconds / made["seconds"], 2 if args.quick else 20
            print(f"{who} took {ratio:.0f} times as long as {name}" if ratio >= 2 else f"ratio {ratio:.2f} ({name})")
            figures[name]["ratio"] = ratio
            if ratio < least and name == rows[-1 if args.quick else 0][0]:
                failed.append(f"{ratio:.2f} times, not {least}")
            if figures[name]["log_likelihood"] < best - 1e-6 * abs(best):
                failed.append(f"the log-likelihood of {name} is lower")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(figures, file, indent=1)
    for line in failed:
        print("missed:", line)
    sys.exit(1 if failed and args.check else 0)
