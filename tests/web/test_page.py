"""The explorer's page in headless Chromium, opened from disk: sliders give the command's numbers, a link holds the state, there is
no request after loading, no complaint of axe-core, and nothing is wider than the page at 390 and 1280. At most 600 KB compressed.

Skipped where tools/build-web has not been run; tests/long/web.py is the long form."""
# ctest label: slow
import gzip
import os
import sys

import explorer

explorer.need()
sys.path.insert(0, os.path.join(explorer.HERE, "..", "browser"))
import browser  # noqa: E402  (it needs the path)
import visit  # noqa: E402

chromium = visit.find_browser("chromium", "chromium-browser", "google-chrome")
if not chromium:
    print("chromium was not found; tools/install-deps --dev installs it")
    sys.exit(77)
found, failures = visit.visit("chromium", chromium, os.path.join(browser.modules(), "node_modules"), explorer.settings(4), 9, ["diag"])
if found:
    failures += visit.faults("chromium", found)
    # Machines that run tests are busy: what must be a frame is here a tenth of a second.
    if visit.medians("chromium", found)["diag"] > 3 * visit.FRAME:
        failures.append("a slider's step takes longer than a tenth of a second")
with open(explorer.page(), "rb") as file:
    size = len(gzip.compress(file.read(), 9))
if size > 600_000:
    failures.append(f"the page has {size} bytes compressed")
print("\n".join(failures) or f"the page holds what it promises; {size} bytes compressed")
sys.exit(bool(failures))
