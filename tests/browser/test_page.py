"""Report pages in a real browser: two groups, three states, a population, and one with all that other commands add; wide and narrow, light, dark and print, with scripts and without.
Pages are kept in tests/browser/shots of the build folder; with ASIF_THOROUGH=1 screenshots, too.
ctest label: slow"""
import os
import sys
import unittest

import browser
import fits

browser.need("chromium")

WIDTHS = {"groups": [1280, 390], "three": [1280], "one": [390], "people": [1280, 390]}
SECTIONS = {"people": 5}  # of the others: 8


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shots = browser.folder("shots")
        wanted = {"groups": [fits.made("groups")], "three": [fits.made("three")], "people": [fits.made("people")],
                  "one": [os.path.join(fits.made("groups"), "north"), "--truth", "optimism=0.8", *fits.with_extras()]}
        pages = {name: os.path.join(shots, name + ".html") for name in wanted}
        cls.times = {name: browser.seconds("report", *wanted[name], "-o", page) for name, page in pages.items()}
        cls.found = browser.look([dict(name=name, file=page, widths=WIDTHS[name], full=True)
                                  for name, page in pages.items()], shots)

    def views(self):
        """Every page at every width."""
        return [(dict(page=name, width=width), view) for name, found in self.found.items()
                for width, view in found["widths"].items()]

    def layouts(self):
        return [(dict(where, kind=kind), view[kind]) for where, view in self.views() for kind in ("light", "dark", "print")]

    def test_nothing_is_asked_for_and_nothing_complains(self):
        for where, view in self.views():
            for kind in ("messages", "errors", "dialogs", "requests"):
                with self.subTest(**where, kind=kind):
                    self.assertEqual(view[kind], [])

    def test_no_horizontal_scroll(self):
        for where, layout in self.layouts():
            with self.subTest(**where):
                self.assertLessEqual(layout["scroll"], layout["inner"], layout["sticking"])

    def test_every_figure_is_drawn_inside_its_column(self):
        for where, layout in self.layouts():
            with self.subTest(**where):
                self.assertGreater(len(layout["figures"]), 0)
            for figure in layout["figures"]:
                with self.subTest(**where, figure=figure["name"]):
                    self.assertEqual(figure["drawn"], "yes")
                    self.assertGreater(figure["width"], 100)
                    self.assertGreater(figure["height"], 50)
                    self.assertGreater(figure["marks"], 0)
                    self.assertLessEqual(figure["width"], figure["room"] + 1)

    def test_nothing_is_cut_off_or_covered(self):
        """Texts of figures are inside of them, and those of legends side by side."""
        for where, layout in self.layouts():
            for figure in layout["figures"]:
                with self.subTest(**where, figure=figure["name"]):
                    self.assertEqual((figure["cut"], figure["covered"]), ([], []))

    def test_tables_that_scroll_say_so(self):
        for where, layout in self.layouts():
            with self.subTest(**where):
                self.assertEqual(layout["silent"], [])

    def test_what_other_commands_found_is_drawn(self):
        drawn = {figure["name"].removeprefix("data-") for view in self.found["one"]["widths"].values() for figure in view["light"]["figures"]}
        self.assertLessEqual({"calibration", "precision", "recovery", "sbc", "sensitivity-wrong"}, drawn)

    def test_labels_are_not_shrunk_away(self):
        """A drawing that is wider than its column is shown smaller, its letters too."""
        for where, view in self.views():
            for figure in view["light"]["figures"]:
                with self.subTest(**where, figure=figure["name"]):
                    self.assertGreater(figure["width"], 0.8 * figure["natural"])

    def test_text_and_tables_without_scripts(self):
        for name, found in self.found.items():
            with self.subTest(page=name):
                still = found["still"]
                self.assertEqual(still["words"]["svgs"], 0)
                self.assertEqual(still["messages"] + still["errors"] + still["requests"], [])
                self.assertLessEqual(still["light"]["scroll"], still["light"]["inner"], still["light"]["sticking"])
                drawn = next(iter(found["widths"].values()))["words"]
                self.assertGreater(drawn["svgs"], 0)
                self.assertEqual(len(drawn["headings"]), SECTIONS.get(name, 8))
                for kind in ("title", "headings", "tables", "cells", "captions", "alts"):
                    self.assertEqual(still["words"][kind], drawn[kind], kind)
                self.assertGreater(len(drawn["cells"]), 10)
                for alt in drawn["alts"]:
                    self.assertIn(alt, still["words"]["text"])

    def test_accessible(self):
        for where, view in self.views():
            grounds = [ground for ground in ("axe_light", "axe_dark") if ground in view]
            self.assertTrue(grounds)
            for ground in grounds:
                for found in view[ground]:
                    with self.subTest(**where, ground=ground, rule=found["id"]):
                        self.assertNotIn(found["impact"], ("serious", "critical"), found)

    def test_prints(self):
        for where, view in self.views():
            with self.subTest(**where):
                self.assertGreater(view["pdf"]["bytes"], 10000)
                self.assertIn(view["pdf"]["pages"], range(1, 60))

    def test_small_and_soon_made(self):
        """A page may take a second beyond what the Bayes-optimal agent takes, whose search is most of the page of three states."""
        folders = {"groups": [os.path.join(fits.made("groups"), site) for site in ("north", "south")],
                   "three": [fits.made("three")], "one": [os.path.join(fits.made("groups"), "north")]}
        for name, found in self.found.items():
            print("%s: %.0f kB, made in %.2f s, %d figures" % (name, found["bytes"] / 1e3, self.times[name],
                                                             len(found["still"]["light"]["figures"])))
            self.assertLess(found["bytes"], 2e6)
            ideal = sum(browser.seconds("outcomes", folder, "--draws", 2, "-n", 10) for folder in folders.get(name, []))
            self.assertLess(self.times[name], 2 * ideal + 1)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(verbosity=2, exit=False).result.wasSuccessful() else 1)
