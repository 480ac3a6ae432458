"""Labels of the hidden state: `learn-world` counts them by the most probable state and by its probability, as NumPy does with beliefs filtered episode by
episode at the same estimates; and `--order labels` is the permutation with the most agreement, as all permutations tell."""
import itertools
import json
import os
import tempfile

from common import Checks, attempt, np, source
from dynamics import DEMENTIA, oracle

iohmm, cohort = oracle()
checks = Checks("labels")
with open(source("examples", "dementia", "adni.yaml"), encoding="utf-8") as file:
    STUDY = file.read()
TABLE = os.path.join(DEMENTIA, "cohort_synthetic.csv")
US, XS, DX, *_ = cohort.load(TABLE, need_dx=False)
SAID = "labels: {CN: normal, NL: normal, MCI: mild, Dementia: dementia}"


def learn(folder, labels, *more):
    path, out = os.path.join(folder, "study.yaml"), os.path.join(folder, "world.yaml")
    assert SAID in STUDY
    with open(path, "w", encoding="utf-8") as f:
        f.write(STUDY.replace(SAID, labels))
    done = attempt("learn-world", path, TABLE, "-o", out, "--json", "-q", *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["dynamics"]


def agreement(answer, name_of):
    """Tables [label][state] by most probable state and by probability; name_of: the state that each diagnosis is called."""
    table = {t["name"]: np.array([[c["probability"] for c in r["cells"]] for r in t["rows"]]) for t in answer["tables"]}
    start, tau = table["start"][0], table["transitions"]
    most, mass = np.zeros((3, 3)), np.zeros((3, 3))
    for us, xs, ds in zip(US, XS, DX):
        b = start
        for u, x, d in zip(us, xs, ds):
            b = (b @ tau) * table["cdr"][:, x // 4] * (table["mri after mri"][:, x % 4] if u else 1)
            b = b / b.sum()
            if d >= 0:
                most[name_of[d], b.argmax()] += 1
                mass[name_of[d]] += b
    return most, mass


def compare(name, answer, name_of):
    most, mass = agreement(answer, name_of)
    labels = answer["labels"]
    checks.true(np.array_equal(most, labels["most_probable"]), "%s: most probable\n%s\n%s" % (name, most, labels["most_probable"]))
    checks.near(name + ": probabilities", np.array(labels["expected"]), mass, rtol=1e-9)
    checks.near(name + ": share", labels["agreement"], np.trace(most) / most.sum(), rtol=1e-12)
    checks.near(name + ": expected share", labels["expected_agreement"], np.trace(mass) / mass.sum(), rtol=1e-9)
    return most


with tempfile.TemporaryDirectory() as folder:
    plain = learn(folder, SAID)
    most = compare("by mean class", plain, [0, 1, 2])
    checks.true(plain["order"] == "mean class" and plain["labels"]["states"] == ["normal", "mild", "dementia"], plain["order"])
    named = learn(folder, SAID, "--order", "labels")
    checks.true(named["order"] == "labels" and named["tables"] == plain["tables"], "here both orders are the same")
    # Names that go round: only the labels can tell, and only by a permutation that is not an exchange.
    round_, name_of = "labels: {CN: mild, NL: mild, MCI: dementia, Dementia: normal}", [1, 2, 0]
    wrong = learn(folder, round_)
    checks.true(wrong["labels"]["agreement"] < .1, "mean classes know no names")
    right = learn(folder, round_, "--order", "labels")
    compare("by labels", right, name_of)
    table, _ = agreement(wrong, name_of)
    best = max(sum(table[k, q[k]] for k in range(3)) for q in itertools.permutations(range(3)))
    checks.near("the most agreement", right["labels"]["agreement"], best / table.sum(), rtol=1e-12)
    checks.near("the likelihood is the same", right["log_likelihood"], plain["log_likelihood"], atol=1e-6)
    # A fit tells the same of the environment that it was given, and its page in whole percents.
    with open(os.path.join(folder, "world.yaml"), encoding="utf-8") as f:
        text = f.read()
    for a, b in (("resolution: 40", "resolution: 4"), ("optimism: learn", "optimism: 1"), ("eta: learn", "eta: 1.1")):
        assert a in text
        text = text.replace(a, b)
    study, fit, page = (os.path.join(folder, n) for n in ("fit.yaml", "fit", "page.html"))
    with open(study, "w", encoding="utf-8") as f:
        f.write(text)
    for words in (["fit", study, TABLE, "-o", fit, "-q", "--method", "ml", "--starts", "1"], ["report", fit, "-o", page, "-q"]):
        done = attempt(*words)
        assert done.returncode in (0, 1), done.stderr  # 1: not to be trusted, and on such a lattice it is not
    with open(os.path.join(fit, "fit.json"), encoding="utf-8") as f:
        told = json.load(f)["logs"]["labels"]
    checks.true(told["most_probable"] == right["labels"]["most_probable"], "the fit counts otherwise")
    checks.near("probabilities of the fit", np.array(told["expected"]), np.array(right["labels"]["expected"]), rtol=1e-6)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    mass = np.array(told["expected"])
    for share in (100 * mass / mass.sum(1, keepdims=True)).ravel():
        checks.true("%.0f %%" % share in text, "%.0f %% is not on the page" % share)
    study = os.path.join(folder, "none.yaml")
    with open(study, "w", encoding="utf-8") as f:
        f.write("\n".join(line for line in STUDY.split("\n") if not line.startswith("  label:")))
    refused = attempt("learn-world", study, TABLE, "-q", "--order", "labels")
    checks.true(refused.returncode == 2 and "no labels of the hidden state" in refused.stderr, refused.stderr)
checks.finish()
