"""What every command says and writes on the examples is what tests/net/expected keeps; net.py says how exactly.

ctest label: slow
"""
import os
import sys

ASIF = os.environ.get("ASIF")
if not ASIF or not os.path.exists(ASIF):
    print("ASIF (path of the command) is not set")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import net  # noqa: E402

sys.exit(0 if net.check(net.run(ASIF)) else 1)
