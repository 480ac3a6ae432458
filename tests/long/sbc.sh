#!/bin/sh
# Simulation-based calibration of the diagnosis task: agents drawn from the priors of (log alpha, optimism, eta), 200 episodes of at most 25
# steps. With the sampler of `asif fit`, with NUTS alone (40 episodes of at most 10 steps), and with the random walk: every histogram of ranks
# must pass a chi-square test at 1 % together, and 90 % intervals hold 90 % of the truths, to four standard errors. Priors half as wide as
# the true ones must be found out, by the sampler of `asif fit` and by the walk.
# ASIF_SBC_FIT (200: replicates with the sampler of fit), ASIF_SBC_NUTS (100), ASIF_SBC_REPLICATES (400: with the walk), ASIF_SBC_WRONG (400:
# with the walk and the wrong prior), ASIF_SBC_FOLDER (kept, to go on from; else temporary).
set -eu
. "$(dirname "$0")/settings.sh"
folder=${ASIF_SBC_FOLDER:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
many=${ASIF_SBC_REPLICATES:-400}
sbc() {
    "$build/cli/asif" sbc "$ASIF_SOURCE/examples/diag/study.yaml" --seed 1 --tol 1e-8 --threads 2 "$@"
}
fit() {
    sbc -n 200 --max-steps 25 --resolution 50 --replicates "${ASIF_SBC_FIT:-200}" "$@"
}
walk() {
    sbc -n 200 --max-steps 25 --resolution 50 --method metropolis --chains 2 "$@"
}
must_fail() {
    if "$@"; then
        echo "a wrong prior was not found out" >&2
        exit 1
    fi
}
# Whether the run ended because the ranks are not uniform, and not because something else failed.
found_out() {
    "$python" -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["uniform"])' "$1/sbc.json"
}
covers() {
    "$python" - "$1/sbc.json" <<'PYTHON'
import json, math, sys
told = json.load(open(sys.argv[1]))
near = 4 * math.sqrt(0.9 * 0.1 / told["done"])
bad = [name for name, n in told["parameters"].items() if abs(n["coverage"]["share"] - 0.9) > near]
sys.exit("90 % intervals hold too few or too many truths: " + ", ".join(bad) if bad else 0)
PYTHON
}
echo "the sampler of fit:"
fit -o "$folder/fit"
covers "$folder/fit"
echo "the same, priors half as wide:"
must_fail fit --wrong-prior 0.5 -o "$folder/fit-wrong"
found_out "$folder/fit-wrong"
echo "NUTS:"
sbc -n 40 --max-steps 10 --resolution 20 --bins 10 --chains 2 --warmup 300 --method nuts --replicates "${ASIF_SBC_NUTS:-100}" -o "$folder/nuts"
covers "$folder/nuts"
echo "the random walk:"
walk --replicates "$many" -o "$folder/right"
covers "$folder/right"
echo "the same, priors half as wide:"
must_fail walk --replicates "${ASIF_SBC_WRONG:-400}" --wrong-prior 0.5 -o "$folder/wrong"
found_out "$folder/wrong"
