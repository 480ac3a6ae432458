#!/usr/bin/env python3
"""Follows docs/extend.md word for word in a scratch clone: writes every file that it shows, runs every command, and sees that nothing
else changed but the registries.

    tests/long/extend.py [SOURCE]
"""
import os
import re
import subprocess
import sys
import tempfile

source = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
with open(os.path.join(source, "docs", "extend.md"), encoding="utf-8") as page:
    blocks = re.findall(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", page.read(), re.M | re.S)

with tempfile.TemporaryDirectory() as folder:
    clone = os.path.join(folder, "asif")
    subprocess.run(["git", "clone", "-q", source, clone], check=True)
    shown = []
    for kind, path, text in blocks:
        if path:
            shown.append(path)
            os.makedirs(os.path.dirname(os.path.join(clone, path)), exist_ok=True)
            with open(os.path.join(clone, path), "w", encoding="utf-8") as file:
                file.write(text)
        elif kind == "sh" and not text.startswith("git clone"):
            print("$", text.strip().replace("\n", "\n$ "), flush=True)
            subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=clone, check=True)
    changed = subprocess.run(["git", "status", "--porcelain", "-uall"], cwd=clone, check=True, capture_output=True, text=True).stdout
    touched = {line[3:] for line in changed.splitlines()} - set(shown)
    registries = {"src/planners/planner.h", "src/planners/registry.c", "src/inverse/inverse.h", "src/inverse/registry.c",
                  "src/questions/registry.c"}
    print("files of its own:", ", ".join(shown))
    print("changed elsewhere:", ", ".join(sorted(touched)))
    sys.exit(0 if touched == registries else 1)
