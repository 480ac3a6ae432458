#!/usr/bin/env bash
# The wheel of the Python package in clean environments of every Python from 3.10 on: python_wheels.sh [WHEEL] PYTHON...
# Without a WHEEL it is built. Shows its size and what its library needs, how long an import takes, and runs the tests of the
# package, with no compiler on the path. PACKAGES: further packages, such as "arviz<1". Takes minutes, and needs PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ ${1:-} == *.whl ]]; then
    wheel=$1
    shift
else
    "$1" -m venv "$work/build"
    "$work/build/bin/pip" wheel -q --no-deps -w "$work/dist" "$here/python"
    wheel=$(ls "$work"/dist/libasif-*.whl)
fi
printf '%s: %s bytes (at most 6,000,000)\n' "$(basename "$wheel")" "$(stat -c %s "$wheel")"
[ "$(stat -c %s "$wheel")" -le 6000000 ]
python3 -m zipfile -e "$wheel" "$work/files"
readelf -d "$work/files/asif/libasif.so" | grep NEEDED

# No compiler: a path that has the shell's tools alone.
mkdir "$work/bin"
for tool in sh env cat ls mkdir rm uname; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
done

for python in "$@"; do
    echo "== $("$python" --version)"
    "$python" -m venv "$work/venv"
    # shellcheck disable=SC2086
    "$work/venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: "$wheel" pandas polars pyarrow altair \
        vl-convert-python arviz matplotlib nbclient ipykernel pytest ${PACKAGES:-}
    "$work/venv/bin/python" - <<'TEXT'
import resource, statistics, subprocess, sys
def seconds(code):
    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime
    begun = used()
    subprocess.run([sys.executable, "-c", code], check=True)
    return used() - begun
bare, ours = (statistics.median(seconds(code) for _ in range(15)) for code in ("pass", "import asif"))
print(f"import asif: {1e3 * (ours - bare):.0f} ms of the processor (at most 150)")
sys.exit(ours - bare > 0.15)
TEXT
    MALLOC_PERTURB_=165 PATH=$work/bin ASIF_SOURCE=$here PYTHONDONTWRITEBYTECODE=1 \
        "$work/venv/bin/python" -m pytest -q -rs -p no:cacheprovider "$here/python/tests" | tee "$work/said"
    if grep -E "^SKIPPED" "$work/said"; then # a package that is missing here would show nothing
        exit 1
    fi
    rm -rf "$work/venv"
done
