"""The gallery: of each example its study, a table that the command simulates, and a picture of what the command computes."""
import json
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of each: the study, values of its parameters, how many episodes are simulated, and the file with the picture, of `asif plan
# --figures` unless a function below makes it.
EXAMPLES = {
    "diagnosis": ("examples/diag/study.yaml", "alpha=0.5 optimism=0.8 eta=0.001", "-n 1000", "policy"),
    "tiger": ("web/studies/tiger.yaml", "alpha=2 optimism=0 eta=0", "-n 500", "policy"),
    "triage": ("web/studies/triage.yaml", "alpha=0.5 optimism=0.3 missed=-50", "-n 500", "simplex"),
    "dementia": ("examples/dementia/world.yaml", "alpha=0.12 optimism=1 eta=1.1", "-n 300 --max-steps 10", "simplex"),
    "buses": ("examples/rust/study.yaml", "RC=9.8149 theta=2.5892", "-n 104 --max-steps 80", "buses"),
    "gridworld": ("examples/gridworld/study.yaml", "goal=10 mud=-1 water=-3", "-n 100 --max-steps 50", "grid"),
    "bets": ("examples/observe-or-bet/study.yaml", "look=0.06 stick=0.58 alpha=0.48", "-n 345", "posterior"),
    "doctors": ("examples/diag/study.yaml", "", "-n 20 --people 200", "people"),
}
BESIDE = {"gridworld": ["grid.drn", "features.csv"]}
# Changes of a study: what is assumed here and learnt there, and what is about other tables.
CHANGES = {
    # Increments of groups 1 to 4 in docs/rust1987.md; the simulated table has asif's own columns.
    "buses": [(r"monthly: learn 0 to 2 .*", "monthly: [0.3546, 0.6340, 0.0114]"), (r"(?s)\nlogs:.*", "")],
    # A population: priors of people, as in docs/howto/people.md.
    "doctors": [(r"alpha: learn .*", "alpha: learn ~ lognormal(-0.7, 0.5)"), (r"beta:  learn .*", "optimism: learn ~ normal(0.5, 0.5)"),
                (r"eta:   learn", "eta: 0.001")],
}
KEEP, REPLACE = "#4c78a8", "#e45756"


def asif(*words, cwd):
    done = subprocess.run([os.environ["ASIF"], *words, "-q"], check=False, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"asif {' '.join(words)}: {done.stderr}")
    return done.stdout


def values_of(values):
    return [word for value in values.split() for word in ("-p", value)]


def decisions(name, values, states, cwd):
    """What the agent of a study does in states that it sees."""
    words = [word for state in states for word in ("--belief", str(state))]
    return json.loads(asif("plan", f"{name}.yaml", *values_of(values), *words, "--json", cwd=cwd))["beliefs"]


def buses(values, cwd):
    rows = [{"mileage": 5 * int(b["state"]), "p": b["policy"]["replace"]} for b in decisions("buses", values, range(90), cwd)]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json", "width": 560, "height": 240, "data": {"values": rows},
        "mark": {"type": "line", "color": KEEP, "strokeWidth": 3},
        "encoding": {"x": {"field": "mileage", "type": "quantitative", "title": "thousand miles since the last replacement"},
                     "y": {"field": "p", "type": "quantitative", "title": "probability of a replacement", "axis": {"format": "%"}}},
    }


def grid(values, cwd):
    """The map: the value of each cell as its colour, and the likeliest step as an arrow, the larger the likelier."""
    cells = []
    for b in decisions("gridworld", values, range(25), cwd):
        at, best = int(b["state"]), max(b["policy"], key=b["policy"].get)
        cells.append({"x": at % 5, "y": at // 5, "value": b["value"], "p": b["policy"][best],
                      "arrow": {"north": "↑", "east": "→", "south": "↓", "west": "←"}[best] if b["policy"][best] > 0.2501 else "·"})
    place = {"x": {"field": "x", "type": "ordinal", "axis": None}, "y": {"field": "y", "type": "ordinal", "axis": None}}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json", "width": 360, "height": 360, "data": {"values": cells},
        "encoding": place, "config": {"view": {"stroke": None}},
        "layer": [
            {"mark": "rect", "encoding": {"color": {"field": "value", "type": "quantitative", "title": "value",
                                                    "scale": {"scheme": "yellowgreenblue", "reverse": True}}}},
            {"mark": {"type": "text", "stroke": "white", "strokeWidth": 3},
             "encoding": {"text": {"field": "arrow"}, "size": {"field": "p", "type": "quantitative", "legend": None, "scale": {"range": [16, 36]}}}},
            {"mark": {"type": "text", "color": "black"},
             "encoding": {"text": {"field": "arrow"}, "size": {"field": "p", "type": "quantitative", "legend": None, "scale": {"range": [16, 36]}}}},
        ],
    }


def write_study(name, source, folder):
    text = (ROOT / source).read_text(encoding="utf-8")
    for pattern, instead in CHANGES.get(name, []):
        text, count = re.subn(pattern, instead, text)
        if count != 1:
            raise SystemExit(f"{source} has {count} times what the gallery changes: {pattern}")
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    for file in BESIDE.get(name, []):
        shutil.copy((ROOT / source).parent / file, folder / file)


def write_table(name, values, count, folder):
    asif("simulate", f"{name}.yaml", *values_of(values), *count.split(), "--seed", "1", "-o", f"{name}.csv", cwd=folder)


def picture(name, values, figure, folder, scratch):
    """A Vega-Lite specification; fits have no sensitivity, which is not shown."""
    made = pathlib.Path(scratch, name)
    if figure in ("buses", "grid"):
        return {"buses": buses, "grid": grid}[figure](values, folder)
    if figure == "people":
        asif("people", f"{name}.yaml", f"{name}.csv", "-o", f"{made}-fit", cwd=folder)
    elif figure == "posterior":
        asif("fit", f"{name}.yaml", f"{name}.csv", "--no-sensitivity", "-o", f"{made}-fit", cwd=folder)
    else:
        asif("plan", f"{name}.yaml", *values_of(values), "--figures", str(made), cwd=folder)
        # Figures take the width of their page; the triangle has a height, too.
        size = {"width": 430} | ({"height": 380} if figure == "simplex" else {})
        return json.loads((made / f"{figure}.vl.json").read_text(encoding="utf-8")) | size
    asif("report", f"{made}-fit", "-o", f"{made}.html", "--figures", str(made), cwd=folder)
    return json.loads((made / f"{figure}.vl.json").read_text(encoding="utf-8"))


def make(folder, scratch):
    """Write studies and tables into `folder`; the specification of each picture."""
    folder.mkdir(parents=True, exist_ok=True)
    specifications = {}
    for name, (source, values, count, figure) in EXAMPLES.items():
        write_study(name, source, folder)
        write_table(name, values, count, folder)
        specifications[name] = picture(name, values, figure, folder, scratch)
    return specifications
