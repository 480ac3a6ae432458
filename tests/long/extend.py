#!/usr/bin/env python3
"""Follows docs/extend.md word for word in a scratch clone: writes every file that it shows, runs every command, and sees that nothing
else changed but a line in each registry. Tells how many files and folders each takes; a question at most 12 in 4.

    tests/long/extend.py [SOURCE]
"""
import os
import re
import subprocess
import sys
import tempfile

source = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
with open(os.path.join(source, "docs", "extend.md"), encoding="utf-8") as page:
    sections = re.split(r"^## ", page.read(), flags=re.M)
# What each may change of what was there before, and by how many lines.
REGISTRIES = {"A planner": {"src/planners/planner.h": 1, "src/planners/registry.c": 1},
              "An inverse planner": {"src/inverse/inverse.h": 1, "src/inverse/registry.c": 1},
              "A question": {"src/questions/registry.c": 1}}
MOST_FILES, MOST_FOLDERS = 12, 4


def git(*words):
    return subprocess.run(["git", "-c", "user.name=nobody", "-c", "user.email=nobody@example.org", *words], cwd=clone, check=True,
                          capture_output=True, text=True).stdout


def follow(section):
    """Writes the files that it shows and runs its commands; returns the files."""
    shown = []
    for kind, path, text in re.findall(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", section, re.M | re.S):
        if path:
            shown.append(path)
            os.makedirs(os.path.dirname(os.path.join(clone, path)), exist_ok=True)
            with open(os.path.join(clone, path), "w", encoding="utf-8") as file:
                file.write(text)
        elif kind == "sh" and not text.startswith("git clone"):
            print("$", text.strip().replace("\n", "\n$ "), flush=True)
            subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=clone, check=True)
    return shown


def measure(title, shown):
    """What a section took, as git sees it."""
    git("add", "-A")
    lines = {path: (int(more), int(less)) for more, less, path in
             (row.split("\t") for row in git("diff", "--cached", "--numstat").splitlines())}
    git("commit", "-q", "--allow-empty", "-m", title)
    before = {path: lines[path] for path in lines if path not in shown}
    folders = {os.path.dirname(path) for path in lines}
    print(f"{title}: {len(lines)} files in {len(folders)} folders: {', '.join(sorted(lines))}")
    for path, (more, less) in sorted(before.items()):
        print(f"    was there before: {path}, {more} lines more, {less} less")
    allowed = {path: (more, 0) for path, more in REGISTRIES.get(title, {}).items()}
    return before == allowed and set(shown) <= set(lines) and len(lines) <= MOST_FILES and (
        title != "A question" or len(folders) <= MOST_FOLDERS)


with tempfile.TemporaryDirectory() as folder:
    clone = os.path.join(folder, "asif")
    subprocess.run(["git", "clone", "-q", source, clone], check=True)
    good = [measure(section.split("\n", 1)[0], follow(section)) for section in sections]
    sys.exit(0 if all(good) and len(good) > len(REGISTRIES) else 1)
