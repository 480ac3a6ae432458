"""Labels of study and logs that hold scripts, markup, templates, expressions, odd writing: in the page they are text, and nothing
runs, before and after a mouse went over the figures.
ctest label: slow"""
import os
import re
import sys
import unittest

import browser
import fits
import labels

browser.need("chromium")


def plain(label):
    """What turns the direction of writing may be shown as a question mark."""
    return re.sub("[\u202a-\u202e\u2066-\u2069]", "?", label)


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shots = browser.folder("shots")
        page = os.path.join(shots, "hostile.html")
        browser.asif("report", fits.made("hostile"), "-o", page)
        cls.found = browser.look([dict(name="hostile", file=page, widths=[390], hover=True)], shots)["hostile"]
        cls.words = cls.found["widths"]["390"]["words"]

    def views(self):
        return self.found["widths"].items()

    def test_nothing_runs(self):
        for width, view in self.views():
            with self.subTest(width=width):
                self.assertIsNone(view["pwned"])
                for kind in ("dialogs", "requests", "errors", "messages"):
                    self.assertEqual(view[kind], [], kind)
                self.assertEqual(view["foreign"], [])
        self.assertEqual(self.found["still"]["requests"], [])

    def test_figures_are_drawn_all_the_same(self):
        for width, view in self.views():
            self.assertGreater(len(view["light"]["figures"]), 0)
            for figure in view["light"]["figures"]:
                with self.subTest(width=width, figure=figure["name"]):
                    self.assertEqual(figure["drawn"], "yes")
                    self.assertGreater(figure["marks"], 0)
                    self.assertLessEqual(figure["width"], figure["room"] + 1)

    def test_labels_come_out_as_text(self):
        self.assertEqual(self.words["title"], labels.TITLE)
        self.assertEqual(self.found["still"]["words"]["title"], labels.TITLE)
        for kind in ("STATES", "ACTIONS", "OBSERVATIONS", "GROUPS", "PARAMETERS"):
            for label in getattr(labels, kind):
                for how, words in (("drawn", self.words), ("still", self.found["still"]["words"])):
                    with self.subTest(kind=kind, how=how, label=label[:40]):
                        self.assertTrue(label in words["text"] or plain(label) in words["text"])

    def test_no_horizontal_scroll(self):
        for width, view in self.views():
            for kind in ("light", "dark", "print"):
                with self.subTest(width=width, kind=kind):
                    self.assertLessEqual(view[kind]["scroll"], view[kind]["inner"], view[kind]["sticking"])

    def test_writing_direction_stays_with_the_label(self):
        for width, view in self.views():
            with self.subTest(width=width):
                self.assertEqual(view["turned"], [])


if __name__ == "__main__":
    sys.exit(0 if unittest.main(verbosity=2, exit=False).result.wasSuccessful() else 1)
