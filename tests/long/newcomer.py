#!/usr/bin/env python3
"""The path of a newcomer to a first fitted table, by the commands of docs/howto/install.md, each in at most five minutes.

    tests/long/newcomer.py browser [SITE]   from the first page of the site to a fit in the explorer (chromium, node and npm)
    tests/long/newcomer.py pip FOLDER       from an empty folder, with the wheels in FOLDER (python3 with venv, and PyPI)
    tests/long/newcomer.py apt FOLDER       from the Debian packages in FOLDER; installs them: only in a system of its own, as root

Downloads count, too. A reader also reads: machines cannot say how long that takes."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
PAGE = SOURCE / "docs" / "howto" / "install.md"
MOST = 300  # seconds


def blocks(heading, language):
    """The blocks of code under a heading of the page."""
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    return re.findall(rf"^```{language}\n(.*?)^```", section[1], re.M | re.S)


def run_in_shell(install, python):
    """Install, and make the first fit, in an empty folder; what was printed."""
    words = [install, *blocks("A first fit", "sh")]
    if python:
        words += ["rm my-report.html", f"python - <<'PYTHON'\n{blocks('A first fit', 'python')[0]}PYTHON"]
    done = subprocess.run(["bash", "-euc", "\n".join(words)], stdout=subprocess.PIPE, text=True, check=True)
    assert os.path.getsize("my-report.html") > 100_000
    assert "choice randomness" in done.stdout and "WHAT THE LOGS CANNOT TELL" in done.stdout, done.stdout
    # The page's table is of an agent with alpha 0.5 and optimism 0.5.
    alpha = float(re.search(r"choice randomness +alpha +([\d.]+)", done.stdout)[1])
    assert 0.4 < alpha < 0.6, alpha


def by_pip(folder):
    for wheel in pathlib.Path(folder).glob("*.whl"):
        os.symlink(wheel.resolve(), wheel.name)
    run_in_shell(blocks("With pip", "sh")[0], python=True)


def by_apt(folder):
    for package in pathlib.Path(folder).glob("*.deb"):
        os.symlink(package.resolve(), package.name)
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    run_in_shell(blocks("With apt", "sh")[0].replace("sudo apt-get", "apt-get -qq -y"), python=False)


def in_browser(site):
    sys.path.insert(0, str(HERE.parent / "browser"))
    os.environ.setdefault("ASIF_SOURCE", str(SOURCE))
    os.environ.setdefault("ASIF_BUILD", str(SOURCE / "build" / "release"))
    import browser  # pylint: disable=import-outside-toplevel
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium or not (site / "explorer" / "asif.html").exists():
        print(f"chromium, or the explorer in {site} (tools/build-web, then tools/build-site), was not found")
        sys.exit(77)
    done = subprocess.run(["node", HERE / "newcomer.mjs", site / "index.html", chromium], capture_output=True, text=True, check=False,
                          env={**os.environ, "NODE_MODULES": os.path.join(browser.modules(), "node_modules")})
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)
    assert "choice randomness" in found["summary"], found
    print(f"{found['clicks']} clicks")


def main():
    ways = {"browser": in_browser, "pip": by_pip, "apt": by_apt}
    if len(sys.argv) < 2 or sys.argv[1] not in ways or (len(sys.argv) < 3 and sys.argv[1] != "browser"):
        sys.exit(__doc__)
    way, place = sys.argv[1], pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else SOURCE / "build" / "site").resolve()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            ways[way](place)
        finally:
            os.chdir("/")
    seconds = time.monotonic() - begun
    print(f"{way}: a fitted table after {seconds:.0f} s")
    sys.exit(seconds > MOST)


main()
