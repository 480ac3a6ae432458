#!/usr/bin/env bash
# The thread sanitizer over the tests that start threads and over whole runs of the command: it must find nothing.
#     tests/long/tsan.sh [--short]
# Builds the preset tsan. --short leaves out the tests and takes smaller runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
short=
[ "${1:-}" != --short ] || short=yes

cmake --preset tsan -DASIF_BENCH=OFF ${ASIF_WERROR:+-DASIF_WERROR=ON} >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A finding ends the process with 66, which no command does by itself.
export TSAN_OPTIONS="exitcode=66 halt_on_error=1 log_path=$work/found"

asif=$PWD/build/tsan/cli/asif
runs=0
whole() {
    local code=0
    "$asif" "$@" --threads 4 --quiet >"$work/said" 2>&1 || code=$?
    if [ "$code" -gt 1 ] || compgen -G "$work/found*" >/dev/null; then
        cat "$work/said" "$work"/found* >&2 2>/dev/null || true
        echo "tsan: asif $* ended with $code" >&2
        exit 1
    fi
    runs=$((runs + 1))
}

# The list of files to remove at a signal, which threads change at moments that whole runs seldom meet.
"${CC:-cc}" -std=gnu17 -O1 -g -fsanitize=thread -Icli tests/long/unfinished.c cli/fits/unfinished.c -lpthread -o "$work/unfinished"
"$work/unfinished" || { cat "$work"/found* >&2; exit 1; }

if [ -z "$short" ]; then
    cmake --build --preset tsan -j "$(nproc)" | tail -1
    # The programs that use threads, and those that the command's own tests run.
    ctest --preset tsan -LE '^(python|long|bench)$' -R "$(grep -l threads tests/*/test_*.c |
        sed -E 's,tests/(.*)/test_(.*)\.c,^\1.\2$,' | paste -sd'|')"
    size=(-n 80 --max-steps 10) draws=(--warmup 60 --draws 40 --starts 4) agents=4
    quick=()
else
    cmake --build --preset tsan -j "$(nproc)" --target asif_command | tail -1
    size=(-n 40 --max-steps 8) draws=(--warmup 30 --draws 20 --starts 2) agents=4
    quick=(--no-sensitivity)
fi

coarse=(--resolution 20 --tol 1e-8)
study=examples/diag/study.yaml
"$asif" simulate "$study" -p alpha=0.5 -p beta=1.25 -p eta=0 "${size[@]}" --seed 1 -q -o "$work/logs.csv"
awk -F, 'NR == 1 { print $0 ",site"; for (i = 1; i <= NF; i++) if ($i == "episode") e = i; next }
    { gsub(/[^0-9]/, "", $e); print $0 "," ($e % 2 ? "north" : "south") }' OFS=, "$work/logs.csv" >"$work/sites.csv"
whole fit "$study" "$work/logs.csv" -o "$work/fit" --chains 4 "${draws[@]}" "${quick[@]}" "${coarse[@]}"
whole fit "$study" "$work/sites.csv" -o "$work/by" --by site --chains 4 "${draws[@]}" "${quick[@]}" "${coarse[@]}"
whole recover "$study" -o "$work/recover" --replicates "$agents" "${size[@]}" "${draws[@]}" "${coarse[@]}"
whole sbc "$study" -o "$work/sbc" --replicates "$agents" "${size[@]}" --warmup "${draws[1]}" --starts 2 --bins 5 --draws 19 "${coarse[@]}"
# A signal while several threads work: it ends with 3, and the note of it is no race.
code=0
timeout -s TERM 3 "$asif" sbc "$study" -o "$work/stopped" --replicates 50 "${size[@]}" "${coarse[@]}" --threads 4 -q >"$work/said" 2>&1 || code=$?
if [ "$code" -ne 124 ] || compgen -G "$work/found*" >/dev/null; then
    cat "$work/said" "$work"/found* >&2 2>/dev/null || true
    echo "tsan: a signal to asif sbc: $code" >&2
    exit 1
fi
# Everybody an agent, and worlds that are drawn or sampled together with the agent.
awk -F, 'NR == 1 { print $0 ",subject"; for (i = 1; i <= NF; i++) if ($i == "episode") e = i; next }
    { gsub(/[^0-9]/, "", $e); print $0 "," ($e % 6) }' OFS=, "$work/logs.csv" >"$work/subjects.csv"
whole people "$study" "$work/subjects.csv" -o "$work/people" -p beta=1.25 -p eta=0 --points 256 --most-points 1024 "${coarse[@]}"
hidden() {
    printf '%s\n' 'asif: 1' 'states: [well, ill]' 'actions: [wait, scan]' 'observations: [weak, strong]' 'environment:' "  start: $1" \
        "  transitions: $2" "  emissions: $3" 'agent:' '  discount: 0.9' \
        '  utility: [{wait: 0, scan: -1}, {ramp: certainty, from: 0.6, to: 1, add: 3}]' "  parameters: {alpha: $4}" \
        'solver: {resolution: 12, tol: 1e-8}'
}
hidden '[0.6, 0.4]' '[[0.9, 0.1], [0.15, 0.85]]' '[[0.8, 0.2], [0.25, 0.75]]' 0.5 >"$work/known.yaml"
hidden learn 'learn shared' learn learn >"$work/hidden.yaml"
"$asif" simulate "$work/known.yaml" -n 60 --max-steps 5 --seed 1 -q -o "$work/hidden.csv"
whole fit "$work/hidden.yaml" "$work/hidden.csv" -o "$work/cut" --worlds 4 --no-answers
whole fit "$work/hidden.yaml" "$work/hidden.csv" -o "$work/joint" --world joint --chains 4 --warmup 20 --draws 20 --no-answers
if [ -z "$short" ]; then
    whole predict "$work/fit"
    whole sensitivity "$work/fit"
    whole outcomes "$work/fit"
    whole compare "$work/by"
    whole explain "$work/fit" "$work/logs.csv" --find surprising
    whole identify "$study" -p alpha=0.5 -p beta=1.25 -p eta=0 -n 50 --max-steps 8 "${coarse[@]}"
fi
echo "tsan: $runs whole runs with 4 threads, nothing found"
