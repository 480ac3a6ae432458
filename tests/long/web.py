"""The explorer in headless Chromium and Firefox, and a fit in it: needs tools/build-web, chromium, firefox-esr and npm.

    ASIF=build/release/cli/asif ASIF_SOURCE=. ASIF_BUILD=build/release python3 tests/long/web.py [SETTINGS]

200 settings of the sliders in each browser give the numbers of `asif plan --json` to 1e-9; a slider's step takes at most 33 ms in
the median; no request after loading; axe-core finds nothing on four studies at 390 and 1280. A fit of the README's logs has means,
deviations and medians within 0.01 standard deviations of the command's (5 and 95 % points: 0.02), in at most 4 times its processor
time. Screenshots stay in build/web-shots."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

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


def processor_seconds(words, **more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, check=False, capture_output=True, text=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime - before.ru_utime


def compare_fits():
    study = os.path.join(explorer.SOURCE, explorer.STUDIES["diag"])
    with tempfile.TemporaryDirectory() as folder:
        logs, fit = os.path.join(folder, "logs.csv"), os.path.join(folder, "fit")
        subprocess.run([explorer.ASIF, "simulate", study, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001", "-n", "1000", "--seed",
                        "1", "-o", logs], check=True)
        _, native = processor_seconds([explorer.ASIF, "fit", study, logs, "--method", "ridge", "--no-sensitivity", "--threads", "1", "-o",
                                       fit, "-q"])
        with open(os.path.join(fit, "fit.json"), encoding="utf-8") as file:
            command = json.load(file)["parameters"]
        done, here = processor_seconds(["node", str(HERE.parent / "web" / "fit.mjs"), explorer.engine(), explorer.SOURCE, study, logs])
        page = json.loads(done.stdout)["parameters"]
    for name, number in command.items():
        far = {key: abs(page[name][key] - number[key]) / number["sd"] for key in ("mean", "sd", "q50", "q05", "q95")}
        print(f"{name}, in sd from the command's:", {key: round(d, 4) for key, d in far.items()})
        # Arithmetic differs in the last bits, so that a few of the 4,000 draws are others: a tail rests on the fewest of them.
        failures.extend(f"{key} of {name} is {d} sd from the command's" for key, d in far.items()
                        if d > (0.02 if key in ("q05", "q95") else 0.01))
    print(f"fit: {here:.1f} s of the processor, the command {native:.1f} s, ratio {here / native:.2f}")
    if here > 4 * native:
        failures.append(f"a fit takes {here / native:.1f} times what the command takes")


shots = os.path.join(explorer.SOURCE, "build", "web-shots")
os.makedirs(shots, exist_ok=True)
count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
for kind, names, place in (("chromium", ("chromium", "chromium-browser"), lambda: modules), ("firefox", ("firefox-esr", "firefox"), with_puppeteer)):
    executable = visit.find_browser(*names)
    if not executable:
        failures.append(f"{kind} was not found")
        continue
    found, wrong = visit.visit(kind, executable, place(), explorer.settings(count), 60, list(explorer.STUDIES), shots if kind == "chromium" else None)
    failures += wrong
    if found:
        failures += visit.faults(kind, found)
        slow = {study: t for study, t in visit.medians(kind, found).items() if t > visit.FRAME}
        failures += [f"{kind}: a slider's step takes {t:.0f} ms on {study}" for study, t in slow.items()]
compare_fits()
print("\n".join(failures) or "everything holds")
sys.exit(bool(failures))
