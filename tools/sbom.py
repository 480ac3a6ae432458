"""Print what asif consists of and links with, as a CycloneDX document (JSON), for tools/release.

Reads the version of the public header, the packages named at the head of report-assets/figures.js, and the versions that
pkg-config knows on this machine. SOURCE_DATE_EPOCH is the time.
"""
import datetime
import json
import os
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# Licences in SPDX's words, and which of asif's builds link them.
LINKED = [("yaml-0.1", "libyaml", "MIT", "required"), ("zlib", "zlib", "Zlib", "optional"), ("clp", "coinor-clp", "EPL-1.0", "optional")]


def component(name, licence, scope, version=None, kind="library", purl=None):
    made = {"type": kind, "bom-ref": purl or name, "name": name, "scope": scope, "licenses": [{"license": {"id": licence}}]}
    if version:
        made["version"] = version
    if purl:
        made["purl"] = purl
    return made


def figures():
    """The packages whose code is in every report page."""
    found = sorted(p for p in [SOURCE / "report-assets" / "figures.js", SOURCE / "build" / "report-assets" / "figures.js"] if p.exists())
    if not found:
        return []
    head = found[-1].read_text().split("*/")[0]
    return [component(name, licence, "required", version, purl=f"pkg:npm/{name}@{version}")
            for name, version, licence in sorted(set(re.findall(r"([a-z][\w-]+) (\d[\w.-]*) \(([\w.-]+)\)", head)))]


def linked():
    for module, name, licence, scope in LINKED:
        version = subprocess.run(["pkg-config", "--modversion", module], capture_output=True, text=True).stdout.strip()
        yield component(name, licence, scope, version or None)
    yield component("random123", "BSD-3-Clause", "required")  # headers only; they do not say their version


def main():
    header = (SOURCE / "include" / "asif" / "base.h").read_text()
    version = ".".join(re.search(rf"ASIF_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    parts = [*linked(), *figures()]
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": {
            **component("asif", "MIT", "required", version, "application"),
            "hashes": [{"alg": "SHA-256", "content": os.environ["ASIF_ARCHIVE_SHA256"]}] if "ASIF_ARCHIVE_SHA256" in os.environ else []}},
        "components": parts,
        "dependencies": [{"ref": "asif", "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    print(json.dumps(document, indent=2, ensure_ascii=False))


main()
