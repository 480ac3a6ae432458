#!/bin/sh
# Simulation-based calibration of the diagnosis task: agents drawn from the priors of (log alpha, optimism, eta), 200 episodes of at
# most 25 steps each. Every histogram of ranks must pass a chi-square test at 1 %, 90 % intervals must hold 86 to 94 % of the
# truths, and priors half as wide as the true ones must be found out.
# ASIF_SBC_REPLICATES (400), ASIF_SBC_WRONG (400: replicates with the wrong prior), ASIF_SBC_FOLDER (kept, to go on from; else temporary).
set -eu
. "$(dirname "$0")/settings.sh"
folder=${ASIF_SBC_FOLDER:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
many=${ASIF_SBC_REPLICATES:-400}
sbc() {
    "$build/cli/asif" sbc "$ASIF_SOURCE/examples/diag/study.yaml" -n 200 --max-steps 25 --seed 1 --resolution 50 --tol 1e-8 \
        --threads 2 "$@"
}
echo "the true prior:"
sbc --replicates "$many" -o "$folder/right"
"$python" - "$folder/right/sbc.json" <<'PYTHON'
import json, sys
told = json.load(open(sys.argv[1]))
bad = [name for name, n in told["parameters"].items() if not 0.86 <= n["coverage"]["share"] <= 0.94]
sys.exit("90 % intervals hold too few or too many truths: " + ", ".join(bad) if bad else 0)
PYTHON
echo "priors half as wide:"
if sbc --replicates "${ASIF_SBC_WRONG:-400}" --wrong-prior 0.5 -o "$folder/wrong"; then
    echo "a wrong prior was not found out" >&2
    exit 1
fi
"$python" -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["uniform"])' "$folder/wrong/sbc.json"
