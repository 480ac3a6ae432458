"""How long `asif check` says that a fit takes, and how long it took, in processor time: within a factor of 1.5 on three studies.

    python3 tests/long/forecast.py [BUILD [--short | STUDY ...]]

The factors of the forecast were set by three studies: the diagnosis task of the README, a triage with three hidden states, and the
gridworld, whose states are seen. The others (a memory clinic, bus engines, beads) were never used for that. With five numbers to
learn a fit can take longer: examples/tiger-doors took 2.3 times its forecast.
`--short` is the gridworld only, and allows a factor of 3: machines that others use, too, change their speed by as much as 1.6."""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = SOURCE / "examples"
SHORT = "--short" in sys.argv
WORDS = [word for word in sys.argv[1:] if word != "--short"]
BUILD = pathlib.Path(WORDS[0] if WORDS else SOURCE / "build/release")
ASIF = os.environ.get("ASIF") or BUILD / "cli" / "asif"
FACTOR = 3 if SHORT else 1.5

TRIAGE = """\
asif: 1
title: Triage
states:       [mild, moderate, severe]
actions:      [wait, order_lab, admit, discharge]
observations: [low, medium, high]
environment:
  start: [0.55, 0.30, 0.15]
  transitions:
    wait:      [[0.88, 0.10, 0.02], [0.08, 0.77, 0.15], [0, 0.03, 0.97]]
    order_lab: [[0.94, 0.05, 0.01], [0.04, 0.89, 0.07], [0, 0.02, 0.98]]
    any: reset
  emissions:
    order_lab: [[0.70, 0.25, 0.05], [0.20, 0.60, 0.20], [0.05, 0.25, 0.70]]
    any: uniform
  ends: [admit, discharge]
agent:
  planner: bounded-rational
  discount: 0.95
  worlds: {around: environment, emissions: ±0.1}
  utility:
    wait:      {mild: 0.2, moderate: -1, severe: -4}
    order_lab: cost
    admit:     {mild: overtriage, moderate: 4, severe: 12}
    discharge: {mild: 8, moderate: -8, severe: missed}
  parameters:
    cost: -1
    overtriage: -12
    missed: {learn: normal(-50, 20), standard: -50}
    alpha: learn
    optimism: learn
    eta: 0
solver: {resolution: 30}
"""
BUSES = re.sub("learn 0 to 2", "{0: 0.35, 1: 0.64, 2: 0.01}", re.sub(r"(?s)\nlogs:.*", "\n", (EXAMPLES / "rust" / "study.yaml").read_text()))
# Study, values that the logs are simulated with, episodes, and the most steps of one.
STUDIES = {
    "gridworld": (EXAMPLES / "gridworld" / "study.yaml", ("goal=10", "mud=-1", "water=-3"), 100, 50),
    "diag": (EXAMPLES / "diag" / "study.yaml", ("alpha=0.5", "beta=1.25", "eta=0.001"), 1000, 1000),
    "triage": (TRIAGE, ("alpha=0.8", "optimism=0.3", "missed=-50"), 600, 1000),
    "memory": (EXAMPLES / "memory" / "study.yaml", ("alpha=2", "beta=2", "eta=0"), 300, 1000),
    "buses": (BUSES, ("RC=10", "theta=2.5"), 60, 100),
    "beads": (EXAMPLES / "beads" / "study.yaml", ("price=1", "look=0.1", "alpha=0.5"), 300, 100),
}


def asif(*words):
    """What a command prints, and the seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([ASIF, *map(str, words)], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"asif {words[0]}: {done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


failed = False
chosen = ["gridworld"] if SHORT else WORDS[1:] or list(STUDIES)
with tempfile.TemporaryDirectory() as folder:
    at = pathlib.Path(folder)
    for name, (study, values, episodes, steps) in STUDIES.items():
        if name not in chosen:
            continue
        if isinstance(study, str):
            (at / "study.yaml").write_text(study)
            study = at / "study.yaml"
        params = [word for value in values for word in ("-p", value)]
        asif("simulate", study, *params, "-n", episodes, "--max-steps", steps, "--seed", 1, "-o", at / "logs.csv")
        text, trial = asif("check", study, at / "logs.csv", "--json")
        forecast = json.loads(text)["forecast"]
        _, took = asif("fit", study, at / "logs.csv", "-o", at / name, "--threads", 1, "-q", "--progress", "none")
        ratio = forecast["seconds"] / took
        good = 1 / FACTOR < ratio < FACTOR and trial < took
        failed |= not good
        print(f"{'ok:    ' if good else 'FAILED:'} {name}: forecast {forecast['seconds']:.2f} s, took {took:.2f} s of processor time, "
              f"ratio {ratio:.2f}; the check took {trial:.2f} s")
sys.exit(failed)
