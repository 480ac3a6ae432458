"""Some of the requests for memory of each command fail, one at a time; tests/long/faults.py lets more of them fail."""
# ctest label: slow
import os
import sys

from driver import CASES, chosen, over_all

MOST = int(os.environ.get("ASIF_FAULTS_MOST", 20))


def examine(case):
    count, places = case.count("alloc")
    for n in chosen(places, MOST):
        case.check(kind="alloc", at=n, again=False)
    return f"{count} requests from {len(places)} places"


over_all(sys.argv[1:] or CASES, examine)
