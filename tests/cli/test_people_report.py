#!/usr/bin/env python3
# ctest label: slow
"""asif summary and asif report of a population: the numbers are those of population.json, of units.csv and of the logs, computed
here; nobody is named and no single person is shown unless that is asked for; a refusal is told with its reason."""
import csv
import html.parser
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
NUMBERS = ("log_alpha", "optimism")
NAMES = {"log_alpha": "log alpha", "optimism": "ptimism"}


def run(*arguments, code=0):
    done = subprocess.run([ASIF, *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"asif {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def write_people(path, people, episodes):
    """Logs of people with these (log alpha, optimism, age, site); nobody has as many episodes as the next."""
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["subject", "age", "site", "episode", "t", "action", "observation"])
        first = 0
        for i, (log_alpha, optimism, age, site) in enumerate(people):
            text = run("simulate", DIAG, "-p", f"alpha={math.exp(log_alpha)}", "-p", f"optimism={optimism}", "-p", "eta=0", "-n",
                       str(episodes + i % 3), "--seed", str(i), "-q", "-o", "-").stdout
            for row in csv.DictReader(text.splitlines()):
                out.writerow([f"Person{i:02d}X", age, site, first + int(row["episode"]), row["t"], row["action"], row["observation"]])
            first += episodes + i % 3


def read(folder):
    with open(os.path.join(folder, "population.json")) as file:
        population = json.load(file)
    with open(os.path.join(folder, "units.csv"), newline="") as file:
        return population, list(csv.DictReader(file))


def count(logs):
    """How often each person took each action."""
    taken = {}
    with open(logs, newline="") as file:
        for row in csv.DictReader(file):
            own = taken.setdefault(row["subject"], {})
            own[row["action"]] = own.get(row["action"], 0) + 1
    return taken


def percent(share):
    return f"{100 * share:.1f} %"


def quantile(values, p):
    values = sorted(values)
    at = p * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def check_files(folder, logs):
    """The counts in the folder are those of the logs."""
    population, units = read(folder)
    taken = count(logs)
    actions = sorted({action for own in taken.values() for action in own})
    total = {action: sum(own.get(action, 0) for own in taken.values()) for action in actions}
    assert population["logs"]["actions"] == total and population["logs"]["decisions"] == sum(total.values()), population["logs"]
    assert population["logs"]["subjects"] == len(taken) == len(units) and population["title"] == "Diagnosis (DIAG)"
    for unit in units:
        own = taken[unit["unit"]]
        assert int(unit["decisions"]) == sum(own.values()), unit
        assert all(int(unit["took_" + action]) == own.get(action, 0) for action in actions), (unit, own)
    means = {name: [float(unit[name]) for unit in units] for name in NUMBERS}
    for name in NUMBERS:
        spread = population["units_differ"][name]
        assert math.isclose(spread["between"], statistics.pstdev(means[name]), rel_tol=1e-9), spread
        within = math.sqrt(statistics.fmean(float(unit[name + "_sd"]) ** 2 for unit in units))
        assert math.isclose(spread["within"], within, rel_tol=1e-9), spread
        assert spread["coordinate"] == name and spread["line"] == "same", spread


def check_summary(folder):
    population, units = read(folder)
    said = run("summary", folder).stdout
    actions = population["logs"]["actions"]
    for action, times in actions.items():
        shares = [int(unit["took_" + action]) / int(unit["decisions"]) for unit in units]
        words = next(line for line in said.splitlines() if line.startswith("  " + action)).split(None, 1)[1]
        told = [times / sum(actions.values()), *(quantile(shares, p) for p in (0.05, 0.5, 0.95))]
        assert words.split("  ") and "".join(words.split()) == "".join(map(percent, told)).replace(" ", ""), (words, told)
    for name in NUMBERS:
        means = [float(unit[name]) for unit in units]
        spread = population["units_differ"][name]
        share = spread["within"] ** 2 / (spread["within"] ** 2 + spread["between"] ** 2)
        words = next(line for line in said.splitlines() if line.startswith("  " + name)).split()[1:]
        told = [*(quantile(means, p) for p in (0.05, 0.5, 0.95)), spread["within"]]
        assert words == [*(f"{x:.3g}" for x in told), *percent(share).split()], (words, told, share)
    assert "Person" not in said, said


def check_refused(folder, logs):
    """A table that may not grow does not carry the population: the reason is the one in the file."""
    out = os.path.join(folder, "refused")
    printed = run("people", DIAG, logs, "-p", "eta=0", "--points", "64", "--most-points", "64", "-q", "-o", out, code=1).stdout
    with open(os.path.join(out, "population.json")) as file:
        found = json.load(file)
    assert not found["usable"] and found["refused"].startswith("The population could not be fitted: "), found
    assert found["refused"] in " ".join(printed.split()) and not os.path.exists(os.path.join(out, "units.csv")), printed
    said = run("summary", out, code=1).stdout
    assert found["refused"] in " ".join(said.split()) and "monitor" in said and "THE POPULATION" not in said, said
    return out


class Page(html.parser.HTMLParser):
    """The tables of a page by their captions, its figures' data by their names, and all of its text outside scripts."""

    def __init__(self, path):
        super().__init__()
        self.tables, self.data, self.headings, self.text = {}, {}, [], ""
        self.caption, self.rows, self.into, self.script = "", [], None, None
        with open(path) as file:
            self.source = file.read()
        self.feed(self.source)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.caption, self.rows = "", []
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "h2":
            self.headings.append("")
        if tag in ("caption", "td", "th", "h2"):
            self.into = tag
        if tag in ("script", "style"):
            self.script = dict(attributes).get("id", "")

    def handle_endtag(self, tag):
        if tag == "table":
            self.tables.setdefault(self.caption, self.rows)
        if tag in ("caption", "td", "th", "h2"):
            self.into = None
        if tag in ("script", "style"):
            self.script = None

    def handle_data(self, data):
        if self.script is not None:
            if self.script.startswith("data-"):
                self.data[self.script.removeprefix("data-")] = json.loads(data)
            return
        self.text += data
        if self.into == "caption":
            self.caption += data
        elif self.into == "h2":
            self.headings[-1] += data
        elif self.into:
            self.rows[-1][-1] += data


def make_page(folder, *flags):
    path = os.path.join(folder, "page.html")
    run("report", folder, "-o", path, "-q", *flags)
    return Page(path)


def same(cell, value):
    """Whether a cell is this value, as far as its digits go."""
    digits = re.fullmatch(r"-?\d+(?:\.(\d+))?(?:e([+-]\d+))?", cell)
    assert digits, cell
    unit = 10.0 ** (int(digits[2] or 0) - len(digits[1] or ""))
    return abs(float(cell) - value) <= 0.5000001 * unit


def divide(values, groups):
    """Sorted indices in so many groups of nearly equal size, the larger ones first."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    each, more = divmod(len(order), groups)
    out = []
    for g in range(groups):
        size = each + (g < more)
        out.append(order[:size])
        order = order[size:]
    return out


def check_actions(page, population, units, least):
    counts = population["logs"]["actions"]
    heads, *rows = page.tables["How often each action is taken"]
    assert [row[0] for row in rows] == list(counts), rows
    for action, share, sd, low, high in rows:
        own = [(int(unit["took_" + action]), int(unit["decisions"])) for unit in units]
        shares = [a / b for a, b in own]
        groups = len(units) // least
        while groups > 1 and any(sum(own[i][0] for i in group) < 11 or sum(own[i][1] - own[i][0] for i in group) < 11
                                 for group in divide(shares, groups)):
            groups -= 1
        first, *_, last = divide(shares, groups)
        told = [counts[action] / sum(counts.values()), statistics.pstdev(shares),
                statistics.fmean(shares[i] for i in first), statistics.fmean(shares[i] for i in last)]
        assert [share, sd, low, high] == [percent(x) for x in told], (action, share, sd, low, high, told)


def check_population(page, population):
    """The tables of the population have its numbers, in its order."""
    for prefix, caption in (("mean_", "Means over people"), ("sd_", "Standard deviations over people"),
                            ("cor_", "Correlations over people")):
        wanted = [number for name, number in population["population"].items() if name.startswith(prefix)]
        rows = page.tables[caption][1:]
        assert len(rows) == len(wanted), rows
        for row, number in zip(rows, wanted):
            assert all(same(cell, number[key]) for cell, key in zip(row[1:], ("mean", "q05", "q95"))), (row, number)
    for row, (name, spread) in zip(page.tables["How much of each person's estimate is the population's"][1:],
                                   population["units_differ"].items()):
        share = spread["within"] ** 2 / (spread["within"] ** 2 + spread["between"] ** 2)
        assert same(row[1], spread["between"]) and same(row[2], spread["within"]) and row[3] == percent(share), (row, spread)
    table = population["table"]
    assert f"solved at {table['points']:,} points, of which {table['effective']:,.0f} are effective" in page.text
    error = re.search(r"at most (\S+) posterior standard deviations", page.text)[1]
    assert same(error, table["worst_error"]), (error, table)


def check_figures(page, population, units, least):
    """People are drawn as averages over neighbours; curves are the normal densities of the population."""
    assert set(page.data) == {"people", "people-density", "people-shrinkage"}, set(page.data)
    for name in NUMBERS:
        values = {key: [float(unit[name + suffix]) for unit in units]
                  for key, suffix in (("mean", ""), ("low", "_q05"), ("high", "_q95"), ("sd", "_sd"))}
        spread = population["units_differ"][name]
        values["share"] = [min(1, sd ** 2 / (spread["within"] ** 2 + spread["between"] ** 2)) for sd in values["sd"]]
        groups = divide(values["mean"], len(units) // least)
        assert all(len(group) >= least for group in groups)
        for figure, keys in (("people", ("mean", "low", "high")), ("people-shrinkage", ("mean", "share"))):
            drawn = [row for row in page.data[figure]["datasets"]["people"] if row["number"] == name]
            assert len(drawn) == len(groups), (figure, drawn)
            for row, group in zip(drawn, groups):
                for key in keys:
                    average = statistics.fmean(values[key][i] for i in group)
                    assert math.isclose(row[key], average, rel_tol=1e-4), (figure, key, row, average)
                # not the numbers of one person, of whom one may equal an average by chance
                alone = {tuple(f"{values[key][i]:.5g}" for key in keys) for i in range(len(units))}
                assert least == 1 or tuple(f"{row[key]:.5g}" for key in keys) not in alone, (figure, row)
        mean, sd = (population["population"][prefix + name]["mean"] for prefix in ("mean_", "sd_"))
        curve = [row for row in page.data["people-density"]["datasets"]["density"] if row["number"] == name]
        for row in curve:
            assert math.isclose(row["density"], statistics.NormalDist(mean, sd).pdf(row["x"]), rel_tol=2e-3), (row, mean, sd)
        ticks = [row["x"] for row in page.data["people-density"]["datasets"]["people"] if row["number"] == name]
        assert all(math.isclose(x, statistics.fmean(values["mean"][i] for i in group), rel_tol=1e-4)
                   for x, group in zip(ticks, groups)) and len(ticks) == len(groups), ticks
        table = [row for row in page.tables["People in order"][1:] if NAMES[name] in row[0]]
        for row, group in zip(table, groups):
            assert least == 1 or int(row[1]) == len(group), row
            assert least > 1 or row[1] == units[group[0]]["unit"], row
            assert all(same(cell, statistics.fmean(values[key][i] for i in group))
                       for cell, key in zip(row[2:], ("mean", "low", "high"))), (row, group)


def check_page(folder):
    population, units = read(folder)
    page = make_page(folder)
    assert page.headings == ["In short", "What people do", "How they differ", "What the logs cannot tell",
                             "How it was made", "What the words mean"], page.headings
    assert "36 decision-makers made" in page.text and "Person" not in page.source
    assert f"{population['logs']['decisions']:,} decisions" in page.text
    assert "averages over groups of at least 11" in page.text
    check_actions(page, population, units, 11)
    check_population(page, population)
    check_figures(page, population, units, 11)
    # with other limits: groups are never fewer than 3, and 11 where all counts are shown
    for limit, least in ((5, 5), (1, 3), (0, 11)):
        check_figures(make_page(folder, "--min-cell", str(limit)), population, units, least)
    every = make_page(folder, "--min-cell", "0")
    assert "The posteriors of all people are accurate" in every.text and "Person" not in every.source
    assert "effective for them: fewer than 11, perhaps none." in page.text
    # people are fewer than the limit: only the population is left
    few = make_page(folder, "--min-cell", "40")
    assert "fewer than 40 decision-makers" in few.text.lower() and not few.data and "36" not in few.text, few.text
    assert "How much of each person's estimate is the population's" not in few.tables and "Means over people" in few.tables
    assert all(cell in ("withheld", "") for row in few.tables["How often each action is taken"][1:] for cell in row[1:])
    # by name, if asked for
    named = make_page(folder, "--identify")
    check_figures(named, population, units, 1)
    assert all(unit["unit"] in named.source for unit in units)
    # what is for one agent
    for flags in ((folder,), ("--with", "x.json"), ("--truth", "optimism=1")):
        told = run("report", folder, *flags[:1] if flags == (folder,) else flags, "-o", os.path.join(folder, "x.html"), code=2).stderr
        assert told, flags
    figures = os.path.join(folder, "figures")
    run("report", folder, "--figures", figures, "-q")
    assert sorted(os.listdir(figures)) == ["people-density.vl.json", "people-shrinkage.vl.json", "people.vl.json"]


def check_covariates(folder, logs):
    """Coefficients are those of the file, but those of labels that few people have, and their names."""
    study, out = os.path.join(folder, "aged.yaml"), os.path.join(folder, "aged")
    with open(DIAG) as file, open(study, "w") as to:
        to.write(file.read() + "\npopulation: {alpha: ~ age, optimism: ~ factor(site)}\n")
    run("people", study, logs, "-p", "eta=0", "--points", "512", "-q", "-o", out)
    population, _ = read(out)
    page, every = make_page(out), make_page(out, "--min-cell", "3")
    for shown, names in ((page, ["log_alpha_age", "optimism_site_B"]), (every, ["log_alpha_age", "optimism_site_B", "optimism_site_Rare"])):
        rows = shown.tables["How the mean changes with covariates"][1:]
        assert len(rows) == len(names), rows
        for row, name in zip(rows, names):
            number = population["population"]["coef_" + name]
            assert all(same(cell, number[key]) for cell, key in zip(row[1:], ("mean", "q05", "q95"))), (row, number)
    assert "Rare" not in page.source and "site Rare, compared with A" in every.text
    ages = {row["subject"]: float(row["age"]) for row in csv.DictReader(open(logs))}.values()
    told = re.search(r"One standard deviation of age is (\S+), and its mean is (\S+)\.", page.text)
    assert same(told[1], statistics.pstdev(ages)) and same(told[2], statistics.fmean(ages)), told


def check_rare(folder, logs):
    """A covariate that is 1 for few people is a label in numbers."""
    study, out, aged = (os.path.join(folder, name) for name in ("rare.yaml", "rare", "rare.csv"))
    with open(DIAG) as file, open(study, "w") as to:
        to.write(file.read() + "\npopulation: {alpha: ~ blind + left}\n")
    with open(logs, newline="") as file, open(aged, "w", newline="") as to:
        rows = csv.writer(to)
        for i, row in enumerate(csv.reader(file)):
            who = row[0][6:8]
            rows.writerow([*row, "blind", "left"] if i == 0 else [*row, int(int(who) < 2), 1 + int(who) % 2])
    run("people", study, aged, "-p", "eta=0", "--points", "512", "-q", "-o", out)
    page, every = make_page(out), make_page(out, "--identify")
    assert "deviation of left" in page.text and "blind" not in page.text, page.text
    assert "One standard deviation of blind is" in every.text


def check_kinds(folder):
    logs, study, out = (os.path.join(folder, name) for name in ("kinds.csv", "kinds.yaml", "kinds"))
    write_people(logs, [(math.log(0.15 if i < 14 else 1.5), 0, 30, "A") for i in range(30)], 12)
    with open(DIAG) as file, open(study, "w") as to:
        to.write(file.read() + "\npopulation: {kinds: 2}\n")
    run("people", study, logs, "-p", "eta=0", "-p", "beta=inf", "--points", "512", "-q", "-o", out)
    population, _ = read(out)
    page = make_page(out)
    assert population["kinds"] == 2 and "2 kinds describe these people best" in page.text, population["kinds_compared"]
    for row, kinds in zip(page.tables["How many kinds describe people best"][1:], population["kinds_compared"]):
        assert row == [f"{kinds['kinds']}", f"{kinds['numbers']}", f"{kinds['log_likelihood']:.2f}", f"{kinds['bic']:.2f}"], row
    share = population["population"]["share_kind_2"]
    (row,) = page.tables["Shares of people"][1:]
    assert all(same(cell, share[key]) for cell, key in zip(row[1:], ("mean", "q05", "q95"))), (row, share)
    assert f"Kind 1 has the rest, {percent(1 - share['mean'])}" in page.text
    sd = population["population"]["sd_log_alpha"]["mean"]
    means = [population["population"][f"mean_log_alpha_kind_{kind}"]["mean"] for kind in (1, 2)]
    for row in page.data["people-density"]["datasets"]["density"]:
        density = sum(part * statistics.NormalDist(mean, sd).pdf(row["x"])
                      for part, mean in zip((1 - share["mean"], share["mean"]), means))
        assert math.isclose(row["density"], density, rel_tol=2e-2, abs_tol=1e-4), (row, density)
    hidden = make_page(out, "--min-cell", "16")
    assert "What these kinds are is not shown" in hidden.text and "Shares of people" not in hidden.tables
    assert "Means over people" not in hidden.tables and "people-density" not in hidden.data


def check_damaged(folder):
    """Files in which something is missing or strange are read as far as they go, or refused."""
    path = os.path.join(folder, "population.json")
    with open(path) as file:
        whole = json.load(file)
    for key in whole:
        for value in (None, "x", [1, {"a": 2}], {}, 1e300, -1):
            with open(path, "w") as file:
                json.dump({**whole, key: value}, file)
            for command in (["summary", folder], ["report", folder, "-o", os.path.join(folder, "page.html"), "-q"]):
                done = subprocess.run([ASIF, *command], capture_output=True, text=True)
                assert done.returncode in (0, 1, 2) and "rror:" not in done.stderr, (key, value, done.stderr)
    # the reason of a refusal may name a label that few people have
    with open(path, "w") as file:
        json.dump({**whole, "usable": False, "refused": "an error in coef_optimism_site_Rare"}, file)
    assert "Rare" not in make_page(folder).source and "Rare" in make_page(folder, "--identify").source
    with open(path, "w") as file:
        json.dump(whole, file)


def main():
    people = [(-0.8 + 0.5 * math.sin(3 * i), 0.5 * math.cos(2 * i), 20 + i, "Rare" if i < 3 else "AB"[i % 2])
              for i in range(36)]
    with tempfile.TemporaryDirectory() as folder:
        logs, out = os.path.join(folder, "logs.csv"), os.path.join(folder, "people")
        write_people(logs, people, 10)
        run("people", DIAG, logs, "-p", "eta=0", "--points", "512", "-q", "-o", out)
        check_files(out, logs)
        check_summary(out)
        check_page(out)
        check_covariates(folder, logs)
        check_rare(folder, logs)
        check_kinds(folder)
        refused = check_refused(folder, logs)
        with open(os.path.join(refused, "population.json")) as file:
            why = json.load(file)["refused"]
        page = make_page(refused)
        check_damaged(os.path.join(folder, "aged"))
        assert why in page.text and not page.data and "Means over people" not in page.tables, page.text


if __name__ == "__main__":
    main()
