"""A visit of the explorer's page by a headless browser, and what has to hold of it: tests/web/look.mjs does the visit."""
import json
import os
import shutil
import statistics
import subprocess

import explorer

FRAME = 33  # ms, of a slider's step


def visit(browser, executable, modules, settings, steps, studies, shots=None, table=None):
    job = {"browser": browser, "executable": executable, "page": explorer.page(), "shots": shots, "steps": steps, "studies": studies, "table": table,
           "axe": os.path.join(modules, "axe-core", "axe.min.js"), "settings": settings}
    done = subprocess.run(["node", os.path.join(explorer.HERE, "look.mjs")], input=json.dumps(job), capture_output=True, text=True,
                          check=False, env={**os.environ, "NODE_MODULES": modules})
    if done.returncode:
        return None, [f"{browser}: {done.stderr[-2000:]}"]
    return json.loads(done.stdout), []


def faults(browser, found):
    """What is wrong with a visit, in words; times are printed, and judged by the caller."""
    out = [f"{browser}: {words}" for words in explorer.differences(found["settings"])]
    # The page is opened twice, the second time by its link, and asks for nothing else. Firefox does not report files.
    opened = 2 if browser == "chromium" else 0
    if len(found["requests"]) != opened or any(not url.startswith("file:") for url in found["requests"]):
        out.append(f"{browser}: the page asked for {found['requests']}")
    out += [f"{browser}: axe at {where}: {v}" for where, list_ in found["violations"].items() for v in list_]
    out += [f"{browser}: wider than the page: {words}" for words in found["wide"]]
    out += [f"{browser}: {words}" for words in found["errors"]]
    if found["link"]["before"] != found["link"]["after"]:
        out.append(f"{browser}: a link held {found['link']['after']}, and the page had {found['link']['before']}")
    if not float(found["keyboard"]["after"]) > float(found["keyboard"]["before"]):
        out.append(f"{browser}: the right arrow key does not move a slider: {found['keyboard']}")
    return out


def medians(browser, found):
    """The median time of a slider's step by study, in ms; a step that was not painted in its frame counts as without end."""
    times = {study: statistics.median(t if t is not None else float("inf") for t in list_) for study, list_ in found["steps"].items()}
    print(browser, "median of a slider's step, in ms:", {study: round(t, 1) for study, t in times.items()})
    return times


def find_browser(*names):
    return next(filter(None, map(shutil.which, names)), None)
