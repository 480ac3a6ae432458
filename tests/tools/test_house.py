"""tools/house counts what it says, refuses a build that is not of these sources, and finds what the house promises."""
# ctest label: slow
import importlib.util
import os
import pathlib
import re
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

BUILD = pathlib.Path(os.environ["ASIF_BUILD"])
if not re.search("^CMAKE_BUILD_TYPE:.*=Release$", (BUILD / "CMakeCache.txt").read_text(), re.M):
    print("not a release build")
    sys.exit(77)
PATH = os.path.join(os.environ["ASIF_SOURCE"], "tools", "house")
SPEC = importlib.util.spec_from_loader("house", SourceFileLoader("house", PATH))
house = importlib.util.module_from_spec(SPEC)
sys.dont_write_bytecode = True
SPEC.loader.exec_module(house)


def first_number(text):
    return int(re.match(r"\d+", text)[0])


class House(unittest.TestCase):
    def test_circles(self):
        """Two circles, a chain between them, and a file that calls nobody."""
        graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"f"}, "f": {"e"}, "g": set()}
        self.assertEqual(house.components(graph), [["a", "b", "c"], ["e", "f"]])
        self.assertEqual(house.circles(graph)[0], "2, of 5 files in all")

    def test_climbing(self):
        """From base up to fit, and from one question to another; not to the files that questions share."""
        up, across = house.climbing_calls({
            "src/base/a.c": {"src/fit/b.c"}, "src/fit/b.c": {"src/base/a.c"},
            "src/questions/explain/a.c": {"src/questions/outcomes/b.c", "src/questions/question.c"}})
        self.assertEqual(up[1], ["src/base/a.c -> src/fit/b.c"])
        self.assertEqual(across[1], ["src/questions/explain/a.c -> src/questions/outcomes/b.c"])

    def test_reads(self):
        known = house.readers(["double asif_number(const asif_yaml *node, const char *key, double otherwise);"])
        self.assertEqual(known, {"asif_number": 1})
        self.assertEqual(house.arguments('f(node, "a,b(", g(1, 2))', 2), ["node", ' "a,b("', " g(1, 2)"])

    def test_stale(self):
        """A source without an object, one that is newer than its object, and a header newer than the library."""
        with tempfile.TemporaryDirectory() as folder:
            root, build = pathlib.Path(folder, "tree"), pathlib.Path(folder, "build")

            def touch(path, time):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
                os.utime(path, (time, time))

            source, made = root / "src/base/a.c", build / "src/CMakeFiles/asif_objects.dir/base/a.c.o"
            touch(source, 100)
            self.assertIn("src/base/a.c was not built", house.stale(build, root))
            touch(made, 50)
            self.assertIn("src/base/a.c was not built", house.stale(build, root))
            touch(made, 150)
            touch(build / "src/libasif.so", 160)
            self.assertIsNone(house.stale(build, root))
            touch(root / "include/asif/a.h", 170)
            self.assertIn("include/asif/a.h is newer", house.stale(build, root))

    def test_promises(self):
        found = {name: value for name, (value, _) in house.rows(BUILD)}
        print("\n".join(f"{name}: {value}" for name, value in found.items()))
        if "gdb" not in found["parses of fit.json for a page"]:
            self.assertEqual(found["parses of fit.json for a page"], "1")
        self.assertLessEqual(first_number(found["circles of calls between files"]), 6)
        for name in ("calls that climb", "calls from one question to another", "lines beyond 110 columns"):
            self.assertEqual(found[name], "0", name)
        self.assertEqual(first_number(found["includes that climb"]), 0)
        self.assertLessEqual(first_number(found["largest flat folder"]), 20)


if __name__ == "__main__":
    unittest.main()
