"""The short form of tests/long/rivals.py: held-out scores on the synthetic cohort against those of an independent implementation. ctest label: slow"""
import os
import subprocess
import sys

for name in ("ASIF", "ASIF_SOURCE", "ASIF_ORACLE"):
    if not os.environ.get(name):
        print(name, "is not set")
        sys.exit(77)
sys.exit(subprocess.run([sys.executable, os.path.join(os.environ["ASIF_SOURCE"], "tests", "long", "rivals.py"), "--short"], check=False).returncode)
