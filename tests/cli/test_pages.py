"""README, tutorial and a how-to, command by command: the short form of tests/long/pages.py. It compares words, not numbers."""
# ctest label: slow
import os
import subprocess
import sys
import tempfile

SOURCE, ASIF = os.environ.get("ASIF_SOURCE"), os.environ.get("ASIF")
if not SOURCE or not ASIF:
    print("ASIF_SOURCE (root of the source tree) and ASIF (path of the command) are not set")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    script = os.path.join(SOURCE, "tests", "long", "pages.py")
    pages = ["README.md", "docs/tutorial.md", "docs/howto/reward-learning.md", "docs/howto/explain.md"]
    sys.exit(subprocess.run([sys.executable, script, "--words", ASIF, folder, *pages], check=False).returncode)
