"""The page on conditions, word for word."""
import os
import sys
import tempfile

from follow_page import follow

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    assert follow(ASIF, os.path.join(SOURCE, "docs", "howto", "conditions.md"), folder) == 5
print("the page on conditions: all as it says")
