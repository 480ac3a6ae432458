#!/usr/bin/env python3
"""A gridworld of N x N cells as a study: grid.drn (dynamics), features.csv (random binary features of the cells), study.yaml.

    bench/gridworld.py N FOLDER [--features K] [--slip P] [--discount D] [--density P] [--seed S]

An agent goes north, east, south or west; with probability `slip` it goes in a direction drawn at random instead; against the edge
it stays where it is. Every episode begins in a cell drawn at random. The utility of a cell is a sum of its features, f1 to fK, each
times a weight, which is what is to be learnt; the weights in weights.csv are drawn from a standard normal distribution.
"""
import argparse
import os
import random

ACTIONS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}


def ahead(n, cell, move):
    row, column = divmod(cell, n)
    row, column = row + move[0], column + move[1]
    return row * n + column if 0 <= row < n and 0 <= column < n else cell


def dynamics(n, slip):
    """[cell][action]: {next cell: probability}."""
    moves = list(ACTIONS.values())
    for cell in range(n * n):
        at = [ahead(n, cell, move) for move in moves]
        rows = []
        for target in at:
            row = {}
            for other in at:
                row[other] = row.get(other, 0) + slip / len(at)
            row[target] = row.get(target, 0) + 1 - slip
            rows.append(row)
        yield rows


def features(n, count, density, seed):
    """[cell]: the features it has; and the weights."""
    draw = random.Random(seed)
    weights = [draw.gauss(0, 1) for _ in range(count)]
    return [[int(draw.random() < density) for _ in range(count)] for _ in range(n * n)], weights


def write(folder, n, count=20, slip=0.1, discount=0.9, density=0.1, seed=1):
    os.makedirs(folder, exist_ok=True)
    names = [f"f{i + 1}" for i in range(count)]
    has, weights = features(n, count, density, seed)
    with open(os.path.join(folder, "grid.drn"), "w") as file:
        file.write(f"@type: MDP\n@parameters\n\n@reward_models\n\n@nr_states\n{n * n}\n"
                   f"@nr_choices\n{n * n * len(ACTIONS)}\n@model\n")
        for cell, rows in enumerate(dynamics(n, slip)):
            file.write(f"state {cell}\n")
            for action, row in zip(ACTIONS, rows):
                file.write(f"\taction {action}\n")
                file.writelines(f"\t\t{to} : {p:.17g}\n" for to, p in sorted(row.items()))
    with open(os.path.join(folder, "features.csv"), "w") as file:
        file.write("state," + ",".join(names) + "\n")
        file.writelines(f"{cell},{','.join(map(str, row))}\n" for cell, row in enumerate(has))
    with open(os.path.join(folder, "weights.csv"), "w") as file:
        file.write("name,weight\n")
        file.writelines(f"{name},{weight:.17g}\n" for name, weight in zip(names, weights))
    with open(os.path.join(folder, "study.yaml"), "w") as file:
        file.write(f"""asif: 1
title: Gridworld of {n} by {n}
environment: {{mdp: grid.drn}}
agent:
  planner: maximum-entropy
  discount: {discount}
  utility: {{features: features.csv}}
  parameters:
    alpha: 1
    f*: {{learn: normal(0, 1), standard: 0}}
""")
    return has, weights


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int)
    parser.add_argument("folder")
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--slip", type=float, default=0.1)
    parser.add_argument("--discount", type=float, default=0.9)
    parser.add_argument("--density", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    write(a.folder, a.n, a.features, a.slip, a.discount, a.density, a.seed)
