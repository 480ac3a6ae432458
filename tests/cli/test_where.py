"""Parts of the logs: --where selects whole episodes, and what is wrong in the rest of the table does not matter."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
HEAD = "episode,t,action,observation,arm,age\n"
MAP = "logs:\n  columns: {arm: {recode: {A: a}}, age: {range: [0, 120]}}\n  groups: {old: age >= 65}\n"

CUTS = """\
asif: 1
states: [left, right]
actions: [look, go]
observations: [low, medium, high]
environment: {start: [0.5, 0.5], emissions: uniform, ends: go}
agent: {discount: 0.5, utility: {look: -1, go: {left: -20, right: 5}}, parameters: {alpha: 1}}
logs: {observation: {column: value, cut: mean +- 0.5 sd, labels: [low, medium, high]}}
"""


def run(*args, stdin=None):
    return subprocess.run([ASIF, *map(str, args)], input=stdin, capture_output=True, timeout=120)


def text(result):
    return result.stdout.decode() + result.stderr.decode()


def random_table(seed):
    """Episodes with an arm (a, also spelt A, or b, or unknown) and an age, which some of their rows lack. Mistakes, in which episodes of arm
    a have no part: labels, times and ages that cannot be."""
    dice = random.Random(seed)
    rows = []
    for episode in range(dice.randint(2, 40)):
        arm, age, length = dice.choice("aab "), dice.choice([30, 64, 65, 80]), dice.randint(1, 4)
        for t in range(length):
            action = "monitor" if t + 1 < length else dice.choice(["declare_healthy", "declare_diseased"])
            row = [f"e{episode}", str(t), action, dice.choice(["negative", "positive"]), arm.strip(), str(age)]
            if arm != " " and length > 1 and t != episode % length and dice.random() < 0.3:
                row[4] = ""
            if row[4] == "a" and dice.random() < 0.3:
                row[4] = "A"
            if arm != "a" and dice.random() < 0.3:
                row[dice.choice([1, 2, 3, 5])] = dice.choice(["?", "999", "nothing"])
            rows.append((arm.strip(), age, row))
    if dice.random() < 0.5:
        dice.shuffle(rows)
    return rows


class Where(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.at = self.temporary.name
        with open(DIAG, encoding="utf-8") as file:
            self.study = self.write("study.yaml", re.sub(r"(?m)^logs:.*\n", "", file.read()) + MAP)

    def tearDown(self):
        self.temporary.cleanup()

    def write(self, name, content):
        path = os.path.join(self.at, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def table(self, name, rows):
        return self.write(name, HEAD + "".join(",".join(row) + "\n" for row in rows))

    def counted(self, table, *args):
        """The rows that are left, and what `count` says of the table."""
        rows = os.path.join(self.at, "rows.csv")
        done = run("count", table, "--study", self.study, "--rows", rows, "--json", *args)
        self.assertEqual(done.returncode, 0, text(done))
        with open(rows, encoding="utf-8") as file:
            return file.read(), json.loads(done.stdout)

    def test_against_tables_that_were_cut_by_hand(self):
        wrong = 0
        for seed in range(60):
            rows = random_table(seed)
            chosen = [row for arm, _, row in rows if arm == "a"]
            if not chosen:
                continue
            whole = self.table("whole.csv", [row for _, _, row in rows])
            wrong += run("count", whole, "--study", self.study, "-q").returncode != 0
            got, answer = self.counted(whole, "--where", "arm=a")
            expected, alone = self.counted(self.table("part.csv", chosen))
            self.assertEqual(got, expected, seed)
            for key in ("episodes", "decisions", "actions", "histories"):
                self.assertEqual(answer[key], alone[key], (seed, key))
            out = len(rows) - len(chosen)
            self.assertEqual([(x["rule"], x["rows"]) for x in answer["left_out"]], [("where", out)] if out else [], seed)
            old = [row for arm, age, row in rows if arm == "a" and age >= 65]
            if old:
                got, _ = self.counted(whole, "--where", "old=yes", "--where", "arm=a")
                self.assertEqual(got, self.counted(self.table("part.csv", old))[0], seed)
        self.assertGreater(wrong, 20)

    def test_missing_values(self):
        rows = [["1", "0", "monitor", "negative", "", ""], ["1", "1", "declare_healthy", "negative", "a", ""],
                ["2", "0", "declare_healthy", "negative", "", "70"]]
        table = self.table("logs.csv", rows)
        for condition, episodes in (("arm=a", {"1"}), ("arm=", {"2"}), ("old=no", {"1"}), ("old=yes", {"2"}), ("arm=b,a", {"1"})):
            got, _ = self.counted(table, "--where", condition)
            self.assertEqual({line.split(",")[0] for line in got.splitlines()[1:]}, episodes, condition)

    def test_rows_whose_episode_is_missing(self):
        """They belong to no episode: only their own value can speak against them."""
        rows = [["1", "0", "declare_healthy", "negative", "a", ""], ["", "0", "declare_healthy", "negative", "b", ""]]
        self.counted(self.table("logs.csv", rows), "--where", "arm=a")
        rows[1][4] = ""
        done = run("count", self.table("logs.csv", rows), "--study", self.study, "--where", "arm=a")
        self.assertIn("the episode is missing", text(done))

    def test_cuts_of_the_part(self):
        """A cut at the mean is that of the rows that are selected: of 1, 2, 3, not of these with 900 and 1000."""
        study = self.write("cuts.yaml", CUTS)
        rows = "".join(f"{i},0,go,{x},{arm}\n" for i, (x, arm) in enumerate([(1, "a"), (2, "a"), (3, "a"), (900, "b"), (1000, "b")]))
        done = run("check", study, self.write("logs.csv", "episode,t,action,value,arm\n" + rows), "--where", "arm=a", "--no-forecast")
        self.assertEqual(done.returncode, 0, text(done))
        self.assertIn("`value` is cut at 1.5 and 2.5: its mean in 3 rows is 2, its standard deviation 1", text(done))

    def test_check_and_fit(self):
        rows = [row for _, _, row in random_table(3)]
        rows += [["x", "0", "declare_healthy", "negative", "b", "30"], ["x", "1", "no such action", "negative", "", "30"]]
        table = self.table("logs.csv", rows)
        done = run("check", self.study, table, "--where", "arm=a", "--no-forecast", "-p", "alpha=1", "-p", "beta=1", "-p", "eta=0", "--json")
        self.assertEqual(done.returncode, 0, text(done))
        self.assertEqual(json.loads(done.stdout)["errors"], 0)
        self.assertNotEqual(run("check", self.study, table).returncode, 0)
        fit = os.path.join(self.at, "fit")
        done = run("fit", self.study, table, "-o", fit, "--where", "arm=a", "-p", "beta=1", "-p", "eta=0", "--method", "map", "--json",
                   "--resolution", 20, "--no-sensitivity")
        self.assertIn(done.returncode, (0, 1), text(done))
        answer = json.loads(done.stdout)
        _, counted = self.counted(table, "--where", "arm=a")
        for key in ("episodes", "decisions", "rows", "excluded", "left_out"):
            self.assertEqual(answer["logs"][key], counted[key], key)

    def test_people(self):
        """The population of a part of the people is that of a table with nobody else, with and without a covariate. The other rows
        are wrong."""
        logs = os.path.join(self.at, "logs.csv")
        given = [word for value in ("alpha=0.5", "beta=1.25", "eta=0") for word in ("-p", value)]
        run("simulate", DIAG, *given, "-n", 120, "--seed", 3, "-o", logs)
        with open(logs, encoding="utf-8") as file:
            head, *rows = file.read().splitlines()
        whole = [(int(row.split(",")[0]) % 12, row) for row in rows]
        lines = [(f"{row},p{person},{'ab'[person % 2]},{person % 5}", person % 2) for person, row in whole]
        head += ",subject,arm,age\n"
        everybody = self.write("whole.csv", head + "".join(line.replace("monitor", "montior" if arm else "monitor") + "\n"
                                                            for line, arm in lines))
        part = self.write("part.csv", head + "".join(line + "\n" for line, arm in lines if arm == 0))
        with open(DIAG, encoding="utf-8") as file:
            plain = re.sub(r"(?m)^logs:.*\n", "", file.read())
        for name, more in (("plain.yaml", ""), ("age.yaml", "population: {alpha: ~ age}\n")):
            study = self.write(name, plain + more)
            same = ("-p", "beta=1.25", "-p", "eta=0", "--draws", 50, "--warmup", 50, "--chains", 1, "-q")
            found = []
            for table, condition in ((everybody, ("--where", "arm=a")), (part, ())):
                out = os.path.join(self.at, f"out-{len(found)}")
                done = run("people", study, table, "-o", out, "--force", *same, *condition)
                self.assertIn(done.returncode, (0, 1), text(done))
                with open(os.path.join(out, "units.csv"), encoding="utf-8") as file:
                    found.append(file.read())
            self.assertEqual(len(found[0].splitlines()), 7)
            self.assertEqual(found[0], found[1])
        tree = os.path.join(self.at, "logs.tree")
        run("count", part, "--study", self.write("plain.yaml", plain), "-o", tree)
        done = run("people", self.study, tree, "--where", "arm=a")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a saved tree does not keep them", text(done))

    def test_mistakes(self):
        rows = [["1", "0", "monitor", "negative", "a", ""], ["1", "1", "declare_healthy", "negative", "b", ""],
                ["2", "0", "declare_healthy", "negative", "c", ""]]
        table = self.table("logs.csv", rows)
        tree = os.path.join(self.at, "logs.tree")
        self.assertEqual(run("count", table, "--study", self.study, "-o", tree).returncode, 0)
        for table, condition, said in ((table, "arm=b", ["logs.csv:3:5: row 2: `arm` changes from `a` to `b`"]),
                                       (tree, "arm=a", ["--where needs the rows", "give the table"]),
                                       (self.table("other.csv", rows[:1] + rows[2:]), "arm=x", ["no episode has arm=x", "`arm` has a, c"]),
                                       (self.table("third.csv", rows[2:]), "arm", ["--where wants COLUMN=VALUE"]),
                                       (self.table("third.csv", rows[2:]), "harm=a", ["harm", "arm"]),
                                       (self.write("empty.csv", HEAD), "arm=a", ["the table has no rows"])):
            done = run("count", table, "--study", self.study, "--where", condition)
            self.assertEqual(done.returncode, 2, (condition, text(done)))
            for words in said:
                self.assertIn(words, text(done), condition)

    def test_a_table_that_is_one_episode(self):
        table = self.write("one.csv", "t,action,observation,arm,age\n0,monitor,negative,a,\n1,declare_healthy,negative,,\n")
        self.assertEqual(self.counted(table, "--where", "arm=a")[1]["decisions"], 2)
        done = run("count", table, "--study", self.study, "--where", "arm=b")
        self.assertIn("no episode has arm=b", text(done))

    def test_standard_input(self):
        rows = [["1", "0", "declare_healthy", "negative", "a", ""], ["2", "0", "?", "negative", "c", ""]]
        content = HEAD + "".join(",".join(row) + "\n" for row in rows)
        done = run("count", "-", "--study", self.study, "--where", "arm=a", "--json", stdin=content.encode())
        self.assertEqual(done.returncode, 0, text(done))
        self.assertEqual(json.loads(done.stdout)["decisions"], 1)


if __name__ == "__main__":
    unittest.main()
