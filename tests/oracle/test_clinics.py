"""Logs of clinics: tables as they leave a clinic's database, in both dialects of their columns, against the loader of the
oracle: the rows that are left, what each rule left out, groups, labels of the state, and the likelihood of the known agent."""
import csv
import io
import json
import os
import sys
import tempfile

from common import attempt, oracle, skip

oracle()
FOLDER = os.path.join(os.path.dirname(os.environ["ASIF_ORACLE"]), "dementia")
if not os.path.exists(os.path.join(FOLDER, "cohort.py")):
    skip("the cohorts are not there")
sys.path.insert(0, FOLDER)
sys.dont_write_bytecode = True
import cohort  # noqa: E402

KEEP = "require: [CDRSB, DX]"
LOGS = """logs:
  subject: RID
  time:   {column: %s, step: 6, off_grid: leave_out}
  action: {column: Hippocampus, present: mri, missing: no_mri}
  observation:
    mri: {column: Hippocampus, cut: %s, labels: [low, average, high], missing: none}
    cdr: {column: CDRSB, cut: [0.5, 3], labels: [normal, questionable, suspected]}
  missing_values: [-4]
  %s
  gaps: cut
  begin: 0
  groups: {over75: AGE > 75, carrier: APOE4 >= 1, female: PTGENDER = Female}
  label: {column: DX, labels: {CN: normal, NL: normal, MCI: mild, Dementia: dementia}}
"""


def study(path, time="M", cut="[6029.5, 7254.5]", keep=KEEP):
    with open(os.path.join(FOLDER, "study_today.yaml")) as f:
        text = f.read()
    begin, end = text.index("observations:"), text.index("environment:")
    crossed = "observations: {cdr: [normal, questionable, suspected], mri: [none, low, average, high]}\n"
    text = text[:begin] + crossed + text[end:text.index("logs:")] + LOGS % (time, cut, keep)
    with open(path, "w") as f:
        f.write(text)
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def tidy():
    with open(os.path.join(FOLDER, "cohort_small_tidy.csv"), newline="") as f:
        return list(csv.DictReader(f))


def check_rows(name, got, want):
    """The rows that are left, one by one, in their order."""
    assert len(got) == len(want), (name, len(got), len(want))
    word = {"1": "yes", "0": "no", "": "no"}  # who is not known to belong to a group does not
    for g, w in zip(got, want):
        expected = {"subject": w["episode"], "t": w["t"], "action": w["action"], "observation": w["observation"],
                    "label": w["dx"], "over75": word[w["over75"]], "carrier": word[w["apoe4"]],
                    "female": word[w["female"]]}
        assert g == expected, (name, g, expected)


def check_left_out(name, answer, file, need_dx=True):
    """What each rule left out, in the order of the rules."""
    found = cohort.load(file, need_dx=need_dx)[4]
    got = [(x["rule"], x["column"], x["rows"]) for x in answer["left_out"] if x["rule"] != "begin"]
    want = [("off_grid: leave_out", None, found["off_grid"]), ("require", "CDRSB", found["no_cdr"]),
            ("require", "DX", found["no_dx"]), ("gaps: cut", None, found["cut_at_gap"])]
    assert got == [w for w in want if w[2]], (name, got, want)
    begin = [x for x in answer["left_out"] if x["rule"] == "begin"]
    assert sum(x["episodes"] for x in begin) == found["no_baseline"], (name, begin, found)
    kinds = [x["rule"] for x in answer["left_out"]]
    assert kinds == sorted(kinds, key=["off_grid: leave_out", "require", "begin", "gaps: cut"].index), kinds
    assert answer["rows"] == found["rows"]
    assert answer["excluded"] == sum(x["rows"] for x in answer["left_out"])
    assert answer["rows"] - answer["excluded"] == found["visits"] == answer["decisions"]
    assert answer["subjects"] == found["kept"]


def count(study_file, file, *more):
    out = attempt("count", file, "--study", study_file, *more)
    assert out.returncode == 0, out.stderr
    return out


def with_columns(path, file, change):
    with open(file, newline="") as f:
        rows = list(csv.DictReader(f))
    rows = [change(dict(r)) for r in rows]
    with open(path, "w", newline="") as f:
        w = csv.DictWriter(f, list(rows[0]))
        w.writeheader()
        w.writerows(rows)
    return path


def check_dialects(folder):
    want = tidy()
    assert len(want) == 187 and len({w["episode"] for w in want}) == 59
    file = study(os.path.join(folder, "study.yaml"))
    for name in ("cohort_small.csv", "cohort_small_tadpole.csv"):
        path = os.path.join(FOLDER, name)
        check_rows(name, rows_of(count(file, path, "--rows", "-").stdout), want)
        check_left_out(name, json.loads(count(file, path, "--json").stdout), path)
    path = os.path.join(FOLDER, "cohort_synthetic.csv")
    check_left_out(path, json.loads(count(file, path, "--json").stdout), path)
    file = study(os.path.join(folder, "without.yaml"), keep="require: CDRSB")
    check_left_out(path, json.loads(count(file, path, "--json").stdout), path, need_dx=False)


def check_visit_codes(folder):
    """Months from the codes of visits, where the column of months is empty or not there."""
    small = os.path.join(FOLDER, "cohort_small.csv")
    file = study(os.path.join(folder, "codes.yaml"), "[M, VISCODE]")

    def without(r):
        del r["M"]
        return r

    def emptied(r):
        r["M"] = "" if int(r["RID"]) % 2 else r["M"]
        r["CDRSB"] = r["CDRSB"] or "-4"
        r["Hippocampus"] = r["Hippocampus"] or ("NA" if int(r["RID"]) % 3 else "-4.0")
        return r

    for change in (without, emptied):
        path = with_columns(os.path.join(folder, "changed.csv"), small, change)
        check_rows(change.__name__, rows_of(count(file, path, "--rows", "-").stdout), tidy())


def check_likelihood(folder):
    """The log-likelihood of the known doctor's actions, as the oracle computed it."""
    file = study(os.path.join(folder, "study.yaml"))
    for name, want in (("cohort_small.csv", -95.34813497570), ("cohort_small_tadpole.csv", -95.34813497570),
                       ("cohort_synthetic.csv", -3257.44881174)):
        out = attempt("check", file, os.path.join(FOLDER, name), "-p", "alpha=0.12", "-p", "optimism=1", "-p",
                   "eta=1.1", "--json")
        assert out.returncode == 0, out.stderr
        got = json.loads(out.stdout)["log_likelihood"]
        print("%s: log-likelihood %.11f, oracle %.11f" % (name, got, want))
        assert abs(got - want) < 1e-8, (name, got, want)


def check_spread(folder):
    """Cuts at the mean and half a standard deviation around it, of the rows that rules on rows keep."""
    small = os.path.join(FOLDER, "cohort_small.csv")
    file = study(os.path.join(folder, "spread.yaml"), cut="mean +- 0.5 sd")
    with open(small, newline="") as f:
        values = [float(r["Hippocampus"]) for r in csv.DictReader(f)
                  if int(r["M"]) % 6 == 0 and r["CDRSB"] and r["DX"] and r["Hippocampus"]]
    mean = sum(values) / len(values)
    sd = (sum((x - mean) ** 2 for x in values) / (len(values) - 1)) ** .5
    kept = os.path.join(folder, "kept.csv")
    said = " ".join(count(file, small, "--rows", kept).stdout.split())
    note = "`Hippocampus` is cut at %.6g" % (mean - .5 * sd)
    assert note in said, (note, said)
    us, xs, _, meta, _ = cohort.load(small, cuts=(mean - .5 * sd, mean + .5 * sd))
    want = [(m["rid"], cohort.OBS[x]) for m, row in zip(meta, xs) for x in row]
    assert [(r["subject"], r["observation"]) for r in rows_of(open(kept).read())] == want
    assert any(a != b["observation"] for (_, a), b in zip(want, tidy())), "the cuts change nothing"


def check_groups(folder):
    """Groups are used like columns, and who is not known to belong to one does not."""
    file = study(os.path.join(folder, "study.yaml"))
    small = os.path.join(FOLDER, "cohort_small.csv")
    members = {}
    for w in tidy():
        members.setdefault(w["apoe4"] == "1", set()).add(w["episode"])
    answer = json.loads(count(file, small, "--by", "carrier", "--json").stdout)
    got = {g["value"]: g["episodes"] for g in answer["by"]["groups"]}
    assert got == {"yes": len(members[True]), "no": len(members[False])}, got


with tempfile.TemporaryDirectory() as scratch:
    check_dialects(scratch)
    check_visit_codes(scratch)
    check_likelihood(scratch)
    check_spread(scratch)
    check_groups(scratch)
