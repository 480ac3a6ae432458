"""The page on a messy table, word for word, without its fit and report: the short form of tests/long/triage.sh."""
# ctest label: slow
import os
import subprocess
import sys

SOURCE, BUILD = os.environ.get("ASIF_SOURCE"), os.environ.get("ASIF_BUILD")
if not SOURCE or not BUILD:
    print("ASIF_SOURCE (root of the source tree) and ASIF_BUILD (the build folder) are not set")
    sys.exit(77)
sys.exit(subprocess.run([os.path.join(SOURCE, "tests", "long", "triage.sh"), BUILD, "--short"], check=False).returncode)
