"""Inverse planners that are told more than actions: their numbers by other routes (NumPy), what is in their folders, groups, mistakes."""
import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("numpy is not there")
    sys.exit(77)
ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import machine  # noqa: E402

EXAMPLES = pathlib.Path(SOURCE, "examples", "inverses")
START = np.array([.6, .2, .2])
TAU = machine.with_start(START)

# A test with a hidden state, and a price for every look.
HIDDEN = """\
asif: 1
states: [ill, well]
actions: [look, treat, leave]
observations: [bad, good]
environment:
  start: [0.4, 0.6]
  transitions: {look: [[0.9, 0.1], [0.2, 0.8]], any: reset}
  emissions: [[0.8, 0.2], [0.3, 0.7]]
  ends: [treat, leave]
agent:
  discount: 0.9
  utility: {look: {ill: pain, well: cost}, treat: {ill: cure, well: harm}, leave: {ill: neglect, well: 0}}
  parameters:
    alpha: 1
    pain: {learn: "normal(0, 10)", standard: -1}
    cost: {learn: "normal(0, 10)", standard: -1}
    cure: {learn: "normal(0, 10)", standard: 5}
    harm: {learn: "normal(0, 10)", standard: -5}
    neglect: {learn: "normal(0, 10)", standard: -5}
inverse: distance-minimization
"""


# Nothing ends an episode, so something is seen after the last decision, too.
OPEN = {"start": np.array([.7, .3]), "tau": np.array([[[.9, .1], [.2, .8]], [[.6, .4], [.3, .7]]]),
        "emission": np.array([[[.8, .2], [.3, .7]], [[.6, .4], [.1, .9]]])}
OPEN_STUDY = """\
asif: 1
states: [s0, s1]
actions: [a0, a1]
observations: [o0, o1]
environment:
  start: [0.7, 0.3]
  transitions: {a0: [[0.9, 0.1], [0.2, 0.8]], a1: [[0.6, 0.4], [0.3, 0.7]]}
  emissions: {a0: [[0.8, 0.2], [0.3, 0.7]], a1: [[0.6, 0.4], [0.1, 0.9]]}
agent:
  discount: 0.9
  utility: {a0: {s0: p, s1: q}, a1: {s0: r, s1: t}}
  parameters: {alpha: 1, p: {learn: "normal(0, 10)", standard: 1}, q: {learn: "normal(0, 10)", standard: -1},
               r: {learn: "normal(0, 10)", standard: 1}, t: {learn: "normal(0, 10)", standard: 2}}
inverse: distance-minimization
"""


def smoothed(steps, last):
    """How often each action is expected in each state, given all that was seen (or all but the last), by summing over all paths of
    states: [p, q, r, t] of OPEN_STUDY."""
    mean, total = np.zeros(4), 0
    for path in np.ndindex(*[2] * (len(steps) + 1)):
        weight, features = OPEN["start"][path[0]], np.zeros(4)
        for k, (action, seen) in enumerate(steps):
            weight *= OPEN["tau"][action, path[k], path[k + 1]]
            if last or k + 1 < len(steps):
                weight *= OPEN["emission"][action, path[k + 1], seen]
            features[2 * action + path[k]] += 1
        mean, total = mean + weight * features, total + weight
    return mean / total


def open_episodes(random, count, steps):
    episodes = []
    for _ in range(count):
        state, episode = random.choice(2, p=OPEN["start"]), []
        for _ in range(random.integers(1, steps + 1)):
            action = random.integers(2)
            state = random.choice(2, p=OPEN["tau"][action, state])
            episode.append((action, random.choice(2, p=OPEN["emission"][action, state])))
        episodes.append(episode)
    return episodes


def without_ends(saved):
    """A saved tree as version 1 has it: see docs/reference/tree-file.md."""
    head = struct.unpack_from("<19Q", saved, 16)
    assert not head[0] & 2
    cut = 8 * (head[17] + head[18] + head[7] + 1) + 12 * head[17] + 4 * head[18]
    out = saved[:12] + struct.pack("<I", 1) + saved[16:16 + 8 * 17] + saved[16 + 8 * 19:-32 - cut]
    return out + hashlib.sha256(out).digest()


def run(*args, code=0):
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, timeout=120, env={"PATH": os.environ["PATH"]})
    text = done.stdout.decode() + done.stderr.decode()
    assert code is None or done.returncode == code, (done.returncode, text)
    return text


def numbers(folder, key="maximum"):
    fit = json.loads((folder / "fit.json").read_text())
    return np.array([fit["parameters"][n][key] for n in machine.NAMES]), fit


def value_loss(x, truth, tau=TAU, start=START):
    """What the induced soft policy loses of what the true one earns above the uniform one."""
    v = machine.utility(truth)
    best = machine.worth(machine.soft_policy(v, tau), v, tau, start)
    floor = machine.worth(np.full((3, 3), 1 / 3), v, tau, start)
    got = machine.worth(machine.soft_policy(machine.utility(x), tau), v, tau, start)
    return (best - got) / (best - floor)


class HelperData(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def study(self, name, change=()):
        text = (EXAMPLES / f"{name}.yaml").read_text()
        for old, new in change:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.at / f"{name}.yaml"
        path.write_text(text)
        return path

    # ---- distance minimisation ----

    def test_least_squares(self):
        random = np.random.default_rng(5)
        episodes = machine.weeks(11, 300)
        x = np.array([machine.features(e) for e in episodes])
        scores = x @ machine.TRUTH + random.normal(size=300)
        machine.write(self.at / "logs.csv", episodes, {"score": [repr(float(s)) for s in scores]})
        run("fit", self.study("distance-minimization"), self.at / "logs.csv", "-o", self.at / "fit")
        got, fit = numbers(self.at / "fit")
        want, squares, rank, _ = np.linalg.lstsq(x, scores, rcond=None)
        self.assertEqual(rank, 4)
        np.testing.assert_allclose(got, want, atol=1e-9)
        self.assertAlmostEqual(fit["maximum"]["objective"], -squares[0], delta=1e-7 * squares[0])
        self.assertLess(value_loss(got, machine.TRUTH), .01)
        self.assertIsNone(fit["parameters"]["output"]["sd"])
        self.assertIsNone(fit["maximum"]["log_likelihood"])
        self.assertEqual(fit["inverse"], "distance-minimization")
        # its own file of counts has no names, and can be fitted again
        run("fit", self.study("distance-minimization"), self.at / "fit" / "logs.tree", "-o", self.at / "again")
        np.testing.assert_allclose(numbers(self.at / "again")[0], got, atol=1e-12)

    def test_other_norms(self):
        """By a linear programme; SciPy solves its dual, which is another one."""
        try:
            from scipy.optimize import linprog
        except ImportError:
            self.skipTest("scipy is not there")
        random = np.random.default_rng(6)
        episodes = machine.weeks(13, 150)
        x = np.array([machine.features(e) for e in episodes])
        y = x @ machine.TRUTH + random.standard_t(1.5, size=150)
        machine.write(self.at / "logs.csv", episodes, {"score": [repr(float(s)) for s in y]})
        one = np.ones((1, 150))
        duals = {"1": linprog(-y, A_eq=x.T, b_eq=np.zeros(4), bounds=[(-1, 1)] * 150),
                 "inf": linprog(np.r_[-y, y], A_eq=np.r_[np.c_[x.T, -x.T], np.c_[one, one]],
                                b_eq=np.r_[np.zeros(4), 1], bounds=[(0, None)] * 300)}
        for p, dual in duals.items():
            text = run("fit", self.study("distance-minimization", [("p: 2 ", f"p: {p} ")]), self.at / "logs.csv", "-o",
                       self.at / f"fit{p}", code=None)
            if "linear programme" in text and "Clp" in text:
                self.skipTest("built without a solver of linear programmes")
            got, fit = numbers(self.at / f"fit{p}")
            misses = np.abs(y - x @ got)
            self.assertAlmostEqual(misses.sum() if p == "1" else misses.max(), -dual.fun, delta=1e-8 * -dual.fun)
            self.assertAlmostEqual(fit["maximum"]["objective"], dual.fun, delta=1e-8 * -dual.fun)
        self.assertLess(value_loss(numbers(self.at / "fit1")[0], machine.TRUTH), .01)

    def test_scores_without_noise_and_by_group(self):
        episodes = machine.weeks(12, 200)
        truth = [machine.TRUTH, np.array([1., -2, .5, -3])]
        scores = [repr(float(machine.features(e) @ truth[i % 2])) for i, e in enumerate(episodes)]
        machine.write(self.at / "logs.csv", episodes, {"worth": scores, "who": ["ab"[i % 2] for i in range(200)]})
        study = self.study("distance-minimization", [("score: score ", "score: worth ")])
        text = run("fit", study, self.at / "logs.csv", "-o", self.at / "fit", "--by", "who")
        self.assertIn("answer, without uncertainty", text)
        for k in range(2):
            got, fit = numbers(self.at / "fit" / "ab"[k])
            np.testing.assert_allclose(got, truth[k], atol=1e-9)
            self.assertEqual(fit["logs"]["episodes"], 100)
            self.assertLess(value_loss(got, truth[k]), 1e-9)
        run("fit", study, self.at / "logs.csv", "-o", self.at / "b", "--where", "who=b")
        np.testing.assert_allclose(numbers(self.at / "b")[0], truth[1], atol=1e-9)

    def test_what_scores_do_not_tell(self):
        episodes = [[(0, 0), (0, 1)], [(0, 0), (0, 0), (0, 1), (0, 1)], [(0, 2)]]  # run and service always go together
        machine.write(self.at / "logs.csv", episodes, {"score": [3, 6, -8]})
        text = run("fit", self.study("distance-minimization"), self.at / "logs.csv", "-o", self.at / "fit")
        self.assertRegex(" ".join(text.split()), "The scores leave output, idle, upkeep open .2 of 4 directions")
        got, fit = numbers(self.at / "fit")
        # nearest to the standard values 1, -1, -1 with output + upkeep = 3
        np.testing.assert_allclose(got, [2.5, -1, .5, -8], atol=1e-9)
        self.assertEqual(len(fit["warnings"]), 1)

    def test_hidden_states(self):
        """The expected sum given all that was seen, here by summing over all paths of states."""
        random = np.random.default_rng(3)
        start, look = np.array([.4, .6]), np.array([[.9, .1], [.2, .8]])
        emission, truth = np.array([[.8, .2], [.3, .7]]), np.array([-3., -1, 8, -6, -9])
        rows, x, scores = ["episode,t,action,observation,score"], [], []
        for e in range(400):
            state, steps, seen, sums = random.choice(2, p=start), random.integers(0, 4), [], np.zeros(5)
            last = random.integers(1, 3)
            for _ in range(steps):
                sums[state] += 1
                state = random.choice(2, p=look[state])
                seen.append(random.choice(2, p=emission[state]))
            if last == 1 or state == 0:
                sums[[[2, 3], [4, 4]][last - 1][state]] += 1
            mean, total = np.zeros(5), 0
            for path in np.ndindex(*[2] * (steps + 1)):
                p, f = start[path[0]], np.zeros(5)
                for t in range(steps):
                    p *= look[path[t], path[t + 1]] * emission[path[t + 1], seen[t]]
                    f[path[t]] += 1
                if last == 1 or path[-1] == 0:
                    f[[[2, 3], [4, 4]][last - 1][path[-1]]] += 1
                mean, total = mean + p * f, total + p
            x.append(mean / total)
            scores.append(sums @ truth)
            for t in range(steps + 1):
                action, observation = (("look", ["bad", "good"][seen[t]]) if t < steps else
                                       (["treat", "leave"][last - 1], ""))
                rows.append(f"{e},{t},{action},{observation},{scores[-1]}")
        (self.at / "logs.csv").write_text("\n".join(rows) + "\n")
        (self.at / "study.yaml").write_text(HIDDEN)
        run("fit", self.at / "study.yaml", self.at / "logs.csv", "-o", self.at / "fit")
        fit = json.loads((self.at / "fit" / "fit.json").read_text())
        got = [fit["parameters"][n]["maximum"] for n in ("pain", "cost", "cure", "harm", "neglect")]
        np.testing.assert_allclose(got, np.linalg.lstsq(np.array(x), np.array(scores), rcond=None)[0], atol=1e-9)
        np.testing.assert_allclose(got, truth, atol=2)  # states are hidden: the scores are noise as well

    def write_open(self, episodes, columns=()):
        rows = [",".join(["episode,t,action,observation", *(name for name, _ in columns)])]
        for e, steps in enumerate(episodes):
            for t, (action, seen) in enumerate(steps):
                rows.append(",".join([f"{e},{t},a{action},o{seen}", *(repr(float(value[e])) for _, value in columns)]))
        (self.at / "open.csv").write_text("\n".join(rows) + "\n")
        return self.at / "open.csv"

    def four(self, folder):
        fit = json.loads((folder / "fit.json").read_text())
        return np.array([fit["parameters"][n]["maximum"] for n in "pqrt"]), fit

    def test_what_was_seen_last(self):
        random = np.random.default_rng(8)
        episodes = open_episodes(random, 150, 5)
        scores = np.array([smoothed(e, True) for e in episodes]) @ [1, -2, .5, 3] + random.normal(size=150)
        logs, study = self.write_open(episodes, [("score", scores)]), self.at / "open.yaml"
        study.write_text(OPEN_STUDY)
        want = {last: np.linalg.lstsq(np.array([smoothed(e, last) for e in episodes]), scores, rcond=None)[0]
                for last in (True, False)}
        self.assertGreater(np.abs(want[True] - want[False]).max(), .05)  # it matters
        run("fit", study, logs, "-o", self.at / "fit")
        got, fit = self.four(self.at / "fit")
        np.testing.assert_allclose(got, want[True], atol=1e-9)
        self.assertEqual(fit["warnings"], [])
        # the counts of the folder have it, too; those of an earlier version have not, and say so
        tree = self.at / "fit" / "logs.tree"
        run("fit", study, tree, "-o", self.at / "again")
        np.testing.assert_allclose(self.four(self.at / "again")[0], want[True], atol=1e-9)
        (self.at / "old.tree").write_bytes(without_ends(tree.read_bytes()))
        text = run("fit", study, self.at / "old.tree", "-o", self.at / "old")
        got, fit = self.four(self.at / "old")
        np.testing.assert_allclose(got, want[False], atol=1e-9)
        self.assertIn("without what was seen after the last decision", fit["warnings"][0]["message"])
        self.assertIn("version 1", text)
        # a part of the logs has its own
        rows = logs.read_text().splitlines()
        logs.write_text("\n".join([rows[0] + ",half"] + [r + ("x" if int(r.split(",")[0]) < 75 else "y").join([",", ""])
                                                          for r in rows[1:]]) + "\n")
        run("fit", study, logs, "-o", self.at / "half", "--where", "half=x")
        want = np.linalg.lstsq(np.array([smoothed(e, True) for e in episodes[:75]]), scores[:75], rcond=None)[0]
        np.testing.assert_allclose(self.four(self.at / "half")[0], want, atol=1e-9)

    def test_the_finding(self):
        at = pathlib.Path(os.environ.get("ASIF_ORACLE", ""), "..", "findings", "scores")
        if not (at / "h.csv").exists():
            self.skipTest("the findings are not here")
        episodes, scores = {}, {}
        for line in (at / "h.csv").read_text().splitlines()[1:]:
            e, _, action, seen, score = line.split(",")
            episodes.setdefault(e, []).append((int(action[1]), int(seen[1])))
            scores[e] = float(score)
        x = np.array([smoothed(e, True) for e in episodes.values()])
        want = np.linalg.lstsq(x, np.array(list(scores.values())), rcond=None)[0]
        run("fit", at / "h.yaml", at / "h.csv", "-o", self.at / "fit")
        np.testing.assert_allclose(self.four(self.at / "fit")[0], want, atol=1e-9)
        self.assertAlmostEqual(want[0], .96420, places=5)

    def test_preferences_by_what_was_seen_last(self):
        random = np.random.default_rng(9)
        episodes = open_episodes(random, 120, 4)
        x = np.array([smoothed(e, True) for e in episodes])
        pairs = [(i, j) for i, j in random.integers(120, size=(900, 2)) if i != j]
        pairs = [(i, j) if random.random() < 1 / (1 + np.exp(-(x[j] - x[i]) @ [1, -2, .5, 3])) else (j, i) for i, j in pairs]
        (self.at / "pairs.csv").write_text("worse,better\n" + "".join(f"{i},{j}\n" for i, j in pairs))
        (self.at / "open.yaml").write_text(OPEN_STUDY.replace("inverse: distance-minimization",
                                                              "inverse: {name: preference-extrapolation, pairs: pairs.csv}"))
        run("fit", self.at / "open.yaml", self.write_open(episodes), "-o", self.at / "fit", "--method", "ml")
        d, v = np.array([x[j] - x[i] for i, j in pairs]), np.zeros(4)
        for _ in range(50):  # Newton
            p = 1 / (1 + np.exp(d @ v))
            v += np.linalg.solve(d.T @ (d * (p * (1 - p))[:, None]), d.T @ p)
        np.testing.assert_allclose(self.four(self.at / "fit")[0], v, atol=1e-5)

    # ---- soft policy inversion ----

    def test_batches_of_a_learner(self):
        episodes, batch = machine.learner(21, 5, 400, 12)
        order = np.random.default_rng(0).permutation(len(episodes))  # the order of rows does not matter
        machine.write(self.at / "logs.csv", [episodes[i] for i in order], {"batch": [batch[i] for i in order]})
        text = run("fit", self.study("soft-policy-inversion"), self.at / "logs.csv", "-o", self.at / "fit")
        self.assertIn("without uncertainty", " ".join(text.split()))
        got, _ = numbers(self.at / "fit")
        start = np.array([.4, .3, .3])
        tau, truth = machine.with_start(start), machine.TRUTH / 4
        self.assertLess(value_loss(got, truth, tau, start), .01)
        off = got - truth  # known up to a constant, which is shaping by a constant potential
        np.testing.assert_allclose(off - off.mean(), 0, atol=.1)

    # ---- preference extrapolation ----

    def pairs(self, count, weeks=100, seed=31):
        random = np.random.default_rng(seed)
        episodes = machine.weeks(seed, weeks)
        pairs = machine.bradley_terry(random, episodes, count)
        machine.write(self.at / "logs.csv", episodes, {"half": ["x" if i < 50 else "y" for i in range(weeks)]},
                      "week {}".format)
        text = "".join(f"week {i + 1},week {j + 1}\n" for i, j in pairs)
        (self.at / "preference-extrapolation-pairs.csv").write_text("worse,better\n" + text)
        return np.array([machine.features(episodes[j]) - machine.features(episodes[i]) for i, j in pairs]), pairs

    def test_logistic_regression(self):
        d, _ = self.pairs(4000, weeks=300)
        run("fit", self.study("preference-extrapolation"), self.at / "logs.csv", "-o", self.at / "fit", "--method", "ml")
        got, fit = numbers(self.at / "fit")
        x = np.zeros(4)
        for _ in range(50):  # Newton
            p = 1 / (1 + np.exp(d @ x))
            x += np.linalg.solve(d.T @ (d * (p * (1 - p))[:, None]), d.T @ p)
        np.testing.assert_allclose(got, x, atol=1e-6)
        self.assertAlmostEqual(fit["maximum"]["log_likelihood"], -np.logaddexp(0, -d @ x).sum(), places=7)
        error = np.sqrt(np.diag(np.linalg.inv(d.T @ (d * (p * (1 - p))[:, None]))))
        np.testing.assert_allclose(numbers(self.at / "fit", "sd")[0], error, rtol=1e-3)
        self.assertLess(value_loss(got, machine.TRUTH / 4), .01)

    def test_posterior_in_one_dimension(self):
        d, _ = self.pairs(40)
        given = [("output", 1.), ("idle", -.75), ("upkeep", -.25)]
        flags = [f for n, v in given for f in ("-p", f"{n}={v}")]
        run("fit", self.study("preference-extrapolation"), self.at / "logs.csv", "-o", self.at / "fit", *flags,
            "--warmup", 300, "--draws", 1500, "--no-sensitivity")
        price = json.loads((self.at / "fit" / "fit.json").read_text())["parameters"]["price"]
        grid = np.linspace(-30, 30, 20001)
        fixed = d[:, :3] @ np.array([v for _, v in given])
        log = -np.logaddexp(0, -(fixed[:, None] + d[:, 3:] * grid)).sum(axis=0) - grid ** 2 / 200
        weight = np.exp(log - log.max())
        weight /= weight.sum()
        mean = weight @ grid
        sd = np.sqrt(weight @ (grid - mean) ** 2)
        self.assertAlmostEqual(price["mean"], mean, delta=5 * price["mcse_mean"])
        self.assertAlmostEqual(price["sd"] / sd, 1, delta=.06)
        self.assertTrue((self.at / "fit" / "preference-extrapolation-pairs.csv").exists())
        run("summary", self.at / "fit")
        self.assertIn("survives", run("sensitivity", self.at / "fit", "--vary", "idle=-1:0", code=None))

    def test_pairs_of_a_part_of_the_logs(self):
        d, pairs = self.pairs(600)
        study = self.study("preference-extrapolation")
        run("fit", study, self.at / "logs.csv", "-o", self.at / "fit", "--method", "map", "--where", "half=x")
        got, _ = numbers(self.at / "fit")
        inside = np.array([i < 50 and j < 50 for i, j in pairs])
        x, d = np.zeros(4), d[inside]
        for _ in range(50):  # with the prior normal(0, 10)
            p = 1 / (1 + np.exp(d @ x))
            x += np.linalg.solve(d.T @ (d * (p * (1 - p))[:, None]) + np.eye(4) / 100, d.T @ p - x / 100)
        np.testing.assert_allclose(got, x, atol=1e-6)

    # ---- mistakes ----

    def mistake(self, name, logs, words, change=(), flags=(), code=2):
        text = run("fit", self.study(name, change), logs, "-o", self.at / "mistake", *flags, code=code)
        self.assertIn(words, " ".join(text.split()))
        return text

    def test_mistakes_in_columns(self):
        example = (EXAMPLES / "distance-minimization.csv").read_text()
        name, logs = "distance-minimization", self.at / "logs.csv"
        logs.write_text(example.replace("score", "scroe", 1))
        self.mistake(name, logs, "there is no column `score` hint: did you mean `scroe`?")
        logs.write_text(example)
        self.mistake(name, logs, "there is no column `points`", [("score: score ", "score: points ")])
        lines = example.splitlines()
        first = [line for line in lines if line.startswith("1,")]
        worth = first[0].split(",")[-1]
        for bad, words in (("high", "the score of episode `1` is `high`, which is not a number"),
                           ("inf", "the score of episode `1` is `inf`, which is not a number"),
                           ("", "episode `1` has no score")):
            logs.write_text(example.replace(",".join(("", worth)) + "\n", f",{bad}\n", len(first)))
            text = self.mistake(name, logs, words)
            self.assertIn("logs.csv", text)
        logs.write_text("\n".join(lines[:2] + [lines[2].rsplit(",", 1)[0] + ",99.5"] + lines[3:]) + "\n")
        self.mistake(name, logs, "score", code=2)
        logs.write_text(example)
        self.mistake(name, logs, "no likelihood", flags=["--method", "nuts"])
        self.mistake(name, logs, "--method ml has no use for --chains", flags=["--chains", "2"])
        self.mistake(name, logs, "estimates utilities, not alpha", [("alpha: 1", "alpha: learn")])
        run("count", logs, "--study", self.study(name), "-o", self.at / "plain.tree")
        self.mistake(name, self.at / "plain.tree", "the tree was saved without the column `score`")
        self.assertFalse((self.at / "mistake" / "fit.json").exists())

    def test_mistakes_in_batches(self):
        example = (EXAMPLES / "soft-policy-inversion.csv").read_text()
        name, logs = "soft-policy-inversion", self.at / "logs.csv"
        logs.write_text("".join(line + "\n" for line in example.splitlines() if line.endswith(("batch", ",1"))))
        self.mistake(name, logs, "two batches at least, and there is `1` only")
        logs.write_text(example.replace(",1\n", ",\n"))
        self.mistake(name, logs, "has no batch")
        logs.write_text(example)
        self.mistake(name, logs, "needs an alpha that is neither 0 nor inf", [("alpha: 1 ", "alpha: 0 ")])

    def test_mistakes_in_pairs(self):
        name, logs = "preference-extrapolation", EXAMPLES / "preference-extrapolation.csv"
        pairs = self.at / "preference-extrapolation-pairs.csv"
        rows = (("week 1,week 2\nweek 3,wek 4\n", "there is no episode `wek 4` in the logs (`better` of the pair) "
                                                    "hint: did you mean `week 4`?"),
                ("week 1,week 2\nweek 3,week 3\n", "episode `week 3` cannot be better than itself"),
                ("week 1,\n", "the row has no `better` episode"),
                ("", "there are no pairs in it"))
        for text, words in rows:
            pairs.write_text("worse,better\n" + text)
            said = self.mistake(name, logs, words)
            self.assertIn(str(pairs), said)
        pairs.write_text("worse,better\nweek 1,week 2\nweek 900,week 2\n")
        self.assertIn("pairs.csv:3:1:", self.mistake(name, logs, "no episode `week 900`"))
        pairs.write_text("wrose,better\nweek 1,week 2\n")
        self.mistake(name, logs, "there is no column `worse` hint: is it `wrose`?")
        pairs.unlink()
        self.mistake(name, logs, "preference-extrapolation-pairs.csv", code=None)
        self.mistake(name, logs, "needs a table of pairs",
                     [("  pairs: preference-extrapolation-pairs.csv\n", "")])
        pairs.write_text("worse,better\nweek 1,week 2\nweek 2,week 1\n")  # both orders may be there
        run("fit", self.study(name), logs, "-o", self.at / "both", "--method", "map")
        # a typing error is found also where only a part of the logs is fitted
        text = logs.read_text().replace("\n", ",x\n").replace("action,x", "action,arm", 1)
        (self.at / "arms.csv").write_text(text)
        pairs.write_text("worse,better\nweek 1,week 2\nweek 1,wek 2\n")
        self.mistake(name, self.at / "arms.csv", "no episode `wek 2`", flags=["--by", "arm"])

    def test_what_asks_for_a_likelihood_of_actions(self):
        study, logs = EXAMPLES / "distance-minimization.yaml", EXAMPLES / "distance-minimization.csv"
        run("fit", study, logs, "-o", self.at / "fit")
        for args in (("sensitivity", self.at / "fit"), ("identify", study, logs), ("recover", study, "-n", 2),
                     ("sbc", study, "-n", 2)):
            self.assertIn("about log-likelihoods, and distance-minimization has none", run(*args, code=2))
        for args in (("summary", self.at / "fit"), ("outcomes", self.at / "fit"), ("check", study, logs),
                     ("explain", self.at / "fit", logs, "--episode", "1")):
            run(*args)
        study = EXAMPLES / "preference-extrapolation.yaml"
        self.assertIn("also reads pairs of episodes", run("recover", study, "-n", 2, code=2))


if __name__ == "__main__":
    unittest.main()
