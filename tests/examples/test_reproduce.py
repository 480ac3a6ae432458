"""examples/diag/reproduce in its short form: every row as asked, nothing done twice, and a row that is not as
asked is shown.

ctest label: slow
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
if not os.path.exists(os.path.join(os.environ.get("ASIF_ORACLE", ""), "logs_optimistic.csv")):
    print("skipped: the oracle's logs are not here (ASIF_ORACLE)")
    sys.exit(77)
failed = 0


def check(condition, text):
    global failed
    if not condition:
        failed += 1
        print("FAILED  " + text)


def run(work):
    script = os.path.join(SOURCE, "examples", "diag", "reproduce")
    done = subprocess.run(
        [sys.executable, script, "--asif", ASIF, "--work", work, "--quick", "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    page = os.path.join(work, "reproduction.md")
    if not os.path.exists(page):
        sys.exit("no page: exit %d\n%s" % (done.returncode, done.stdout))
    with open(page, encoding="utf-8") as f:
        return done.returncode, done.stdout, f.read()


def headings(page):
    return re.findall("^#.*", page, re.M)


with tempfile.TemporaryDirectory(prefix="asif-test-") as work:
    code, said, page = run(work)
    check(code == 0, "exit %d\n%s" % (code, said))
    check("**NO**" not in page and "as asked" in page, "a row is not as asked\n" + page)
    check(page.count("| yes |") == 30, "%d rows are as asked, not 30" % page.count("| yes |"))
    for item in "abcdefg":
        check("(%s)" % item in " ".join(headings(page)), "(%s) is not on the page" % item)

    again = run(work)
    check(again[0] == code and again[2] == page, "the second run gives another page")
    check("done" not in again[1], "the second run did fits again:\n" + again[1])

    # A verdict that is too sure, and a chain that claims to have converged.
    path = os.path.join(work, "d-non_adaptive", "fit", "fit.json")
    with open(path) as f:
        fit = json.load(f)
    fit["parameters"]["optimism"]["identified"] = "yes"
    with open(path, "w") as f:
        json.dump(fit, f)
    path = os.path.join(work, "f-optimistic-1", "done.json")
    with open(path) as f:
        done = json.load(f)
    done["exit"] = 0
    with open(path, "w") as f:
        json.dump(done, f)
    code, said, page = run(work)
    check(
        code == 1 and page.count("**NO**") == 2,
        "exit %d with %d rows not as asked, not 2" % (code, page.count("**NO**")),
    )
    check(
        "(d) non_adaptive, verdicts" in said and "(f) trust, optimistic" in said,
        "it does not say which rows:\n" + said,
    )

kept = os.path.join(SOURCE, "docs", "reproduction.md")
if os.path.exists(kept):
    with open(kept, encoding="utf-8") as f:
        full = f.read()
    check(headings(full) == headings(page), "docs/reproduction.md has other headings than the script writes")
    check("short form" not in full, "docs/reproduction.md is of the short form")
print("reproduction: %d failed" % failed if failed else "reproduction: all holds")
sys.exit(1 if failed else 0)
