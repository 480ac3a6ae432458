"""Questions about a folder of groups: the answer is that of each group asked by itself, as text, JSON and table."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
GROUPS = ("far, north", "south")  # the first needs quotes in CSV, and another name as a folder
QUESTIONS = {
    "predict": ["--draws", 5, "--simulated", 5, "--replicates", 20],
    "outcomes": ["--draws", 5, "-n", 20],
    "explain": ["--draws", 5, "--seed", 2],
    "sensitivity": ["--vary", "discount=0.9:0.95", "--points", 2, "--draws", 0, "--starts", 1],
}


def run(*words):
    done = subprocess.run([ASIF, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Grouped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory(prefix="asif-test-")
        cls.addClassCleanup(cls.work.cleanup)
        cls.logs, cls.folder = (os.path.join(cls.work.name, name) for name in ("logs.csv", "fits"))
        known = ["-p", "beta=inf", "-p", "eta=0"]
        with open(cls.logs, "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            for index, group in enumerate(GROUPS):
                _, text, _ = run("simulate", DIAG, "-p", f"alpha={0.4 + index}", *known, "-n", 60, "--seed", index, "-q", "-o", "-")
                head, *body = csv.reader(io.StringIO(text))
                if index == 0:
                    rows.writerow([*head, "subject", "site"])
                rows.writerows([*row, f"{group[0]}{row[head.index('episode')]}", group] for row in body)
        code, _, error = run("fit", DIAG, cls.logs, "--by", "site", "-o", cls.folder, *known, "-q", "--method", "map", "--resolution", 20,
                             "--no-sensitivity")
        if code not in (0, 1):
            raise AssertionError(error)
        with open(os.path.join(cls.folder, "manifest.json"), encoding="utf-8") as file:
            cls.paths = {g["value"]: os.path.join(cls.folder, g["folder"]) for g in json.load(file)["groups"]}

    def test_each_group_has_its_own_answer(self):
        self.assertEqual(tuple(self.paths), GROUPS)
        for question, flags in QUESTIONS.items():
            with self.subTest(question):
                alone = {group: run(question, path, *flags) for group, path in self.paths.items()}
                code, text, _ = run(question, self.folder, *flags)
                self.assertEqual(code, max(one[0] for one in alone.values()))
                self.assertEqual(text, "\n\n".join(f"== site: {group} ==\n\n{one[1]}" for group, one in alone.items()))
                of_all = json.loads(run(question, self.folder, *flags, "--json")[1])
                self.assertEqual(of_all, {"by": "site", "groups": [
                    {"group": group, "answer": json.loads(run(question, path, *flags, "--json")[1])} for group, path in self.paths.items()]})

    def test_tables_stand_below_each_other(self):
        tables = {}
        for name, folder in {None: self.folder, **self.paths}.items():
            path = os.path.join(self.work.name, "table.csv")
            code, _, error = run("sensitivity", folder, *QUESTIONS["sensitivity"], "-o", path)
            self.assertEqual(code, 0, error)
            with open(path, newline="", encoding="utf-8") as file:
                tables[name] = list(csv.reader(file))
        want = [["group", *tables["south"][0]]] + [[group, *row] for group in GROUPS for row in tables[group][1:]]
        self.assertEqual(tables[None], want)

    def test_a_report_takes_the_answers_of_all_groups_at_once(self):
        """The page is the same as with the answer of each group from a file of its own."""
        pages = []
        for folders in ([self.folder], self.paths.values()):
            given = []
            for number, folder in enumerate(folders):
                path = os.path.join(self.work.name, f"answer-{number}.json")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(run("sensitivity", folder, *QUESTIONS["sensitivity"], "--json")[1])
                given += ["--with", path]
            page = os.path.join(self.work.name, "page.html")
            code, _, error = run("report", self.folder, "-o", page, *given)
            self.assertEqual(code, 0, error)
            with open(page, encoding="utf-8") as file:
                pages.append(file.read())
        self.assertEqual(*pages)
        self.assertIn("If %s had another value" % QUESTIONS["sensitivity"][1].partition("=")[0], pages[0])
        with open(path, "w", encoding="utf-8") as file:
            file.write(run("outcomes", self.folder, *QUESTIONS["outcomes"], "--json")[1])
        code, _, error = run("report", self.folder, "-o", page, "--with", path)
        self.assertEqual(code, 2)
        self.assertIn("this is not what a command of asif's printed", error)

    def test_a_subject_is_found_in_its_group(self):
        code, text, error = run("explain", self.folder, self.logs, "--subject", "s7", "--draws", 5)
        self.assertEqual((code, text.splitlines()[0]), (0, "== site: south =="), error)
        self.assertNotIn("north", text)
        code, text, error = run("explain", self.folder, self.logs, "--subject", "nobody", "--draws", 5)
        self.assertEqual((code, text), (2, ""))
        self.assertIn("there is no subject `nobody`", error)

    def test_unfinished_groups_are_named(self):
        os.rename(self.paths["south"], self.paths["south"] + ".away")
        try:
            code, text, error = run("explain", self.folder, "--draws", 5)
        finally:
            os.rename(self.paths["south"] + ".away", self.paths["south"])
        self.assertEqual(code, 0)
        self.assertEqual([line for line in text.splitlines() if line.startswith("== ")], ["== site: far, north =="])
        self.assertIn("south", error)


if __name__ == "__main__":
    unittest.main()
