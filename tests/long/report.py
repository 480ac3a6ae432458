"""Report pages at full size: the diagnosis task at two sites (the oracle's neutral and optimistic agents) and the memory clinic, fitted by
default, opened in a browser, wide and narrow, light, dark and printed. At nine more widths from 360 to 1600, no text of a figure is
cut off, no legend covers itself, and tables that scroll say so.

    tests/long/report.py [BUILD] [FOLDER]    FOLDER keeps the fits, and those that are there are not made again

Exits with 0 if everything holds."""
import os
import re
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(SOURCE, "build", "release"))
ORACLE = os.environ.get("ASIF_ORACLE", os.path.join(SOURCE, "..", "shared", "oracle"))
with open(os.path.join(BUILD, "CMakeCache.txt")) as cache:
    assets = re.search("^ASIF_REPORT_ASSETS:PATH=(.*)$", cache.read(), re.M).group(1)
os.environ.update(ASIF=os.path.join(BUILD, "cli", "asif"), ASIF_SOURCE=SOURCE, ASIF_BUILD=BUILD, ASIF_REPORT_ASSETS=assets)
sys.path.insert(0, os.path.join(SOURCE, "tests", "browser"))
import browser  # noqa: E402
import fits  # noqa: E402

MEMORY = os.path.join(SOURCE, "examples", "memory", "study.yaml")
TRUE = ["-p", "alpha=0.5", "-p", "optimism=-1", "-p", "eta=0"]


def fit(name, folder, study, logs, *more):
    out = os.path.join(folder, name)
    if not os.path.exists(out):
        start = time.monotonic()
        browser.asif("fit", study, logs, "-o", out, "-q", "--threads", os.cpu_count(), *more, ok=(0, 1), timeout=None)
        print("%s fitted in %.0f s" % (name, time.monotonic() - start), flush=True)
    return out


def sites(folder):
    logs = os.path.join(folder, "sites.csv")
    fits.merge({name: os.path.join(ORACLE, "logs_%s.csv" % name) for name in ("neutral", "optimistic")}, logs, "site")
    return fit("sites", folder, fits.DIAG, logs, "--by", "site")


def memory(folder):
    logs = os.path.join(folder, "visits.csv")
    fits.simulate(MEMORY, logs, 400, *TRUE)
    return fit("memory", folder, MEMORY, logs)


WIDTHS = [360, 412, 480, 600, 768, 820, 1024, 1366, 1600]  # at which only the layout is looked at, and what the page says and asks for


def squeezed(layout):
    """Figures whose texts are cut off or cover each other, and tables that do not say that they scroll."""
    for figure in layout["figures"]:
        if figure["cut"] or figure["covered"]:
            yield "%s: %s cut off, %s covered" % (figure["name"], figure["cut"], figure["covered"])
    yield from ("the table %s" % name for name in layout["silent"])


def faults(view):
    """What does not hold of a page at one width."""
    for kind in ("messages", "errors", "dialogs", "requests"):
        if view[kind]:
            yield "%s: %s" % (kind, view[kind][0])
    for ground in ("axe_light", "axe_dark"):
        yield from ("%s: %s" % (ground, v["id"]) for v in view[ground])
    for kind in ("light", "dark", "print"):
        layout = view[kind]
        if layout["scroll"] > layout["inner"]:
            yield "%s scrolls: %s" % (kind, layout["sticking"])
        yield from squeezed(layout)
        for figure in layout["figures"]:
            if figure["drawn"] != "yes" or figure["marks"] == 0 or not 100 < figure["width"] <= figure["room"] + 1:
                yield "%s: %s is not drawn as it should be" % (kind, figure["name"])


def main(folder):
    shots = browser.folder("shots-long")
    made = {"memory": memory(folder)}
    if os.path.exists(os.path.join(ORACLE, "logs_neutral.csv")):
        made["sites"] = sites(folder)
    else:
        print("sites: skipped, the oracle's logs are not there")
    pages = {name: os.path.join(shots, name + ".html") for name in made}
    times = {name: browser.seconds("report", fitted, "-o", pages[name], "-q") for name, fitted in made.items()}
    found = browser.look([dict(name=name, file=page, widths=[1280, 390], full=True, hover=True) for name, page in pages.items()],
                         shots, timeout=1800, thorough=True)
    bad = 0
    print("%-8s %5s %7s %8s %7s %8s %6s %5s %s" % ("page", "width", "height", "kB", "made, s", "figures", "tables", "A4", "faults"))
    for name, page in found.items():
        for width, view in page["widths"].items():
            wrong = list(faults(view))
            if view["words"]["cells"] != page["still"]["words"]["cells"]:
                wrong.append("tables differ without scripts")
            if page["bytes"] >= 2e6 or times[name] >= 2:
                wrong.append("too large or too slow")
            bad += len(wrong)
            print("%-8s %5s %7d %8.0f %7.2f %8d %6d %5d %s" % (name, width, view["light"]["height"], page["bytes"] / 1e3, times[name], len(view["light"]["figures"]),
                                                         view["words"]["tables"], view["pdf"]["pages"], "; ".join(wrong) or "none"))
    seen = browser.look([dict(name=name, file=page, widths=WIDTHS) for name, page in pages.items()], browser.folder("shots-widths"), timeout=1800)
    for name, page in seen.items():
        for width, view in page["widths"].items():
            wrong = ["scrolls"] * (view["light"]["scroll"] > view["light"]["inner"]) + list(squeezed(view["light"]))
            wrong += [kind for kind in ("messages", "errors", "dialogs", "requests") if view[kind]]
            bad += len(wrong)
            print("%-8s %5s, %6d high: %s" % (name, width, view["light"]["height"], "; ".join(wrong) or "none"))
    print("screenshots: " + shots)
    return 1 if bad else 0


if __name__ == "__main__":
    browser.need("chromium")
    if len(sys.argv) > 2:
        os.makedirs(sys.argv[2], exist_ok=True)
        sys.exit(main(sys.argv[2]))
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(main(scratch))
