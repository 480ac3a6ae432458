"""The figures of the agent itself: policies and trajectories against `asif plan`, the oracle and what was measured with it; the
triangle's boundaries against the likeliest actions on either side; a path against `asif explain`; and whose path may be shown.

ctest label: slow (it fits)"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
ORACLE = os.environ.get("ASIF_ORACLE", "")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
MEMORY = os.path.join(SOURCE, "examples", "memory", "study.yaml")
GRID = os.path.join(SOURCE, "examples", "gridworld", "study.yaml")
# The six agents of the paper's Figure 2, and the beliefs after 1, 2, 3 positives that the oracle measured.
AGENTS = {
    "very_flexible": ((1e-3, 1e3, 1e-3), (0.7001, 0.8420, 0.9232)),
    "inflexible": ((10, 1e3, 1e-3), (0.7001, 0.8421, 0.9232)),
    "optimistic": ((0.5, 1.25, 1e-3), (0.7571, 0.9069, 0.9609)),
    "pessimistic": ((0.5, -0.75, 1e-3), (0.6287, 0.7391, 0.8242)),
    "neutral_adaptive": ((0.5, 1e3, 1e-3), (0.7001, 0.8421, 0.9232)),
    "non_adaptive": ((0.5, 1e3, 75), (0.7001, 0.8420, 0.9232)),
}
PESSIMIST = ["-p", "alpha=0.5", "-p", "optimism=-1", "-p", "eta=0"]
HEIGHT = math.sqrt(0.75)


def run(*args, code=0):
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode == code, (args, done.returncode, done.stderr)
    return done


def figure(folder, name):
    with open(os.path.join(folder, name + ".vl.json"), encoding="utf-8") as file:
        return json.load(file)


def given(agent):
    return [x for name, value in zip(("alpha", "beta", "eta"), agent) for x in ("-p", f"{name}={value}")]


def policies(study, flags, beliefs):
    at = [x for b in beliefs for x in ("--belief", ",".join(f"{p:.17g}" for p in b))]
    out = json.loads(run("plan", study, *flags, *at, "--json").stdout)
    return [entry["policy"] for entry in out["beliefs"]]


def likeliest(policy):
    return max(policy, key=policy.get)


class Policy(unittest.TestCase):
    def test_six_agents(self):
        oracle = os.path.join(ORACLE, "diag_fixtures.json")
        fixtures = None
        if os.path.exists(oracle):
            with open(oracle, encoding="utf-8") as file:
                fixtures = json.load(file)["agents"]
        for name, (agent, beliefs) in AGENTS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                flags = [*given(agent), "--resolution", 1000]
                run("plan", DIAG, *flags, "--figures", folder)
                spec = figure(folder, "policy")
                self.assertEqual(os.listdir(folder), ["policy.vl.json"])
                data = spec["datasets"]
                self.assertEqual([row["label"] for row in data["trajectory"]], ["z0", "z1", "z2", "z3"])
                for row, belief in zip(data["trajectory"], (0.5, *beliefs)):
                    self.assertAlmostEqual(row["belief"], belief, delta=1.5e-4)
                drawn = {}
                for row in data["policy"]:
                    drawn.setdefault(row["belief"], {})[row["action"]] = row["probability"]
                self.assertGreater(len(drawn), 100)
                shown = sorted(drawn)[:: len(drawn) // 40]
                for belief, policy in zip(shown, policies(DIAG, flags, [(1 - b, b) for b in shown])):
                    for action, p in policy.items():
                        self.assertAlmostEqual(drawn[belief][action], p, delta=1e-4, msg=(belief, action))
                # Lines that jump are looked at closely.
                order = sorted(drawn)
                for a, b in zip(order, order[1:]):
                    change = max(abs(drawn[a][u] - drawn[b][u]) for u in drawn[a])
                    self.assertTrue(change < 0.06 or b - a < 2e-5, (a, b, change))
                if not fixtures:
                    continue
                expected = fixtures[name]["n=1000"]
                for belief, pi in zip(expected["z"], expected["pi"]):
                    for action, p in zip(("declare_healthy", "declare_diseased", "monitor"), pi):
                        self.assertAlmostEqual(drawn[belief][action], p, delta=1e-4, msg=(belief, action))
                for row, z in zip(data["trajectory"], expected["belief_after_0_1_2_3_positives"]):
                    self.assertAlmostEqual(row["belief"], z, delta=1e-4)

    def test_history_and_words(self):
        with tempfile.TemporaryDirectory() as folder:
            flags = [*given((0.5, 1.25, 1e-3)), "--history", "monitor:negative,monitor:positive"]
            run("plan", DIAG, *flags, "--figures", folder)
            spec = figure(folder, "policy")
            out = json.loads(run("plan", DIAG, *flags, "--json").stdout)
            for row, step in zip(spec["datasets"]["trajectory"], out["history"], strict=True):
                belief = step["belief"]
                second = belief["diseased"] if isinstance(belief, dict) else belief[1]
                self.assertAlmostEqual(row["belief"], second, delta=1e-5)
            self.assertIn("choice randomness 0.5", spec["usermeta"]["asif"]["caption"])
            self.assertIn("declare_healthy", spec["description"])
            self.assertNotIn("@", json.dumps({k: v for k, v in spec.items() if k not in ("$schema", "datasets")}))


class Triangle(unittest.TestCase):
    def check_boundary(self, study, flags, every):
        """Around a point of a boundary, somewhere something else is likeliest. Where three lines meet is known to a triangle of the
        lattice only."""
        points, around = every[::4], 12
        beliefs, owner = [], []
        for i, (x, y) in enumerate(points):
            radius = 0.004 if every.count((x, y)) < 3 else 0.02
            for k in range(around):
                px = x + radius * math.cos(2 * math.pi * k / around)
                py = y + radius * math.sin(2 * math.pi * k / around)
                b1 = py / HEIGHT
                b = (1 - b1 - (px - b1 / 2), b1, px - b1 / 2)
                if min(b) >= 0:
                    beliefs.append(b)
                    owner.append(i)
        found = {}
        for i, policy in zip(owner, policies(study, flags, beliefs)):
            found.setdefault(i, set()).add(likeliest(policy))
        for i, actions in found.items():
            self.assertGreater(len(actions), 1, points[i])
        self.assertGreater(len(found), 10)

    def test_plan(self):
        with tempfile.TemporaryDirectory() as folder:
            run("plan", MEMORY, *PESSIMIST, "--figures", folder)
            spec = figure(folder, "simplex")
            data = spec["datasets"]
            self.assertEqual([row["state"] for row in data["corner"]], ["normal", "mild", "dementia"])
            whose = {}
            for row in data["boundary"]:
                whose.setdefault(row["who"], []).append((row["x"], row["y"]))
            self.assertEqual(list(whose), ["the agent", "same model, no bounds", "knows the true world"])
            self.check_boundary(MEMORY, PESSIMIST, whose["the agent"])
            ideal = ["-p", "alpha=0", "-p", "beta=inf", "-p", "eta=0"]
            self.check_boundary(MEMORY, ideal, whose["same model, no bounds"])
            # Neighbours on a line are at most two edges of the lattice apart.
            lines = {}
            for row in data["boundary"]:
                lines.setdefault(row["line"], []).append((row["x"], row["y"]))
            for line in lines.values():
                self.assertGreater(len(line), 1)
                for a, b in zip(line, line[1:]):
                    self.assertLess(math.dist(a, b), 2 / 40)
            # Regions by the lattice, and their shares in the table.
            rows = data["region"][::23]
            beliefs = [(1 - r["y"] / HEIGHT / 2 - r["x"], r["y"] / HEIGHT, r["x"] - r["y"] / HEIGHT / 2) for r in rows]
            beliefs = [tuple(max(0, round(p * 40) / 40) for p in b) for b in beliefs]
            for row, policy in zip(rows, policies(MEMORY, PESSIMIST, beliefs)):
                self.assertEqual(row["action"], likeliest(policy))
            table = spec["usermeta"]["asif"]["table"]
            for line in table["rows"]:
                share = sum(r["action"] == line[0] for r in data["region"]) / len(data["region"])
                self.assertAlmostEqual(float(line[1].split()[0]) / 100, share, delta=1e-3)
            # A path begins at the start, and its actions are the agent's.
            first = data["path"][0]
            self.assertAlmostEqual(first["x"], 0.2 + 0.4 / 2, delta=1e-5)
            self.assertAlmostEqual(first["y"], HEIGHT * 0.4, delta=1e-5)
            self.assertIn(first["action"], ("discharge", "wait", "scan", "treat"))

    def test_history(self):
        with tempfile.TemporaryDirectory() as folder:
            run("plan", MEMORY, *PESSIMIST, "--history", "scan:poor/small,wait:good/none", "--figures", folder)
            path = figure(folder, "simplex")["datasets"]["path"]
            self.assertEqual([row["action"] for row in path], ["scan", "wait", None])

    def test_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            logs, fit, figures = (os.path.join(folder, name) for name in ("visits.csv", "fit", "figures"))
            run("check", MEMORY)
            run("simulate", MEMORY, "-n", 60, "-o", logs, *PESSIMIST)
            run("fit", MEMORY, logs, "-o", fit, "--method", "map", "--starts", 2, "--no-sensitivity", "-q")
            run("report", fit, "--figures", figures)
            spec, path = figure(figures, "simplex"), figure(figures, "path")
            explained = json.loads(run("explain", fit, "--max-steps", 40, "--json").stdout)
            for row, step in zip(spec["datasets"]["path"], explained["steps"], strict=True):
                b = {state: who["fitted"]["mean"] for state, who in step["belief"].items()}
                self.assertAlmostEqual(row["x"], b["dementia"] + b["mild"] / 2, delta=1e-5)
                self.assertAlmostEqual(row["y"], HEIGHT * b["mild"], delta=1e-5)
                self.assertEqual(row["action"], step["action"])
            self.assertEqual({row["state"] for row in path["datasets"]["belief"]}, {"normal", "mild", "dementia"})


class Path(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.logs = os.path.join(cls.folder.name, "logs.csv")
        cls.fit = os.path.join(cls.folder.name, "fit")
        run("simulate", DIAG, "-n", 100, "-o", cls.logs, *given((0.5, 1.25, 1e-3)))
        run("fit", DIAG, cls.logs, "-o", cls.fit, "--chains", 2, "--warmup", 60, "--draws", 60, "--no-sensitivity", "-q",
            code=1)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def report(self, *args, name="figures"):
        folder = os.path.join(self.folder.name, name)
        run("report", self.fit, *args, "--figures", folder)
        return folder

    def compare(self, spec, explained):
        beliefs = {(row["who"], row["step"]): row for row in spec["datasets"]["belief"]}
        done = {(row["who"], row["step"]): row for row in spec["datasets"]["action"]}
        for step in explained["steps"]:
            for who, word in (("fitted", "fitted"), ("true", "true world known")):
                row, band = beliefs[word, step["step"]], step["belief"]["diseased"][who]
                self.assertEqual(row["state"], "diseased")
                self.assertAlmostEqual(row["mean"], band["mean"], delta=1e-5)
                if who == "fitted":
                    self.assertAlmostEqual(row["q05"], band["q05"], delta=1e-5)
                    self.assertAlmostEqual(row["q95"], band["q95"], delta=1e-5)
            taken = done["taken", step["step"]]
            self.assertEqual(taken["action"], step["action"])
            self.assertAlmostEqual(taken["probability"], step["probability"]["fitted"]["mean"], delta=1e-5)
            for who, word in (("same", "same model, no bounds"), ("true", "knows the true world")):
                self.assertEqual(done[word, step["step"]]["action"], step["would"][who])

    def test_simulated(self):
        spec = figure(self.report("--seed", 3), "path")
        self.assertIn("a simulated case, not a real one", spec["title"])
        self.compare(spec, json.loads(run("explain", self.fit, "--seed", 3, "--max-steps", 40, "--json").stdout))
        self.assertTrue(spec["datasets"]["truth"][0]["label"].startswith("true state: "))
        steps = json.loads(run("explain", self.fit, "--seed", 3, "--max-steps", 40, "--json").stdout)["steps"]
        self.assertEqual([(row["step"], row["label"]) for row in spec["datasets"]["seen"]],
                         [(step["step"], step["seen"]) for step in steps if step["seen"]])
        for row in spec["usermeta"]["asif"]["table"]["rows"]:
            self.assertIn(row[2], ("healthy", "diseased"))

    def test_real(self):
        spec = figure(self.report(self.logs, "--episode", 7, "--identify", name="real"), "path")
        self.assertIn("episode 7", spec["title"])
        self.compare(spec, json.loads(run("explain", self.fit, self.logs, "--episode", 7, "--json").stdout))
        self.assertEqual(spec["datasets"]["truth"], [])

    def test_refused(self):
        page = os.path.join(self.folder.name, "r.html")
        done = run("report", self.fit, self.logs, "--subject", 7, "-o", page, code=2)
        self.assertIn("--identify", done.stderr)
        self.assertFalse(os.path.exists(page))
        self.assertIn("no logs", run("report", self.fit, "--subject", 7, "--identify", "-o", page, code=2).stderr)
        self.assertIn("which episode", run("report", self.fit, self.logs, "--identify", "-o", page, code=2).stderr)
        groups = os.path.join(self.folder.name, "groups")
        os.makedirs(groups, exist_ok=True)
        for name in ("a", "b"):
            os.symlink(self.fit, os.path.join(groups, name))
        done = run("report", groups, self.logs, "--subject", 7, "--identify", "-o", page, code=2)
        self.assertIn("groups", done.stderr)

    def test_bands(self):
        spec = figure(self.report(name="bands"), "policy")
        data = spec["datasets"]
        line = {(r["action"], r["belief"]): r["probability"] for r in data["policy"]}
        inside = [r["low"] - 1e-3 <= line[r["action"], r["belief"]] <= r["high"] + 1e-3 for r in data["band"]]
        self.assertGreater(sum(inside) / len(inside), 0.95)
        # Where the ideals change their mind, the neighbours differ; stretches cover all beliefs.
        for who, flags in (("same model, no bounds", ["-p", "alpha=0", "-p", "beta=inf", "-p", "eta=0"]),):
            rows = [r for r in data["ideal"] if r["who"] == who]
            self.assertEqual((rows[0]["from"], rows[-1]["to"]), (0, 1))
            for a, b in zip(rows, rows[1:]):
                self.assertEqual(a["to"], b["from"])
                sides = policies(DIAG, flags, [(1 - z, z) for z in (a["to"] - 1e-4, a["to"] + 1e-4)])
                self.assertEqual([likeliest(p) for p in sides], [a["action"], b["action"]])


class Nothing(unittest.TestCase):
    def test_states_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("plan", GRID, *(x for name in ("goal=10", "mud=-1", "water=-5") for x in ("-p", name)), "--figures", folder)
            self.assertEqual(os.listdir(folder), [])
            self.assertIn("nothing was drawn", done.stderr)

    def test_hidden(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = os.path.join(SOURCE, "examples", "planners", "recurrent.yaml")
            run("plan", rows, "--figures", folder, "-q")
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
