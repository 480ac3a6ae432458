"""Some of the requests for files of each command fail, one at a time; tests/long/faults.py lets every one fail."""
# ctest label: slow
import os
import sys

from driver import CASES, EIO, ENOSPC, SHORT, chosen, over_all

MOST = int(os.environ.get("ASIF_FAULTS_MOST", 12))


def examine(case):
    count, places = case.count("io")
    every = range(1, count + 1)
    for n in chosen(places, MOST):
        case.check(kind="io", at=n, code=EIO)
    for n in chosen(every, MOST // 4, 3):
        case.check(kind="io", at=n, code=ENOSPC, stays=1)
    for n in chosen(every, MOST // 4, 5):
        case.check(kind="io", at=n, code=SHORT)
    return f"{count} requests from {len(places)} places"


over_all(sys.argv[1:] or CASES, examine)
