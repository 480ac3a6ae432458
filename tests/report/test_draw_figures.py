"""Figures made from draws and from several fits: their data against NumPy's and SciPy's numbers from the chains' files, which are
replaced by draws of known shape. ctest label: slow"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
try:
    import numpy as np
    from scipy import stats
except ImportError:
    print("NumPy and SciPy are not there")
    sys.exit(77)

FIT = ["--method", "metropolis", "--chains", "2", "--warmup", "20", "--draws", "20", "--no-sensitivity", "-q"]
DRAWN = ["posterior", "joint", "trace", "ranks"]
STUDY = """
asif: 1
states:       [healthy, diseased]
actions:      [declare_healthy, declare_diseased, monitor]
observations: [negative, positive]
environment:
  start: [0.5, 0.5]
  transitions: {monitor: identity, any: reset}
  emissions: [[0.7, 0.3], [0.3, 0.7]]
  ends: [declare_healthy, declare_diseased]
agent:
  planner: bounded-rational
  discount: DISCOUNT
  action_prior: ACTIONS
  worlds:
    - emissions: [[0.6, 0.4], [0.4, 0.6]]
    - emissions: [[0.8, 0.2], [0.2, 0.8]]
  utility:
    declare_healthy:  {healthy: correct, diseased: wrong}
    declare_diseased: {healthy: wrong, diseased: correct}
    monitor: cost
  parameters: {correct: 10, cost: -1, wrong: WRONG, alpha: ALPHA, beta: BETA, eta: ETA}
solver: {resolution: 8, tol: 1e-8}
"""
PLAIN = {"DISCOUNT": "0.95", "ACTIONS": "[0.25, 0.25, 0.5]", "WRONG": "-36", "ALPHA": "learn", "BETA": "learn", "ETA": "learn"}
RICH = {"DISCOUNT": '"learn ~ beta(9, 2)"', "ACTIONS": '"learn ~ dirichlet(2, 3, 4)"',
        "WRONG": '{learn: "uniform(-60, -10)", standard: -36}', "ALPHA": '"learn ~ lognormal(-0.5, 1)"', "BETA": "inf",
        "ETA": '"learn ~ student_t(4, 0, 20)"'}


def run(*args, code=0):
    result = subprocess.run([ASIF, *map(str, args)], capture_output=True, timeout=1400)
    codes = (0, 1) if args[0] == "fit" else (code,)  # so few draws cannot be trusted
    assert result.returncode in codes, (args, result.returncode, result.stdout[-500:], result.stderr[-2000:])
    return result


def lines_of(*path):
    with open(os.path.join(*path)) as file:
        return file.readlines()


def json_of(*path):
    with open(os.path.join(*path)) as file:
        return json.load(file)


def write_study(path, values):
    text = STUDY
    for key, value in values.items():
        text = text.replace(key, value)
    with open(path, "w") as file:
        file.write(text)


def read_chains(folder):
    """Columns by name, each [chains][draws]."""
    chains = []
    for k in range(1, 100):
        path = os.path.join(folder, f"chain-{k}.csv")
        if not os.path.exists(path):
            break
        lines = [line.rstrip("\n") for line in lines_of(path) if not line.startswith("#")]
        names = lines[0].split(",")
        chains.append(np.array([[float(x) for x in line.split(",")] for line in lines[1:]]))
    return {name: np.array([c[:, i] for c in chains]) for i, name in enumerate(names) if not name.endswith("__")}


def replace_chains(folder, columns):
    """New draws in the files of the chains, and their quantiles in fit.json."""
    names = list(columns)
    count, draws = columns[names[0]].shape
    head = [line for line in lines_of(folder, "chain-1.csv") if not line.startswith("#")][0]
    comments = [line for line in lines_of(folder, "chain-1.csv") if line.startswith("#") and
                "Adaptation" not in line and "," not in line and "Step size" not in line and "Elements" not in line]
    own = [name for name in head.strip().split(",") if name.endswith("__")]
    assert head.strip().split(",")[len(own):] == names, (head, names)
    for k in range(1, 100):
        path = os.path.join(folder, f"chain-{k}.csv")
        if os.path.exists(path):
            os.remove(path)
    for k in range(count):
        with open(os.path.join(folder, f"chain-{k + 1}.csv"), "w") as file:
            for line in comments:
                if "num_samples" in line:
                    line = f"#     num_samples = {draws}\n"
                if line.startswith("# id"):
                    line = f"# id = {k + 1}\n"
                file.write(line)
            file.write(head)
            for d in range(draws):
                row = ["-1.0"] + ["0.9"] * (len(own) - 1) + [repr(float(columns[n][k, d])) for n in names]
                file.write(",".join(row) + "\n")
    path = os.path.join(folder, "fit.json")
    fit = json_of(path)
    fit["draws"].update(chains=count, draws=draws)
    for name in names:
        node = fit["parameters"][name]
        q = np.quantile(columns[name], [0.05, 0.5, 0.95])
        shown = np.exp(q) if name.startswith("log_") else q
        for key, a, b in zip(["q05", "q50", "q95"], q, shown):
            node[key], node["shown"][key] = float(a), float(b)
    with open(path, "w") as file:
        json.dump(fit, file)


def figures(folder, *args):
    with tempfile.TemporaryDirectory() as out:
        run("report", folder, "-o", os.path.join(out, "r.html"), "--figures", os.path.join(out, "f"), *args)
        made = {}
        for name in os.listdir(os.path.join(out, "f")):
            made[name.replace(".vl.json", "")] = json_of(out, "f", name)
        return made


def rows(figure, data, **where):
    return [r for r in figure["datasets"][data] if all(r.get(k) == v for k, v in where.items())]


def array(found, key):
    return np.array([r[key] for r in found], dtype=float)


def silverman(x):
    quartiles = np.subtract(*np.quantile(x, [0.75, 0.25])) / 1.34
    return 0.9 * min(x.std(ddof=1), quartiles) * len(x) ** -0.2


def kde(x, width):
    return stats.gaussian_kde(x, bw_method=width / x.std(ddof=1))


def inside(points, path):
    """Even-odd rule: which of the points lie within the closed path."""
    within = np.zeros(len(points), dtype=bool)
    for (ax, ay), (bx, by) in zip(path[:-1], path[1:]):
        crosses = (ay > points[:, 1]) != (by > points[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = ax + (points[:, 1] - ay) * (bx - ax) / (by - ay)
        within ^= crosses & (points[:, 0] < at)
    return within


class Draws(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.random = np.random.default_rng(7)
        at = lambda name: os.path.join(cls.folder, name)
        write_study(at("plain.yaml"), PLAIN)
        write_study(at("rich.yaml"), RICH)
        run("simulate", at("plain.yaml"), "-p", "alpha=0.5", "-p", "optimism=0.8", "-p", "eta=0", "--episodes", 40, "-o",
            at("logs.csv"))
        lines = [line.strip() for line in lines_of(at("logs.csv"))]
        with open(at("sites.csv"), "w") as file:
            file.write(lines[0] + ",site\n")
            for line in lines[1:]:
                file.write(line + (",north\n" if hash_of(line.split(",")[0]) else ",south\n"))
        run("fit", at("plain.yaml"), at("sites.csv"), "--by", "site", "-o", at("by"), *FIT)
        run("fit", at("rich.yaml"), at("logs.csv"), "-o", at("rich"), *FIT)
        # Draws of known shape: a ridge, a curved one, and two modes; different in the groups.
        cls.draws = {}
        for shift, group in enumerate(["north", "south"]):
            z = cls.random.standard_normal((3, 4, 500))
            z[0] = np.where(cls.random.random((4, 500)) < 0.3, z[0] - 4, z[0])
            cls.draws[group] = {"log_alpha": -1 + shift + 0.3 * z[1], "optimism": 0.2 * z[0] + shift,
                                "eta": -30 * (0.2 * z[0] + 0.02 * z[2])}
            replace_chains(os.path.join(at("by"), group), cls.draws[group])
        cls.made = figures(at("by"), "--truth", "alpha=0.5", "--truth", "beta=1.25")
        cls.one = os.path.join(at("by"), "north")
        cls.rich = {"discount": cls.random.beta(20, 1, (2, 600)), "log_alpha": cls.random.normal(-1, 0.5, (2, 600)),
                    "wrong": cls.random.uniform(-60, -40, (2, 600)), "eta": cls.random.normal(0, 5, (2, 600))}
        for k, column in enumerate(np.moveaxis(cls.random.dirichlet([1, 2, 3], (2, 600)), 2, 0)):
            cls.rich[f"action_prior.{k + 1}"] = column
        order = list(read_chains(at("rich")))
        cls.rich = {name: cls.rich[name] for name in order}
        replace_chains(at("rich"), cls.rich)
        cls.rich_made = figures(at("rich"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def copy(self, name):
        to = os.path.join(self.folder, name)
        shutil.copytree(self.one, to)
        return to

    def test_which(self):
        groups = {"forest", "posterior", "joint", "trace-north", "trace-south", "ranks-north", "ranks-south"}
        self.assertLessEqual(groups, set(self.made))
        alone = set(figures(self.one))
        self.assertLessEqual(set(DRAWN), alone)
        self.assertFalse({"forest", "forest-behaviour"} & alone)

    def test_density(self):
        """SciPy's kernel density with the width of Silverman's rule; the area is 1."""
        for group, columns in self.draws.items():
            for name, values in columns.items():
                x = values.ravel()
                found = rows(self.made["posterior"], "density", number=name, group=group)
                at, density = array(found, "x"), array(found, "density")
                at = np.log(at) if name == "log_alpha" else at
                expected = kde(x, silverman(x))(at)
                np.testing.assert_allclose(density, expected, rtol=2e-3, atol=2e-3 * expected.max())
                self.assertAlmostEqual(np.trapezoid(density, at) if hasattr(np, "trapezoid") else np.trapz(density, at), 1,
                                       delta=0.01)
                shaded = at[[r["inside"] for r in found]]
                np.testing.assert_allclose([shaded.min(), shaded.max()], np.quantile(x, [0.05, 0.95]), rtol=1e-4, atol=1e-4)
                median = rows(self.made["posterior"], "median", number=name, group=group)[0]["x"]
                middle = np.quantile(x, 0.5)
                self.assertAlmostEqual(median, math.exp(middle) if name == "log_alpha" else middle, delta=1e-3 * x.std())

    def test_limits(self):
        """Of numbers with limits nothing is lost beyond them, and nothing drawn there."""
        for name, low, high in [("discount", 0, 1), ("wrong", -60, -10), ("action_prior.1", 0, 1)]:
            x, found = self.rich[name].ravel(), rows(self.rich_made["posterior"], "density", number=name)
            at, density = array(found, "x"), array(found, "density")
            self.assertTrue(low <= at.min() and at.max() <= high)
            f = kde(x, silverman(x))
            expected = f(at) + f(2 * low - at) + f(2 * high - at)
            np.testing.assert_allclose(density, expected, rtol=2e-3, atol=2e-3 * expected.max())

    def test_prior(self):
        priors = {"discount": stats.beta(9, 2).pdf, "wrong": stats.uniform(-60, 50).pdf, "eta": stats.t(4, 0, 20).pdf,
                  "log_alpha": stats.norm(-0.5, 1).pdf, "action_prior.1": stats.beta(2, 7).pdf,
                  "action_prior.2": stats.beta(3, 6).pdf, "action_prior.3": stats.beta(4, 5).pdf}
        for name, density in priors.items():
            found = rows(self.rich_made["posterior"], "prior", number=name)
            self.assertGreater(len(found), 50)
            at = array(found, "x")
            at = np.log(at) if name == "log_alpha" else at
            within = slice(1, -1)  # at a limit, what it is just inside
            np.testing.assert_allclose(array(found, "density")[within], density(at)[within], rtol=1e-3, atol=1e-4)

    def test_truth(self):
        truth = {r["number"]: r["x"] for r in self.made["posterior"]["datasets"]["truth"]}
        self.assertEqual(truth, {"log_alpha": 0.5, "optimism": 0.8})
        self.assertIn("the truth, 0.5,", self.made["posterior"]["description"])
        cross = self.made["joint"]["datasets"]["truth"]
        self.assertEqual([(r["x"], r["y"]) for r in cross], [(0.5, 0.8)])
        for text, said in [("alph=1", "did you mean 'alpha'"), ("alpha=-1", "cannot be -1"), ("beta=0", "cannot be 0"),
                           ("alpha", "NAME=VALUE"), ("wrong=1", "was not estimated")]:
            result = run("report", self.one, "--figures", os.path.join(self.folder, "none"), "--truth", text, code=2)
            self.assertIn(said, result.stderr.decode())
        truth = figures(self.one, "--truth", "log_alpha=0", "--truth", "beta=inf")["posterior"]["datasets"]["truth"]
        self.assertEqual([r["x"] for r in truth], [1, 0])

    def test_joint(self):
        """Correlations, draws that are draws, and lines that hold what they say."""
        figure = self.made["joint"]
        cells = {(r[0], r[1], r[2]): float(r[3]) for r in figure["usermeta"]["asif"]["table"]["rows"]}
        words = {"log_alpha": "choice randomness (alpha)", "optimism": "optimism (1/beta)", "eta": "taste for surprise (eta)"}
        pairs = {}
        for group, columns in self.draws.items():
            for i, a in enumerate(columns):
                for b in list(columns)[i + 1:]:
                    r = np.corrcoef(columns[a].ravel(), columns[b].ravel())[0, 1]
                    pairs[(a, b)] = max(pairs.get((a, b), 0), abs(r))
                    self.assertAlmostEqual(cells[(words[a], words[b], group)], r, delta=0.0051)
        order = sorted(pairs, key=lambda p: -pairs[p])
        self.assertEqual(order[0], ("optimism", "eta"))
        for k, (a, b) in enumerate(order):
            for group, columns in self.draws.items():
                back = lambda name, v: np.log(v) if name == "log_alpha" else v
                points = np.column_stack([columns[a].ravel(), columns[b].ravel()])
                scale = points.std(axis=0)
                drawn = rows(figure, "draws", pair=k + 1, group=group)
                self.assertEqual(len(drawn), 150)
                for r in drawn[::30]:
                    gap = np.abs((points - [back(a, r["x"]), back(b, r["y"])]) / scale).max(axis=1).min()
                    self.assertLess(gap, 1e-3)
                for holds in (50, 90):
                    found = rows(figure, "contours", pair=k + 1, group=group, holds=holds)
                    within = np.zeros(len(points), dtype=bool)
                    for path in {r["path"] for r in found}:
                        line = sorted((r for r in found if r["path"] == path), key=lambda r: r["order"])
                        line = np.column_stack([back(a, array(line, "x")), back(b, array(line, "y"))])
                        np.testing.assert_allclose(line[0], line[-1])
                        within ^= inside(points, line)
                    self.assertAlmostEqual(within.mean(), holds / 100, delta=0.03)
                    # SciPy's density (Scott's width, which is its default) tells those within from those without.
                    density = stats.gaussian_kde(points.T)(points.T)
                    level = np.quantile(density, 1 - holds / 100)
                    self.assertLess(np.mean((density > level) != within), 0.04)

    def test_joint_prior(self):
        """The line of the prior, where draws reach it, is an ellipse of normals that holds 90 %."""
        wide = self.copy("wide")
        fit = json_of(wide, "fit.json")
        scale = {"log_alpha": 1.5, "optimism": 1, "eta": 1}
        middle = {"log_alpha": float(fit["parameters"]["log_alpha"]["prior"].split("(")[1].split(",")[0]), "optimism": 0, "eta": 0}
        for name in ("optimism", "eta"):
            scale[name] = float(fit["parameters"][name]["prior"].split(",")[1].strip(" )"))
        z = self.random.standard_normal((3, 4, 500))
        z[1] += z[0]
        columns = {name: middle[name] + scale[name] * 2 * z[k] for k, name in enumerate(scale)}
        replace_chains(wide, columns)
        figure = figures(wide)["joint"]
        self.assertIn("90 % of the prior", figure["usermeta"]["asif"]["caption"])
        title = {p["encoding"]["x"]["title"].split(" ")[0] + p["encoding"]["y"]["title"].split(" ")[0]: k + 1
                 for k, p in enumerate(figure["concat"])}
        found = rows(figure, "prior", pair=title["choiceoptimism"])
        radius = np.hypot((np.log(array(found, "x")) - middle["log_alpha"]) / scale["log_alpha"],
                          array(found, "y") / scale["optimism"])
        np.testing.assert_allclose(radius, math.sqrt(stats.chi2(2).ppf(0.9)), rtol=0.02)

    def test_trace(self):
        for group, columns in self.draws.items():
            figure = self.made[f"trace-{group}"]
            self.assertEqual(len(figure["datasets"]["draws"]), 4 * 200)
            for r in figure["datasets"]["draws"][::17]:
                for k, name in enumerate(columns):
                    value = columns[name][r["chain"] - 1, r["draw"] - 1]
                    self.assertAlmostEqual(r[f"v{k + 1}"], math.exp(value) if name == "log_alpha" else value,
                                           delta=1e-4 * max(1, abs(value)))
            self.assertIn("R-hat", figure["description"])

    def test_ranks(self):
        for group, columns in self.draws.items():
            for name, values in columns.items():
                rank = stats.rankdata(values.ravel()).reshape(values.shape)
                for c in range(4):
                    expected = np.histogram(rank[c], bins=np.linspace(0.5, values.size + 0.5, 21))[0]
                    found = rows(self.made[f"ranks-{group}"], "ranks", number=name, chain=c + 1)
                    np.testing.assert_array_equal(array(found, "count"), expected)

    def test_forest(self):
        figure = self.made["forest"]
        for group in self.draws:
            fit = json_of(self.folder, "by", group, "fit.json")
            for name, node in fit["parameters"].items():
                row, = rows(figure, "intervals", number=name, group=group)
                np.testing.assert_allclose([row["low"], row["middle"], row["high"]],
                                           [node["shown"][q] for q in ("q05", "q50", "q95")], rtol=1e-4)
                self.assertEqual(row["identified"], node["identified"])
            conduct = fit["outcomes"]["conduct"]
            for key, scale in [("before_end", 1), ("wrong", 100)]:
                row, = rows(self.made["forest-behaviour"], "intervals", number=key, group=group)
                self.assertAlmostEqual(row["middle"], scale * conduct["fitted"][key]["mean"], delta=1e-4 * scale)
                for ideal, word in [("without_bounds", "same model, no bounds"), ("ideal_bayes", "Bayes-optimal agent"),
                                    ("ideal_true", "knows the true world")]:
                    row, = rows(self.made["forest-behaviour"], "ideals", number=key, group=group, ideal=word)
                    self.assertAlmostEqual(row["x"], scale * conduct[ideal][key]["mean"], delta=1e-3 * scale)

    def test_nothing_to_draw(self):
        """A column that never moves, one chain, and fits without draws: fewer figures, no failure."""
        steady, single = self.copy("steady"), self.copy("single")
        columns = dict(self.draws["north"], eta=np.full((4, 500), 3.0))
        replace_chains(steady, columns)
        made = figures(steady)
        self.assertEqual(rows(made["posterior"], "density", number="eta"), [])
        self.assertIn("all alike", made["posterior"]["usermeta"]["asif"]["caption"])
        self.assertEqual(rows(made["ranks"], "ranks", number="eta"), [])
        self.assertEqual(len(made["joint"]["concat"]), 1)
        replace_chains(single, {name: values[:1] for name, values in self.draws["north"].items()})
        made = figures(single)
        self.assertNotIn("ranks", made)
        self.assertIn("posterior", made)
        for method in ("map", "ml"):
            to = os.path.join(self.folder, method)
            run("fit", os.path.join(self.folder, "plain.yaml"), os.path.join(self.folder, "logs.csv"), "-o", to, "--method", method,
                "--no-sensitivity", "-q", "-p", "beta=inf", "-p", "eta=0")
            self.assertFalse(set(DRAWN) & set(figures(to)))

    def test_improper(self):
        to = os.path.join(self.folder, "published")
        run("fit", os.path.join(self.folder, "plain.yaml"), os.path.join(self.folder, "logs.csv"), "-o", to, "--method", "published",
            "--chains", 2, "--warmup", 20, "--draws", 50, "--no-sensitivity", "-q", "-p", "beta=inf", "-p", "eta=0")
        made = figures(to)
        self.assertEqual(made["posterior"]["datasets"]["prior"], [])
        self.assertIn("improper", made["posterior"]["usermeta"]["asif"]["caption"])
        self.assertNotIn("joint", made)


def hash_of(text):
    return sum(map(ord, text)) % 2


if __name__ == "__main__":
    unittest.main()
