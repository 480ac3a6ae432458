#!/bin/sh
# Rivals on DIAG, from 100,000 simulated logs each, against what the oracle measured on a million; then the battery.
set -eu
. "$(dirname "$0")/settings.sh"
diag=$ASIF_SOURCE/examples/diag/study.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$ASIF" identify "$diag" -p alpha=0.5 -p beta=1.25 -p eta=0.001 --draws 0 --threads 2 --json \
    --against optimism=0 --against optimism=0,alpha=0.5 > "$work/optimistic"
"$ASIF" identify "$diag" -p alpha=0.5 -p beta=1000 -p eta=75 --draws 0 --threads 2 --json \
    --against eta=0 --against eta=0,alpha=0.5 > "$work/non-adaptive"
"$python" - "$work" <<'END'
import json, sys

good = True
print("agent         rival                 nats per 1,000 (se)   expected    logs needed   best")
for agent, want in (("optimistic", [(2.3, 0.4), (43, 4)]), ("non-adaptive", [(0.81, 0.3), (40, 4)])):
    found = json.load(open(f"{sys.argv[1]}/{agent}"))
    assert found["rival_logs"]["episodes"] == 100000
    for rival, (nats, off) in zip(found["rivals"], want):
        right = abs(rival["nats_per_1000"] - nats) <= off and rival["told"]
        right = right and abs(rival["logs_needed"] * rival["nats_per_1000"] - 10000) < 1e-6
        good = good and right
        best = ", ".join(f"{b['parameter']} {b['shown']:.4g}" for b in rival["best"].values())
        print(f"{agent:13} {rival['name']:20} {rival['nats_per_1000']:8.3f} ({rival['se']:.3f})"
              f"{nats:10g} +- {off:g} {rival['logs_needed']:11.0f}   {best}{'' if right else '   WRONG'}")
sys.exit(not good)
END
"$python" "$ASIF_SOURCE/tests/long/battery.py"
