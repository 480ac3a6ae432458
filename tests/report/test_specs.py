"""Figures as files: each is a valid Vega-Lite specification that compiles and renders without a warning, names only data sets that it
has, and comes with its description, its caption and the table behind it.
ctest label: slow"""
import json
import os
import sys
import tempfile
import unittest

SOURCE = os.environ.get("ASIF_SOURCE")
if not SOURCE:
    print("ASIF_SOURCE (root of the source tree) is not set")
    sys.exit(77)
sys.path.insert(0, os.path.join(SOURCE, "tests", "browser"))
import browser  # noqa: E402
import fits  # noqa: E402

browser.need("vega")


def data_names(part, found):
    """Names of data sets that a specification uses."""
    if isinstance(part, dict):
        data = part.get("data")
        if isinstance(data, dict) and "name" in data:
            found.add(data["name"])
        for key, value in part.items():
            if key not in ("datasets", "usermeta"):
                data_names(value, found)
    elif isinstance(part, list):
        for value in part:
            data_names(value, found)
    return found


class Specs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.specs, files = {}, []
        with tempfile.TemporaryDirectory() as folder:
            for origin, args in cls.sources().items():
                out = os.path.join(folder, "figures-" + origin)
                browser.asif(*args, "--figures", out)
                for name in sorted(os.listdir(out)):
                    label = origin + "." + name.replace(".vl.json", "")
                    cls.specs[label] = json.loads(browser.read(os.path.join(out, name)))
                    files.append(dict(name=label, file=os.path.join(out, name)))
            cls.found = browser.node("specs.mjs", dict(assets=browser.ASSETS, out=browser.folder("specs"), specs=files))

    @classmethod
    def sources(cls):
        """Commands that write figures, from small inputs."""
        groups = fits.made("groups")
        return {
            "groups": ["report", groups],
            "one": ["report", os.path.join(groups, "north"), "--truth", "optimism=0.8", *fits.with_extras()],
            "three": ["report", fits.made("three")],
            "people": ["report", fits.made("people")],
            "hostile": ["report", fits.made("hostile")],
            "plan": ["plan", fits.DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001"],
            "plan-three": ["plan", os.path.join(fits.HERE, "three.yaml"), "-p", "alpha=0.5", "-p", "beta=2"],
        }

    def each(self):
        self.assertGreater(len(self.specs), 5)
        return self.specs.items()

    def test_valid(self):
        for name, spec in self.each():
            with self.subTest(figure=name):
                self.assertRegex(spec["$schema"], r"^https://vega\.github\.io/schema/vega-lite/v6.*\.json$")
                self.assertEqual(self.found[name]["schema"], [])

    def test_compiles_and_renders_without_a_warning(self):
        for name, _ in self.each():
            with self.subTest(figure=name):
                self.assertEqual(self.found[name]["warnings"], [])
                self.assertGreater(self.found[name]["svg"], 500)
                self.assertGreater(self.found[name]["marks"], 0)

    def test_a_legend_says_everything_once(self):
        for name, _ in self.each():
            with self.subTest(figure=name):
                self.assertEqual(len(self.found[name]["legend"]), len(set(self.found[name]["legend"])))

    def test_words_and_table(self):
        for name, spec in self.each():
            with self.subTest(figure=name):
                about = spec["usermeta"]["asif"]
                self.assertGreater(len(spec["description"]), 20)
                self.assertGreater(len(about["caption"]), 20)
                columns, rows = about["table"]["columns"], about["table"]["rows"]
                self.assertGreater(len(rows), 0)
                self.assertEqual({len(row) for row in rows}, {len(columns)})

    def test_data_sets_are_there(self):
        for name, spec in self.each():
            with self.subTest(figure=name):
                used = data_names(spec, set())
                self.assertTrue(used)
                self.assertEqual(used, set(spec["datasets"]), "used, and there")
                for rows in spec["datasets"].values():
                    self.assertIsInstance(rows, list)

    def test_no_slot_is_left(self):
        for name, spec in self.each():
            if not name.startswith("hostile"):
                with self.subTest(figure=name):
                    self.assertNotIn('"@', json.dumps(spec))


if __name__ == "__main__":
    sys.exit(0 if unittest.main(verbosity=2, exit=False).result.wasSuccessful() else 1)
