"""Somebody who has only the page of a report, and wants the counts it withholds.

What he knows beside it: the problem (actions, observations, which actions end an episode), that histories go on from each other, and,
if he is told so, that no episode was cut. He collects every count, range and share that the page and its embedded figures tell,
writes down all sums that must hold, and asks for the least and the greatest value of every count (an integer programme each).
"""

import html
import html.parser
import json
import math
import re

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp


class Tables(html.parser.HTMLParser):
    """Tables of a page, each with the heading before it; texts of scripts that are JSON; all other text."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tables, self.data, self.words = [], {}, []
        self.heading, self.row, self.text, self.open, self.script = "", None, None, None, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "script":
            self.script = attributes.get("id", "") if attributes.get("type") == "application/json" else None
        if tag == "style":
            self.script = None
        if tag == "table":
            self.tables.append({"heading": self.heading, "caption": "", "rows": []})
        if tag in ("tr", "td", "th", "thead", "tbody"):
            self.close_cell()
        if tag == "tr" and self.tables:
            self.close_row()
            self.row = []
        if tag in ("th", "td", "caption", "h2", "h3", "h4"):
            self.text = ""
        self.open = tag if tag in ("script", "style") else self.open

    def handle_data(self, data):
        if self.open == "script" and self.script:
            self.data[self.script] = json.loads(data)
        elif self.open is None:
            self.words.append(data)
            if self.text is not None:
                self.text += data

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.open = None
        if tag == "caption" and self.text is not None:
            self.tables[-1]["caption"] = self.take_text()
        if tag in ("h2", "h3", "h4") and self.text is not None:
            self.heading = self.take_text()
        if tag in ("th", "td", "tr", "thead", "tbody", "table"):
            self.close_cell()
        if tag in ("tr", "thead", "tbody", "table"):
            self.close_row()

    def take_text(self):
        text = " ".join(self.text.replace("\u2068", "").replace("\u2069", "").split())
        self.text = None
        return text

    def close_cell(self):
        if self.row is not None and self.text is not None:
            self.row.append(self.take_text())

    def close_row(self):
        if self.row is not None:
            self.tables[-1]["rows"].append(self.row)
        self.row = None


def count_range(text):
    """(low, high) of a count as it is told; None: nothing is."""
    numbers = [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", text)]
    if text.startswith("fewer than"):
        return 0, numbers[0] - 1
    if not numbers or "withheld" in text:
        return None
    return numbers[0], numbers[-1]


def share_range(text):
    numbers = [float(n) / 100 for n in re.findall(r"\d+(?:\.\d+)?", text)]
    if not numbers:
        return None
    if text.startswith(("under", "<")):
        return 0.0, numbers[0]
    if text.startswith(("over", ">")):
        return numbers[0], 1.0
    if len(numbers) == 1:  # a percentage with one decimal
        return numbers[0] - 0.0005, numbers[0] + 0.0005
    return numbers[0], numbers[1]


def history_of(label):
    """("monitor", (("monitor", "positive"),)) of "monitor after monitor->positive"."""
    label = label.replace("\u2192", "->")
    if label.endswith(" at the start"):
        return label[: -len(" at the start")], ()
    action, _, events = label.partition(" after ")
    return action, tuple(tuple(event.split("->")) for event in events.split(", "))


def sampled(low, high, share):
    """The range of the number of decisions that a 90 % interval of sampling error reveals: Wilson's, solved for it."""
    z, fits = 1.6449, []
    for n in range(1, 100000):
        half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        if abs(min(1, 2 * half) - (high - low)) < 1e-4:
            fits.append(n)
        elif fits:
            break
    return (fits[0], fits[-1]) if fits else (1, 10**9)


class Known:
    """What a page tells of one group."""

    def __init__(self):
        self.totals, self.decisions, self.shares = {}, {}, []
        self.taken, self.seen, self.quartiles = {}, {}, {}  # of all logs: of actions, of observations, lengths of episodes

    def read_table(self, rows):
        """The table that describes the logs: names and cells of one group."""
        part = None
        for name, cell in rows:
            if name.startswith(("actions (", "observations (")):
                part = self.taken if name.startswith("actions") else self.seen
            elif part is not None:
                told = count_range(cell.partition(" (")[0])
                if told:
                    part[name.strip()] = told
            elif name in ("decisions per episode: median", "decisions per episode: middle half"):
                lengths = [int(n) for n in re.findall(r"\d+", cell)]
                self.quartiles.update(zip((0.5,) if "median" in name else (0.25, 0.75), (lengths[0], lengths[-1]) if lengths else ()))
            elif count_range(cell) and ":" not in name:
                self.totals[name] = count_range(cell)


def read(page, groups):
    """What the page tells of each group; `groups`: their names, [None] if there is but one fit."""
    tables = Tables(page)
    known = {group: Known() for group in groups}
    for table in tables.tables:
        heads = table["rows"][0] if table["rows"] else []
        if table["caption"] == "Table 1: the data":
            for at, group in enumerate(groups, 1):
                known[group].read_table([(row[0], row[at]) for row in table["rows"][1:]])
        if "decisions" in heads and "observed" in heads:
            for row in table["rows"][1:]:
                group = None if groups == [None] else row[heads.index("group")]
                if group not in known:
                    raise ValueError("whose is the row %r?" % row)
                action, history = history_of(row[0])
                told = count_range(row[heads.index("decisions")])
                if told:
                    known[group].decisions[history] = told
                share = share_range(row[heads.index("observed")])
                if share:
                    known[group].shares.append((history, action, share))
    for name, spec in tables.data.items():
        if not name.startswith("data-observed"):
            continue
        group = next((g for g in groups if g and spec["title"].endswith(": " + g)), None)
        for row in spec["datasets"]["histories"]:
            action, history = history_of(row["label"])
            slack = 1e-5  # five digits are written
            for key, low, high in (("observed", "low", "high"),):
                if row.get(low) is not None:
                    known[group].shares.append((history, action, (row[low] - slack, row[high] + slack)))
                elif row.get(key) is not None:
                    known[group].shares.append((history, action, (row[key] - slack, row[key] + slack)))
                if row.get("error_low") is not None:
                    known[group].decisions[history] = sampled(row["error_low"], row["error_high"], row[key])
    return known, tables


def attack(known, actions, observations, ends, cut):
    """Least and greatest value of each count: {("at", history), ("took", history, action), ("rest", history, action)}.

    `cut`: whether episodes may have been cut; if not, an action that ends nothing leads to as many decisions.
    """
    histories = set(known.decisions) | {history for history, _, _ in known.shares} | {()}
    histories |= {h[:k] for h in list(histories) for k in range(len(h))}
    name, rows, low, high = {}, [], [], []

    def column(*key):
        return name.setdefault(key, len(name))

    def require(terms, least, greatest):
        rows.append(terms)
        low.append(least)
        high.append(greatest)

    rest_of = []
    for h in sorted(histories):
        require([(column("at", h), 1)] + [(column("took", h, a), -1) for a in actions], 0, 0)
        for a in actions:
            after = [h + ((a, o),) for o in observations if h + ((a, o),) in histories]
            if a in ends:
                continue
            if after:
                rest = column("rest", h, a)
                require([(column("took", h, a), 1), (rest, -1)] + [(column("at", g), -1) for g in after], 0, 0)
                if not cut and len(after) == len(observations):
                    require([(rest, 1)], 0, 0)
            else:
                rest = column("took", h, a)
            rest_of.append(rest)
    if "episodes" in known.totals:
        require([(column("at", ()), 1)], *known.totals["episodes"])
    if "decisions" in known.totals:
        other = column("other")
        everywhere = [(column("at", h), 1) for h in histories] + [(other, 1)]
        require(everywhere, *known.totals["decisions"])
        if not cut:
            require([(other, 1)] + [(rest, -1) for rest in rest_of], 0, math.inf)
    # what describes all logs: decisions elsewhere are as many as are left
    if known.taken:
        require([(column("other", a), 1) for a in actions] + [(column("other"), -1)], 0, 0)
    for a, told in known.taken.items():
        require([(column("took", h, a), 1) for h in histories] + [(column("other", a), 1)], *told)
    for o, told in known.seen.items():
        elsewhere = [(column("seen", o), 1)]  # and after the last decision of an episode that was cut
        if not cut:
            require([(column("seen", o), 1), (column("other"), -1)], -math.inf, 0)
        require([(column("at", h), 1) for h in histories if h and h[-1][1] == o] + elsewhere, *told)
    for share, length in known.quartiles.items():
        for decisions, least, greatest in ((length, share, 1), (length - 1, 0, share)):
            ended = [(column("took", h, a), 1) for h in histories for a in ends if len(h) < decisions]
            start = (column("at", ()), -(least if least else greatest))
            require(ended + [(column("ended", decisions), 1), start], *((0, math.inf) if least else (-math.inf, 0)))
    for h, told in known.decisions.items():
        require([(column("at", h), 1)], *told)
    for h, a, (least, greatest) in known.shares:
        require([(column("took", h, a), 1), (column("at", h), -least)], 0, math.inf)
        require([(column("took", h, a), 1), (column("at", h), -greatest)], -math.inf, 0)

    matrix = np.zeros((len(rows), len(name)))
    for i, terms in enumerate(rows):
        for at, factor in terms:
            matrix[i, at] += factor
    constraint = LinearConstraint(matrix, low, high)
    found = {}
    for key, at in name.items():
        goal = np.zeros(len(name))
        goal[at] = 1
        ends_of = []
        for sign in (1, -1):
            solved = milp(sign * goal, constraints=constraint, integrality=np.ones(len(name)), bounds=Bounds(0, 1e7))
            if solved.status == 3:  # unbounded
                ends_of.append(math.inf)
            elif solved.x is None:
                raise ValueError("no table fits what the page tells: " + solved.message)
            else:
                ends_of.append(round(solved.x[at]))
        found[key] = tuple(ends_of)
    return found


def numbers_of(tables):
    """All numbers with at least four digits behind the point that the page or its figures hold, but for those that attack() uses."""
    found = set()

    def walk(node):
        if isinstance(node, dict):
            for key, item in node.items():
                if key not in ("observed", "low", "high"):
                    walk(item)
        elif isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, float):
            found.add(node)

    for spec in tables.data.values():
        walk(spec.get("datasets", {}))
    for word in re.findall(r"\d+\.\d{4,}", " ".join(tables.words)):
        found.add(float(word))
    return found
