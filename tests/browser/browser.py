"""Node, its packages and a browser for the tests of report pages.

Packages go to ASIF_BUILD/tests/browser, as package-lock.json pins them. Where node, npm or chromium is missing the tests are
skipped, except where CI is `true`: then they fail."""
import contextlib
import fcntl
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
BUILD = os.environ.get("ASIF_BUILD")
ASSETS = os.environ.get("ASIF_REPORT_ASSETS", "")
HERE = os.path.dirname(os.path.abspath(__file__))
CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


def skip(why):
    """Leave, with a sentence: skipped, or failed in CI, where everything is there."""
    print(why)
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def need(*what):
    if not ASIF or not SOURCE or not BUILD or not os.path.exists(ASIF):
        print("ASIF (the command), ASIF_SOURCE (the source tree) and ASIF_BUILD (the build folder) are not set")
        sys.exit(77)
    if not shutil.which("node") or not shutil.which("npm"):
        skip("node or npm was not found; tools/install-deps --dev installs them")
    if "chromium" in what and not CHROMIUM:
        skip("chromium was not found; tools/install-deps --dev installs it")
    if "chromium" in what and not os.path.exists(os.path.join(ASSETS, "figures.js")):
        skip("%s/figures.js was not found; tools/get-report-assets makes it, then configure again" % ASSETS)
    if "vega" in what and not os.path.exists(os.path.join(ASSETS, "node_modules", "vega-lite", "package.json")):
        skip("vega-lite was not found in %s/node_modules; tools/get-report-assets fetches it" % ASSETS)


def folder(*parts):
    """A folder of the build for what a person may want to look at."""
    made = os.path.join(BUILD, "tests", "browser", *parts)
    os.makedirs(made, exist_ok=True)
    return made


@contextlib.contextmanager
def locked(path):
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def modules():
    """Install the packages where that has not been done; several tests may ask at once."""
    place = folder()
    names = ["package.json", "package-lock.json"]
    digest = hashlib.sha256("".join(read(os.path.join(HERE, name)) for name in names).encode()).hexdigest()
    stamp = os.path.join(place, "made-from")
    with locked(os.path.join(place, "lock")):
        if not os.path.exists(stamp) or read(stamp) != digest:
            for name in names:
                shutil.copy(os.path.join(HERE, name), place)
            done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
                                  cwd=place, capture_output=True, text=True)
            if done.returncode:
                skip("npm could not install the packages of tests/browser:\n" + done.stdout + done.stderr)
            with open(stamp, "w") as file:
                file.write(digest)
    return place


def node(script, job, timeout=1400):
    """Run a script of this folder: a job as JSON in, its findings as JSON out."""
    # Node looks for packages beside the script; another test may be about to run it, too.
    place = modules()
    copy = os.path.join(place, script)
    os.replace(shutil.copy(os.path.join(HERE, script), "%s.%d" % (copy, os.getpid())), copy)
    done = subprocess.run(["node", copy], input=json.dumps(job), capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        raise AssertionError("%s failed:\n%s%s" % (script, done.stdout[-4000:], done.stderr[-4000:]))
    return json.loads(done.stdout)


def look(pages, shots, timeout=1400, thorough=os.environ.get("ASIF_THOROUGH") == "1"):
    """Open pages in a browser; see look.mjs for what a page is asked and what is found. `thorough`: with screenshots."""
    for name in os.listdir(shots):
        if name.endswith((".png", ".pdf")) and any(name.startswith(page["name"] + "-") for page in pages):
            os.remove(os.path.join(shots, name))
    return node("look.mjs", {"chromium": CHROMIUM, "axe": os.path.join(modules(), "node_modules", "axe-core", "axe.min.js"),
                             "shots": shots, "pages": pages, "thorough": thorough}, timeout)


def asif(*args, ok=(0,), timeout=1400):
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, timeout=timeout)
    if done.returncode not in ok:
        raise AssertionError("asif %s: exit code %d\n%s" % (" ".join(map(str, args)), done.returncode,
                                                            (done.stdout + done.stderr).decode(errors="replace")))
    return done.stdout


def processor_time(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def slowness():
    """How many times slower than a usual machine this one is at the moment, at least 1: a loop that takes .25 s there."""
    before = processor_time(resource.RUSAGE_SELF)
    for _ in range(3000000):
        pass
    return max(1, (processor_time(resource.RUSAGE_SELF) - before) / 0.25)


def seconds(*args):
    """Run a command three times; the least processor time it took, as on a usual machine: time on the clock is also others'."""
    best = float("inf")
    for _ in range(3):
        slow, before = slowness(), processor_time(resource.RUSAGE_CHILDREN)
        asif(*args)
        best = min(best, (processor_time(resource.RUSAGE_CHILDREN) - before) / slow)
    return best
