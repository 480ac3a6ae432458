"""Put the page together: page.html with its styles, scripts, studies and the WebAssembly (compressed, as text) inside.

    python3 web/assemble.py FOLDER_OF_THE_WASM OUTPUT"""
import base64
import gzip
import json
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent
BUILT, OUT = map(pathlib.Path, sys.argv[1:3])
# Names, files, and the agents that are shown first.
STUDIES = {
    "diag": ("Diagnosis: test, or declare", "examples/diag/study.yaml", {"alpha": 0.5, "optimism": 0.8, "eta": 0.001}),
    "tiger": ("Tiger: listen, or open a door", "web/studies/tiger.yaml", {"alpha": 2}),
    "triage": ("Triage: wait, test, admit or discharge", "web/studies/triage.yaml", {"alpha": 0.5, "optimism": 0.3}),
    "dementia": ("Dementia: order a scan, or not", "examples/dementia/world.yaml", {"alpha": 0.12, "optimism": 1, "eta": 1.1}),
}


def read(path):
    return path.read_text(encoding="utf-8")


def version():
    header = read(SOURCE.parent / "include/asif/base.h")
    return ".".join(re.search(rf"define ASIF_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def studies():
    texts = {name: {"title": title, "text": read(SOURCE.parent / path), "values": values} for name, (title, path, values) in STUDIES.items()}
    return json.dumps(texts, ensure_ascii=False).replace("</", "<\\/")


def wasm():
    return base64.b64encode(gzip.compress((BUILT / "explorer.wasm").read_bytes(), 9, mtime=0)).decode()


def part(match):
    name = match.group(1)
    made = {"VERSION": version, "STUDIES": studies, "WASM": wasm}
    if name in made:
        return made[name]()
    text = read(BUILT / name if (BUILT / name).exists() else SOURCE / name)
    assert "</script" not in text and "</style" not in text, name
    return text


page = re.sub(r"/\*include ([\w.]+)\*/|<!--include (\w+)-->", lambda m: part(re.match(r"\W*include ([\w.]+)", m.group(0))), read(SOURCE / "page.html"))
OUT.write_text(page, encoding="utf-8")
print(f"{OUT}: {len(page.encode()):,} bytes, {len(gzip.compress(page.encode(), 9)):,} compressed")
