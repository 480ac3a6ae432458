"""Every file that names the version names that of the public header."""
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ.get("ASIF_SOURCE", "."))
HEADER = (SOURCE / "include" / "asif" / "base.h").read_text()
VERSION = ".".join(re.search(rf"ASIF_VERSION_{part} (\d+)", HEADER)[1] for part in ("MAJOR", "MINOR", "PATCH"))

# File, and what stands around the version, of which every occurrence counts.
NAMED = [
    ("CHANGELOG.md", r"^## (?:\[Unreleased\]: )?\[?([\d.]+)", 1),
    ("CITATION.cff", r"^version: (\S+)", 0),
    ("debian/changelog", r"^asif \(([\d.]+)-\w+\)", 1),
    ("r/DESCRIPTION", r"^Version: (\S+)", 0),
    ("python/pyproject.toml", r"^version = \"([^\"]+)\"", 0),
    *((str(path.relative_to(SOURCE)), r"Made\s+by asif ([\d]+\.[\d]+\.[\d]+)", 0)
      for path in [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]),
]


def main():
    wrong, read = [], 0
    for name, pattern, only in NAMED:
        if not (SOURCE / name).exists():  # an archive of a release has no debian/
            continue
        found = re.findall(pattern, (SOURCE / name).read_text(), re.M)
        if only:
            found = found[:only]
        read += len(found)
        wrong += [f"{name}: {version}, not {VERSION}" for version in found if version != VERSION]
    assert read >= 6, f"only {read} places name the version"
    sys.exit("\n".join(wrong) or print(f"{read} places name the version {VERSION}"))


main()
