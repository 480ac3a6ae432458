#!/usr/bin/env python3
"""Follows pages of the documents: runs their commands in order, and compares what they print with what the page says.

    tests/long/pages.py [--words] ASIF FOLDER [PAGE ...]

In a block whose lines begin with `$ `, each command is followed by what it prints, or by nothing. In other blocks of `sh`, every line
that begins with `asif` is a command, and a block without a language that comes after it is a part of what they printed. `...` stands
for any lines. Blocks of `text` are not compared. With --words numbers are not compared, since other processors round differently. Each
page has a folder of its own, with what comes before it: files of examples, logs and fits."""
import argparse
import os
import re
import shutil
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIMULATE = "asif simulate study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0.001 -n 1000 --seed 1 -o logs.csv"
FIT = "asif fit study.yaml logs.csv -o fit --threads 2"
DIAG, GRID = ["diag/study.yaml"], [f"gridworld/{name}" for name in ("study.yaml", "grid.drn", "features.csv")]
# Pages: the files of examples that they use, what was run before, and beginnings of commands that are left out.
PAGES = {
    "README.md": (DIAG, [], []),
    "docs/tutorial.md": ([], [], []),
    "docs/howto/fit.md": (DIAG, [], ["asif fit study.yaml logs.csv -o by-arm", "asif fit study.yaml logs.csv -o control",
                                     "asif summary by-arm"]),  # these logs have no arms
    "docs/howto/explain.md": (DIAG, [SIMULATE, FIT], []),
    "docs/howto/predict.md": (DIAG, [SIMULATE, FIT], []),
    "docs/howto/report.md": (DIAG, [SIMULATE, FIT], ["asif sbc", "asif report fit -o report.html --with"]),  # an hour
    "docs/howto/identify.md": (DIAG, [SIMULATE], ["asif identify study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0.001 --draws 0"]),
    "docs/howto/sensitivity.md": (DIAG, [SIMULATE], []),
    "docs/howto/compare-models.md": (DIAG, [SIMULATE], ["asif compare fit --logs logs.csv --pointwise"]),  # of other software
    "docs/howto/reward-learning.md": (GRID, [], []),
    "docs/can-i-trust-it.md": (DIAG, [], ["asif sbc", "asif compare by-arm"]),  # an hour; other logs
}
PAGES["docs/howto/outcomes.md"] = (DIAG, [SIMULATE, FIT], [])
PEOPLE = ["sed -i -e 's/alpha: learn .*/alpha: learn ~ lognormal(-0.7, 0.5)/' -e 's/^    beta:  learn.*/    optimism: learn ~ normal(0.5, 0.5)/' "
          "-e 's/eta:   learn/eta: learn ~ normal(0, 2)/' study.yaml",
          "asif simulate study.yaml --people 200 -n 20 --seed 1 -o logs.csv", "asif simulate study.yaml --people 20 -n 20 --seed 2 -o others.csv"]
PAGES["docs/howto/people.md"] = (DIAG, PEOPLE, [  # other tables, and minutes
    "asif people study.yaml sample.csv", "asif people study.yaml part", "asif people study.yaml counted.csv", "asif recover",
    "asif people study.yaml logs.csv --permutations", "asif evaluate"])
# Two groups of the same agent: four fifths of the cases of `a` have a low risk, and four fifths of those of `b` a high one.
TRUE = "-p alpha=0.5 -p optimism=0.8 -p eta=0.001"
GROUPS = ["sed -i -e 's/^title:.*/title: Diagnosis by risk/' -e 's/^  start:.*/  start: {by: risk, low: [0.8, 0.2], high: [0.5, 0.5]}/' "
          "-e '/^  emissions:/i\\  reset: [0.65, 0.35]' study.yaml"]
GROUPS += [f"asif simulate study.yaml {TRUE} -n {number} --start {risk} --seed {seed} -o {arm}-{risk}.csv"
           for seed, (arm, risk, number) in enumerate((("a", "low", 240), ("a", "high", 60), ("b", "low", 60), ("b", "high", 240)), 1)]
GROUPS += ["awk -F, 'FNR == 1 && NR > 1 {next} FNR == 1 {print $0 \",arm,risk\"; next} {split(FILENAME, of, /[-.]/); "
           "print of[1] \"-\" of[2] \"-\" $0 \",\" of[1] \",\" of[2]}' a-*.csv b-*.csv > logs.csv"]
PAGES.update({
    "docs/howto/calibrate.md": (DIAG, [], ["asif recover study.yaml --json", "asif sbc"]),  # hours
    "docs/howto/compare-groups.md": (DIAG, GROUPS, ["asif compare by-arm --first control", "asif compare fit-2019"]),  # of other groups
    "docs/howto/project.md": (["diag/study.yaml", "diag/rewards.yaml"], [SIMULATE], ["asif evaluate study.yaml logs.csv --relearn"]),
    "docs/howto/helper-data.md": ([], ["cp examples/inverses/distance-minimization.yaml study.yaml",
                                       "cp examples/inverses/distance-minimization.csv logs.csv"], ["asif fit study.yaml logs.csv -o by-site"]),
    "docs/howto/hidden-world.md": (["dementia/study.yaml"], [
        "asif simulate examples/dementia/world.yaml -n 400 --max-steps 3 --seed 2 -o logs.csv -p alpha=0.12 -p optimism=1 -p eta=1.1"], []),
})
NAMES = {"docs/tutorial.md": "cars.yaml"}  # of a study that a page writes out


def words_of(text):
    """A text without its numbers, small charts and line breaks."""
    text = re.sub(r"[\u2500-\u259f]+", " ", text)
    return re.sub(r"\s+", " ", re.sub(r"[<>+-]?\d[\d.,]*(?:e[+-]?\d+)?", "0", text))


def matches(says, printed, whole, words):
    """Whether something was printed as the page says, as a whole or as a part."""
    if words:
        printed = words_of(printed)
        pattern = "(?s:.*?)".join(re.escape(words_of(part).strip()) for part in re.split(r"^\.\.\.\n", says, flags=re.M))
        return re.search(r"\A\s*" + pattern + r"\s*\Z" if whole else pattern, printed) is not None
    pattern = "".join("(?:.*\n)*?" if line == "...\n" else re.escape(line) for line in says.splitlines(keepends=True))
    return (re.fullmatch if whole else re.search)(pattern, printed) is not None


def commands_of(body):
    """Commands of a block, each with what the page says that it prints (None: a block of its own may say so)."""
    if re.search(r"^\$ ", body, flags=re.M):
        return re.findall(r"^\$ (.*\n(?:(?<=\\\n).*\n)*)((?:(?!\$ ).*\n)*)", body, flags=re.M)
    return [(line, None) for line in re.findall(r"^(asif .*\n(?:(?<=\\\n).*\n)*)", body, flags=re.M)]


def follow(page, asif, folder, words):
    files, before, without = PAGES[page]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copytree(os.path.join(SOURCE, "examples"), os.path.join(folder, "examples"))
    for name in files:
        shutil.copy(os.path.join(SOURCE, "examples", name), folder)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_")}
    environment.update(LANG="C.UTF-8", PATH=os.path.dirname(os.path.abspath(asif)) + os.pathsep + os.environ["PATH"])

    def run(command):
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return done.stdout, done.returncode

    for command in before:
        run(command)
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        text = file.read()
    count, different, printed = 0, 0, None
    for language, body in re.findall(r"^```(.*)\n((?:(?!```).*\n)*)```", text, flags=re.M):
        name = re.search(r"file=(\S+)", language)
        if name or (language == "yaml" and body.startswith("asif: 1")):
            with open(os.path.join(folder, name.group(1) if name else NAMES.get(page, "study.yaml")), "w", encoding="utf-8") as file:
                file.write(body)
            continue
        if language == "" and not re.search(r"^\$ asif", body, flags=re.M):
            if printed is not None:
                count += 1
                if not matches(body, printed, False, words):
                    different += 1
                    print(f"== {page}\nthe page says:\n{body}\nit printed:\n{printed}")
            continue
        if language not in ("sh", "console", ""):
            continue
        printed = None
        for command, says in commands_of(body):
            if any(command.startswith(word) for word in without) or not command.startswith(("asif", "head", "grep")):
                continue
            got, code = run(command)
            printed = (printed or "") + got
            count += 1
            if code not in (0, 1) or (says and not matches(says, got, True, words)):
                different += 1
                print(f"== {page}\n$ {command}exit code {code}; it printed:\n{got}\nthe page says:\n{says}")
    print(f"{page}: {count} commands and blocks, {different} are different", flush=True)
    return different


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("asif")
    parser.add_argument("folder")
    parser.add_argument("--words", action="store_true")
    parser.add_argument("page", nargs="*")
    given = parser.parse_args()
    sys.exit(sum(follow(page, given.asif, os.path.join(given.folder, page.replace("/", "-")), given.words)
                 for page in given.page or PAGES) != 0)
