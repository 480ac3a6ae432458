"""Reports of damaged files: what other commands printed, and fit.json, with values, keys and items changed, missing or of another
kind. Whatever they hold, a report is made or refused in words; nothing crashes. ASIF_MUTANTS says how many of each file.

ctest label: slow
"""
import copy
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
import browser  # noqa: E402
import fits  # noqa: E402

MUTANTS = int(os.environ.get("ASIF_MUTANTS", "12"))  # of each file
VALUES = [None, True, 0, -1, 1e308, -1e-300, "nan", "inf", "", "<b>", [], {}, [[]], [1, "a", None], {"a": []}]


def places(node, found):
    """All (container, key) below a node."""
    for key, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        found.append((node, key))
        places(child, found)
    return found


def damaged(document, rng):
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 4)):
        node, key = rng.choice(places(document, []))
        what = rng.randrange(4)
        if what == 0:
            del node[key]
        elif what == 1 and isinstance(node, list):
            node.insert(key, copy.deepcopy(rng.choice(node)))
        elif what == 2 and isinstance(node, dict):
            node[rng.choice(["value", "number", "a\u202e</script>"])] = node.pop(key)
        else:
            node[key] = copy.deepcopy(rng.choice(VALUES))
        if not places(document, []):
            break
    return document


class Damaged(unittest.TestCase):
    def report(self, what, *words):
        with tempfile.TemporaryDirectory(prefix="asif-test-") as folder:
            done = subprocess.run([browser.ASIF, "report", *words, "-o", os.path.join(folder, "r.html"), "-q"],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 2), "%s\n%s" % (what, done.stderr))
        if done.returncode == 2:
            self.assertTrue(done.stderr.startswith("asif: "), done.stderr)
        return done.returncode

    def test_what_other_commands_printed(self):
        fit = os.path.join(fits.made("groups"), "north")
        folder, taken = fits.made("extras"), 0
        for name in sorted(os.listdir(folder)):
            whole = json.loads(browser.read(os.path.join(folder, name)))
            for k in range(MUTANTS):
                with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
                    json.dump(damaged(whole, random.Random("%s %d" % (name, k))), file)
                    file.flush()
                    taken += self.report("%s %d" % (name, k), fit, "--with", file.name) == 0
        self.assertGreater(taken, 0)

    def test_fit(self):
        fit = os.path.join(fits.made("groups"), "north")
        whole = json.loads(browser.read(os.path.join(fit, "fit.json")))
        with tempfile.TemporaryDirectory(prefix="asif-test-") as folder:
            copied = os.path.join(folder, "fit")
            shutil.copytree(fit, copied)
            for k in range(3 * MUTANTS):
                with open(os.path.join(copied, "fit.json"), "w", encoding="utf-8") as file:
                    json.dump(damaged(whole, random.Random("fit %d" % k)), file)
                self.report("fit.json %d" % k, copied)


unittest.main()
