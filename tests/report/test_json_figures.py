"""Figures made from JSON, against what the test works out itself: of the logs and `asif plan` (observed, calibration, precision and
recall), of the binomial distribution (ranks), of the JSON (sensitivity, recovery); and what they do not tell with a limit."""
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
    from scipy.stats import binomtest
except ImportError:
    print("numpy or scipy is missing")
    sys.exit(77)

asif, root = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not asif or not root or not os.path.exists(asif):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

DIAG = os.path.join(root, "examples/diag/study.yaml")
ACTIONS = ["declare_healthy", "declare_diseased", "monitor"]
GIVEN = ["-p", "alpha=4", "-p", "beta=1.25", "-p", "eta=5"]
LIMIT = 11
HOSTILE = "</script><script>alert('1')</script>\u202e\u2028\"\\" + "x" * 300


def run(*args, codes=(0,)):
    done = subprocess.run([asif, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode in codes, (args, done.returncode, done.stderr)
    return done.stdout


def read_decisions(path):
    """(history, action) of every decision; a history is a tuple of observations."""
    out, history, episode = [], (), None
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["episode"] != episode:
                episode, history = row["episode"], ()
            out.append((history, row["action"]))
            history += (row["observation"],)
    return out


def policies(histories):
    """By `asif plan`: a history tells all of its beginnings."""
    known = {}
    for h in sorted(histories, key=len, reverse=True):
        if h in known:
            continue
        asked = ["--history", ",".join(f"monitor:{x}" for x in h)] if h else ["--belief", "0.5,0.5"]
        found = json.loads(run("plan", DIAG, *GIVEN, *asked, "--json"))
        for depth, entry in enumerate(found["history"] if h else found["beliefs"]):
            known[h[:depth]] = entry["policy"]
    return known


def tenths(p, y, least):
    """Bins (low, high, mean of p, mean of y, size); too small ones go with the next, the last with the one before."""
    place = np.searchsorted(np.linspace(0, 1, 11)[1:-1], p)
    groups, open_bins = [], []
    for b in sorted(set(place)):
        open_bins.append(b)
        if np.isin(place, open_bins).sum() >= least:
            groups.append(open_bins)
            open_bins = []
    if open_bins:
        groups[-1] += open_bins
    out = []
    for g in groups:
        m = np.isin(place, g)
        out.append((g[0] / 10, (g[-1] + 1) / 10, p[m].mean(), y[m].mean(), m.sum()))
    return out


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.logs, cls.fit = cls.path("logs.csv"), cls.path("fit")
        run("simulate", DIAG, *GIVEN, "-n", 900, "--seed", 3, "-o", cls.logs)
        run("fit", DIAG, cls.logs, *GIVEN[2:], "--chains", 2, "--warmup", 60, "--draws", 60, "--no-sensitivity", "-o", cls.fit,
            "-q", codes=(0, 1))
        cls.decisions = read_decisions(cls.logs)
        cls.policy = policies({h for h, _ in cls.decisions})
        cls.evaluated = json.loads(run("evaluate", DIAG, cls.logs, *GIVEN, "--folds", 3, "--json"))
        cls.write("evaluate.json", cls.evaluated)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def write(cls, name, content):
        with open(cls.path(name), "w", encoding="utf-8") as file:
            json.dump(content, file)

    def report(self, *extras, limit=LIMIT):
        """Figures by name."""
        out = self.path("figures")
        for name in os.listdir(out) if os.path.isdir(out) else []:
            os.remove(os.path.join(out, name))
        flags = [x for e in extras for x in ("--with", self.path(e))]
        run("report", self.fit, "--figures", out, "-o", self.path("page.html"), "--min-cell", limit, *flags)
        found = {}
        for name in os.listdir(out):
            with open(os.path.join(out, name), encoding="utf-8") as file:
                found[name[: -len(".vl.json")]] = json.load(file)
        return found

    def near(self, found, expected, digits=5):
        self.assertAlmostEqual(found, expected, delta=10.0 ** (1 - digits) * max(abs(expected), 1e-6) + 1e-12)

    def predictions(self, action):
        p = np.array([self.policy[h][action] for h, _ in self.decisions])
        return p, np.array([float(a == action) for _, a in self.decisions])

    # ---- asif evaluate ----

    def test_calibration_of_evaluate(self):
        held_out = self.evaluated["models"][1]["held_out"]
        self.assertEqual(list(held_out["actions"]), ACTIONS)
        for action, curve in held_out["actions"].items():
            p, y = self.predictions(action)
            self.assertEqual(curve["decisions"], len(p))
            self.assertEqual(curve["taken"], y.sum())
            expected = tenths(p, y, 20)
            self.assertGreater(len(expected), 2)
            self.assertEqual(len(curve["calibration"]), len(expected))
            for b, e in zip(curve["calibration"], expected):
                found = [b[k] for k in ("low", "high", "predicted", "observed", "decisions")]
                np.testing.assert_allclose(found, e, rtol=1e-8, atol=1e-12)
                self.assertEqual(b["taken"], round(b["observed"] * b["decisions"]))

    def test_precision_of_evaluate(self):
        areas = []
        for action, curve in self.evaluated["models"][1]["held_out"]["actions"].items():
            p, y = self.predictions(action)
            p = np.round(p, 10)  # histories with the same belief
            thresholds = np.unique(p)[::-1]
            area, before = 0, 0
            exact = {}
            for t in thresholds:
                called = p >= t
                precision, recall = y[called].mean(), y[called].sum() / y.sum()
                area, before = area + (recall - before) * precision, recall
                exact[t] = (precision, recall, called.sum())
            self.assertAlmostEqual(curve["average_precision"], area, delta=1e-9)
            areas.append(area)
            points = curve["precision_recall"]
            self.assertLessEqual(len(points), 101)
            if len(thresholds) <= 100:
                self.assertEqual(len(points), len(thresholds))
            drawn, before = 0, 0
            for point in points:
                t = thresholds[np.argmin(abs(thresholds - point["threshold"]))]
                np.testing.assert_allclose([point["precision"], point["recall"], point["called"]], exact[t], rtol=1e-12)
                drawn, before = drawn + (point["recall"] - before) * point["precision"], point["recall"]
            self.assertAlmostEqual(drawn, area, delta=1e-9 if len(thresholds) <= 100 else 0.01)
            self.assertEqual(before, 1)
        self.assertAlmostEqual(self.evaluated["models"][1]["held_out"]["average_precision"], np.mean(areas), delta=1e-9)

    # ---- the figures, exact ----

    def test_observed(self):
        with open(os.path.join(self.fit, "fit.json"), encoding="utf-8") as file:
            histories = json.load(file)["histories"]
        rows = self.report(limit=0)["observed"]["datasets"]["histories"]
        self.assertEqual(len(rows), len(histories))
        for row, h in zip(rows, histories):
            action = max(h["actions"], key=lambda a: h["actions"][a]["predicted"])
            key = tuple(event["observation"] for event in h["history"])
            taken = [a == action for x, a in self.decisions if x == key]
            self.assertTrue(row["label"].startswith(action))
            self.near(row["observed"], np.mean(taken))
            between = binomtest(sum(taken), len(taken)).proportion_ci(0.9, "wilson")
            self.near(row["error_low"], between.low, 4)
            self.near(row["error_high"], between.high, 4)
            for k in ("predicted", "q05", "q95"):
                self.near(row[k], h["actions"][action][k])
        self.assertNotIn("observed", self.report(limit=10**6))

    def test_calibration(self):
        self.assertNotIn("calibration", self.report())
        rows = self.report("evaluate.json", limit=0)["calibration"]["datasets"]["bins"]
        self.assertEqual({r["model"] for r in rows}, {"study", "behavioural cloning"})
        for action in ACTIONS:
            expected = tenths(*self.predictions(action), 20)
            mine = [r for r in rows if r["action"] == action and r["model"] == "study"]
            self.assertEqual(len(mine), len(expected))
            for r, (_, _, predicted, observed, size) in zip(mine, expected):
                self.near(r["x"], predicted)
                self.near(r["y"], observed)
                self.assertEqual(r["decisions"], size)

    def test_precision(self):
        figure = self.report("evaluate.json", limit=0)["precision"]
        for action in ACTIONS:
            points = self.evaluated["models"][1]["held_out"]["actions"][action]["precision_recall"]
            rows = [r for r in figure["datasets"]["points"] if r["action"] == action and r["model"] == "study"]
            self.assertEqual([r["order"] for r in rows], list(range(len(points) + 1)))
            self.assertEqual((rows[0]["x"], rows[0]["y"]), (0, rows[1]["y"]))
            for r, p in zip(rows[1:], points):
                self.near(r["x"], p["recall"])
                self.near(r["y"], p["precision"])

    # ---- the figures, with a limit ----

    def test_limited(self):
        """Shares of bins are sums of counts, some of which the page tells: they are not drawn, and it is said."""
        figures = self.report("evaluate.json")
        self.assertFalse({"calibration", "precision"} & set(figures))
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("With --min-cell 0, all counts are shown, and these figures are drawn.", page)
        self.report()
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertNotIn("all counts are shown, and these figures", file.read())

    def test_hostile_evaluation(self):
        curve = {"decisions": 60, "taken": 30, "average_precision": 0.5, "precision_recall": [],
                 "calibration": [{"low": 0, "high": 0.1, "predicted": 0.05, "observed": 0.5, "decisions": 60, "taken": 30}]}
        model = {"name": "m", "planner": "p", "inverse": "i", "held_out": {"actions": {HOSTILE: curve}}}
        self.write("small.json", {"folds": 2, "units": 9, "models": [model, {**model, "name": HOSTILE}, model]})
        rows = self.report("small.json", limit=0)["calibration"]["datasets"]["bins"]
        self.assertEqual([(r["action"], r["model"], r["x"], r["y"]) for r in rows], [(HOSTILE, HOSTILE, 0.05, 0.5), (HOSTILE, "m", 0.05, 0.5)])
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertNotIn("<script>alert", file.read())

    # ---- simulated agents ----

    def test_sbc(self):
        rng = np.random.default_rng(4)
        n, bins = 60, 10
        histogram = [int(x) for x in rng.multinomial(n, [0.37] + [0.07] * 9)]
        self.write("sbc.json", {
            "command": "sbc", "done": n, "ranks": 100, "bins": bins, "uniform": False,
            "parameters": {"log_alpha": {"parameter": "alpha", "label": None, "count": n, "histogram": histogram, "chi_square": 61.5,
                                         "p": 3e-9, "uniform": False}},
            "log_likelihood": {"count": n, "histogram": [6] * bins, "chi_square": 0, "p": 1, "uniform": True}})
        figure = self.report("sbc.json")["sbc"]
        chance = [math.comb(n, k) * 0.1**k * 0.9 ** (n - k) for k in range(n + 1)]
        low, high = (int(np.argmax(np.cumsum(chance) >= q)) for q in (0.005, 0.995))
        rows = [r for r in figure["datasets"]["ranks"] if r["number"] == "choice randomness (alpha)"]
        self.assertEqual([r["count"] for r in rows], histogram)
        self.assertEqual([(r["from"], r["to"]) for r in rows], [(10 * b, 10 * b + 10) for b in range(bins)])
        self.assertEqual({(r["low"], r["high"], r["expected"]) for r in rows}, {(low, high, 6)})
        self.assertEqual([r["where"] == "outside" for r in rows], [not low <= h <= high for h in histogram])
        self.assertEqual(rows[0]["where"], "outside")
        self.assertIn("not all uniform", figure["description"])
        self.assertIn("p below 0.0001", figure["description"])

    def test_recovery(self):
        numbers = [(-1.0, -0.9, -1.2, -0.6), (0.5, 0.1, -0.1, 0.3), (1.0, 1.2, -50, 50)]
        fits = [{"replicate": i + 1, HOSTILE: dict(zip(("truth", "estimate", "q05", "q95"), v))} for i, v in enumerate(numbers)]
        parameters = {HOSTILE: {"parameter": HOSTILE, "label": None, "truth": None, "bias": 0.1, "rmse": 0.2, "correlation": 0.9,
                                "coverage": {"held": 2, "of": 3}}}
        content = {"command": "recover", "done": 3, "episodes": 10, "parameters": parameters, "fits": fits}
        self.write("recover.json", content)
        figure = self.report("recover.json")["recovery"]
        rows = figure["datasets"]["agents"]
        agents, line = [r for r in rows if "held" in r], [r for r in rows if "even" in r]
        self.assertEqual([r["held"] for r in agents], ["truth inside", "truth outside", "truth inside"])
        self.assertEqual([(r["x"], r["y"]) for r in agents], [v[:2] for v in numbers])
        self.assertEqual([(r["low"], r["high"]) for r in agents[:2]], [v[2:] for v in numbers[:2]])
        self.near(agents[2]["high"], 1.2 + 0.5 * 2.2)
        self.assertEqual([(r["x"], r["even"]) for r in line], [(-1, -1), (1, 1)])
        self.assertEqual({r["number"] for r in rows}, {HOSTILE})
        self.assertIn("2 of 3", figure["description"])
        parameters[HOSTILE]["truth"] = 0.5
        for fit in fits:
            fit[HOSTILE]["truth"] = 0.5
        self.write("recover.json", content)
        rows = self.report("recover.json")["recovery"]["datasets"]["agents"]
        self.assertEqual([r["x"] for r in rows if "held" in r], [1, 2, 3])
        self.assertEqual([r["even"] for r in rows if "even" in r], [0.5, 0.5])

    # ---- sensitivity ----

    def test_sensitivity(self):
        text = run("sensitivity", self.fit, "--draws", 0, "--points", 3, "--vary", "wrong=-60:-20", "--json", "-q", codes=(0, 1))
        found = json.loads(text)
        self.write("sensitivity.json", found)
        varied = found["variations"][0]
        # Put a sign in, and one value that the logs speak against.
        varied["effects"]["log_alpha"]["flips"] = [{"before": -36, "beyond": -20, "at": -25.5, "nats": 0.123456, "within": True,
                                                    "to": "negative", "clear_at": None, "clear_nats": None}]
        varied["points"][0]["nats"] = 7.654321
        self.write("sensitivity.json", found)
        figure = self.report("sensitivity.json")["sensitivity-wrong"]
        rows = figure["datasets"]["points"]
        points = [r for r in rows if "cost" in r]
        self.assertEqual(len(points), len(varied["points"]))
        maxima = [p["numbers"]["log_alpha"]["maximum"] for p in varied["points"]]
        room = max(max(maxima) - min(maxima), 1.5 * 1.6449 * found["statements"]["log_alpha"]["sd"])
        for r, p in zip(points, varied["points"]):
            n = p["numbers"]["log_alpha"]
            self.assertEqual(r["number"], "choice randomness (alpha)")
            self.near(r["x"], p["value"])
            self.near(r["y"], math.exp(n["maximum"]))
            self.near(r["low"], math.exp(max(n["maximum"] - 1.6449 * n["sd"], min(maxima) - room)))
            self.near(r["high"], math.exp(min(n["maximum"] + 1.6449 * n["sd"], max(maxima) + room)))
            self.assertAlmostEqual(r["nats"], round(p["nats"], 2), places=9)
            self.assertEqual(r["cost"], "within the limit" if p["nats"] <= 3 else "costs more")
            self.assertEqual(r["given"], p["value"] == -36)
        self.assertEqual(points[0]["cost"], "costs more")
        self.assertEqual([(r["x"], r["y"]) for r in rows if "flip" in r], [(-25.5, 0)])
        self.assertIn("turns negative at -25.5 (0.12 nats)", figure["description"])
        self.assertNotIn("7.654", json.dumps(figure))

    def test_sensitivity_of_a_group(self):
        """What was found for one group is shown as its own, and replaces nothing of the others."""
        with open(self.logs, encoding="utf-8") as file:
            lines = file.read().splitlines()
        table, by = self.path("arms.csv"), self.path("arms")
        with open(table, "w", encoding="utf-8") as file:
            file.write("\n".join([lines[0] + ",arm", *(f"{line},{'ab'[int(line.split(',')[0]) % 2]}" for line in lines[1:])]) + "\n")
        run("fit", DIAG, table, *GIVEN[2:], "--by", "arm", "--method", "map", "--starts", 1, "-o", by, "-q", codes=(0, 1))
        text = run("sensitivity", os.path.join(by, "b"), "--draws", 0, "--points", 3, "--vary", "wrong=-60:-20", "--json", "-q",
                   codes=(0, 1))
        found = json.loads(text)
        self.assertEqual(found["group"], {"column": "arm", "value": "b"})
        self.write("b.json", found)
        fit, self.fit = self.fit, by
        try:
            plain, shown = self.report(), self.report("b.json")
        finally:
            self.fit = fit
        self.assertLessEqual(set(plain), set(shown))

        def values(figures, group):
            return [r["x"] for r in figures["sensitivity-wrong"]["datasets"]["points"] if r["group"] == group and "cost" in r]

        self.assertEqual(values(shown, "a"), values(plain, "a"))
        self.assertEqual(values(shown, "b"), [p["value"] for p in found["variations"][0]["points"]])
        for name in plain:
            if name.startswith("sensitivity") and name != "sensitivity-wrong":
                kept = [r for r in plain[name]["datasets"]["points"] if r["group"] == "a"]
                self.assertEqual([r for r in shown[name]["datasets"]["points"] if r["group"] == "a"], kept)
        done = subprocess.run([asif, "report", os.path.join(by, "a"), "-o", self.path("page.html"), "--with", self.path("b.json")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another group (arm = b)", done.stderr)
        run("report", by, "-o", self.path("page.html"), "--with", self.path("b.json"))
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        before = page.split("varied further")
        self.assertEqual(len(before), 2)
        self.assertEqual(re.findall(r"<h3>(?:<[^>]*>)*([ab])(?:<[^>]*>)*</h3>", before[0])[-1], "b")

    # ---- what is no such JSON ----

    def test_refused(self):
        for i, content in enumerate(({}, [1], {"command": "fit"}, {"models": []}, 3)):
            name = f"wrong{i}.json"
            self.write(name, content)
            done = subprocess.run([asif, "report", self.fit, "-o", self.path("page.html"), "--with", self.path(name)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(name, done.stderr)
        # Parts that are missing or of another kind are left out.
        for content in ({"command": "sbc"}, {"command": "recover", "parameters": {"a": 1}, "fits": [1]},
                        {"variations": [{"name": "a", "points": [1]}, 2], "statements": [1]},
                        {"variations": [{"name": "a", "points": [1]}], "statements": {"b": 1}},
                        {"folds": 2, "models": [1, 2, 3]},
                        {"folds": 2, "models": [1, {"held_out": {"actions": {"a": {"calibration": [1, {}]}, "b": 1}}}, 3]},
                        {"command": "sbc", "parameters": {"a": {"histogram": [1, "x"], "count": 2}, "b": [1]}}):
            self.write("odd.json", content)
            for limit in (0, LIMIT):
                self.report("odd.json", limit=limit)


if __name__ == "__main__":
    unittest.main()
