"""Logs as a user meets them: count, check STUDY LOGS and new --from, with real files, odd files and mistakes."""
import collections
import csv
import hashlib
import io
import json
import math
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
ORACLE = os.environ.get("ASIF_ORACLE") or ""
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
EXAMPLE = os.path.join(SOURCE, "examples", "logs")
BUSES = os.path.join(ORACLE, "..", "data", "rust1987_buses.csv")
ACTIONS = ["declare_healthy", "declare_diseased", "monitor"]
AGENT = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001"]

# Two hidden states that stay, and a look that tells them apart without error.
CERTAIN = """\
asif: 1
states: [left, right]
actions: [look, go]
observations: [l, r]
environment: {start: [0.5, 0.5], emissions: identity, ends: go}
agent: {discount: 0.5, utility: {look: -1, go: {left: -20, right: 5}}, parameters: {alpha: %s}}
"""


def run(*args, stdin=None, cwd=None, env=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    environment.update(env or {})
    return subprocess.run([ASIF, *map(str, args)], input=stdin, capture_output=True, cwd=cwd, env=environment,
                          timeout=120)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def text(result):
    return result.stdout.decode(errors="replace") + result.stderr.decode(errors="replace")


def random_rows(seed, episodes=60):
    """Rows of (episode, t, action, observation) with few labels, so that histories repeat."""
    dice = random.Random(seed)
    rows = []
    for episode in range(1, episodes + 1):
        length = dice.randint(1, 5)
        for t in range(length):
            action = "monitor" if t + 1 < length else dice.choice(ACTIONS[:2])
            rows.append([episode, t, action, dice.choice(["negative", "positive"])])
    return rows


def as_csv(rows, header=("episode", "t", "action", "observation"), separator=",", end="\n"):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=end)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def as_version_1(saved):
    """The saved tree as an earlier asif wrote it: without what followed last decisions."""
    head = struct.unpack_from("<19Q", saved, 16)
    units, (ends, endings), number = head[7], head[17:], 16 if head[0] & 2 else 8
    last = (ends + endings) * number + 8 * (units + 1) + 12 * ends + 4 * endings
    bytes = saved[:12] + struct.pack("<I", 1) + saved[16:16 + 8 * 17] + saved[16 + 8 * 19:-32 - last]
    return bytes + hashlib.sha256(bytes).digest()


def by_hand(rows):
    """What count should find, from episodes as lists."""
    episodes = collections.defaultdict(list)
    for episode, t, action, observation in sorted(rows, key=lambda row: (int(row[0]), int(row[1]))):
        episodes[episode].append((action, observation))
    histories, courses = collections.defaultdict(collections.Counter), collections.Counter()
    for steps in episodes.values():
        for k, (action, _) in enumerate(steps):
            histories[tuple(steps[:k])][action] += 1
        courses[tuple(steps[:-1]), steps[-1][0]] += 1
    lengths = [len(steps) for steps in episodes.values()]
    return histories, courses, lengths


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def good(self, *args, **options):
        result = run(*args, **options)
        self.assertEqual(result.returncode, 0, text(result))
        return result

    def json(self, *args, **options):
        return json.loads(self.good(*args, "--json", **options).stdout)

    def bad(self, code, words, *args, **options):
        result = run(*args, **options)
        self.assertEqual(result.returncode, code, text(result))
        self.assertEqual(result.stdout, b"", text(result))
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, result.stderr.decode())
        return result.stderr.decode()


class Count(Case):
    def test_against_a_count_by_hand(self):
        for seed in range(5):
            rows = random_rows(seed)
            histories, courses, lengths = by_hand(rows)
            random.Random(seed).shuffle(rows)
            answer = self.json("count", self.path("logs.csv", as_csv(rows)), "--top", 10000)
            self.assertEqual(answer["rows"], len(rows))
            self.assertEqual(answer["decisions"], len(rows))
            self.assertEqual((answer["subjects"], answer["episodes"]), (60, 60))
            self.assertIs(answer["sorted"], False)
            self.assertEqual(answer["nodes"], len(histories))
            self.assertEqual(answer["levels"], max(lengths))
            self.assertEqual(answer["lengths"], {"shortest": min(lengths), "median": statistics.median(lengths),
                                                 "longest": max(lengths)})
            taken = collections.Counter(row[2] for row in rows)
            self.assertEqual(answer["actions"], taken)
            self.assertEqual(list(answer["actions"]), sorted(taken))

            def key(entry):
                return tuple((step["action"], step["observation"]) for step in entry["history"])

            self.assertEqual(len(answer["histories"]), len(histories))
            for entry in answer["histories"]:
                found = {action: count for action, count in entry["actions"].items() if count}
                self.assertEqual(found, histories[key(entry)])
                self.assertEqual(entry["count"], sum(found.values()))
            self.assertEqual({(key(entry), entry["then"]): entry["count"] for entry in answer["courses"]}, courses)
            for name in ("histories", "courses"):
                counts = [entry["count"] for entry in answer[name]]
                self.assertEqual(counts, sorted(counts, reverse=True))
            few = self.json("count", self.path("logs.csv"), "--top", 3)
            self.assertEqual(few["histories"], answer["histories"][:3])
            self.assertEqual(few["courses"], answer["courses"][:3])

    def test_keys(self):
        answer = self.json("count", self.path("logs.csv", as_csv(random_rows(1))))
        self.assertEqual(list(answer), ["file", "files", "rows", "excluded", "left_out", "sorted", "subjects", "episodes", "decisions",
                                        "weight", "states_seen", "nodes", "levels", "lengths", "actions", "histories",
                                        "courses", "problems"])
        self.assertEqual(answer["file"], self.path("logs.csv"))
        self.assertEqual(len(answer["histories"]), 10)
        self.assertEqual(answer["problems"], [])

    def test_the_same_from_any_file(self):
        """Shuffled rows, separators, line ends, quotes, a byte order mark, standard input: the same tree."""
        rows = random_rows(3)
        plain = as_csv(rows)
        want = self.json("count", self.path("plain.csv", plain), "--study", DIAG)
        shuffled = rows[:]
        random.Random(1).shuffle(shuffled)
        forms = {
            "shuffled.csv": as_csv(shuffled),
            "tabs.tsv": as_csv(rows, separator="\t"),
            "semicolons.csv": as_csv(rows, separator=";"),
            "dos.csv": as_csv(rows, end="\r\n"),
            "mac.csv": as_csv(rows, end="\r"),
            "mark.csv": b"\xef\xbb\xbf" + plain.encode(),
            "quotes.csv": re.sub(r"(\w+)", r'"\1"', plain),
            "no_end.csv": plain.rstrip("\n"),
            "more_columns.csv": as_csv([["x, y\nz", *row, "é"] for row in rows],
                                       ("note", "episode", "t", "action", "observation", "mark")),
        }
        for name, content in forms.items():
            with self.subTest(name=name):
                answer = self.json("count", self.path(name, content), "--study", DIAG)
                self.assertIs(answer["sorted"], name != "shuffled.csv")
                for key in set(want) - {"file", "files", "sorted", "problems"}:
                    self.assertEqual(answer[key], want[key], key)
        answer = self.json("count", "-", "--study", DIAG, stdin=as_csv(shuffled).encode())
        self.assertEqual(answer["histories"], want["histories"])
        self.assertEqual(answer["file"], "-")

    def test_text(self):
        logs = self.path("logs.csv", as_csv([[1, 0, "monitor", "positive"], [1, 1, "monitor", "positive"],
                                             [1, 2, "declare_diseased", ""], [2, 0, "declare_healthy", "NA"]]))
        shown = self.good("count", logs).stdout.decode()
        self.assertTrue(shown.isascii())
        for words in ["  subjects    2\n", "  episodes    2\n", "  decisions   4\n", "  rows        4, none left out\n",
                      "1 to 3 decisions per episode, median 2\n", "  histories   3 different ones at which somebody decided",
                      "monitor->positive, monitor->positive, then declare_diseased",
                      "  monitor           2  50.0 %\n",
                      "at the start: declare_healthy (50.0 %), monitor (50.0 %)"]:
            self.assertIn(words, shown)
        shown = self.good("count", logs, env={"LANG": "C.UTF-8"}).stdout.decode()
        self.assertIn("monitor→positive, monitor→positive, then declare_diseased", shown)

    def test_long_histories(self):
        rows = [[1, t, "wait" if t % 7 else "act", "seen"] for t in range(500)]
        shown = self.good("count", self.path("long.csv", as_csv(rows)), "--top", 600).stdout.decode()
        self.assertIn("6 x wait->seen, act->seen", shown)
        self.assertRegex(shown, r"\d+ steps, ")
        for line in shown.splitlines():
            self.assertLessEqual(len(line), 80)
            self.assertEqual(line, line.rstrip())

    def test_states(self):
        dice = random.Random(5)
        rows = [[who, t, dice.choice(["s1", "s2", "s10"]), dice.choice(["keep", "go"])]
                for who in "abcde" for t in range(dice.randint(2, 9))]
        logs = self.path("states.csv", as_csv(rows, ("subject", "t", "state", "action")))
        answer = self.json("count", logs, "--top", 100)
        self.assertIs(answer["states_seen"], True)
        self.assertEqual(answer["states"], collections.Counter(row[2] for row in rows))
        self.assertEqual(list(answer["states"]), ["s1", "s2", "s10"])
        self.assertEqual({(pair["state"], pair["action"]): pair["count"] for pair in answer["pairs"]},
                         collections.Counter((row[2], row[3]) for row in rows))
        lengths = list(collections.Counter(row[0] for row in rows).values())
        self.assertEqual(answer["lengths"], {"shortest": min(lengths), "median": statistics.median(lengths),
                                             "longest": max(lengths)})
        self.assertNotIn("histories", answer)
        shown = self.good("count", logs).stdout.decode()
        self.assertIn("MOST FREQUENT STATES AND ACTIONS", shown)
        self.assertRegex(shown, r"s10, then (keep|go)\n")

    @unittest.skipUnless(os.path.exists(BUSES), "no table of buses")
    def test_buses(self):
        args = ["count", BUSES, "--map", "subject=bus_id", "--map", "time=period", "--map", "action=replaced", "--map",
                "state=mileage_bin"]
        shown = self.good(*args, "--json").stdout.decode()
        self.assertIn('"subjects": 104', shown)
        self.assertIn('"rows": 8260', shown)
        with open(BUSES, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        answer = json.loads(shown)
        self.assertEqual(answer["actions"], collections.Counter(row["replaced"] for row in rows))
        self.assertEqual(answer["states"], collections.Counter(row["mileage_bin"] for row in rows))
        groups = self.json(*args, "--by", "group")["by"]["groups"]
        self.assertEqual({group["value"]: group["decisions"] for group in groups},
                         collections.Counter(row["group"] for row in rows))
        self.assertEqual({group["value"]: group["episodes"] for group in groups},
                         collections.Counter(group for group, _ in {(row["group"], row["bus_id"]) for row in rows}))

    def test_by(self):
        rows = [[*row, "ward %d" % (row[0] % 12) if row[0] % 12 else ""] for row in random_rows(7)]
        logs = self.path("wards.csv", as_csv(rows, ("episode", "t", "action", "observation", "ward")))
        groups = self.json("count", logs, "--by", "ward")["by"]["groups"]
        self.assertEqual([group["value"] for group in groups], [None, *("ward %d" % i for i in range(1, 12))])
        for group in groups:
            own = [row for row in rows if row[4] == (group["value"] or "")]
            self.assertEqual(group["episodes"], 5)
            self.assertEqual(group["decisions"], len(own))
            self.assertEqual({a: n for a, n in group["actions"].items() if n}, collections.Counter(r[2] for r in own))
        shown = self.good("count", logs, "--by", "ward").stdout.decode()
        self.assertLess(shown.index("ward 2 "), shown.index("ward 10 "))
        self.assertIn("(missing)", shown)
        self.bad(2, ["ward", "changes"], "count", self.path("bad.csv", as_csv(
            [[1, 0, "a", "x", "A"], [1, 1, "a", "x", "B"]], ("episode", "t", "action", "observation", "ward"))),
            "--by", "ward")
        self.bad(2, "there is no column `zone`", "count", logs, "--by", "zone")

    def test_what_a_terminal_would_obey(self):
        rows = [[1, 0, "a\x1b[31mb", "x\x07y"], [1, 1, "c\nd", "\x9b5A"], [2, 0, "c\nd", ""]]
        header = ("episode", "t", "action", "observation")
        logs = self.path("odd.csv", as_csv([[*row, "g\x1bh"] for row in rows], (*header, "group")).encode() + b"3,0,\xe4,,\r\n")
        shown = self.good("count", logs, "--by", "group", env={"LANG": "C.UTF-8"}).stdout.decode()
        self.assertIn("a?[31mb", shown)
        self.assertIn("c?d", shown)
        self.assertIsNone(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown))
        self.assertIn("a\x1b[31mb", self.json("count", logs)["actions"])

    def test_subjects_and_weights(self):
        rows = [["p%d" % (row[0] % 7), *row, 2] for row in random_rows(2)]
        logs = self.path("who.csv", as_csv(rows, ("subject", "episode", "t", "action", "observation", "n")))
        answer = self.json("count", logs)
        self.assertEqual((answer["subjects"], answer["episodes"]), (7, 60))
        weighted = self.json("count", logs, "--map", "weight=n")
        self.assertEqual(weighted["decisions"], len(rows))
        self.assertEqual(weighted["weight"], 2 * len(rows))
        self.assertEqual(weighted["actions"], {action: 2 * count for action, count in answer["actions"].items()})
        self.assertEqual(weighted["lengths"]["shortest"], None)
        self.assertEqual(weighted["courses"], [])
        self.assertIn("of weight %d" % (2 * len(rows)), self.good("count", logs, "--map", "weight=n").stdout.decode())

    def test_what_is_left_out(self):
        without = re.sub(r"(?m)^logs:.*\n(?:  .*\n)*", "", read(DIAG))
        study = self.path("drop.yaml", without + "\nlogs: {missing: drop_row}\n")
        rows = [[1, 0, "monitor", "positive"], [1, 1, "", "positive"], [1, 2, "declare_diseased", ""]]
        logs = self.path("logs.csv", as_csv(rows))
        answer = self.json("count", logs, "--study", study)
        self.assertEqual((answer["rows"], answer["excluded"], answer["decisions"]), (3, 1, 2))
        notes = [p for p in answer["problems"] if p["severity"] == "note"]
        self.assertRegex(notes[0]["message"], r"1 row was left out .*drop_row.*: row 2")
        shown = self.good("count", logs, "--study", study).stdout.decode()
        self.assertIn("3, of which 1 left out", shown)
        self.assertIn("note: 1 row was left out", shown)
        self.assertNotIn("note", self.good("count", logs, "--study", study, "-q").stdout.decode())
        self.bad(2, ["row 2", "the action is missing", "drop_row"], "count", logs)

    def test_mistakes(self):
        good = self.path("good.csv", as_csv(random_rows(1)))
        other = self.path("other.csv", as_csv([[1, 0, "jump", "x"]]))
        odd = self.path("odd.csv", as_csv([[1, 0, "montior", "positive"], [1, 1, "monitor", "Positive"]]))
        states = self.path("rooms.csv", as_csv([[1, 0, "a", "go"]], ("episode", "t", "state", "action")))
        rows = [
            (["count"], ["asif count needs logs", "--engine"]),
            (["count", "no-such.csv"], ["no-such.csv"]),
            (["count", self.folder], ["this is a folder"]),
            (["count", good, "--map", "action"], ["--map wants ROLE=COLUMN", "for example"]),
            (["count", good, "--map", "=x"], ["--map wants ROLE=COLUMN"]),
            (["count", good, "--map", "actoin=x"], ["no role `actoin`", "did you mean `action`?"]),
            (["count", good, "--map", "action=x"], ["no column `x`", "the columns are `episode`"]),
            (["count", good, "--map", "action=acton"], ["no column `acton`", "did you mean `action`?"]),
            (["count", good, "--map", "action="], ["empty"]),
            (["count", good, "--study", "no-such.yaml"], ["no-such.yaml"]),
            (["count", good, "--top", "many"], ["--top must be a whole number"]),
            (["count", good, "--json", "-o", "-"], ["standard output"]),
            (["count", good, good, "--by", "t"], ["--by takes one table"]),
            (["count", good, other], ["differ in their actions"]),
            (["count", states, "--study", DIAG], ["observation"]),
            (["count", odd, "--study", DIAG], ["odd.csv:2:3: row 1: there is no action `montior`", "did you mean `monitor`?",
                                               "odd.csv:3:4: row 2: there is no observation `Positive`",
                                               "did you mean `positive`?"]),
            (["count", self.path("empty.csv", "")], ["the table is empty"]),
            (["count", self.path("header.csv", "episode,t,action,observation\n")], ["no rows"]),
            (["count", self.path("ragged.csv", "episode,t,action,observation\n1,0,a\n")], ["row 1", "3 cells"]),
            (["count", self.path("twice.csv", as_csv([[1, 0, "a", "x"], [1, 0, "a", "x"]]))], ["row 2", "time 0 repeats"]),
            (["count", self.path("book.xlsx", b"PK\3\4" + bytes(100))], ["workbook"]),
        ]
        for args, words in rows:
            with self.subTest(args=args):
                self.bad(2, words, *args, cwd=self.folder)
        # What is wrong in the same way in many rows is one problem; different ones are listed up to a limit.
        many = self.path("many.csv", as_csv([[i, 0, "zebra", "x"] for i in range(50)]))
        message = self.bad(2, "there is no action `zebra` (in 50 rows: 1, 2, 3, 4, 5 and 45 more)", "count", many, "--study", DIAG)
        self.assertEqual(message.count("there is no"), 2)
        found = json.loads(run("check", DIAG, many, "--json").stdout)["problems"][0]
        self.assertEqual((found["row"], found["times"], found["rows"]), (1, 50, [1, 2, 3, 4, 5]))
        different = self.path("different.csv", as_csv([[i, 0, f"zebra{i}", "x"] for i in range(50)]))
        message = self.bad(2, "and 31 more\n", "count", different, "--study", DIAG)
        self.assertEqual(message.count("there is no action"), 19)


class Tree(Case):
    def setUp(self):
        super().setUp()
        self.rows = random_rows(11)
        self.logs = self.path("logs.csv", as_csv(self.rows))
        self.tree = self.path("logs.tree")
        self.good("count", self.logs, "--study", DIAG, "-o", self.tree)

    def test_saved(self):
        want = self.json("count", self.logs, "--study", DIAG)
        for args in (["--study", DIAG], []):
            got = self.json("count", self.tree, *args)
            for key in set(want) - {"file", "files"}:
                self.assertEqual(got[key], want[key], key)
        with open(self.tree, "rb") as file:
            saved = file.read()
        self.assertEqual(self.good("count", self.logs, "--study", DIAG, "-o", "-").stdout, saved)
        self.good("count", self.tree, "-o", self.path("again.tree"), "-q")
        with open(self.path("again.tree"), "rb") as file:
            self.assertEqual(file.read(), saved)

    def test_the_same_bytes_from_shuffled_rows(self):
        """But for what is said of the reading: rows of nodes, and whether they were sorted."""
        shuffled = self.rows[:]
        random.Random(2).shuffle(shuffled)
        self.good("count", self.path("shuffled.csv", as_csv(shuffled)), "--study", DIAG, "-o", self.path("s.tree"))
        want = self.json("check", DIAG, self.tree, *AGENT)["log_likelihood"]
        self.assertEqual(self.json("check", DIAG, self.path("s.tree"), *AGENT)["log_likelihood"], want)

    def test_merged(self):
        halves = [[row for row in self.rows if row[0] % 2 == k] for k in (0, 1)]
        paths = [self.path("half%d.csv" % k, as_csv(half)) for k, half in enumerate(halves)]
        self.good("count", paths[0], "--study", DIAG, "-o", self.path("half.tree"))
        want = self.json("count", self.logs, "--study", DIAG)
        for files in (paths, [self.path("half.tree"), paths[1]]):
            got = self.json("count", *files, "--study", DIAG)
            self.assertEqual(got["files"], files)
            self.assertIsNone(got["file"])
            for key in set(want) - {"file", "files"}:
                self.assertEqual(got[key], want[key], key)
        self.good("count", *paths, "--study", DIAG, "-o", self.path("both.tree"))
        self.assertEqual(self.json("check", DIAG, self.path("both.tree"), *AGENT)["log_likelihood"],
                         self.json("check", DIAG, self.logs, *AGENT)["log_likelihood"])

    def test_version_1(self):
        rows = [row for row in self.rows if row[2] == "monitor"]  # not one of them ends: all have a last observation
        old, new = self.path("old.tree"), self.path("new.tree")
        self.good("count", self.path("open.csv", as_csv(rows)), "--study", DIAG, "-o", new)
        with open(new, "rb") as file:
            saved = file.read()
        self.assertGreater(struct.unpack_from("<Q", saved, 16 + 8 * 17)[0], 2)
        self.path("old.tree", as_version_1(saved))
        words = "version 1, which lacks what was seen after the last decision"
        self.assertIn(words, " ".join(self.good("count", old).stdout.decode().split()))
        self.assertIn(words, self.json("count", old)["problems"][0]["message"])
        want, got = self.json("count", new), self.json("count", old)
        for key in set(want) - {"file", "files", "problems"}:
            self.assertEqual(got[key], want[key], key)
        both = self.path("both.tree")
        for files in ([old, new], [new, old], [old, self.path("open.csv")]):
            said = self.good("count", *files, "--study", DIAG, "-o", both).stderr.decode()
            self.assertIn("the result is of version 1", " ".join(said.split()))
            with open(both, "rb") as file:
                self.assertEqual(file.read()[12], 1)
        self.assertNotIn("version 1", self.good("count", new, new, "--study", DIAG, "-o", both).stderr.decode())
        with open(both, "rb") as file:
            self.assertEqual(file.read()[12], 2)

    def test_mistakes(self):
        other = self.path("other.tree")
        self.good("count", self.path("other.csv", as_csv([[1, 0, "jump", "x"]])), "-o", other)
        self.bad(2, ["other labels", "count the table again"], "count", other, "--study", DIAG)
        self.bad(2, ["other labels"], "check", DIAG, other)
        self.bad(2, ["saved without the column `ward`", "--by ward"], "count", self.tree, "--by", "ward")
        with open(self.tree, "rb") as file:
            saved = file.read()
        self.bad(2, "cut.tree", "count", self.path("cut.tree", saved[:-5]))
        self.bad(2, "changed.tree", "count", self.path("changed.tree", saved[:-5] + b"\1" + saved[-4:]))
        self.bad(3, "no-such", "count", self.logs, "-o", self.path("no-such/x.tree"))
        self.assertFalse(any(".tree." in name for name in os.listdir(self.folder)))

    def test_groups_from_a_tree(self):
        rows = [[*row, "AB"[row[0] % 2]] for row in self.rows]
        logs = self.path("by.csv", as_csv(rows, ("episode", "t", "action", "observation", "ward")))
        self.good("count", logs, "--by", "ward", "-o", self.path("by.tree"))
        self.assertEqual(self.json("count", self.path("by.tree"), "--by", "ward")["by"],
                         self.json("count", logs, "--by", "ward")["by"])


class Check(Case):
    def test_oracle(self):
        """The log-likelihood of another implementation, from the table in any order and from a tree."""
        facts = os.path.join(ORACLE, "logs_facts.json")
        if not ORACLE or not os.path.exists(facts):
            self.skipTest("no oracle")
        with open(facts, encoding="utf-8") as file:
            agents = json.load(file)["agents"]
        for name, fact in agents.items():
            logs = os.path.join(ORACLE, "logs_%s.csv" % name)
            if not os.path.exists(logs):
                continue
            with open(logs, encoding="utf-8") as file:
                header, *rows = file.read().splitlines()
            random.Random(4).shuffle(rows)
            shuffled = self.path("shuffled.csv", "\r\n".join([header, *rows]))
            tree = self.path(name + ".tree")
            answer = self.json("count", logs, "--study", DIAG, "-o", tree)
            self.assertEqual((answer["decisions"], answer["nodes"]), (fact["steps"], fact["nodes"]))
            for k, point in enumerate(fact["loglik_at"]):
                values = ["-p", "alpha=%r" % point["alpha"], "-p", "optimism=%r" % point["inv_beta"], "-p",
                          "eta=%r" % point["eta"]]
                got = self.json("check", DIAG, logs, *values)
                self.assertIs(got["ok"], True)
                self.assertLess(abs(got["log_likelihood"] / point["loglik"] - 1), 1e-9)
                if k == 0:
                    for other in (shuffled, tree):
                        self.assertEqual(self.json("check", DIAG, other, *values)["log_likelihood"],
                                         got["log_likelihood"])

    def test_json(self):
        logs = self.path("logs.csv", as_csv(random_rows(1)))
        answer = self.json("check", DIAG, logs)
        self.assertEqual(list(answer), ["ok", "errors", "problems", "study", "logs", "log_likelihood", "forecast"])
        self.assertIsNone(answer["log_likelihood"])
        self.assertEqual(answer["logs"]["episodes"], 60)
        self.assertEqual(answer["logs"]["file"], logs)
        self.assertEqual(answer["logs"]["histories"], [])
        self.assertIsInstance(self.json("check", DIAG, logs, *AGENT)["log_likelihood"], float)
        self.assertEqual(list(self.json("check", DIAG)), ["ok", "errors", "problems", "study"])

    def test_good(self):
        logs = self.path("logs.csv", as_csv(random_rows(1)))
        shown = self.good("check", DIAG, logs).stdout.decode()
        for words in ["Diagnosis (DIAG)", "\nTHE LOGS: ", "  episodes    60\n", "no log-likelihood", "-p"]:
            self.assertIn(words, shown)
        self.assertTrue(shown.endswith("\nThe logs fit the study.\n"), shown)
        shown = self.good("check", DIAG, logs, *AGENT).stdout.decode()
        self.assertRegex(shown, r"log-likelihood of this agent: -\d+\.\d{6}, -\d+\.\d{4} per decision\n")
        self.assertEqual(self.good("check", DIAG, logs, "-q").stdout, b"")
        self.good("check", DIAG, "-", stdin=as_csv(random_rows(1)).encode())
        self.good("check", "-", logs, stdin=read(DIAG).encode())

    def test_uniform_agent(self):
        """An agent that chooses at random: each of n decisions among 3 actions has probability 1/3."""
        rows = random_rows(6)
        answer = self.json("check", DIAG, self.path("logs.csv", as_csv(rows)), "-p", "alpha=inf", "-p", "beta=inf", "-p",
                           "eta=0")
        self.assertAlmostEqual(answer["log_likelihood"], -len(rows) * math.log(3), places=9)

    def test_bad(self):
        rows = [[1, 0, "montior", "positive"], [1, 1, "monitor", ""], [1, 2, "declare_healthy", ""],
                [2, 0, "declare_healthy", "negative"], [2, 1, "monitor", "negative"]]
        logs = self.path("bad.csv", as_csv(rows))
        result = run("check", DIAG, logs)
        self.assertEqual((result.returncode, result.stderr), (1, b""))
        shown = result.stdout.decode()
        for words in ["bad.csv:2:3: row 1: there is no action `montior`", "bad.csv:3:4: row 2: the observation is missing",
                      "bad.csv:6:1: row 5: a row follows `declare_healthy` (row 4)", "\n  hint: did you mean `monitor`?\n"]:
            self.assertIn(words, shown)
        self.assertTrue(shown.endswith("\nNot yet: 3 errors.\n"))
        answer = json.loads(run("check", DIAG, logs, "--json").stdout)
        self.assertEqual((answer["ok"], answer["errors"], answer["logs"], answer["log_likelihood"]), (False, 3, None, None))
        self.assertIsNotNone(answer["study"])
        self.assertEqual([(p["line"], p["column"], p["row"]) for p in answer["problems"]], [(2, 3, 1), (3, 4, 2), (6, 1, 5)])
        for problem in answer["problems"]:
            self.assertEqual((problem["severity"], problem["file"]), ("error", logs))

    def test_bad_study(self):
        study = self.path("bad.yaml", "asif: 1\n")
        result = run("check", study, "no-such.csv")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stdout.endswith(b"\nThe logs were not read: the study comes first.\n"))

    def test_history_that_cannot_be(self):
        """Both observations are possible after `look`, but not one after the other."""
        study = self.path("certain.yaml", CERTAIN % "1")
        rows = [[1, 0, "look", "l"], [1, 1, "go", ""], [2, 0, "look", "l"], [2, 1, "look", "r"], [2, 2, "go", ""]]
        logs = self.path("logs.csv", as_csv(rows))
        result = run("check", study, logs)
        self.assertEqual(result.returncode, 1, text(result))
        self.assertRegex(result.stdout.decode(), r"logs\.csv: row 4: ")
        self.assertIn("Not yet: 1 error.", result.stdout.decode())
        answer = json.loads(run("check", study, logs, "--json").stdout)
        self.assertEqual([problem["row"] for problem in answer["problems"]], [4])
        self.assertIsNone(answer["log_likelihood"])
        self.assertEqual(answer["logs"]["decisions"], 5)
        self.good("check", study, self.path("fine.csv", as_csv(rows[:3])))

    def test_action_that_is_never_taken(self):
        """The best agent looks first, goes to the right, and never to the left."""
        study = self.path("certain.yaml", CERTAIN % "0")
        right = [[1, 0, "look", "r"], [1, 1, "go", ""]]
        self.assertEqual(self.json("check", study, self.path("right.csv", as_csv(right)))["log_likelihood"], 0)
        logs = self.path("logs.csv", as_csv(right + [[2, 0, "look", "r"], [2, 1, "look", ""], [3, 0, "look", "l"],
                                                     [3, 1, "go", ""]]))
        answer = self.json("check", study, logs)
        self.assertEqual(answer["log_likelihood"], "-inf")
        still_open, problem = answer["problems"]
        self.assertIn("1 of 3 episodes does not end with an action that ends an episode (`go`)", still_open["message"])
        self.assertEqual((problem["severity"], problem["row"]), ("warning", 1))
        self.assertIn("never does `look` after what was seen and done up to this row", problem["message"])
        self.assertIn("there are 2 such places", problem["hint"])
        at_once = self.path("at_once.csv", as_csv([[1, 0, "go", ""]]))
        problem, = self.json("check", study, at_once)["problems"]
        self.assertEqual((problem["row"], problem["message"]), (1, "the agent never begins with `go`, which was done"))
        problem, = self.json("check", study, self.path("both.csv", as_csv(right + [[2, 0, "go", ""]])))["problems"]
        self.assertNotIn("row", problem)
        shown = self.good("check", study, logs).stdout.decode()
        self.assertIn("log-likelihood of this agent: -inf", shown)
        self.assertIn("The logs fit the study, but cannot be by this agent; 2 warnings above.", shown)

    def test_map(self):
        rows = random_rows(9)
        logs = self.path("logs.csv", as_csv(rows, ("episode", "t", "did", "saw")))
        self.assertEqual(run("check", DIAG, logs).returncode, 1)
        answer = self.json("check", DIAG, logs, "--map", "action=did", "--map", "observation=saw", *AGENT)
        plain = self.path("plain.csv", as_csv(rows))
        self.assertEqual(answer["log_likelihood"], self.json("check", DIAG, plain, *AGENT)["log_likelihood"])

    def test_mistakes(self):
        logs = self.path("logs.csv", as_csv(random_rows(1)))
        rows = [
            (["check", DIAG, "no-such.csv"], ["no-such.csv"]),
            (["check", DIAG, self.folder], ["this is a folder"]),
            (["check", DIAG, logs, "extra"], ["no use for 'extra'"]),
            (["check", DIAG, "--map", "action=x"], ["--map, --where and -p are about logs"]),
            (["check", DIAG, "-p", "alpha=1"], ["--map, --where and -p are about logs"]),
            (["check", DIAG, logs, "-p", "alpha"], ["-p wants NAME=VALUE"]),
            (["check", DIAG, logs, "-p", "alhpa=1"], ["no parameter 'alhpa'"]),
            (["check", DIAG, logs, "--map", "acton=x"], ["did you mean `action`?"]),
            (["check", "-", "-"], ["cannot both come from standard input"]),
        ]
        for args, words in rows:
            with self.subTest(args=args):
                self.bad(2, words, *args, cwd=self.folder)


class New(Case):
    def draft(self, name, content, *args):
        """The draft of a table, which passes a check, alone and with the table."""
        self.path(name, content)
        self.good("new", "--from", name, *args, "study", cwd=self.folder)
        self.good("check", "study.yaml", cwd=self.folder)
        answer = self.json("check", "study.yaml", name, cwd=self.folder)
        return answer, read(self.path("study.yaml"))

    def test_names_that_people_use(self):
        dice = random.Random(1)
        tables = [
            (("subjID", "trial", "choice", "outcome"), dict(subject="subjID", time="trial", action="choice", observation="outcome")),
            (("participant_id", "Trial_Number", "Response", "Feedback"),
             dict(subject="participant_id", time="Trial_Number", action="Response", observation="Feedback")),
            (("Patient.ID", "Visit", "decision", "result"), dict(subject="Patient.ID", time="Visit", action="decision", observation="result")),
            (("bus_id", "period", "action", "state"), dict(subject="bus_id", time="period", action="action", state="state")),
            (("episode", "t", "action", "observation"), dict(episode="episode", time="t", action="action", observation="observation")),
        ]
        for header, roles in tables:
            with self.subTest(header=header):
                rows = [[who, t, dice.choice("ABC"), dice.choice(["win", "loss"])] for who in range(12) for t in range(10)]
                answer, study = self.draft("table.csv", as_csv(rows, header))
                for role, column in roles.items():
                    self.assertRegex(study, r"(?m)^  %s: %s( |$)" % (role, re.escape(column)))
                    self.assertRegex(study, r"(?m)^#   %s +%s " % (re.escape(column), role))
                self.assertEqual(answer["study"]["actions"], ["A", "B", "C"])
                seen = answer["study"]["states" if "state" in roles else "observations"]
                self.assertEqual(seen, ["loss", "win"])
                self.assertEqual(answer["logs"]["episodes"], 12)
                self.assertIn("TO FILL IN", study)
                os.remove(self.path("study.yaml"))

    def test_cells_that_are_no_numbers(self):
        """A column of numbers with a few texts: the cells are named with their counts, and so are numbers far out."""
        dice = random.Random(5)
        rows = [[i // 10, i % 10, dice.choice("AB"), "%.3f" % dice.uniform(1, 9), dice.randint(20, 60), i % 7] for i in range(300)]
        for i in (3, 40, 41, 200):
            rows[i][3] = "<5"
        rows[77][3] = "haemolysed"
        rows[12][4], rows[13][4] = 999, 9999
        rows[14][5] = 4000
        names = ("subject", "t", "action", "lab", "age", "ward")
        self.path("table.csv", as_csv(rows, names))
        self.path("table.csv", as_csv(rows, names))
        self.good("new", "--from", "table.csv", "--map", "observation=lab", "study", cwd=self.folder)
        study = read(self.path("study.yaml"))
        self.assertIn("missing: refuse           # 5 cells are missing", study)
        checked = run("check", "-q", "study.yaml", "table.csv", cwd=self.folder)
        self.assertEqual(checked.returncode, 1)
        self.assertIn(b"the observation is missing, and it is not the last of its episode (in 5 rows:", checked.stdout)
        self.assertIn('    lab: {missing_values: ["<5", haemolysed], range: [', study)
        os.remove(self.path("study.yaml"))
        for i in (100, 110, 120):
            rows[i][3] = f"text {i}"
        self.path("table.csv", as_csv(rows, names))
        self.bad(2, ["the column `lab` would be numbers, but for `<5` (4 rows), `haemolysed` (1 row)", "and 1 more", "write numbers there"],
                 "new", "--from", "table.csv", "--map", "observation=lab", "study", cwd=self.folder)
        for i in (100, 110, 120):
            rows[i][3] = "5"
        self.path("table.csv", as_csv(rows, names))
        self.good("new", "--from", "table.csv", "--map", "observation=ward", "study", cwd=self.folder)
        study = read(self.path("study.yaml"))
        about = {name: re.search(r"(?m)^#   %s +.*$" % name, study)[0] for name in names}
        self.assertIn("not numbers: `<5` (4 rows), `haemolysed` (1 row)", about["lab"])
        self.assertIn("does 9999 stand for a missing value", about["age"])
        self.assertIn("is 4000 right? It is far from the others", about["ward"])
        for name in ("subject", "t", "lab"):
            self.assertNotIn("right?", about[name])
            self.assertNotIn("missing value", about[name])

    def test_far_numbers(self):
        """A number far from all others of a column that is cut is a warning with its row, until the study says what it means."""
        dice = random.Random(11)
        rows = [[i // 10, i % 10, dice.choice("AB"), dice.randint(20, 60)] for i in range(300)]
        names = ("subject", "t", "action", "age")
        for value, hint in ((9999, b"list it in `missing_values`"), (4000, b"which `range` is plausible"), (-4000, b"which `range` is plausible"),
                            (-9, b"list it in `missing_values`"), (99, None), (10, None), (100, None)):
            with self.subTest(value=value):
                rows[123][3] = value
                self.path("table.csv", as_csv(rows, names))
                self.good("new", "--from", "table.csv", "--map", "observation=age", "study", cwd=self.folder)
                study = read(self.path("study.yaml"))
                os.remove(self.path("study.yaml"))
                self.path("plain.yaml", re.sub(r"(?m)^  columns:.*\n(    .*\n)+", "", study))
                words = run("check", "plain.yaml", "table.csv", cwd=self.folder)
                said = words.stdout + words.stderr
                self.assertEqual(f"row 124: warning: {value} is far from the other numbers of `age`".encode() in said, hint is not None)
                self.assertEqual(said.count(b"is far from"), hint is not None)
                if hint:
                    self.assertIn(hint, said)
                if value in (9999, -9):
                    self.path("drafted.yaml", study.replace("logs:  ", "logs:\n  missing: not_seen #"))
                    drafted = run("check", "drafted.yaml", "table.csv", cwd=self.folder)
                    self.assertEqual(drafted.returncode, 0, text(drafted))
                    self.assertNotIn(b"is far from", drafted.stdout + drafted.stderr)

    def test_spellings(self):
        """Values that differ in case, blanks or underscores are one label, by rules that the draft shows; numbers never are."""
        dice = random.Random(7)
        words = ["admit", "admit", "admit", "Admit", "send home", "send home", "Send_Home", "A-1", "a_1"]
        rows = [[i // 10, i % 10, dice.choice(words), dice.choice("pn"), dice.choice([1, -1]), dice.choice(["North", "north"])]
                for i in range(300)]
        answer, study = self.draft("table.csv", as_csv(rows, ("subject", "t", "action", "observation", "sign", "site")))
        counts = {word: sum(row[2] == word for row in rows) for word in words}
        first = "A-1" if counts["A-1"] >= counts["a_1"] else "a_1"
        self.assertEqual(sorted(answer["study"]["actions"]), sorted(["admit", "send home", first]))
        self.assertIn('Admit: admit', study)
        self.assertIn('Send_Home: "send home"', study)
        self.assertRegex(study, r"(?m)^    site: \{recode: \{(north: North|North: north)\}\}$")
        self.assertNotIn("sign: {", study)
        self.assertEqual(answer["logs"]["decisions"], 300)

    def test_cuts(self):
        """Numbers are cut into thirds; many of them, too."""
        dice = random.Random(3)
        for count in (300, 60000):
            rows = [[i // 10, i % 10, dice.choice([0, 1]), "%.6f" % dice.uniform(20, 50)] for i in range(count)]
            answer, study = self.draft("table.csv", as_csv(rows, ("subject", "t", "action", "score")), "--map",
                                       "observation=score")
            low, high = map(float, re.search(r"cut: \[([\d.]+), ([\d.]+)\]", study).groups())
            values = sorted(float(row[3]) for row in rows)
            self.assertAlmostEqual(low, values[count // 3], delta=0.5)
            self.assertAlmostEqual(high, values[2 * count // 3], delta=0.5)
            self.assertEqual(answer["study"]["observations"], ["low", "middle", "high"])
            os.remove(self.path("study.yaml"))

    def test_cuts_of_skewed_numbers(self):
        """No class is empty where most numbers are the same."""
        rows = [[i, 0, "a", 0 if i % 10 else 0.5 + i / 7] for i in range(200)]
        logs = as_csv([row[:2] + ["b" if row[0] % 3 else "a"] + row[3:] for row in rows], ("subject", "t", "action", "dose"))
        answer, study = self.draft("table.csv", logs, "--map", "observation=dose")
        self.assertRegex(study, r"cut: \[")
        cut = float(re.search(r"cut: \[([\d.]+)", study).group(1))
        self.assertGreater(cut, 0)

    def test_crossed_and_missing(self):
        dice = random.Random(4)
        rows = [[who, t, dice.choice(["x", "y"]), dice.choice(["p", "q"]), dice.choice([1, 2, 10])]
                for who in range(9) for t in range(4)]
        table = as_csv(rows, ("subject", "t", "action", "test", "grade"))
        answer, _ = self.draft("table.csv", table, "--map", "observation=test,grade")
        self.assertEqual(answer["study"]["observations"], ["p/1", "p/2", "p/10", "q/1", "q/2", "q/10"])
        os.remove(self.path("study.yaml"))
        rows[1][3] = "NA"
        self.path("gaps.csv", as_csv(rows, ("subject", "t", "action", "test", "grade")))
        self.good("new", "--from", "gaps.csv", "--map", "observation=test,grade", "study", cwd=self.folder)
        self.assertIn("missing: refuse           # 1 cell is missing", read(self.path("study.yaml")))
        self.good("check", "study.yaml", cwd=self.folder)
        result = run("check", "study.yaml", "gaps.csv", cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("row 2: the observation is missing", result.stdout.decode())

    def test_labels_that_yaml_would_misread(self):
        labels = ["no", "yes, perhaps", "a: b", "#1", "- x", "ärztlich", "it's", 'say "so"', "[x]", "*", "null", "{", "1e5", "~",
                  "%", "@me", "-", "2", "uniform", "identity"]
        dice = random.Random(8)
        rows = [[i, 0, label, dice.choice(["ok: 1", "off"])] for i, label in enumerate(labels * 2)]
        answer, study = self.draft("odd # table.csv", as_csv(rows, ("subject: id", "t", "action", "result")), "--map",
                                   "subject=subject: id")
        self.assertEqual(set(answer["study"]["actions"]), set(labels))
        self.assertEqual(set(answer["study"]["observations"]), {"ok: 1", "off"})

    def test_look_alike(self):
        rows = [[i, 0, "a" if i % 2 else "b", ["good", "Poor", "poor"][i % 3]] for i in range(12)]
        _, study = self.draft("table.csv", as_csv(rows, ("subject", "t", "action", "result")))
        self.assertIn("are Poor and poor the same?", study)

    def test_name(self):
        os.mkdir(self.path("data"))
        self.path("data/my.visits.csv", as_csv(random_rows(1)))
        result = self.good("new", "--from", "data/my.visits.csv", cwd=self.folder)
        self.assertIn("my.visits.yaml is a draft", result.stdout.decode())
        self.assertIn("asif check my.visits.yaml data/my.visits.csv", result.stdout.decode())
        before = read(self.path("my.visits.yaml"))
        self.bad(2, "there already", "new", "--from", "data/my.visits.csv", cwd=self.folder)
        self.assertEqual(read(self.path("my.visits.yaml")), before)
        self.good("new", "-q", "--from", "-", "piped", stdin=as_csv(random_rows(1)).encode(), cwd=self.folder)
        self.good("check", "piped.yaml", "data/my.visits.csv", cwd=self.folder)

    def test_mistakes(self):
        table = self.path("table.csv", as_csv([[1, "x", "y"], [2, "z", "y"]], ("unit", "what", "seen")))
        ids = self.path("ids.csv", as_csv([[i, "v%d" % i, "y"] for i in range(300)], ("subject", "action", "outcome")))
        rows = [
            (["new"], ["needs more", "--from TABLE"]),
            (["new", "x", "--map", "action=y"], ["--map is about a table"]),
            (["new", "--from", "-"], ["needs a NAME"]),
            (["new", "--from", "no-such.csv"], ["no-such.csv"]),
            (["new", "--from", table], ["shows what was done", "--map action=COLUMN", "`unit`, `what`, `seen`"]),
            (["new", "--from", table, "--map", "action=what"], ["shows what was seen", "state=COLUMN"]),
            (["new", "--from", table, "--map", "action=wat"], ["there is no column `wat`"]),
            (["new", "--from", self.path("tab.csv", as_csv([[1, "x\ty", "a"]], ("t", "action", "outcome")))],
             ["tab.csv:1:2", "line break or a tab"]),
            (["new", "--from", self.path("latin.csv", "t,action,outcome\n1,gehört,a\n".encode("latin-1"))],
             ["latin.csv:1:2", "not UTF-8"]),
            (["new", "--from", self.path("any.csv", as_csv([[1, "any", "a"]], ("t", "action", "outcome")))],
             ["any.csv:1:2", "`any`"]),
            (["new", "--from", ids], ["ids.csv:1:2", "too many different values"]),
        ]
        for args, words in rows:
            with self.subTest(args=args):
                self.bad(2, words, *args, cwd=self.folder)
        self.assertEqual(sorted(os.listdir(self.folder)), ["any.csv", "ids.csv", "latin.csv", "tab.csv", "table.csv"])


class Page(Case):
    def test_prepare_logs(self):
        """Every command of the page, in order, prints what the page says; `...` stands for any lines."""
        for name in ("visits.csv", "study.yaml"):
            shutil.copy(os.path.join(EXAMPLE, name), self.folder)
        page = read(os.path.join(SOURCE, "docs", "howto", "prepare-logs.md"))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_")}
        environment.update(LANG="C.UTF-8", PATH=os.path.dirname(ASIF) + os.pathsep + os.environ["PATH"])
        blocks = re.findall(r"```console\n\$ (.*)\n((?:(?!```).*\n)*)```", page)
        self.assertEqual(len(blocks), page.count("```console"))
        self.assertGreaterEqual(len(blocks), 10)
        for command, printed in blocks:
            with self.subTest(command=command):
                result = subprocess.run(command, shell=True, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, timeout=60)
                pattern = "".join("(?:.*\n)*" if line == "...\n" else re.escape(line)
                                  for line in printed.splitlines(keepends=True))
                self.assertIsNotNone(re.fullmatch(pattern, result.stdout.decode()),
                                     "printed:\n%s\nthe page says:\n%s" % (result.stdout.decode(), printed))
        study = read(self.path("study.yaml"))
        self.assertIn(re.search(r"```yaml\n(logs:\n(?:  .*\n)*)```", page).group(1), study)


if __name__ == "__main__":
    unittest.main()
