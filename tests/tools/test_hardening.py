"""Release builds of the command and of the shared library are hardened: what readelf sees in the files."""
import os
import re
import shutil
import subprocess
import sys


def cached(name):
    text = open(os.path.join(os.environ["ASIF_BUILD"], "CMakeCache.txt"), encoding="utf-8").read()
    found = re.search(rf"^{name}:\w+=(.*)$", text, re.M)
    return found.group(1) if found else ""


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def lacks(path, program):
    """What a hardened file has and this one has not."""
    segments, dynamic, symbols = readelf(path, "-l"), readelf(path, "-d"), readelf(path, "--dyn-syms")
    checked = re.findall(r"\b__(\w+)_chk\b", symbols)
    held = {
        "RELRO": "GNU_RELRO" in segments,
        "BIND_NOW": re.search(r"\bBIND_NOW\b|\bFlags:.*\bNOW\b", dynamic),
        "position-independent code": re.search(r"Elf file type is DYN", segments),
        "the mark of a PIE": not program or re.search(r"Flags:.*\bPIE\b", dynamic),
        "a stack that is not executable": re.search(r"GNU_STACK.*\sRW\s", segments),
        "the stack protector": "__stack_chk_fail" in symbols,
        "_FORTIFY_SOURCE": checked,
    }
    return [what for what, good in held.items() if not good]


def main():
    if "ASIF_LIB" not in os.environ or cached("CMAKE_BUILD_TYPE") != "Release" or cached("ASIF_HARDEN") != "ON":
        print("not a hardened release build")
        return 77
    if not shutil.which("readelf"):
        print("readelf was not found")
        return 77
    bad = 0
    for path, program in ((os.environ["ASIF"], True), (os.environ["ASIF_LIB"], False)):
        missing = lacks(path, program)
        print(f"{path}: {'without ' + ', '.join(missing) if missing else 'hardened'}")
        bad += len(missing)
    return 1 if bad else 0


sys.exit(main())
