#!/usr/bin/env bash
# The R package as CRAN sees it: R CMD check --as-cran on the source package, and its tests under valgrind.
#     tests/long/r_check.sh
# Nothing is asked of CRAN itself and of a clock in the network, and the manual is not typeset (no LaTeX). Everything else must be
# without error, warning and note. Needs checkbashisms (devscripts) and valgrind.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/build-r
tarball=$(ls "$PWD"/build/r/asif_*.tar.gz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Debian's own flags bring a note about their portability, and `-g` one about the size (14 MB instead of 4).
echo "CC = $(command -v ccache || true) gcc
CFLAGS = -O2 -Wall -pedantic" >Makevars
export MAKEFLAGS="-j$(nproc)" R_MAKEVARS_USER=$work/Makevars
export _R_CHECK_CRAN_INCOMING_=false _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=false
R CMD check --as-cran --no-manual "$tarball"
notes=$(grep -E '^\* checking .*(NOTE|WARNING|ERROR)$' asif.Rcheck/00check.log || true)
[ -z "$notes" ] || { printf 'not expected:\n%s\n' "$notes" >&2; exit 1; }

# What is lost must not be ours.
cat >leaks.R <<'END'
library(asif, lib.loc = "asif.Rcheck")
study <- asif_study(system.file("examples", "diag.yaml", package = "asif"))
logs <- asif_simulate(study, c(alpha = 0.5, beta = 1.25, eta = 0), episodes = 20, threads = 2)
logs$action <- factor(logs$action)
logs$day <- as.Date("2024-01-01") + logs$t
for (i in 1:2) {
  fit <- asif_fit(study, logs, method = "nuts", chains = 2, warmup = 20, draws = 20, values = c(eta = 0), answers = FALSE,
                  threads = 2, progress = FALSE)
  try(asif_fit(study, logs, values = c(eta = 0), threads = 2, progress = function(what, done) TRUE), silent = TRUE)
  try(asif_fit(study, transform(logs, action = "none"), threads = 2), silent = TRUE)
  try(asif_plan(study, c(alpa = 1)), silent = TRUE)
}
dim(asif:::draws_of(fit))
length(asif_figures(fit, threads = 2))
END
R -d "valgrind --leak-check=full --show-leak-kinds=definite --log-file=valgrind.log" --vanilla --no-echo -f leaks.R
cat valgrind.log
if grep -A12 'definitely lost in' valgrind.log | grep -q 'asif'; then
    echo "memory of asif is lost" >&2
    exit 1
fi
if grep -E 'Invalid (read|write)|uninitialised' -A8 valgrind.log | grep -q 'asif'; then
    echo "valgrind found mistakes in asif" >&2
    exit 1
fi
