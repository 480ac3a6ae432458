"""asif report: what is on the page, in which order, and that users' labels are text and nothing else.

The page is read by Python's own HTML parser; numbers are those that `asif summary` prints, labels those of the study.
"""
import collections
import html.parser
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
failed = 0


def check(condition, text):
    global failed
    if not condition:
        failed += 1
        print("FAILED  " + text)


def asif(*args, codes=(0,)):
    done = subprocess.run([ASIF] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in codes:
        sys.exit("asif %s: exit %d\n%s%s" % (" ".join(args), done.returncode, done.stdout, done.stderr))
    return done.stdout


VOID = {"meta"}
TAGS = set(
    """html head meta title style body a header nav ol ul li main section h1 h2 h3 p div strong table caption span thead
    tbody tr th td bdi dl dt dd details summary pre code cite figure figcaption noscript script""".split()
)
ATTRIBUTES = set(
    """lang charset http-equiv content name href class id role aria-label aria-labelledby tabindex scope data-spec
    type style""".split()
)
SECTIONS = ["short", "did", "why", "cannot", "trust", "problem", "data", "made", "words"]


class Page(html.parser.HTMLParser):
    """Elements, rows of tables, and the text of a page; scripts and styles apart."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.headings, self.rows, self.cells = [], [], [], [], None
        self.items, self.text, self.raw, self.commands, self.hrefs = [], "", "", "", []
        with open(path, encoding="utf-8") as f:
            self.source = f.read()
        self.feed(self.source)
        self.close()
        check(self.open == [], "%s: elements are left open: %s" % (path, self.open))

    def handle_starttag(self, tag, attrs):
        check(tag in TAGS, "an element <%s> that nobody writes" % tag)
        for name, value in attrs:
            check(name in ATTRIBUTES, "an attribute %s=%r of <%s> that nobody writes" % (name, value, tag))
        if tag not in VOID:
            self.open.append(tag)
        attrs = dict(attrs)
        if "id" in attrs:
            check(attrs["id"] not in self.ids, "two elements have the id " + attrs["id"])
            self.ids.append(attrs["id"])
        if "href" in attrs:
            self.hrefs.append(attrs["href"])
        if tag == "tr":
            self.cells = []
        if tag in ("td", "th"):
            self.cells.append("")
        if tag == "li":
            self.items.append("")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append([int(tag[1]), ""])
        self.command = tag == "pre" and attrs.get("class") == "command" or tag == "code" and getattr(self, "command", False)

    def handle_endtag(self, tag):
        check(self.open and self.open[-1] == tag, "</%s> ends %s" % (tag, self.open[-1:]))
        if self.open:
            self.open.pop()
        if tag == "tr":
            self.rows.append(self.cells)
            self.cells = None
        if tag == "pre":
            self.command = False

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            return
        self.text += data
        if getattr(self, "command", False):
            self.commands += data
        if self.cells:
            self.cells[-1] += data
        if "li" in self.open:
            self.items[-1] += data
        if self.open and re.fullmatch("h[1-6]", "".join(t for t in self.open if re.fullmatch("h[1-6]", t))):
            self.headings[-1][1] += data


def make(folder, *args):
    path = folder + ".html"
    asif("report", folder, "-o", path, *args)
    return Page(path)


def check_usual(page, what):
    """What holds of every page."""
    found = [i for i in page.ids if i in SECTIONS]
    check(found == SECTIONS, "%s: the sections are %s" % (what, found))
    levels = [level for level, _ in page.headings]
    check(levels[0] == 1 and levels.count(1) == 1, "%s: the first heading is not the only h1" % what)
    check(all(b - a <= 1 for a, b in zip(levels, levels[1:])), "%s: headings leave out a level: %s" % (what, levels))
    for href in page.hrefs:
        check(href.startswith("#") and href[1:] in page.ids, "%s: a link leads to %s" % (what, href))
    check(len(page.source) < 2e6, "%s: the page has %d bytes" % (what, len(page.source)))
    check("(null)" not in page.text, "%s: (null) on the page" % what)
    check("nan" not in re.findall(r"\w+", page.text.lower()), "%s: nan on the page" % what)
    for cells in page.rows:
        check("withheld" not in cells[:1], "%s: a row without a name: %s" % (what, cells))


def check_numbers(page, folder, what, group=None):
    """Rows of `asif summary` below AS IF, word for word."""
    lines = asif("summary", folder, codes=(0, 1)).split("\n")
    lines = lines[next(i for i, line in enumerate(lines) if line.startswith("AS IF")) :]
    with open(os.path.join(folder, "fit.json"), encoding="utf-8") as f:
        fit = json.load(f)
    number, seen = r"-?[0-9.]+(?:e[-+]?[0-9]+)?", 0
    for name, parameter in fit["parameters"].items():
        pattern = r"^  (\S.*?)  +(\S+) +(%s)(?:  +(%s to %s))?(?:  |$)" % (number, number, number)
        symbol = {"log_alpha": "alpha", "optimism": "1/beta"}.get(name, name)
        rows = [m for m in (re.match(pattern, line) for line in lines) if m and m.group(2) == symbol]
        check(len(rows) == 1, "%s: %s is not in the summary\n%s" % (what, name, "\n".join(lines)))
        for m in rows:
            # one fit has a column of symbols; groups are side by side in one table, by the names of the numbers
            wanted = [m.group(1), m.group(2) if group is None else group, m.group(3)] + ([m.group(4)] if m.group(4) else [])
            check(wanted in [row[: len(wanted)] for row in page.rows], "%s: %s is not on the page" % (what, wanted))
            seen += 1
    check(seen > 0, "%s: no number was compared" % what)
    likelihood = (fit["maximum"] or {}).get("log_likelihood")
    if likelihood:
        check("%.2f" % likelihood not in page.text, "%s: the log-likelihood is on the page" % what)


TITLE = '<h1 onclick="alert(0)">"Title"</h1> & <script>alert(0)</script>'
LONG = "x" * 150 + " " + "\u00fc" * 149
LABELS = {
    "healthy": '<script>alert("healthy")</script>',
    "diseased": "\"'><img src=x onerror=alert(1)>",
    "out": "</script></td></table><b>out</b>",
    "stay": "\u202eevil\u202c <!-- -->",
    "test": "\U0001f600 test " + LONG,
    "negative": "&lt;negative&gt; &amp; $& {{1}}",
    "positive": "\u05d0\u05d1\u05d2 positive \u200f",
}


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def hostile_study():
    q = {name: quoted(label) for name, label in LABELS.items()}
    return """asif: 1
title: %s
states: [{healthy}, {diseased}]
actions: [{out}, {stay}, {test}]
observations: [{negative}, {positive}]
environment:
  start: [0.5, 0.5]
  transitions: {{{test}: identity, any: reset}}
  emissions: [[0.7, 0.3], [0.3, 0.7]]
  ends: [{out}, {stay}]
agent:
  planner: bounded-rational
  discount: 0.95
  worlds: [{{emissions: [[0.6, 0.4], [0.4, 0.6]]}}, {{emissions: [[0.8, 0.2], [0.2, 0.8]]}}]
  utility:
    {out}: {{{healthy}: correct, {diseased}: wrong}}
    {stay}: {{{healthy}: wrong, {diseased}: correct}}
    {test}: cost
  parameters: {{correct: 10, wrong: -36, cost: -1, alpha: learn, beta: learn, eta: 0}}
solver: {{resolution: 20, tol: 1e-9}}
""".format(
        **q
    ) % quoted(
        TITLE
    )


GROUPS = ['<b onclick="alert(1)">A</b>', "B\u202e" + "y" * 60]


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def simulate(study, logs, *args):
    asif("simulate", study, "-o", logs, "--seed", "1", "-q", *args)
    with open(logs, encoding="utf-8") as f:
        return f.read().rstrip("\n").split("\n")


def sentences_of(page):
    """The sentences of the headline, without the figure."""
    text = re.search('<section id="short".*?</dl>', page.source, re.S)[0]
    return [re.sub("<[^>]*>", "", p) for p in re.findall("<p>(.*?)</p>", text, re.S)]


def check_headline(page, folder, what):
    """Three statements, with the numbers of fit.json and short sentences; the figure has a row for each agent."""
    with open(os.path.join(folder, "fit.json"), encoding="utf-8") as f:
        fit = json.load(f)
    said = sentences_of(page)
    check(len(said) == 3, "%s: the headline is %s" % (what, said))
    for sentence in re.split(r"(?<=\.) (?=[A-Z])", " ".join(said)):
        check(len(sentence.split()) <= 30, "%s: a sentence of %d words: %s" % (what, len(sentence.split()), sentence))
    conduct = fit["outcomes"]["conduct"]
    own, best = conduct["fitted"], conduct["ideal_bayes"]
    for number in ("%.1f steps" % own["before_end"]["mean"], "%.1f %% of cases" % (100 * own["wrong"]["mean"]),
                   "takes %.1f, is wrong in %.1f %%" % (best["before_end"]["mean"], 100 * best["wrong"]["mean"]),
                   "%.2f more utility" % (best["utility"]["mean"] - own["utility"]["mean"])):
        check(number in said[0], "%s: %r is not in %r" % (what, number, said[0]))
    for name in ("correct 10", "wrong -36", "cost -1", "3 worlds", "they act as if"):
        check(name in said[1], "%s: %r is not in %r" % (what, name, said[1]))
    check(("can be trusted" in said[2]) == fit["trust"]["good"], "%s: %s" % (what, said[2]))
    rows = [row for row in page.rows if len(row) == 3 and row[0] in ("fitted agent", "Bayes-optimal agent")]
    check(["fitted agent", "%.1f" % own["before_end"]["mean"], "%.1f %%" % (100 * own["wrong"]["mean"])] in rows,
          "%s: the figure has %s" % (what, rows))  # fmt: skip


def check_side_by_side(page):
    """Each history is once, its groups one below the other; no column is empty."""
    start = next(i for i, row in enumerate(page.rows) if row[:3] == ["what they do", "group", "decisions"])
    rows = []
    for row in page.rows[start + 1 :]:
        if len(row) != len(page.rows[start]):
            break
        rows.append(row)
    check({row[1] for row in rows} == set(GROUPS), "groups in the table: %s" % {row[1] for row in rows})
    histories = [re.sub("^.*?( after | at the start)", r"\1", row[0]) for row in rows]
    places = {h: [i for i, other in enumerate(histories) if other == h] for h in histories}
    check(all(p == list(range(p[0], p[0] + len(p))) for p in places.values()), "a history is in two places: %s" % places)
    check(any(len(p) == 2 for p in places.values()), "no history has both groups: %s" % places)
    width, table = 0, []
    for row in page.rows + [[]]:  # tables of one width that follow each other are taken together, which can only hide
        if len(row) != width or row and row[0] in ("number", "measure"):
            for column in range(1, width):
                check(len(table) < 2 or any(r[column] for r in table[1:]), "an empty column: %s" % table[0])
            width, table = len(row), []
        table.append(row)


def check_trust(page, groups):
    """Measures and checks are in one table each, with a row for each group, or one for all that agree."""
    for head in ("measure", "check"):
        start = next(i for i, row in enumerate(page.rows) if row[:2] == [head, "group"])
        rows = []
        for row in page.rows[start + 1 :]:
            if len(row) != len(page.rows[start]):
                break
            rows.append(row)
        names = [row[0] for row in rows]
        for name in names:
            here = [row[1] for row in rows if row[0] == name]
            check(here == ["all"] or here == list(groups), "%s %s has rows for %s" % (head, name, here))
            first = names.index(name)
            check(names[first : first + len(here)] == [name] * len(here), "%s is in two places: %s" % (name, names))
        check(any(row[1] in groups for row in rows), "%s: no row of a group: %s" % (head, rows))


def check_differences(folder):
    """What `asif compare` found: each difference of estimates with its group; nothing observed."""
    path = folder + " differences.json"
    write(path, asif("compare", folder, "--draws", "10", "-n", "30", "--json", codes=(0, 1)))
    with open(path, encoding="utf-8") as f:
        found = json.load(f)
    page = make(folder, "--with", path)
    check_usual(page, "differences")
    want = [p["groups"][1]["difference"] for p in found["parameters"]]
    start = max(i for i, row in enumerate(page.rows) if "first group" in row and "difference" in row)
    heads, told = page.rows[start], page.rows[start + 1 : start + 1 + len(want)]  # the last table is of the numbers
    for row, difference in zip(told, want):
        wide = difference["q95"] - difference["q05"]
        value, differs = float(row[heads.index("difference")]), row[heads.index("differs")] if "differs" in heads else ""
        check(row[1] == found["groups"][1]["name"], "%s: whose is it?" % row)
        check(abs(value - difference["q50"]) <= 0.05 * wide, "%s: the difference is %s" % (row, difference))
        check((differs or None) == difference["differs"], "%s: differs is %s" % (row, difference["differs"]))


def test_hostile(work):
    study, logs = os.path.join(work, "hostile.yaml"), os.path.join(work, "hostile.csv")
    write(study, hostile_study())
    lines = simulate(study, logs, "-n", "120", "-p", "alpha=0.5", "-p", "beta=1.25")
    cells = ['"%s"' % g.replace('"', '""') for g in GROUPS]
    write(logs, "\n".join([lines[0] + ",site"] + ["%s,%s" % (l, cells[int(l.split(",")[0]) % 2]) for l in lines[1:]]) + "\n")
    folder = os.path.join(work, "by hostile's")
    asif("fit", study, logs, "--by", "site", "-o", folder, "-q", "--no-sensitivity", "--chains", "2", "--warmup", "50",
         "--draws", "50", codes=(0, 1))  # fmt: skip
    page = make(folder)
    check_usual(page, "hostile")
    check([TITLE] == [text for level, text in page.headings if level == 1], "the title is %r" % page.headings[0])
    for name, label in LABELS.items():
        check(label in page.text, "the label %s is not on the page as it is" % name)
        check(any(label in cell for row in page.rows for cell in row), "the label %s is in no table" % name)
    for group in GROUPS:
        check(group in [text for level, text in page.headings if level == 3], "the group %r has no part" % group)
    check("\u202e" not in "".join(page.items), "a mark turns the direction of a sentence")
    names = sorted(d for d in os.listdir(folder) if os.path.exists(os.path.join(folder, d, "fit.json")))
    check(len(names) == 2, "groups: %s" % names)
    for name in names:
        with open(os.path.join(folder, name, "fit.json"), encoding="utf-8") as f:
            value = json.load(f)["group"]["value"]
        check_numbers(page, os.path.join(folder, name), "group " + name, value)
    check_side_by_side(page)
    check_trust(page, GROUPS)
    with open(os.path.join(folder, names[0], "run.json"), encoding="utf-8") as f:
        check(shlex.split(page.commands) == json.load(f)["command"], "the command is not repeated: " + page.commands)
    check("overlap" in page.text, "nothing is said on how the groups differ")
    check_differences(folder)
    banner = page.source.find('<div class="banner"')
    check(0 < banner < page.source.find("<h1>"), "a result of 100 draws is trusted, or not warned of first")
    check(page.source.count("<script>") in (0, 2), "there are %d scripts" % page.source.count("<script>"))
    return study


def test_plain(work):
    """The maximum only, one column naming subjects, and one action that nobody takes."""
    study, logs = os.path.join(SOURCE, "examples", "diag", "study.yaml"), os.path.join(work, "plain.csv")
    given = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001"]
    lines = simulate(study, logs, "-n", "150", *given)
    text = ["subject,episode,t,action,observation"]
    text += ["P%03dQ,%s" % (1 + int(line.split(",")[0]) % 60, line) for line in lines[1:]]
    write(logs, "\n".join(text) + "\n")
    folder = os.path.join(work, "map")
    asif("fit", study, logs, "-o", folder, "-q", "--method", "map", "--no-sensitivity", codes=(0, 1))
    page = make(folder)
    check_usual(page, "map")
    check_numbers(page, folder, "map")
    check_headline(page, folder, "map")
    check("curvature" in page.text, "where intervals come from is not said")
    check("knows the true world" in page.text, "the ideals are not there")
    check("P0" not in page.text and not re.search(r"P\d\d\dQ", page.source), "a subject is named")

    some = os.path.join(work, "some")
    chosen = ",".join("P%03dQ" % i for i in range(1, 31))
    write(logs, "\n".join(["patient's id" + text[0][7:]] + text[1:]) + "\n")
    asif("fit", study, logs, "-o", some, "-q", "--method", "map", "--no-sensitivity", "--map", "subject=patient's id",
         "--where", "patient's id=" + chosen, codes=(0, 1))  # fmt: skip
    page = make(some)
    check_usual(page, "some")
    with open(os.path.join(some, "run.json"), encoding="utf-8") as f:
        want = [word.replace(chosen, "...") for word in json.load(f)["command"]]
    try:
        check(shlex.split(page.commands) == want, "the command is not repeated but for names: " + page.commands)
    except ValueError:
        check(False, "a shell cannot read " + page.commands)
    check(not re.search(r"P\d\d\dQ", page.source), "--where names subjects on the page")
    check("P001Q" in make(some, "--identify").text, "--identify does not show what --where chose")


def test_two_names(work):
    """Two observations that lead to the same beliefs."""
    study, logs = os.path.join(work, "two names.yaml"), os.path.join(work, "two names.csv")
    with open(os.path.join(SOURCE, "examples", "diag", "study.yaml"), encoding="utf-8") as f:
        text = f.read().replace("positive]", "<a>, b]").replace("beta:  learn", "beta:  1.25")
    # rows of two probabilities, but for `start`: the second is shared 1 to 3
    text = re.sub(r"\[(0\.[234678]), (0\.[234678])\]", lambda m: "[%s, %g, %g]" % (m[1], float(m[2]) / 4, float(m[2]) * 3 / 4), text)
    write(study, text)
    simulate(study, logs, "-n", "60", "-p", "alpha=0.5", "-p", "eta=5")
    folder = os.path.join(work, "two names")
    asif("fit", study, logs, "-o", folder, "-q", "--method", "map", "--no-sensitivity", codes=(0, 1))
    check("With any action, the observations <a> and b lead to the same beliefs" in make(folder).text,
          "that two observations count as one is not said")  # fmt: skip


def test_states_seen(work):
    for name, extra in (("maximum-margin", ["-p", "output=0.5", "-p", "effort=0.1", "-p", "price=0.4"]),):
        study, logs = os.path.join(SOURCE, "examples", "inverses", name + ".yaml"), os.path.join(work, name + ".csv")
        simulate(study, logs, "-n", "60", *extra)
        folder = os.path.join(work, name)
        asif("fit", study, logs, "-o", folder, "-q", codes=(0, 1))
        page = make(folder)
        check_usual(page, name)
        check_numbers(page, folder, name)
        check("without its uncertainty" in page.text, "%s: that there is no uncertainty is not said" % name)
        check("the state is seen" in page.text, "%s: that states are seen is not said" % name)
        # Her best is never to service: a count of 0 is a small count.
        check("never" not in page.text.split("The data as they were read")[-1], "who was never there is told")
        check("was never taken" in make(folder, "--min-cell", "0").text, "with --min-cell 0 it is not told")


def quantile(values, share):
    """The mean of the values that at least this share is at or below, and at least the rest at or above."""
    n, values = len(values), sorted(values)
    return (values[math.ceil(share * n) - 1] + values[math.floor(share * n)]) / 2


def check_table_1(page, groups, action, seen):
    """Its numbers, counted from the rows."""
    want = collections.defaultdict(list)
    for rows in groups:
        lengths = list(collections.Counter(row[0] for row in rows).values())
        want["episodes"].append(f"{len(lengths)}")
        want["decisions"].append(f"{len(rows)}")
        want["decisions per episode: median"].append(f"{quantile(lengths, 0.5):g}")
        want["decisions per episode: middle half"].append(f"{quantile(lengths, 0.25):g} to {quantile(lengths, 0.75):g}")
        want["decisions per episode: range"].append(f"{min(lengths)} to {max(lengths)}")
        for label in ("monitor", "declare_healthy", "declare_diseased"):
            count = sum(row[action] == label for row in rows)
            want[label].append(f"{count} ({100 * count / len(rows):.1f} %)")
        results = [row[seen] for row in rows if row[action] == "monitor"]
        for label in ("negative", "positive"):
            count = results.count(label)
            want[label].append(f"{count} ({100 * count / len(results):.1f} %)")
    for name, cells in want.items():
        found = [row[1:] for row in page.rows if row and row[0].strip() == name]
        check(cells in found, "Table 1 has %s for %s, and not %s" % (found, name, cells))


def test_flow(work):
    """The way from the table to the data, of rows that were left out on purpose."""
    with open(os.path.join(SOURCE, "examples", "diag", "study.yaml"), encoding="utf-8") as f:
        text = f.read()
    study, logs, folder = (os.path.join(work, "flow" + end) for end in (".yaml", ".csv", ""))
    write(study, re.sub(r"(?m)^logs:.*\n", "", text) + "logs: {missing: drop_episode}\n")
    given = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001"]
    lines = simulate(study, logs, "-n", "120", *given)
    rows = [line.split(",") + ["even" if int(line.split(",")[0]) % 2 == 0 else "odd"] for line in lines[1:]]
    action, seen = (lines[0].split(",").index(name) for name in ("action", "observation"))
    lost = {row[0] for row in rows if row[action] == "monitor"}
    lost = sorted(lost, key=int)[:3]
    for episode in lost:
        next(row for row in rows if row[0] == episode and row[action] == "monitor")[seen] = ""
    write(logs, "\n".join([lines[0] + ",site"] + [",".join(row) for row in rows]) + "\n")
    asif("fit", study, logs, "-o", folder, "-q", "--method", "map", "--no-sensitivity", "--by", "site", codes=(0, 1))
    page = make(folder, "--min-cell", "0")
    check_usual(page, "flow")
    out = sum(row[0] in lost for row in rows)
    left = {site: len({row[0] for row in rows if row[-1] == site and row[0] not in lost}) for site in ("even", "odd")}
    want = ["%d rows of the table." % len(rows), "%d rows (3 whole episodes) were left out: something is missing in the episode." % out,
            "%d rows that were used." % (len(rows) - out)] + ["%d episodes of %s." % (left[site], site) for site in left]  # fmt: skip
    flow = re.search('<ol class="flow">(.*?)</ol>', page.source, re.S)
    found = [re.sub("<[^>]*>", "", item) for item in re.findall("<li.*?>(.*?)</li>", flow[1] if flow else "")]
    check(found == want, "the way of the rows is %s, and not %s" % (found, want))
    check_table_1(page, [[row for row in rows if row[-1] == site and row[0] not in lost] for site in ("even", "odd")], action, seen)
    shown = make(folder).text
    check("Some rows were left out: something is missing in the episode" in shown, "the reason is not shown where counts are withheld")
    check("%d rows" % len(rows) not in shown and "%d rows" % out not in shown, "counts of all groups are shown where counts are withheld")


with tempfile.TemporaryDirectory(prefix="asif-test-") as work:
    test_hostile(work)
    test_plain(work)
    test_two_names(work)
    test_states_seen(work)
    test_flow(work)
sys.exit(failed > 0)
