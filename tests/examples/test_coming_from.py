"""What the pages `site/pages/coming-from` say of other packages' words: softmax probabilities by hand, a table with the columns
of hBayesDM, and every planner, inverse planner and option that they name."""
import csv
import io
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

ASIF = os.environ["ASIF"]
SOURCE = pathlib.Path(os.environ["ASIF_SOURCE"])
PAGES = SOURCE / "site" / "pages" / "coming-from"

# A, B, C, D and E of a problem with two arms, whose first decision is the last.
ARMS = """asif: 1
states: [left, right]
actions: [press_left, press_right]
observations: [win, loss]
environment:
  start: [0.7, 0.3]
  horizon: 1
  transitions: {any: identity}
  emissions: {press_left: [[0.8, 0.2], [0.2, 0.8]], press_right: [[0.2, 0.8], [0.8, 0.2]]}
agent:
  discount: 0.9
  utility: {on: observation, win: 1, loss: -0.5}
  action_prior: [0.6, 0.4]
  parameters: {alpha: 0.5, act_alpha: 0.25, beta: inf, eta: 0}
"""


def run(*words):
    done = subprocess.run([ASIF, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def pymdp(folder):
    """The habit E times a softmax of the expected preference, with precision 1/alpha; `act_alpha` is that of acting alone."""
    preference = [0.62 * 1 - 0.38 * 0.5, 0.38 * 1 - 0.62 * 0.5]
    for alpha, text in ((0.25, ARMS), (0.5, ARMS.replace(" act_alpha: 0.25,", ""))):
        (folder / "arms.yaml").write_text(text)
        at, = json.loads(run("plan", folder / "arms.yaml", "--belief", "0.7,0.3", "--json"))["beliefs"]
        weights = [e * math.exp(c / alpha) for e, c in zip((0.6, 0.4), preference)]
        assert math.isclose(at["policy"]["press_left"], weights[0] / sum(weights), rel_tol=1e-12)


def hbayesdm(folder):
    """Tab-separated, with a column subjID: the same counts as the table of asif's own columns."""
    study = SOURCE / "examples/diag/study.yaml"
    logs = run("simulate", study, "-n", 30, "--seed", 1, "-q", "-o", "-", "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0")
    roles = {"subject": "subjID", "episode": "case", "time": "trial", "action": "choice", "observation": "outcome"}
    rows = [[f"s{int(row['episode']) % 3}", *row.values()] for row in csv.DictReader(io.StringIO(logs))]
    usual = ["subject", "episode", "t", "action", "observation"]
    for name, separator, heads in (("data.txt", "\t", roles.values()), ("logs.csv", ",", usual)):
        (folder / name).write_text("".join(separator.join(row) + "\n" for row in [heads, *rows]))
    maps = [word for role, column in roles.items() for word in ("--map", f"{role}={column}")]
    run("count", folder / "data.txt", "--study", study, "-o", folder / "theirs.tree", "-q", *maps)
    run("count", folder / "logs.csv", "--study", study, "-o", folder / "ours.tree", "-q")
    assert (folder / "theirs.tree").read_bytes() == (folder / "ours.tree").read_bytes()
    assert "--people" in run("evaluate", "--help") and "population" in run("people", "--help")


def names():
    """Planners and inverse planners to which the pages link are there; so is what `code` there names."""
    listed = {part["name"] for kind in ("planners", "inverses") for part in json.loads(run("list", kind, "--json"))[kind]}
    pages = {path.stem: path.read_text() for path in PAGES.glob("*.md")}
    linked = {name for text in pages.values() for name in re.findall(r"docs/(?:planners|inverse)/([a-z-]+)\.md", text)}
    assert len(linked) >= 3 and linked <= listed, linked - listed
    rivals = (SOURCE / "docs/rivals.md").read_text()
    reference = (SOURCE / "docs/reference/study.md").read_text()
    for name in ("emissions", "transitions", "utility", "start", "action_prior", "act_alpha", "horizon"):
        assert f"`{name}`" in pages["pymdp"] and f"`{name}`" in reference, name
    assert "`recurrent-cloning`" in pages["imitation"] and "`recurrent-cloning`" in rivals
    assert "--method ml" in pages["econirl"] and "ml" in run("fit", "--help")


with tempfile.TemporaryDirectory() as name:
    pymdp(pathlib.Path(name))
    hbayesdm(pathlib.Path(name))
    names()
