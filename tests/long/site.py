"""The site from disk in headless Chromium: every page at 390 and 1280, nothing wider than the page, no request to another host, no
link or file that is missing, and a search that finds what is there and nothing else. tools/build-site makes it first.

    ASIF=build/release/cli/asif ASIF_SOURCE=. ASIF_BUILD=build/release python3 tests/long/site.py

Pictures of all pages stay in build/site-shots."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
for name, place in (("ASIF", "build/release/cli/asif"), ("ASIF_SOURCE", "."), ("ASIF_BUILD", "build/release")):
    os.environ[name] = os.path.abspath(os.environ.get(name, SOURCE / place))
sys.path.insert(0, str(HERE.parent / "browser"))
import browser  # noqa: E402

site = SOURCE / "build" / "site"
chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if not (site / "index.html").exists() or not chromium:
    print("build/site (tools/build-site makes it) or chromium was not found")
    sys.exit(77)
done = subprocess.run(["node", HERE / "site.mjs", site, chromium, SOURCE / "build" / "site-shots"], capture_output=True, text=True, check=False,
                      env={**os.environ, "NODE_MODULES": os.path.join(browser.modules(), "node_modules")})
if done.returncode:
    sys.exit(done.stderr)
found = json.loads(done.stdout)
failures = [f"{kind}: {words}" for kind in ("foreign", "missing", "wide") for words in found[kind]]
if not found["found"]["optimism"]:
    failures.append("search finds no optimism")
if found["found"]["xyzzyq"]:
    failures.append("search finds what is not there")
print("\n".join(failures) or f"{found['pages']} pages hold what they promise")
sys.exit(bool(failures))
