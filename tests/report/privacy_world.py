"""Logs of groups of any size with few of everything, a report of them, and what is true: what the attacker does not have."""

import collections
import csv
import os
import random
import subprocess

import privacy_attack

ACTIONS = ["declare_healthy", "declare_diseased", "monitor"]
OBSERVATIONS = ["negative", "positive"]
ENDS = ["declare_healthy", "declare_diseased"]


def run(*words):
    done = subprocess.run([os.environ["ASIF"], *map(str, words)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit("asif %s: %s" % (" ".join(map(str, words)), done.stderr))
    return done.stdout


def study():
    return os.path.join(os.environ["ASIF_SOURCE"], "examples", "diag", "study.yaml")


class Logs:
    """Episodes of groups, as lists of (action, observation)."""

    def __init__(self, seed, sizes, folder, cuts=0.0):
        self.random, self.groups, self.folder = random.Random(seed), {}, folder
        for number, (group, size) in enumerate(sizes.items()):
            alpha = self.random.choice([0.1, 0.5, 1.5, 4.0])
            path = os.path.join(folder, "one.csv")
            run("simulate", study(), "-n", size, "-p", "alpha=%g" % alpha, "-p", "beta=%g" % self.random.choice([0.5, 1.25, 50]),
                "-p", "eta=0", "--max-steps", self.random.choice([3, 12]) if cuts else 40, "--seed", 1000 * seed + number, "--resolution", 20, "-q", "-o", path)
            episodes = collections.defaultdict(list)
            with open(path) as file:
                for row in csv.DictReader(file):
                    episodes[row["episode"]].append((row["action"], row["observation"]))
            self.groups[group] = list(episodes.values())

    def write(self, path):
        with open(path, "w") as file:
            file.write("subject,t,action,observation,site\n")
            number = 0
            for group, episodes in self.groups.items():
                for episode in episodes:
                    number += 1
                    for t, (action, observation) in enumerate(episode):
                        file.write("patient-%06d,%d,%s,%s,%s\n" % (700000 + number, t, action, observation, group))
        return path

    def truth(self, group):
        """Counts as the attacker names them."""
        at = collections.Counter()
        for episode in self.groups[group]:
            for t, (action, _) in enumerate(episode):
                history = tuple(episode[:t])
                at["at", history] += 1
                at["took", history, action] += 1
        return at

    def rest(self, group, found):
        """Decisions after which no history follows that the attacker looks at."""
        truth = self.truth(group)
        for key in list(found):
            if key[0] == "rest":
                _, history, action = key
                after = [k for k in found if k[0] == "at" and k[1][:-1] == history and k[1] and k[1][-1][0] == action]
                truth[key] = truth["took", history, action] - sum(truth[k] for k in after)
        return truth


def report(folder, logs, *more, by="site"):
    """Fit, and make the page."""
    fit = os.path.join(folder, "fit")
    page = os.path.join(folder, "page.html")
    subprocess.run(["rm", "-rf", fit], check=True)
    split = ["--by", by] if by else []
    run("fit", study(), logs, "--map", "episode=subject", *split, "-o", fit, "--method", "map", "--no-sensitivity", "-q", "-p",
        "beta=1.25", "-p", "eta=0", "--resolution", 20)
    run("report", fit, "-o", page, *more)
    with open(page) as file:
        return file.read()


def judge(logs, page, limit=11):
    """Attack a page and compare with the truth; the smallest number of values left of a count below the limit, and how many there were."""
    several = len(logs.groups) > 1
    known, tables = privacy_attack.read(page, list(logs.groups) if several else [None])
    narrowest, small, looked = float("inf"), 0, 0
    for group, episodes in logs.groups.items():
        told = known[group if several else None]
        decisions = sum(map(len, episodes))
        assert "episodes" in told.totals, "the page has changed: nothing was found in it"
        for head, count in (("episodes", len(episodes)), ("subjects", len(episodes)), ("decisions", decisions)):
            if head in told.totals:
                low, high = told.totals[head]
                assert low <= count <= high, (group, head, count, low, high)
                assert count >= limit or (low == 0 and high == limit - 1), (group, head, count, low, high)
        if len(episodes) < limit:
            assert not told.decisions and not told.shares, group
        for cut in (True, False):
            if not cut and any(episode[-1][0] not in ENDS for episode in episodes):
                continue
            found = privacy_attack.attack(told, ACTIONS, OBSERVATIONS, ENDS, cut)
            truth = logs.rest(group, found)
            for key, (low, high) in found.items():
                if key[0] in ("other", "seen", "ended") or (key[0] == "rest" and not cut):
                    continue
                count = truth[key]
                looked += 1
                assert low <= count <= high, (group, key, count, low, high)
                if count < limit:
                    small += 1
                    narrowest = min(narrowest, high - low + 1)
                    assert high - low + 1 >= limit, "%s: %s is %d, and can only be from %d to %d%s" % (
                        group, key, count, low, high, "" if cut else " if nothing was cut")
        # shares of small counts in full: nowhere in the page
        truth = logs.truth(group)
        numbers = privacy_attack.numbers_of(tables)
        for key, count in truth.items():
            if key[0] == "took" and 0 < count < limit < truth["at", key[1]]:
                share = count / truth["at", key[1]]
                if abs(share - round(share, 3)) < 1e-5:  # 0.5 is the share of many counts, and other things besides
                    continue
                near = [x for x in numbers if abs(x - share) < 2e-6 * share or abs(x - (1 - share)) < 2e-6]
                assert not near, (group, key, share, near)
    return narrowest, small, looked
