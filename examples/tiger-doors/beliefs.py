#!/usr/bin/env python3
"""What people said about the tiger's door, next to the belief of the fitted agent, to that of Bayes' rule, and to a count of roars.

    beliefs.py ASIF STUDY doors.csv FIT

People were asked before every action but the first, and then knew the roars up to that one. So do the beliefs. Intervals are 90 %, from
1,000 samples of people."""
import csv
import json
import math
import random
import subprocess
import sys

DOORS = ["left", "middle", "right"]
RIGHT = 0.84  # the share of roars that come from the tiger's door
SAMPLES = 1000


def read_answers(path):
    """By person: (roars heard so far, guess, sure?) of every question that was answered."""
    answers, room, heard = {}, None, ()
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if room != (row["subject"], row["episode"]):
                room, heard = (row["subject"], row["episode"]), ()
            if row["guess"] and row["sure"]:
                answers.setdefault(row["subject"], []).append((heard, row["guess"], row["sure"] == "high"))
            if row["action"] == "listen":
                heard += (row["observation"],)
    return answers


def find_beliefs(asif, study, fit, histories):
    """The agent's belief after each of these histories, with the medians of the fit."""
    with open(f"{fit}/fit.json", encoding="utf-8") as file:
        median = {name: number["q50"] for name, number in json.load(file)["parameters"].items()}
    median["alpha"] = math.exp(median.pop("log_alpha"))
    flags = [flag for name, value in median.items() for flag in ("-p", f"{name}={value}")]
    beliefs = {}
    for history in histories:
        steps = ",".join(f"listen:{door}" for door in history)
        done = subprocess.run([asif, "plan", study, *flags, "--history", steps, "--json"], capture_output=True, text=True, check=True)
        beliefs[history] = json.loads(done.stdout)["history"][-1]["belief"]
    return beliefs


def bayes(history):
    belief = [math.prod(RIGHT if roar == door else (1 - RIGHT) / 2 for roar in history) for door in DOORS]
    return [b / sum(belief) for b in belief]


def count(history):
    return [history.count(door) for door in DOORS]


def count_then_last(history):
    """Of doors with as many roars, the one that was heard last has a little more."""
    return [history.count(door) + (door == history[-1]) / 2 for door in DOORS]


def agrees(scores, guess):
    """1 if the guess has the highest score; doors that tie share it."""
    best = [door for door, score in zip(DOORS, scores) if score > max(scores) - 1e-9]
    return (guess in best) / len(best)


def sureness(scores):
    """The lead of the best door over the second."""
    ordered = sorted(scores)
    return round(ordered[2] - ordered[1], 9)


def auroc(pairs):
    """The chance that a sure answer has a higher score than one that was not sure; ties count half."""
    groups, below, wins = {}, 0, 0.0
    for score, sure in pairs:
        groups.setdefault(score, [0, 0])[sure] += 1
    for score in sorted(groups):
        low, high = groups[score]
        wins += high * (below + low / 2)
        below += low
    return wins / (below * (len(pairs) - below))


def measure(rows):
    return [sum(agree for agree, _, _ in rows) / len(rows), auroc([(score, sure) for _, score, sure in rows])]


def main(asif, study, logs, fit):
    answers = read_answers(logs)
    people = sorted(answers)
    agent = find_beliefs(asif, study, fit, {heard for rows in answers.values() for heard, _, _ in rows})
    draw = random.Random(1)
    samples = [draw.choices(people, k=len(people)) for _ in range(SAMPLES)]
    print(f"{sum(map(len, answers.values()))} answers of {len(people)} people, {sum(sure for rows in answers.values() for *_, sure in rows)} sure")
    for name, score in (("fitted agent", agent.get), ("Bayes' rule", bayes), ("count of roars", count), ("count, then last", count_then_last)):
        rows = {person: [(agrees(score(heard), guess), sureness(score(heard)), sure) for heard, guess, sure in answers[person]] for person in people}
        spread = [sorted(x) for x in zip(*(measure([row for person in sample for row in rows[person]]) for sample in samples))]
        all_rows = measure([row for person in people for row in rows[person]])
        text = [f"{at:.3f} ({x[SAMPLES // 20]:.3f} to {x[-SAMPLES // 20]:.3f})" for at, x in zip(all_rows, spread)]
        print(f"{name:17} same door {text[0]}   sure, AUROC {text[1]}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
