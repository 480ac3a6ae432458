"""Some designs of known answer, of asif identify and of asif fit; tests/long/battery.py runs all forty."""
# ctest label: slow
import importlib.util
import os
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
try:
    import numpy  # noqa: F401
except ImportError:
    print("numpy is not there")
    sys.exit(77)

CHOSEN = ["consistency of a plain choice", "two utilities that matter by their difference",
          "optimism with a single world", "optimism and surprise on DIAG, consistency given",
          "two kinds of subjects in a plain choice", "twenty subjects of one kind", "an even likelihood",
          "consistency of a choice that is always the same", "the weight of a world that is there twice"]


class Battery(unittest.TestCase):
    def test_designs(self):
        spec = importlib.util.spec_from_file_location("battery", os.path.join(SOURCE, "tests", "long", "battery.py"))
        battery = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(battery)
        chosen = [d for d in battery.designs() + battery.fitted() if d.name in CHOSEN]
        self.assertEqual(len(chosen), len(CHOSEN))
        for design in chosen:
            with self.subTest(design.name), tempfile.TemporaryDirectory() as folder:
                self.assertTrue(battery.consistent(design))
                found = design.run(ASIF, folder)
                self.assertTrue(design.judge(found), found["parameters"])


if __name__ == "__main__":
    unittest.main()
