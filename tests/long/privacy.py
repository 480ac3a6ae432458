#!/usr/bin/env python3
"""Privacy under attack, over 50 random group sizes below and above the limit: tests/long/privacy.py [BUILD [SEED]]

For each group: how many counts the attacker looked at, how many of them
the page withholds, and how many values he is left with for the best known of these; it must be no fewer than the limit.
"""

import os
import random
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = sys.argv[1] if len(sys.argv) > 1 else os.path.join(SOURCE, "build", "release")
os.environ["ASIF_SOURCE"] = SOURCE
os.environ["ASIF"] = os.path.join(BUILD, "cli", "asif")
sys.path.insert(0, os.path.join(SOURCE, "tests", "report"))
from privacy_world import Logs, judge, report

GROUPS = 50


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)
    sizes = [chance.randint(3, 10) if i % 3 == 0 else chance.randint(11, 30) if i % 3 == 1 else chance.randint(31, 200) for i in range(GROUPS)]
    chance.shuffle(sizes)
    done, all_small, least = 0, 0, float("inf")
    with tempfile.TemporaryDirectory() as folder:
        while done < GROUPS:
            several = chance.randint(1, 4)
            part = {"site-%d" % i: size for i, size in enumerate(sizes[done : done + several])}
            logs = Logs(seed * 100 + done, part, folder, chance.choice([0.0, 0.3]))
            table = logs.write(os.path.join(folder, "logs.csv"))
            limit = chance.choice([11, 11, 5, 20])
            page = report(folder, table, "--min-cell", limit, by="site" if len(part) > 1 else None)
            narrowest, small, looked = judge(logs, page, limit)
            assert "patient-" not in page
            done += len(part)
            all_small += small
            least = min(least, narrowest / limit)
            print("%-32s limit %2d: %3d counts, %3d withheld, each can be at least %s numbers" % (
                ", ".join(map(str, part.values())), limit, looked, small, narrowest), flush=True)
    print("%d groups, %d withheld counts, none found; the best known has %.2f times as many values as the limit" % (done, all_small, least))


main()
