"""Check a built site from its files: every link and file leads somewhere (to an anchor, too), nothing comes from another host, and the
search knows every page.

    python3 site/check.py FOLDER"""
import html.parser
import json
import pathlib
import sys
import urllib.parse

FOLDER = pathlib.Path(sys.argv[1]).resolve()
LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}
NAMED = {"canonical", "prev", "next", "alternate"}  # relations of <link> that load nothing


class Page(html.parser.HTMLParser):
    """What a page refers to, and the anchors that it has."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = {""}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(given[key] for key in ("id", "name") if given.get(key))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        for element, key in LOADS:
            if tag == element and given.get(key) and given.get("rel") not in NAMED:
                self.loads.append(given[key])


def broken(page, link, pages):
    """Why a link leads nowhere, or None."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    aim = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
    if not aim.is_relative_to(FOLDER) or not aim.is_file():
        return "is not there"
    if parts.fragment and aim in pages and not parts.fragment.startswith("__") and urllib.parse.unquote(parts.fragment) not in pages[aim].anchors:
        return "has no such anchor"
    return None


# 404.html is shown by a server under any address, so that its links begin at the root of the host.
names = [path for path in sorted(FOLDER.rglob("*.html")) if path.name != "404.html"]
pages = {path: Page(path.read_text(encoding="utf-8")) for path in names}
faults, links = [], 0
for place, page in pages.items():
    for target in page.links + page.loads:
        links += 1
        why = broken(place, target, pages)
        if why:
            faults.append(f"{place.relative_to(FOLDER)}: {target} {why}")
    faults += [f"{place.relative_to(FOLDER)} loads {url}" for url in page.loads if urllib.parse.urlsplit(url).netloc]
index = json.loads((FOLDER / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
found = {entry["location"].split("#")[0] for entry in index}
lost = {path.relative_to(FOLDER).as_posix() for path in pages if "explorer" not in path.parts} - found
faults += [f"search does not know {name}" for name in sorted(lost)]
if not any("optimism" in entry["text"] for entry in index):
    faults.append("search does not know optimism")
print("\n".join(faults) or f"{len(pages)} pages, {links} links: all lead somewhere")
sys.exit(bool(faults))
