"""The section `labels` of a study: what people read has the labels, and JSON has the names.

The study's own names are tokens that occur nowhere else, so that a name in a text is found wherever it stands. JSON with labels
has to be that of the same study without them, but for the key `labels`."""
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
if not ASIF or not os.path.exists(ASIF):
    print("ASIF is not set to the path of the command")
    sys.exit(77)

STUDY = """asif: 1
title: Labels
states: [Zsh, Zsd]
actions: [Zah, Zad, Zam]
observations: [Zon, Zop]
environment:
  start: [0.5, 0.5]
  transitions: {Zam: identity, any: reset}
  emissions: [[0.7, 0.3], [0.3, 0.7]]
  ends: [Zah, Zad]
agent:
  discount: 0.95
  worlds: [{emissions: [[0.6, 0.4], [0.4, 0.6]]}, {emissions: [[0.8, 0.2], [0.2, 0.8]]}]
  utility: {Zah: {Zsh: Zpc, Zsd: Zpw}, Zad: {Zsh: Zpw, Zsd: Zpc}, Zam: Zpx}
  parameters:
    Zpc: 10
    Zpw: {learn: "normal(-36, 10)", standard: -36}
    Zpx: -1
    alpha: learn
    beta: inf
    eta: 0
solver: {resolution: 20, tol: 1e-9}
"""
LABELS = {"actions": {"Zah": "declare healthy", "Zad": "declare ill", "Zam": "test again"},
          "states": {"Zsh": "is healthy", "Zsd": "is ill"},
          "observations": {"Zon": "test negative", "Zop": "test positive"},
          "parameters": {"Zpc": "right diagnosis", "Zpw": "wrong diagnosis", "Zpx": "price of a test"}}
UNIT, SENTENCE = "points", "What a patient loses by a wrong diagnosis."
NAME = re.compile(r"\bZ[asop][a-z]\b")


def section():
    """The labels as YAML, one of them with all parts."""
    parts = {kind: dict(names) for kind, names in LABELS.items()}
    parts["parameters"]["Zpw"] = {"label": "wrong diagnosis", "unit": UNIT, "sentence": SENTENCE}
    return "labels: " + json.dumps(parts) + "\n"


class Shown(html.parser.HTMLParser):
    """What a page shows: its text, its attributes and the data of its figures, by heading."""

    def __init__(self, page):
        super().__init__()
        self.parts, self.part, self.script = {"": ""}, "", None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.script = attrs.get("type", "code") if tag in ("script", "style") else None
        if tag == "section":
            self.part = attrs["id"]
        self.parts[self.part] = self.parts.get(self.part, "") + " ".join(v or "" for v in attrs.values())

    def handle_endtag(self, tag):
        self.script = None

    def handle_data(self, data):
        if self.script in (None, "application/json"):
            self.parts[self.part] += data


class Labels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.plain, cls.labelled = cls.write("plain/study.yaml", STUDY), cls.write("labelled/study.yaml", STUDY + section())
        cls.logs = cls.path("logs.csv")
        cls.asif("simulate", cls.plain, "-n", "120", "--seed", "1", "-o", cls.logs, "-p", "alpha=0.5", "-p", "Zpw=-36")
        cls.fits = {}
        for study in (cls.plain, cls.labelled):
            cls.fits[study] = os.path.join(os.path.dirname(study), "fit")
            cls.said = cls.asif("fit", study, cls.logs, "-o", cls.fits[study], "--method", "map", "-q", codes=(0, 1))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def write(cls, name, text):
        os.makedirs(os.path.dirname(cls.path(name)), exist_ok=True)
        with open(cls.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return cls.path(name)

    @classmethod
    def asif(cls, *args, codes=(0,)):
        done = subprocess.run([ASIF, *args], capture_output=True, text=True, timeout=300)
        if done.returncode not in codes:
            raise AssertionError("asif %s: exit %d\n%s%s" % (" ".join(args), done.returncode, done.stdout, done.stderr))
        return done.stdout

    def questions(self, study):
        fit = self.fits[study]
        return {"summary": ["summary", fit], "outcomes": ["outcomes", fit, "-n", "50"], "predict": ["predict", fit],
                "explain": ["explain", fit, self.logs, "--episode", "3"],
                "surprising": ["explain", fit, self.logs, "--find", "surprising"],
                "sensitivity": ["sensitivity", fit, "--points", "2", "--draws", "0", "--starts", "1"],
                "identify": ["identify", study, self.logs, "--against", "alpha=0.4", "--draws", "0"],
                "evaluate": ["evaluate", study, self.logs, "--folds", "2", "--starts", "1"]}

    def test_texts_show_labels(self):
        seen = ""
        for name, args in self.questions(self.labelled).items():
            with self.subTest(question=name):
                text = self.asif(*args, codes=(0, 1))
                # The summary names what was estimated next to its label, so that it can be typed.
                left = NAME.findall(text.replace("Zpw (%s)" % UNIT, ""))
                self.assertEqual(left, [], text)
                seen += re.sub(r"\s+", " ", text)
        for label in [label for names in LABELS.values() for label in names.values() if label != "is healthy"]:
            with self.subTest(label=label):  # with two states, beliefs are told by the second
                self.assertIn(label, seen)
        self.assertRegex(self.said, r"wrong diagnosis +Zpw \(points\) +-")

    def test_json_has_the_names(self):
        """JSON is that of the study without labels, but for the key `labels`."""
        for name, args in self.questions(self.labelled).items():
            with self.subTest(question=name):
                with_labels = json.loads(self.asif(*args, "--json", codes=(0, 1)))
                without = json.loads(self.asif(*self.questions(self.plain)[name], "--json", codes=(0, 1)))
                labels = with_labels.pop("labels")
                self.assertEqual({kind: {n: part["label"] for n, part in names.items()} for kind, names in labels.items()}, LABELS)
                self.assertEqual(labels["parameters"]["Zpw"],
                                 {"label": "wrong diagnosis", "unit": UNIT, "sentence": SENTENCE})
                for found in (with_labels, without):
                    for key in ("key", "seconds"):  # digest of the inputs, and time
                        found.pop(key, None)
                    found.get("solver", {}).pop("seconds", None)
                self.assertEqual(with_labels, without)

    def test_plan_and_check(self):
        given = ["-p", "alpha=0.5", "-p", "Zpw=-36"]
        planned = self.asif("plan", self.labelled, *given, "--history", "Zam:Zop")
        table = planned[planned.index("What the agent does"):]
        self.assertEqual(NAME.findall(table), [])
        self.assertIn("test again", table)
        self.assertIn("P(is ill)", table)
        checked = self.asif("check", self.labelled)  # it is about the study, and so shows both
        for name in ("action Zam", "state Zsd", "observation Zop", "parameter Zpw"):
            self.assertIn("  " + name, checked)
        self.assertIn("wrong diagnosis (points): What a patient loses", checked)
        study = json.loads(self.asif("check", self.labelled, "--json"))["study"]
        self.assertEqual(study["labels"]["actions"]["Zam"], {"label": "test again", "unit": None, "sentence": None})

    def test_page_and_figures_show_labels(self):
        page = self.path("page.html")
        self.asif("report", self.fits[self.labelled], "-o", page)
        with open(page, encoding="utf-8") as file:
            parts = Shown(file.read()).parts
        names = parts["problem"].split("What things are called")
        self.assertIn("action Zam", names[2] if len(names) > 2 else names[1])
        parts["problem"] = re.sub(r"(action|state|observation|parameter) Z[asop][a-z]\b", "", parts["problem"])
        parts.pop("made")  # the study as it was written
        parts["why"] = parts["why"].replace("Zpw (%s)" % UNIT, "")
        for part, text in parts.items():
            with self.subTest(section=part):
                self.assertEqual(NAME.findall(text), [])
        self.assertIn(SENTENCE, parts["why"])
        for label in [*LABELS["actions"].values(), *LABELS["states"].values()]:
            self.assertIn(label, parts["did"])

    def test_what_is_wrong_with_a_section_is_said(self):
        for labels, words in [
                ("actions: {Zax: wait}", "there is no action `Zax`"),
                ("parameters: {Zpq: x}", "there is no parameter `Zpq`"),
                ("parameters: {alpha: x}", "`alpha` has a name of its own in every output"),
                ("states: {Zsh: Zsd}", "`Zsd` is also the name of another state"),
                ("states: {Zsh: ill, Zsd: ill}", "`ill` is the label of two states, `Zsh` and `Zsd`"),
                ("actions: {Zah: {lable: x}}", "unknown key `lable`"),
                ("actions: {Zah: ''}", "a label is empty"),
                ("actions: {Zah: %s}" % ("x" * 81), "a label is longer than 80 bytes"),
                ("actions: {Zah: \"a\\nb\"}", "a label has a line break"),
                ("action: {Zah: x}", "unknown key `action`")]:
            with self.subTest(labels=labels[:40]):
                study = self.write("bad.yaml", STUDY + "labels: {%s}\n" % labels)
                done = subprocess.run([ASIF, "check", study], capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
