"""What the tests of the explorer share: where it is, random settings of its sliders, and the command's answer to the same."""
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

ASIF, SOURCE, BUILD = (os.environ.get(name) for name in ("ASIF", "ASIF_SOURCE", "ASIF_BUILD"))
HERE = os.path.dirname(os.path.abspath(__file__))
STUDIES = {"diag": "examples/diag/study.yaml", "tiger": "web/studies/tiger.yaml", "triage": "web/studies/triage.yaml",
           "dementia": "examples/dementia/world.yaml"}
EVENTS = {"diag": ["monitor:negative", "monitor:positive"], "tiger": ["listen:hear_left", "listen:hear_right"],
          "triage": ["test:low", "test:medium", "test:high", "wait:low"], "dementia": ["mri:normal/low", "mri:questionable/average", "no_mri:suspected/none"]}
LEARNT = {"diag": ["alpha", "optimism", "eta"], "tiger": ["alpha", "optimism", "eta", "tiger"],
          "triage": ["alpha", "optimism", "missed"], "dementia": ["alpha", "optimism", "eta"]}


def need():
    """Leave with 77 where the explorer or what runs it is missing; tools/build-web makes it."""
    if not ASIF or not SOURCE or not BUILD or not os.path.exists(ASIF):
        print("ASIF (the command), ASIF_SOURCE (the source tree) and ASIF_BUILD (the build folder) are not set")
        sys.exit(77)
    for path in (page(), os.path.join(engine(), "explorer.wasm")):
        if not os.path.exists(path):
            print(f"{path} was not found; tools/build-web makes it")
            sys.exit(77)
    if not shutil.which("node"):
        print("node was not found; tools/install-deps --web installs it")
        sys.exit(77)


def page():
    return os.path.join(SOURCE, "build", "web", "asif.html")


def engine():
    return os.path.join(SOURCE, "build", "wasm", "web")


def settings(count, seed=0):
    """Random positions of the sliders that move most, by study, each with a history of up to four steps."""
    draw = random.Random(seed)
    out = []
    for i in range(count):
        study = list(STUDIES)[i * len(STUDIES) // count]
        steps = [draw.choice(EVENTS[study]) for _ in range(draw.randrange(5))]
        out.append({"study": study, "values": {name: round(draw.random(), 3) for name in LEARNT[study]},
                    "history": [step.split(":") for step in steps]})
    return out


def plan(study, values, resolution, history):
    words = [ASIF, "plan", os.path.join(SOURCE, STUDIES[study]), "--json", "--occupancy", "--tol", "1e-12"]
    for name, value in values.items():
        words += ["-p", f"{name}={value!r}"]
    if resolution:
        words += ["--resolution", str(resolution)]
    if history:
        words += ["--history", ",".join(":".join(event) for event in history)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.stdout else {"error": done.stderr}


def farthest(a, b, path=""):
    """The largest difference of numbers in two answers, relative to max(1, |b|), and where; times and counts of work left out."""
    if path.endswith(("/seconds", "/residual", "/bound", "/backups")):
        return 0, path
    if isinstance(b, dict) and isinstance(a, dict) and a.keys() == b.keys():
        return max((farthest(a[k], b[k], f"{path}/{k}") for k in b), default=(0, path))
    if isinstance(b, list) and isinstance(a, list) and len(a) == len(b):
        return max((farthest(x, y, f"{path}/{i}") for i, (x, y) in enumerate(zip(a, b))), default=(0, path))
    if isinstance(b, (int, float)) and isinstance(a, (int, float)) and not isinstance(b, bool):
        return abs(a - b) / max(1, abs(b)), path
    return (0, path) if a == b else (math.inf, f"{path}: {a!r} is not {b!r}")


def differences(found):
    """Messages for settings whose numbers are not the command's to 1e-9."""
    out, worst = [], 0
    for setting in found:
        expected = plan(setting["study"], setting["values"], setting["resolution"], setting["history"])
        far, where = farthest(setting["plan"], expected)
        worst = max(worst, far)
        if far > 1e-9:
            out.append(f"{setting['study']} {setting['values']}: {where} differs by {far}")
    print(f"{len(found)} settings: largest difference {worst:.2g}")
    return out


def nats(values, logs):
    """Nats per 1,000 logs of the diagnosis task by which `asif identify` tells the first agent from the second."""
    words = [ASIF, "identify", os.path.join(SOURCE, STUDIES["diag"]), "--draws", "0", "--rival-logs", str(logs), "--json",
             "--against", ",".join(f"{name}={value!r}" for name, value in values[1].items())]
    for name, value in values[0].items():
        words += ["-p", f"{name}={value!r}"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
    rival = json.loads(done.stdout)["rivals"][0]
    return rival
