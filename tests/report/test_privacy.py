"""Privacy under attack: who has only the page of a report finds no count that it withholds, and no subject's name.

ctest label: slow
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import privacy_attack  # noqa: F401
except ImportError:
    print("scipy is not there")
    sys.exit(77)
from privacy_world import Logs, judge, report

CASES = [
    ({"north": 140, "south": 7}, 0.0),
    ({"north": 26}, 0.0),
    ({"north": 60, "south": 35, "west": 11}, 0.3),
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        for seed, (sizes, cuts) in enumerate(CASES):
            logs = Logs(seed, sizes, folder, cuts)
            table = logs.write(os.path.join(folder, "logs.csv"))
            page = report(folder, table, by="site" if len(sizes) > 1 else None)
            narrowest, small, looked = judge(logs, page)
            print("%s: %d counts, %d of them small, each can be at least %s numbers" % (sizes, looked, small, narrowest))
            assert small > 0, "nothing to find"
            assert "patient-" not in page
            open_page = report(folder, table, "--min-cell", 0, by="site" if len(sizes) > 1 else None)
            try:
                judge(logs, open_page)
            except AssertionError:
                pass
            else:
                raise SystemExit("the attack finds nothing even where nothing is withheld")

        # subjects as groups: no name but where it was asked for
        logs = Logs(9, {"a": 3}, folder)
        table = logs.write(os.path.join(folder, "logs.csv"))
        assert "patient-" not in report(folder, table, by="subject")
        assert "patient-" in report(folder, table, "--identify", by="subject")


main()
