"""Sentences of what people read in a terminal and on the page have at most 30 words.

A paragraph is lines that follow each other at the same depth. Rows of tables (cells apart by two blanks), lines of usage, commands
and numbers are no sentences. A piece of code, a number with its unit and a name count as tools/check-docs counts them, and what
is in brackets or a list after a colon is left out: names and numbers can be many there, and do not make a sentence hard."""
# ctest label: slow
import html
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

LOADER = importlib.machinery.SourceFileLoader("check_docs", os.path.join(SOURCE, "tools", "check-docs"))
CHECK = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_docs", LOADER))
LOADER.exec_module(CHECK)
STUDY, LOGS = (os.path.join(SOURCE, "examples", "logs", name) for name in ("study.yaml", "visits.csv"))

DEEP = 20  # columns: what stands further to the right goes on with a cell of a table


def run(*words, input=None):  # noqa: A002
    done = subprocess.run([ASIF, *map(str, words)], capture_output=True, text=True, input=input, check=False)
    return done.stdout + done.stderr


def paragraphs(text):
    """The paragraphs of what a command prints."""
    found, depth = [], None
    for line in text.splitlines():
        bare = line.strip().removeprefix("asif: ")
        here = len(line) - len(line.lstrip())
        if not bare or re.search(r"\S {2,}\S", bare) or bare.startswith(("$", "asif ", "Usage:")) or here >= DEEP:
            depth = None
            continue
        begins = bare.startswith(("- ", "* ", "hint:")) or re.match(r"\S+: ", bare)
        if depth is None or begins or (here != depth and not (here == depth + 2 and found[-1].startswith("- "))):
            found.append(bare)
            depth = here
        else:
            found[-1] += " " + bare
    return found


def page_paragraphs(text):
    body = re.sub(r"(?s)<(script|style|table|svg|nav)\b.*?</\1>", " ", text)
    return [re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", piece))).strip()
            for piece in re.findall(r"(?s)<(?:p|li|figcaption|h\d|summary|dd)\b[^>]*>(.*?)</(?:p|li|figcaption|h\d|summary|dd)>", body)]


def plain(sentence):
    """A sentence without brackets, and without a list of names or numbers after a colon."""
    while True:
        shorter = re.sub(r"\([^()]*\)", "", sentence)
        if shorter == sentence:
            break
        sentence = shorter
    head, colon, rest = sentence.partition(": ")
    return head if colon and rest.count(",") >= 3 else sentence


def long_ones(pieces):
    pieces = [re.sub(r"(?<=[.:] )(--?[a-z][\w-]*)", r"`\1`", piece) for piece in pieces]  # a sentence may begin with a flag
    return [sentence for piece in pieces for _, sentence in CHECK.sentences(piece) if len(CHECK.words(plain(sentence))) > CHECK.LONGEST]


class Sentences(unittest.TestCase):
    def test_self(self):
        """Long sentences are found, and tables, brackets and lists are none."""
        many = "word " * 31
        self.assertEqual(len(long_ones(paragraphs(f"  {many}\n"))), 1)
        self.assertEqual(len(long_ones(paragraphs("one two\n" * 16))), 1)
        self.assertEqual(long_ones(paragraphs("one  two\n" * 16)), [])
        self.assertEqual(long_ones([f"Short ({many}). " + "The columns are: " + "a, " * 40]), [])
        self.assertEqual(len(long_ones(page_paragraphs(f"<table><td>{many}</td></table><p>x <b>y</b> {many}</p>"))), 1)

    def test_help(self):
        for name in [None] + re.findall(r"^  ([a-z-]+)  ", run("--help"), flags=re.M):
            with self.subTest(command=name):
                text = run("help", name) if name else run("--help")
                self.assertEqual(long_ones(paragraphs(text)), [])

    def test_answers(self):
        with tempfile.TemporaryDirectory() as folder:
            fit, page = os.path.join(folder, "fit"), os.path.join(folder, "page.html")
            said = {"check": run("check", STUDY, LOGS), "fit": run("fit", STUDY, LOGS, "-o", fit, "--progress", "none")}
            for words in (["summary", fit], ["predict", fit], ["compare", fit, "--logs", LOGS], ["outcomes", fit], ["explain", fit],
                          ["sensitivity", fit, "--draws", 0], ["evaluate", STUDY, LOGS, "--folds", 2]):
                said[words[0]] = run(*words)
            self.assertEqual([name for name, text in said.items() if len(text) < 300], [])
            run("report", fit, "-o", page)
            for name, text in said.items():
                with self.subTest(command=name):
                    self.assertEqual(long_ones(paragraphs(text)), [])
            with open(page, encoding="utf-8") as file:
                pieces = page_paragraphs(file.read())
            self.assertGreater(len(pieces), 30)
            self.assertEqual(long_ones(pieces), [])


if __name__ == "__main__":
    unittest.main()
