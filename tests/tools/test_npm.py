"""Packages from npm are data here: wherever npm installs, it is called with --ignore-scripts."""
import os
import re
import subprocess
import sys

# A command line (npm ci ...) or the arguments of a call ("npm", "ci", ...).
CALL = re.compile(r"""\bnpm\b["']?,?\s+["']?(ci|install|i|add|update|rebuild|exec)\b|\bnpx\s+[^`\s]+""")
KEPT = re.compile(r"--ignore-scripts\b")


def offences(path, text):
    """Each line that lets npm run scripts; npx counts in programs, where it would fetch and run a package."""
    for number, line in enumerate(text.splitlines(), 1):
        found = CALL.search(line)
        if not found or KEPT.search(line):
            continue
        if "npx" in found.group(0) and path.endswith(".md"):
            continue
        if re.search(r"apt(-get)? install", line):
            continue
        yield f"{path}:{number}: {line.strip()}"


def main():
    assert list(offences("x.sh", "npm ci --no-audit")) and list(offences("x.py", 'run(["npm", "ci"])'))
    assert not list(offences("x.sh", "npm ci --ignore-scripts"))
    assert not list(offences("x.sh", "apt-get install nodejs npm"))
    root = os.environ["ASIF_SOURCE"]
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode:
        print("not a git checkout")
        return 77
    found, calls = [], 0
    for path in listed.stdout.split("\0"):
        full = os.path.join(root, path)
        if not path or path == "tests/tools/test_npm.py" or not os.path.isfile(full):
            continue
        with open(full, encoding="utf-8", errors="replace") as file:
            text = file.read()
        calls += len(KEPT.findall(text))
        found += offences(path, text)
    for line in found:
        print(line)
    print(f"{calls} calls without scripts, {len(found)} with")
    return 1 if found or calls < 2 else 0


sys.exit(main())
