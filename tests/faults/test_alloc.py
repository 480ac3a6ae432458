"""Requests for memory of each command fail, one at a time: one from each place of the program in commands that are quick, some in the
others; tests/long/faults.py lets more of them fail."""
# ctest label: slow
import os
import sys

from driver import CASES, chosen, over_all

MOST = int(os.environ.get("ASIF_FAULTS_MOST", 20))
QUICK = 400  # places


def examine(case):
    count, places = case.count("alloc")
    tried = places if len(places) < QUICK else chosen(places, MOST)
    for n in tried:
        case.check(kind="alloc", at=n, again=False)
    return f"{count} requests from {len(places)} places, {len(tried)} tried"


over_all(sys.argv[1:] or CASES, examine)
