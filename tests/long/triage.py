"""A simulated clinic whose truth is known (missed: -50), by the default sampler: with the patients who lost a result left out, `missed`
covers the truth; with them, read as not seen, it does not, and the summary does not call it identified.

    ASIF=build/release/cli/asif ASIF_ORACLE=../shared/oracle python3 tests/long/triage.py [resolution]

Three fits of 4 chains; with the study's own lattice a quarter of an hour, with resolution 20 a minute."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
TRIAGE = pathlib.Path(os.environ.get("ASIF_ORACLE", ""), "..", "findings", "triage")
if not ASIF or not os.path.exists(ASIF) or not (TRIAGE / "clean.csv").exists():
    print("ASIF (path of the command) is not set, or the findings are not beside ASIF_ORACLE")
    sys.exit(77)

SOLVER = f"solver: {{resolution: {int(sys.argv[1])}}}\n" if len(sys.argv) > 1 else ""
FITS = (("cc", "not_seen"), ("clean", "drop_episode"), ("clean", "not_seen"))
failed = False


def must(what, words):
    global failed
    failed |= not what
    print("   ", "ok:   " if what else "FAILED:", words)


with tempfile.TemporaryDirectory() as folder:
    at = pathlib.Path(folder)
    for name, missing in FITS:
        study, fit = at / f"{missing}.yaml", at / f"{name}-{missing}"
        study.write_text((TRIAGE / "study.yaml").read_text().replace("missing: not_seen", f"missing: {missing}") + SOLVER)
        done = subprocess.run([ASIF, "fit", study, TRIAGE / f"{name}.csv", "--where", "hospital=North", "-o", fit,
                               "--no-sensitivity", "-q"], capture_output=True, check=False)
        answer = json.loads((fit / "fit.json").read_text())
        missed, rare = answer["parameters"]["missed"], answer["hardly_possible"]
        print(f"{name}.csv, missing: {missing}: missed {missed['q50']:.1f} ({missed['q05']:.1f} to {missed['q95']:.1f}), "
              f"identified {missed['identified']}, doubt {missed['doubt']}; {rare['decisions']:.0f} hardly possible decisions "
              f"(expected {rare['expected']:.2g}, least {rare['least']['probability'] if rare['least'] else 1:.2g}); exit {done.returncode}",
              flush=True)
        covers = missed["q05"] < -50 < missed["q95"]
        if (name, missing) == ("clean", "not_seen"):
            must(covers or missed["identified"] != "yes", "covers -50, or is not called identified")
            must(rare["decisions"] > 0 and b"Hardly possible" in done.stdout, "the hardly possible decisions are told")
        else:
            must(covers, "covers -50")
            predict = subprocess.run([ASIF, "predict", fit], capture_output=True, check=False)
            must(predict.returncode == 0, "predict passes where only `wait` shows nothing")
sys.exit(failed)
