"""Commands whose nth request to the system fails (faults.c lets it), and what has to hold of them then.

A case is a command in a folder that already has its results, of another seed. It is run once to count its requests, and
then once for each request n that is to fail, from the same folder. Then:

    the exit code is 3, a plain message is on standard error, and nothing crashes;
    no temporary file is left;
    the results are those from before, byte for byte, or those of a run that nobody disturbed;
    the same command, undisturbed, gives the results of an undisturbed run.

Some requests may fail without harm: a temporary file that is left, memory that cannot be given back, or a first look at a file
that is read again later is no reason to lose a result. They are in HARMLESS, and then exit code, standard output and results
have to be as if nothing had failed.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
FAULTS = os.environ.get("ASIF_FAULTS")
if not ASIF or not SOURCE or not FAULTS or not os.path.exists(FAULTS):
    print("ASIF, ASIF_SOURCE and ASIF_FAULTS (the library of faults.c) are not set")
    sys.exit(77)

EIO, ENOSPC, SHORT = 5, 28, 0
# Where to work: syncing a folder in memory costs nothing.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) and not os.environ.get("TMPDIR") else None
HARMLESS = {"unlink", "unlinkat", "rmdir", "opendir", "readdir", "realloc", "open", "read"}
MASKS = [(rb'"(?:started|finished)": "[^"]*"', b'"started": ""'), (rb'"seconds\w*": [-+.e\d]+', b'"seconds": 0'),
         (rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"TIME"), (rb"fitted on \d{4}-\d\d-\d\d", b"fitted on DAY"),
         (rb"<bdi>time (in all|of the \w+)</bdi></th><td><bdi>[\d.]+ ", rb"\1 ")]
COARSE = "--resolution 5 --tol 1e-6 -q"
TRUTH = "-p alpha=0.5 -p beta=1.25 -p eta=0"
GIVEN = "-p beta=1.25 -p eta=0"
SHORT_FIT = "--method nuts --chains 1 --warmup 5 --draws 5 --starts 1 --no-sensitivity --checkpoint 0 -q"
# States that are seen: a fit takes a tenth of the time, and reads one file more.
MACHINE = """asif: 1
states: [good, worn]
actions: [run, service]
environment:
  transitions: {run: [[0.8, 0.2], [0.1, 0.9]], service: [[1, 0], [0.6, 0.4]]}
agent:
  discount: 0.9
  utility: {features: features.csv}
  parameters: {alpha: 1, gain: {learn: "normal(0, 10)", standard: 1}}
"""
FEATURES = "state,action,gain,constant\ngood,run,1,0\nworn,run,0.5,0\ngood,service,0,-0.1\nworn,service,0,-0.1\n"
# Two hidden states whose dynamics are learnt, and drawn twice.
HIDDEN = """asif: 1
states: [well, ill]
actions: [wait, scan]
observations: [weak, strong]
environment:
  start: %s
  transitions: %s
  emissions: %s
agent:
  discount: 0.9
  utility:
    - {wait: 0, scan: -1}
    - {ramp: certainty, from: 0.6, to: 1, add: 3}
  parameters: {alpha: %s}
solver: {resolution: 5, tol: 1e-6}
"""
FEW = f"{COARSE} -n 10 --max-steps 8 --starts 1"

# Name: what is run before, the command, its results ($ is 1 before and 2 in the command).
CASES = {
    "simulate": ([], f"simulate study.yaml {TRUTH} {COARSE} -n 20 --seed $ -o new.csv", ["new.csv"]),
    "count": (["simulate study.yaml {TRUTH} {COARSE} -n 20 --seed $ -o table.csv"],
              "count table.csv --study study.yaml -o new.tree", ["new.tree"]),
    "where": (["simulate study.yaml {TRUTH} {COARSE} -n 20 --seed $ -o table.csv"],
              "count table.csv --study study.yaml --where episode=1,2,17 -o new.tree", ["new.tree"]),
    "convert": ([], f"convert study.yaml new.pomdp -p alpha=0.$ -p beta=1.25 -p eta=0 -p wrong=-3$ -q", ["new.pomdp"]),
    "learn-world": ([], "learn-world rust.yaml buses.csv --prior $ --unseen stay -o new.yaml", ["new.yaml"]),
    "fit": ([], f"fit machine.yaml machines.csv -o new {SHORT_FIT} --seed $ --force", ["new"]),
    "fit --by": ([], f"fit machine.yaml machines.csv -o new {SHORT_FIT} --by site --seed $ --force", ["new"]),
    "fit of beliefs": ([], f"fit study.yaml plain.csv -o new {GIVEN} {COARSE} {SHORT_FIT} --seed $ --force", ["new"]),
    "fit along the ridge": ([], f"fit machine.yaml machines.csv -o new --chains 1 --draws 5 --starts 1 --no-sensitivity --checkpoint 0 -q "
                                "--seed $ --force", ["new"]),
    "fit in drawn worlds": ([], "fit hidden.yaml hidden.csv -o new --worlds 2 --chains 1 --draws 5 --starts 1 --no-answers --checkpoint 0 -q "
                                "--seed $ --force", ["new"]),
    "people": ([], "people machine.yaml machines.csv --map subject=site --points 64 --most-points 64 --draws 8 -o new --seed $ --force -q",
               ["new"]),
    "report": ([], "report fit -o new.html --figures figures --min-cell $ -q", ["new.html"]),
    "recover": ([], f"recover one.yaml {FEW} -p alpha=0.5 --method map --replicates $ -o new", ["new/recover.json"]),
    "sbc": ([], f"sbc one.yaml {FEW} --chains 1 --warmup 5 --draws 3 --bins 2 --replicates $ -o new", ["new/sbc.json"]),
}


def command_of(text, seed):
    text = text.replace("$", str(seed)).replace("{TRUTH}", TRUTH).replace("{COARSE}", COARSE)
    return [ASIF, *text.split()]


def run(args, folder, **fault):
    environment = dict(os.environ)
    if fault:
        environment.update({"LD_PRELOAD": FAULTS, **{f"FAULT_{key.upper()}": str(value) for key, value in fault.items()}})
        options = environment.get("ASAN_OPTIONS", "")
        environment["ASAN_OPTIONS"] = ":".join(filter(None, [options, "verify_asan_link_order=0"]))
    done = subprocess.run(args, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def mask(data):
    for pattern, by in MASKS:
        data = re.sub(pattern, by, data)
    return data


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return mask(data)


def files_in(folder):
    for root, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(root, name), folder)


def files_of_fit(path, name):
    """The files of the fits that count, with the name that they have when they are in place. What was committed and could not be
    put in place yet counts (docs/reference/command.md). A manifest has to tell the truth."""
    staged = os.path.join(path, ".asif", "new")
    if os.path.exists(os.path.join(staged, "manifest.json")):
        path = staged
    if not os.path.exists(os.path.join(path, "manifest.json")):
        return {}
    with open(os.path.join(path, "manifest.json")) as file:
        manifest = json.load(file)
    found = {}
    for group in manifest.get("groups", []):
        found.update(files_of_fit(os.path.join(path, group["folder"]), f"{name}/{group['folder']}"))
    for file in manifest.get("files", []):
        with open(os.path.join(path, file["name"]), "rb") as opened:
            true = hashlib.sha256(opened.read()).hexdigest() == file["sha256"]
        found[f"{name}/{file['name']}"] = read(os.path.join(path, file["name"])) if true else b"not as in the manifest"
    return found


def results(folder, names):
    found = {}
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            found.update(files_of_fit(path, name))
            code, out, _ = run([ASIF, "summary", name, "--json"], folder)
            found[f"asif summary {name}"] = (code, mask(out))
        elif os.path.exists(path):
            found[name] = read(path)
    return found


def leftovers(folder):
    return [name for name in files_in(folder) if name.endswith(".part")]


def prepare(folder):
    """What all cases read."""
    with open(os.path.join(SOURCE, "examples", "diag", "study.yaml")) as file:
        study = file.read()
    with open(os.path.join(folder, "study.yaml"), "w") as file:
        file.write(study)
    with open(os.path.join(folder, "one.yaml"), "w") as file:
        file.write(study.replace("beta:  learn", "beta: 1.25").replace("eta:   learn", "eta: 0"))
    shutil.copy(os.path.join(SOURCE, "examples", "rust", "study.yaml"), os.path.join(folder, "rust.yaml"))
    with open(os.path.join(folder, "buses.csv"), "w") as file:
        file.write("bus_id,make,period,mileage_bin,replaced\n")
        for bus in range(3):
            for period in range(12):
                file.write(f"{bus},a,{period},{period // 2 + bus},{int(period == 11)}\n")
    known = ("[0.6, 0.4]", "[[0.9, 0.1], [0.15, 0.85]]", "[[0.8, 0.2], [0.25, 0.75]]", "0.5")
    for name, text in (("machine.yaml", MACHINE), ("features.csv", FEATURES), ("known.yaml", HIDDEN % known),
                       ("hidden.yaml", HIDDEN % ("learn", "learn shared", "learn", "learn"))):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for step in (f"simulate study.yaml {TRUTH} {COARSE} -n 8 --max-steps 6 --seed 7 -o plain.csv",
                 f"fit study.yaml plain.csv -o fit {GIVEN} {COARSE} {SHORT_FIT} --seed 3",
                 "simulate known.yaml -n 30 --max-steps 5 --seed 7 -q -o hidden.csv",
                 "simulate machine.yaml -p gain=2 -n 8 --max-steps 6 --seed 7 -q -o runs.csv"):
        code, _, said = run(command_of(step, 0), folder)
        if code not in (0, 1):
            sys.exit(f"{step}: {code}\n{said}")
    with open(os.path.join(folder, "runs.csv")) as runs, open(os.path.join(folder, "machines.csv"), "w") as logs:
        for i, line in enumerate(runs):
            logs.write(line.rstrip("\n") + (",site\n" if i == 0 else f",{'ab'[int(line.split(',')[0]) % 2]}\n"))


class Case:
    def __init__(self, name, common):
        self.name = name
        before, self.text, self.results = CASES[name]
        self.folder = tempfile.mkdtemp(prefix="asif-faults-", dir=MEMORY)
        self.start, self.place = os.path.join(self.folder, "start"), os.path.join(self.folder, "run")
        self.notes = os.path.join(self.folder, "notes")
        shutil.copytree(common, self.start)
        self.failures = []
        for step in [*before, self.text]:
            code, _, said = run(command_of(step, 1), self.start)
            if code not in (0, 1):
                sys.exit(f"{self.name}: {step}: {code}\n{said}")
        for step in before:
            run(command_of(step, 2), self.start)
        self.old = results(self.start, self.results)
        self.whole = self.undisturbed()

    def close(self):
        shutil.rmtree(self.folder)

    def fresh(self):
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.start, self.place, symlinks=True)

    def undisturbed(self):
        self.fresh()
        code, out, said = run(command_of(self.text, 2), self.place)
        if code not in (0, 1):
            sys.exit(f"{self.name}: {self.text}: {code}\n{said}")
        new = results(self.place, self.results)
        if new == self.old:
            sys.exit(f"{self.name}: the results of both seeds are the same")
        return code, out, new

    def disturbed(self, **fault):
        """Exit code, standard output, messages, what was hit (None: nothing), how many requests there were, and which of
        them were the first from their places in the program."""
        self.fresh()
        if os.path.exists(self.notes):
            os.remove(self.notes)
        code, out, said = run(command_of(self.text, 2), self.place, notes=self.notes, **fault)
        hit, count, places = None, 0, []
        if os.path.exists(self.notes):
            with open(self.notes, errors="replace") as file:
                for line in file:
                    words = line.split(maxsplit=2)
                    if words[0] == "hit":
                        hit = words[1:]
                    elif words[0] == "first":
                        places.append(int(words[1]))
                    elif words[0] == "count":
                        count = int(words[1])
        return code, out, said, hit, count, places

    def fail(self, what, fault, hit, said):
        words = " ".join(f"{key}={value}" for key, value in fault.items())
        self.failures.append(f"{self.name} [{words}] {' '.join(hit or [])}: {what}\n    {said.strip()[-600:]}")

    def check(self, again=True, **fault):
        code, out, said, hit, _, _ = self.disturbed(**fault)
        now = results(self.place, self.results)
        unharmed = (code, out, now) == self.whole
        short = fault.get("code") == SHORT and fault["kind"] == "io"
        if not hit:
            if not unharmed:
                self.fail(f"nothing failed, and yet exit code {code}", fault, hit, said)
            return False
        if "Sanitizer" in said or "runtime error" in said or code < 0:
            self.fail(f"crash, exit code {code}", fault, hit, said)
        elif short or (hit[0] in HARMLESS and code == self.whole[0]):
            if not unharmed:
                self.fail(f"should do no harm; exit code {code}", fault, hit, said)
        elif code != 3:
            self.fail(f"exit code {code}, not 3", fault, hit, said)
        elif not re.search(r"^asif: \S.{5,}", said, re.M):
            self.fail("no message", fault, hit, said)
        elif fault["kind"] == "alloc" and "out of memory" not in said:
            self.fail("it is not said that there is no memory", fault, hit, said)
        self.check_files(fault, hit, said, now, code)
        if again and code == 3:
            self.check_again(fault, hit)
        return True

    def check_files(self, fault, hit, said, now, code):
        old, new = self.old, self.whole[2]
        if now not in (old, new):
            lost = sorted(name for name in set(old) & set(new) if name not in now)
            mixed = sorted(name for name in now if now[name] not in (old.get(name), new.get(name)))
            self.fail(f"neither old nor new results: lost {lost}, others {mixed}, there are {sorted(now)}", fault, hit, said)
        if not hit[0].startswith("unlink") and leftovers(self.place):
            self.fail(f"left behind: {leftovers(self.place)}", fault, hit, said)

    def check_again(self, fault, hit):
        code, _, said = run(command_of(self.text, 2), self.place)
        now = results(self.place, self.results)
        if code != self.whole[0] or now != self.whole[2]:
            which = sorted(name for name in set(now) | set(self.whole[2]) if now.get(name) != self.whole[2].get(name))
            self.fail(f"run again: exit code {code}, different {which}", fault, hit, said)

    def count(self, kind):
        """How many requests there are, and those that are the first from their place in the program."""
        code, _, said, _, count, places = self.disturbed(kind=kind, at=0, stacks=1)
        if code != self.whole[0] or not places:
            sys.exit(f"{self.name}: counting {kind}: exit code {code}, {count} requests\n{said}")
        return count, places


def chosen(numbers, most, shift=0):
    """At most so many of them, spread evenly, the first and the last among them."""
    last = len(numbers) - 1
    if last < most:
        return numbers
    return sorted({numbers[0], numbers[last], *(numbers[min(last, (i * last + shift) // most)] for i in range(most))})


def over_all(names, examine):
    """Call examine(case) for each; the report of what failed. Exits nonzero if something did."""
    common = tempfile.mkdtemp(prefix="asif-faults-", dir=MEMORY)
    failures = []
    try:
        prepare(common)
        for name in names:
            case = Case(name, common)
            print(f"{name}: {examine(case)}", flush=True)
            for failure in case.failures:
                print("FAILED " + failure, flush=True)
            failures += case.failures
            case.close()
    finally:
        shutil.rmtree(common)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)
