"""Put the sources of the site into one folder: the documents as they stand, the files that they link to, the pages of site/pages,
the references of C, Python and R, and the gallery with the pictures that the command draws now.

    ASIF=build/release/cli/asif python3 site/collect.py FOLDER"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import gallery
import reference_c
import reference_python
import reference_r

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = pathlib.Path(sys.argv[1]).resolve()
ASSETS = ROOT / "build" / "report-assets"
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def copy(path):
    target = OUT / path.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, target, dirs_exist_ok=True)
        names = sorted(p.name for p in path.iterdir() if p.is_file())
        (target / "README.md").write_text(f"# Files of {path.relative_to(ROOT)}\n\n" + "".join(f"* [{n}]({n})\n" for n in names),
                                          encoding="utf-8")
    else:
        shutil.copy(path, target)


def linked(page, origin):
    """What a page links to, as paths of the tree."""
    for match in LINK.finditer(re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))):
        if not re.match(r"[a-z]+:", match.group(1)):
            path = pathlib.Path(os.path.normpath(origin.parent / match.group(1)))
            if path.exists() and ROOT in path.parents:
                yield path


def to_list(page, match):
    """A link to a folder leads to the list of its files."""
    if re.match(r"[a-z]+:", match[1]) or not (page.parent / match[1]).is_dir():
        return match[0]
    return f"]({match[1].rstrip('/')}/README.md)"


def collect_documents():
    """The documents. README.md is a page of its own, since the site begins with site/pages/index.md."""
    shutil.copytree(ROOT / "docs", OUT / "docs", ignore=shutil.ignore_patterns("man", "*.in"))
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "CITATION.cff"):
        shutil.copy(ROOT / name, OUT / name)
    shutil.copytree(ROOT / "site" / "pages", OUT, dirs_exist_ok=True)
    for page in list(OUT.rglob("*.md")):
        for path in linked(page, ROOT / page.relative_to(OUT)):
            if path.suffix != ".md" and not (OUT / path.relative_to(ROOT)).exists():
                copy(path)
    (OUT / "README.md").rename(OUT / "overview.md")
    for page in OUT.rglob("*.md"):
        text = re.sub(r"\]\(((?:\.\./)*)README\.md", r"](\1overview.md", page.read_text(encoding="utf-8"))
        page.write_text(LINK.sub(lambda match: to_list(page, match), text), encoding="utf-8")


def draw(specifications, folder):
    """Draw specifications (Vega-Lite) as SVG, by Vega in node."""
    pictures = OUT / "pictures"
    pictures.mkdir()
    jobs = []
    for name, specification in specifications.items():
        path = pathlib.Path(folder, f"{name}.vl.json")
        path.write_text(json.dumps(specification), encoding="utf-8")
        jobs.append({"from": str(path), "to": str(pictures / f"{name}.svg")})
    subprocess.run(["node", ROOT / "site" / "draw.mjs"], input=json.dumps({"assets": str(ASSETS), "jobs": jobs}), text=True, check=True)


def add_explorer():
    """The explorer, or a page that says how to make it: links to it lead somewhere either way."""
    page = ROOT / "build" / "web" / "asif.html"
    (OUT / "explorer").mkdir()
    if page.exists():
        shutil.copy(page, OUT / "explorer" / "asif.html")
    else:
        (OUT / "explorer" / "asif.html").write_text('<!DOCTYPE html><html lang="en"><title>asif explorer</title><p>This site was built '
                                                    "without the explorer. Run tools/build-web first.</p></html>", encoding="utf-8")


OUT.mkdir(parents=True)
collect_documents()
add_explorer()
reference_c.make(ROOT, OUT / "reference" / "c")
reference_python.make(ROOT, OUT / "reference" / "python.md")
reference_r.make(ROOT, OUT / "reference" / "r.md")
with tempfile.TemporaryDirectory() as scratch:
    draw(gallery.make(OUT / "gallery", scratch), scratch)
