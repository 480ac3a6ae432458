"""What the recurrent learner earns on Tiger. Each of five seeds is trained at full length and simulated for 5,000 episodes of 200 steps
(a million decisions, on streams of their own); a decision counts with its utility expected over the doors, given all that was done and heard
before, which is Bayes' rule written out here. The optimum from the start, 19.37, is the literature's (and bounded-rational's with alpha 0).

Without memory, by the last sound alone, a door that is opened is right 85 times in 100 at best: -6.5, less than listening's -1. So the best
is to listen forever, -20."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

ASIF, SOURCE = os.environ["ASIF"], os.environ["ASIF_SOURCE"]
SAMPLES = os.environ.get("ASIF_SAMPLES")
SEEDS = range(1, 1 + int(os.environ.get("ASIF_SEEDS", "5")))
OPTIMUM, MEMORYLESS, DISCOUNT, EPISODES, STEPS = 19.37, -20.0, 0.95, 5000, 200
STUDY = """
asif: 1
environment: {{pomdp: {pomdp}}}
agent: {{planner: recurrent}}
solver: {{seed: {seed}{samples}}}
"""


def returns(path):
    """Discounted return of each episode."""
    out, left, weight = [], 0.5, 1.0
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["t"] == "0":
                out.append(0.0)
                left, weight = 0.5, 1.0  # chance of the tiger behind the left door
            if row["action"] == "listen":
                out[-1] -= weight
                near, far = (0.85, 0.15) if row["observation"] == "hear-left" else (0.15, 0.85)
                left = near * left / (near * left + far * (1 - left))
            else:
                wrong = left if row["action"] == "open-left" else 1 - left
                out[-1] += weight * (10 - 110 * wrong)
                left = 0.5
            weight *= DISCOUNT
    return out


means = []
with tempfile.TemporaryDirectory() as folder:
    study, logs = os.path.join(folder, "study.yaml"), os.path.join(folder, "logs.csv")
    for seed in SEEDS:
        with open(study, "w", encoding="utf-8") as file:
            file.write(STUDY.format(pomdp=os.path.join(SOURCE, "examples", "tiger", "tiger.pomdp"), seed=seed,
                                    samples=f", samples: {SAMPLES}" if SAMPLES else ""))
        plan = subprocess.run([ASIF, "plan", study, "--json"], capture_output=True, text=True, check=True)
        solver = json.loads(plan.stdout)["solver"]
        subprocess.run([ASIF, "simulate", study, "-n", str(EPISODES), "--max-steps", str(STEPS), "--seed", str(1000 + seed),
                        "-o", logs, "-q"], check=True)
        got = returns(logs)
        assert len(got) == EPISODES
        mean = sum(got) / EPISODES
        error = math.sqrt(sum((x - mean) ** 2 for x in got) / (EPISODES - 1) / EPISODES)
        means.append(mean)
        print(f"seed {seed}: {mean:6.2f} +- {error:.2f}, {solver['samples']:,} samples in {solver['seconds']:.1f} s", flush=True)
mean = sum(means) / len(means)
print(f"mean of {len(means)} seeds {mean:.2f}: {100 * mean / OPTIMUM:.1f} % of the optimum, {OPTIMUM}; without memory {MEMORYLESS}")
if not SAMPLES:
    sys.exit(not (mean >= 0.75 * OPTIMUM and mean > MEMORYLESS))
