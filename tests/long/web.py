"""The explorer in headless Chromium and Firefox, and a fit in it: needs tools/build-web, chromium, firefox-esr and npm.

    ASIF=build/release/cli/asif ASIF_SOURCE=. ASIF_BUILD=build/release python3 tests/long/web.py [SETTINGS]

200 settings of the sliders in each browser give the numbers of `asif plan --json` to 1e-9; a slider's step takes at most 33 ms in
the median; no request after loading; axe-core finds nothing on four studies at 390 and 1280; at most 600 KB compressed. The README's
logs, dropped on the page, are fitted with means, deviations and medians within 0.01 standard deviations of the command's (5 and 95 %
points: 0.02), in at most 4 times its time on one thread. Where other programs run, too, times by the clock say little, so that the
same engine also fits in node: at most 4 times the processor time of the command. Screenshots stay in build/web-shots."""
import gzip
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
for name in ("ASIF", "ASIF_SOURCE", "ASIF_BUILD"):
    os.environ[name] = os.path.abspath(os.environ.get(name, HERE.parent.parent))
sys.path[:0] = [str(HERE.parent / "web"), str(HERE.parent / "browser")]
import browser  # noqa: E402
import explorer  # noqa: E402
import visit  # noqa: E402

PUPPETEER = "puppeteer-core@24.43.1"
explorer.need()
modules = os.path.join(browser.modules(), "node_modules")
failures = []


def with_puppeteer():
    """A folder of packages with Puppeteer, which drives Firefox as it is; beside those of the other tests."""
    place = os.path.join(explorer.BUILD, "tests", "web")
    os.makedirs(place, exist_ok=True)
    subprocess.run(["npm", "install", "--prefix", place, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", PUPPETEER,
                    "axe-core@4.14.0"], check=True)
    return os.path.join(place, "node_modules")


def processor():
    """Seconds of processor time of the programs that were started so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fit_in_node(logs):
    """Processor time of the engine's fit (median of three)."""
    job = ["node", os.path.join(explorer.HERE, "fit.mjs"), explorer.engine(), explorer.SOURCE,
           os.path.join(explorer.SOURCE, explorer.STUDIES["diag"]), logs]
    return statistics.median(json.loads(subprocess.run(job, capture_output=True, text=True, check=True).stdout)["seconds"] for _ in range(3))


def fit_by_command(folder):
    """The README's logs, the parameters that the command fits to them on one thread, and its seconds: by the clock and of the
    processor (medians of three)."""
    study = os.path.join(explorer.SOURCE, explorer.STUDIES["diag"])
    logs, fit = os.path.join(folder, "logs.csv"), os.path.join(folder, "fit")
    subprocess.run([explorer.ASIF, "simulate", study, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001", "-n", "1000", "--seed",
                    "1", "-o", logs], check=True)
    times, used = [], []
    for _ in range(3):
        begun, before = time.perf_counter(), processor()
        # 1: numbers that these logs do not establish.
        done = subprocess.run([explorer.ASIF, "fit", study, logs, "--method", "ridge", "--no-sensitivity", "--threads", "1", "--force",
                               "-o", fit, "-q"], check=False, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begun)
        used.append(processor() - before)
        assert done.returncode in (0, 1), done.returncode
    with open(os.path.join(fit, "fit.json"), encoding="utf-8") as file:
        return logs, json.load(file)["parameters"], statistics.median(times), statistics.median(used)


def compare_fits(kind, page, command, native):
    """What is wrong with the page's fit, next to the command's."""
    if not page["text"]:
        return [f"{kind}: no fit: {page['note']}"]
    out, parameters = [], json.loads(page["text"])["parameters"]
    for name, number in command.items():
        far = {key: abs(parameters[name][key] - number[key]) / number["sd"] for key in ("mean", "sd", "q50", "q05", "q95")}
        print(f"{kind}: {name}, in sd from the command's:", {key: round(d, 4) for key, d in far.items()})
        # Arithmetic differs in the last bits, so that a few of the 4,000 draws are others: a tail rests on the fewest of them.
        out += [f"{kind}: {key} of {name} is {d} sd from the command's" for key, d in far.items()
                if not d <= (0.02 if key in ("q05", "q95") else 0.01)]
    ratio = page["seconds"] / native
    print(f"{kind}: a fit takes {page['seconds']:.1f} s, by the command {native:.1f} s, ratio {ratio:.2f}")
    return out + ([f"{kind}: a fit takes {ratio:.1f} times what the command takes"] if ratio > 4 else [])


shots = os.path.join(explorer.SOURCE, "build", "web-shots")
os.makedirs(shots, exist_ok=True)
count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
with tempfile.TemporaryDirectory() as folder:
    logs, command, native, used = fit_by_command(folder)
    engine = fit_in_node(logs)
    print(f"a fit takes {engine:.2f} s of processor time in the engine, {used:.2f} s by the command, ratio {engine / used:.2f}")
    if engine > 4 * used:
        failures.append(f"a fit takes {engine / used:.1f} times the command's processor time")
    for kind, names, place in (("chromium", ("chromium", "chromium-browser"), lambda: modules),
                               ("firefox", ("firefox-esr", "firefox"), with_puppeteer)):
        executable = visit.find_browser(*names)
        if not executable:
            failures.append(f"{kind} was not found")
            continue
        found, wrong = visit.visit(kind, executable, place(), explorer.settings(count), 60, list(explorer.STUDIES),
                                   shots if kind == "chromium" else None, logs)
        failures += wrong
        if found:
            failures += visit.faults(kind, found)
            failures += [f"{kind}: a slider's step takes {t:.0f} ms on {study}" for study, t in visit.medians(kind, found).items()
                         if t > visit.FRAME]
            failures += compare_fits(kind, found["fit"], command, native)
with open(explorer.page(), "rb") as file:
    size = len(gzip.compress(file.read(), 9))
print(f"the page has {size} bytes compressed")
if size > 600_000:
    failures.append("the page has more than 600 KB compressed")
print("\n".join(failures) or "everything holds")
sys.exit(bool(failures))
