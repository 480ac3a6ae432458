# Environment of the tests against an independent truth; sourced by the scripts here.
here=$(cd "$(dirname "$0")" && pwd)
export ASIF_SOURCE=${here%/tests/long}
build=$(cd "${1:-$ASIF_SOURCE/build/release}" && pwd)
export ASIF=${ASIF:-$build/cli/asif}
export ASIF_LIB=${ASIF_LIB:-$(find "$build" -name 'libasif.so' | head -n 1)}
export ASIF_ORACLE=${ASIF_ORACLE:-$ASIF_SOURCE/../shared/oracle}
export PYTHONDONTWRITEBYTECODE=1
python=${PYTHON:-/usr/bin/python3}

# Run one test; a skipped one counts as failed here, for what was asked was not done.
long_test() {
    echo "== $*"
    "$python" "$ASIF_SOURCE/tests/$1"
}
