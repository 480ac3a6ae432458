#!/usr/bin/env python3
"""A net under refactorings: everything that the command says and writes, kept and compared.

    net.py compare OLD NEW      run both and demand the same bytes; each is a command, or a file that `run` wrote
    net.py run ASIF FILE        keep what a command does, to be compared later
    net.py numbers OLD NEW      of their JSON, without figures: keys that are gone or new, and numbers that differ; words may differ
    net.py check ASIF           compare with tests/net/expected, as the ctest net.net does
    net.py record ASIF          renew tests/net/expected
    net.py intended             list the intended differences (intended.md) as they are understood

compare demands equal bytes of standard output, standard error and every file written, and equal exit codes, once MASKS have
been put on; differences that intended.md names are told and allowed. A run is kept by the digest of the command, its library,
the cases and the examples, in $XDG_CACHE_HOME/asif-net, so that the old side runs once.

check has to hold on other machines, too. Words are compared exactly, blanks and line breaks apart. Numbers of `solved` cases
may differ by 1e-6 of their size (1e-9 near 0). Numbers of `drawn` cases come out of searches and chains, which carry a
difference in the last bit far: with another processor or C library the draws are others, and with them words that depend on
a verdict. So the draws of the case fit.nuts decide. If they are the recorded ones, `drawn` cases are held like `solved` ones,
and what is too long to be kept by its digest. If not, `drawn` cases and long outputs are compared by their shape: exit
codes, names of files, headings, keys of JSON, heads of tables, sections and figures of pages. If not, and the machine says
that it is of the recorded kind (vector instructions, C library), that is an error: the draws were changed.
"""
import difflib
import fnmatch
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "expected")
INTENDED = os.path.join(HERE, "intended.md")
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "examples")

# What changes by nature, and why. The first group is replaced.
MASKS = [
    (r'"(?:started|finished)": "([^"]*)"', "TIME", "when a fit was made"),
    (r'"seconds\w*": ([-+.e\d]+)', "0", "how long it took"),
    (r"HOW LONG A FIT TAKES, by a forecast\n((?:  (?:time|of which|at worst) .*\n(?: {14}.*\n)*)+)", "TIMES\n", "how long a fit will take"),
    (r"fitted on (\d{4}-\d\d-\d\d)", "DATE", "the same on the page"),
    (r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)", "TIME", "the same on the page"),
    (r"(<tr><th scope=.row.><bdi>(?:started|total time|time of the \w+)</bdi></th>(?:<td[^>]*><bdi>[^<]*</bdi></td>)+</tr>\n)", "",
     "the same on the page, where a time of 0 has no row, and groups with the same time have one row"),
    (r'"bytes": \d+,\s+"sha256": "([0-9a-f]{64})"', "DIGEST", "of files with a time or numbers in them: test_folder.py holds them"),
    (r'"name": "[^"]*",\s+"bytes": (\d+)', "0", "the same"),
    (r'"vector": "(\w+)"', "VECTOR", "vector instructions of the processor"),
    (r'"threads": (\d+)', "0", "all processors of the machine"),
    (r"<bdi>threads</bdi></th>(?:<td[^>]*><bdi>all</bdi></td>)?<td[^>]*><bdi>(\d+)", "0", "the same on the page"),
    (None, "VERSION", "asif's version: text_of() puts it on"),
    (None, "FOLDER", "the folder that the cases run in, which some files name: text_of() puts it on"),
    (r"(asif: \d+ fits, about [^\n]*\n)", "", "how long they will take, which slow machines announce"),
    (r"\.html: ([\d.]+ [kM]B)", "SIZE", "of a page, most of which is what draws the figures"),
    (r'(?:"key": "|replicates, key )([0-9a-f]{64})', "KEY", "digest of everything that was read, the version among it"),
    (r"^asif VERSION( \(commit [^)]+\))\n", "", "the commit"),
    (r"<script>\s*(/\*!\s*d3-.*?)</script>", "CHARTS", "what draws the figures: other people's, and not in every build"),
]
LONG = {"json": 2500, "csv": 1200, "html": 0, "text": 12000, "data": 1000}  # bytes; longer: skeleton and digest
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
RELATIVE, ABSOLUTE = 1e-6, 1e-9
PROBE = ("fit.nuts", "nuts/chain-1.csv")


def mask(text):
    for pattern, word, _ in MASKS:
        if pattern:
            text = re.sub(pattern, lambda m: m[0].replace(m[1], word, 1), text, flags=re.S)
    return text


def snapshot():
    """Every file here: what tells whether it was written, and its mode."""
    found = {}
    for folder, _, names in os.walk("."):
        for name in names:
            path = os.path.join(folder, name)[2:]
            about = os.lstat(path)
            found[path] = (about.st_mtime_ns, about.st_size, about.st_ino, about.st_mode)
    return found


def read(path):
    with open(path, "rb") as file:
        return file.read()


def text_of(data, version):
    if b"\0" in data:
        return f"binary, {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}\n"
    return mask(data.decode("utf-8", "backslashreplace").replace(version, "VERSION").replace(os.getcwd(), "FOLDER"))


def call(asif, words, locale="C.UTF-8", **more):
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": locale, "HOME": "/nonexistent"}
    environment.update({k: v for k, v in os.environ.items() if k in ("LD_LIBRARY_PATH", "GLIBC_TUNABLES")})
    return subprocess.run(["asif", *words], executable=asif, capture_output=True, env=environment, timeout=300, **more)


def run_one(asif, version, locale, words, source, target):
    before = snapshot()
    with open(source or os.devnull, "rb") as given:
        done = call(asif, words, locale, stdin=given)
    after = snapshot()
    streams = {"stdout": text_of(done.stdout, version), "stderr": text_of(done.stderr, version)}
    for path in sorted(after):
        if after[path] != before.get(path):
            streams[path] = text_of(read(path), version)
            if after[path][3] & 0o777 != 0o644:
                streams[path + " (mode)"] = oct(after[path][3])
    for path in sorted(set(before) - set(after)):
        streams[path] = "REMOVED"
    if target:
        with open(target, "wb") as file:
            file.write(done.stdout)
    return {"command": " ".join(["asif", *words]), "exit": done.returncode,
            "streams": {name: text for name, text in streams.items() if text or name not in ("stdout", "stderr")}}


def run(asif):
    """What a command does: {"machine": ..., "cases": {name: case}}."""
    asif = os.path.abspath(asif)
    os.umask(0o022)
    home = os.getcwd()
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            version = call(asif, ["--version"]).stdout.decode().split()[1]
            listed = call(asif, ["--help"]).stdout.decode()
            commands = re.findall(r"^  ([a-z][\w-]*) +\S", listed.split("Commands:")[-1].split("To start:")[0].split("A first round:")[0], re.M)
            cases.prepare(EXAMPLES)
            for name, kind, words, source, target in cases.cases(EXAMPLES, commands):
                cases.between(name)
                assert name not in made, name
                locale = "C" if name.endswith(".ascii") else "C.UTF-8"
                made[name] = {"kind": kind, **run_one(asif, version, locale, words, source, target)}
            with open("fit/run.json") as file:
                vector = json.load(file)["vector"]
        finally:
            os.chdir(home)
    charts = "CHARTS" in made["report"]["streams"].get("page.html", "")
    return {"machine": [vector, *platform.libc_ver(), "charts" if charts else "no-charts"],
            "asked": short(read(cases.__file__).decode()), "cases": made}


def digest_of_run(asif):
    linked = subprocess.run(["ldd", asif], capture_output=True, text=True).stdout.split()
    paths = [asif, *sorted(p for p in linked if "libasif" in p and os.path.isabs(p)), __file__, cases.__file__]
    for folder, _, names in sorted(os.walk(EXAMPLES)):
        paths += [os.path.join(folder, name) for name in sorted(names)]
    sums = [hashlib.sha256(read(path)).hexdigest() for path in paths]
    return hashlib.sha256(" ".join(sums).encode()).hexdigest()[:24]


def kept(path):
    """The run of a command, from the cache if it is there; or the file of one."""
    if read(path)[:1] == b"{":
        made = json.loads(read(path))
        for case in made["cases"].values():
            case["streams"] = {stream: mask(text) for stream, text in case["streams"].items()}
        return made
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "asif-net")
    os.makedirs(cache, exist_ok=True)
    file = os.path.join(cache, digest_of_run(os.path.abspath(path)) + ".json")
    if not os.path.exists(file):
        begun = time.monotonic()
        save(run(path), file)
        for old in sorted(os.scandir(cache), key=lambda entry: -entry.stat().st_mtime)[12:]:
            os.remove(old)
        print(f"{path}: ran in {time.monotonic() - begun:.0f} s")
    return json.loads(read(file))


def save(made, path):
    with open(path + ".part", "w") as file:
        json.dump(made, file, indent=1)
    os.replace(path + ".part", path)


def lines_of(text):
    """Lines short enough for a diff to say something."""
    return [piece for line in text.splitlines() for piece in (re.split(r"(?<=,) ?", line) if len(line) > 200 else [line])]


def show(old, new, title, most=60):
    lines = list(difflib.unified_diff(lines_of(old), lines_of(new), title + " (old)", title + " (new)", "", "", 2, ""))
    for line in lines[:most]:
        print("  " + line[:400])
    if len(lines) > most:
        print(f"  ... {len(lines) - most} more lines")
    if not lines:
        print("  the ends of lines differ")


def intended():
    """[(pattern of cases, pattern of streams, reason)] of lines such as: - `CASE STREAM`: reason."""
    with open(INTENDED) as file:
        found = re.findall(r"^[-*] `(\S+)(?: ([^`]+))?`: (\S.*)$", file.read(), re.M)
    return [(case, stream or "*", reason) for case, stream, reason in found]


def compare(old, new):
    allowed = intended()
    used, wrong, differing = set(), 0, 0
    nothing = {"exit": None, "command": None, "streams": {}}
    both = dict.fromkeys([*old["cases"], *new["cases"]])
    if old.get("asked") != new.get("asked"):
        print("one side ran an older list of cases: only what both know is compared, and later cases may have met other files")
        both = [name for name in old["cases"] if name in new["cases"]]
    for name in both:
        a, b = old["cases"].get(name, nothing), new["cases"].get(name, nothing)
        pairs = [("exit", f"exit {a['exit']}", f"exit {b['exit']}")]
        pairs += [(s, a["streams"].get(s, "(nothing)\n"), b["streams"].get(s, "(nothing)\n"))
                  for s in dict.fromkeys([*a["streams"], *b["streams"]])]
        for stream, before, after in pairs:
            if before == after:
                continue
            differing += 1
            why = [i for i, (case, part, _) in enumerate(allowed)
                   if fnmatch.fnmatchcase(name, case) and fnmatch.fnmatchcase(stream, part)]
            used.update(why)
            wrong += not why
            print(f"{'intended' if why else 'DIFFERENT'}: {name}, {stream}" + (f": {allowed[why[0]][2]}" if why else ""))
            if not why:
                print(f"  $ {b['command'] or a['command']}")
                show(before, after, stream)
    for i, (case, part, reason) in enumerate(allowed):
        if i not in used:
            print(f"no longer there: {case} {part}: {reason}")
    print(f"{len(both)} cases; {differing} outputs differ, {differing - wrong} of them intended")
    return wrong == 0


def leaves(value, path=""):
    """Everything in a document of JSON, by the names of its keys: [(path, value)]."""
    if isinstance(value, dict):
        return [leaf for key, below in value.items() for leaf in leaves(below, f"{path}.{key}")]
    if isinstance(value, list):
        return [(path, "")] + [leaf for below in value for leaf in leaves(below, path + "[]")]
    return [(path, value)]


def numbers(old, new):
    """Whether no key is gone, and no number is another one."""
    gone, more, wrong, documents = set(), set(), 0, 0
    for name in (name for name in old["cases"] if name in new["cases"]):
        a, b = old["cases"][name]["streams"], new["cases"][name]["streams"]
        for stream in (s for s in a if s in b and a[s][:1] == b[s][:1] == "{" and not s.endswith(".vl.json")):
            documents += 1
            before, after = {}, {}
            for found, text in ((before, a[stream]), (after, b[stream])):
                for path, value in leaves(json.loads(text)):
                    found.setdefault(path, []).append(value)
            command = new["cases"][name]["command"].split()[1]
            gone |= {f"{command} {path}" for path in before if path not in after}
            more |= {f"{command} {path}" for path in after if path not in before}
            for path in (path for path in before if path in after):
                told = [[x for x in found[path] if not isinstance(x, str)] for found in (before, after)]
                pairs = zip(*told) if len(told[0]) == len(told[1]) else [(len(told[0]), len(told[1]))]
                for x, y in pairs:
                    if x != y and (x is None or y is None or abs(x - y) > ABSOLUTE * max(abs(x), abs(y)) + 1e-12):
                        wrong += 1
                        if wrong <= 40:
                            print(f"DIFFERENT: {name}, {stream}, {path}: {x}, now {y}")
    for title, found in (("gone", gone), ("new", more)):
        print(f"{title}: " + ("; ".join(sorted(found)) or "none"))
    print(f"{documents} documents; {len(gone)} keys are gone, {len(more)} are new, {wrong} numbers differ")
    return not gone and not wrong


def kind_of(text):
    if text[:1] in "{[":
        return "json"
    if text[:9].lower() == "<!doctype":
        return "html"
    return "csv" if re.match(r"#|\S+,\S+\n", text) else "text"


def json_skeleton(text, seen=None):
    """A line for every object: its name, and its keys; what it holds is indented. The elements of an array are one. Of an object
    with the same keys inside as one before (in `seen`), only the digest of them."""
    seen = {} if seen is None else seen

    def walk(name, values, depth):
        values = [below for value in values for below in (value if isinstance(value, list) else [value])]
        if any(isinstance(value, list) for value in values):
            return walk(name, values, depth)
        objects = [value for value in values if isinstance(value, dict)]
        keys = dict.fromkeys(key for value in objects for key in value)
        if not objects:
            return []
        inside = [line for key in keys for line in walk(key, [value[key] for value in objects if key in value], depth + 1)]
        made = [" ".join(keys), *inside]
        known = short("\n".join(made))
        if len(made) > 1 and known in seen:
            return [" " * depth + f"{name}: as before, {known}"]
        seen[known] = True
        return [" " * depth + f"{name}: {made[0]}", *inside]

    return walk("", [json.loads(text)], 0)


def short(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def page_skeleton(text, _=None):
    """Headings, figures and tables in their order; of each section also the digest of its words, of each figure that of its data."""
    made = []
    body = re.sub(r"<style.*?</style>", "", text, flags=re.S)
    for part in re.split(r"(?=<section )", body):
        words = re.sub(r"<[^>]*>", " ", re.sub(r"<script.*?</script>", "", part, flags=re.S))
        made.append(f"section {''.join(re.findall(r'^<section id=.([^ >]*).', part)) or '(head)'} @{short(words)}")
        for m in re.finditer(r"<h([1-4])[^>]*>(.*?)</h\1>|<figure id=\"([^\"]*)\"|<(table)\b"
                             r"|<script[^>]*id=\"([^\"]*)\">(.*?)</script>", part, re.S):
            if m[1]:
                made.append(f"{'#' * int(m[1])} {re.sub(r'<[^>]*>', '', m[2])}")
            elif m[5]:
                made.append(f"{m[5]} @{short(m[6])}")
            else:
                made.append(m[3] or m[4])
    return made


def csv_skeleton(text, _=None):
    """Its comments without numbers, its head, and how many rows there are."""
    lines = text.splitlines()
    body = [line for line in lines if not line.startswith("#")]
    return [NUMBER.sub("0", line) for line in lines if line.startswith("#")] + body[:1] + [f"{len(body) - 1} rows"]


def text_skeleton(text, _=None):
    """Its beginning without numbers, and how many lines there are."""
    lines = text.splitlines()
    return [NUMBER.sub("0", line) for line in lines[:12]] + [f"{len(lines)} lines"]


SKELETONS = {"json": json_skeleton, "html": page_skeleton, "csv": csv_skeleton, "text": text_skeleton}  # and what was seen before


def stored(made):
    """A run as it is kept in expected/: {case: {command, kind, exit, streams: {name: (form, digest, lines)}}}."""
    seen, objects, out = {}, {}, {}
    for name, case in made["cases"].items():
        if case["kind"] == "unkept":
            continue
        streams = {}
        for stream, text in case["streams"].items():
            digest, form = short(text), kind_of(text)
            if len(text) > 200 and digest in seen:
                streams[stream] = ("same", digest, [seen[digest]])
                continue
            seen.setdefault(digest, f"{name} {stream}")
            data = stream not in ("stdout", "stderr") if form == "text" else form == "json" and case["kind"] == "drawn"
            long = len(text) > LONG["data" if data else form]
            streams[stream] = (form + "-skeleton" if long else form, digest,
                               SKELETONS[form](text, objects) if long else text.splitlines())
        out[name] = {"command": case["command"], "kind": case["kind"], "exit": case["exit"], "streams": streams}
    return out


def write_expected(made):
    os.makedirs(EXPECTED, exist_ok=True)
    for name in os.listdir(EXPECTED):
        os.remove(os.path.join(EXPECTED, name))
    files = {}
    for name, case in stored(made).items():
        command = (case["command"].split() + ["asif"])[1]
        lines = files.setdefault(command if re.fullmatch(r"[a-z-]+", command) and command[0] != "-" else "asif", [])
        lines += [f"case {name} {case['kind']}", f"command {case['command']}", f"exit {case['exit']}"]
        for stream, (form, digest, body) in case["streams"].items():
            lines += [f"stream {form} {digest} {stream}"] + [" " + line for line in body]
        lines.append("")
    files["machine"] = [" ".join(made["machine"])]
    for name, lines in files.items():
        with open(os.path.join(EXPECTED, name + ".txt"), "w") as file:
            file.write("\n".join(lines) + "\n")


def read_expected():
    out, case, body = {}, None, None
    for name in sorted(os.listdir(EXPECTED)):
        if name == "machine.txt":
            continue
        with open(os.path.join(EXPECTED, name)) as file:
            for line in file.read().split("\n"):
                word, _, rest = line.partition(" ")
                if line.startswith(" "):
                    body.append(line[1:])
                elif word == "case":
                    key, kind = rest.rsplit(" ", 1)
                    case = out[key] = {"kind": kind, "streams": {}}
                elif word == "stream":
                    form, digest, stream = rest.split(" ", 2)
                    body = []
                    case["streams"][stream] = (form, digest, body)
                elif word:
                    case[word] = rest
    return out


def tokens(lines):
    """Words and numbers, in order."""
    text, made, at = "\n".join(lines), [], 0
    for m in NUMBER.finditer(text):
        made += text[at:m.start()].split() + [float(m[0])]
        at = m.end()
    return made + text[at:].split()


def near(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= RELATIVE * max(abs(a), abs(b)) + ABSOLUTE
    return a == b


def shape(form, lines):
    """What does not depend on numbers, nor on the words that a verdict chooses."""
    if form == "json":
        return json_skeleton("\n".join(lines))
    if form == "csv":
        return csv_skeleton("\n".join(lines))
    if form == "text":
        return [m[0].strip() for m in (re.match(r"[A-Z][A-Z ]{3,}", line) for line in lines) if m]
    if form == "same":
        return []
    return [re.sub(r" @\w+$", "", NUMBER.sub("0", line)) for line in lines]


def holds(old, new, strict):
    """Does an output agree with the one kept? strict: apart from the last digits; otherwise by its shape."""
    (form, digest, lines), (new_form, new_digest, new_lines) = old, new
    if digest == new_digest:
        return True
    if not strict:
        return {form, new_form} != {form} or shape(form, lines) == shape(form, new_lines)
    if form != new_form or form == "same" or form.endswith("skeleton"):
        return False
    a, b = tokens(lines), tokens(new_lines)
    return len(a) == len(b) and all(map(near, a, b))


def check(made):
    old, new = read_expected(), stored(made)
    with open(os.path.join(EXPECTED, "machine.txt")) as file:
        recorded = file.read().split()
    case, stream = PROBE
    same_draws = old[case]["streams"][stream][1] == new[case]["streams"].get(stream, ("", "", []))[1]
    problems = 0
    print(f"recorded on: {' '.join(recorded)}; here: {' '.join(made['machine'])}; "
          f"{'the same draws' if same_draws else 'other draws: drawn cases are compared by their shape'}")
    if recorded[-1] != made["machine"][-1]:
        print("pages are not compared: only one of the two builds has what draws figures (tools/get-report-assets)")
    if not same_draws and recorded[:-1] == made["machine"][:-1]:
        problems += 1
        print("the draws of fit.nuts are not those recorded, though the machine is of the same kind")
    for name in dict.fromkeys([*old, *new]):
        if name not in old or name not in new:
            problems += 1
            print(f"DIFFERENT: the case {name} {'was not recorded' if name in new else 'is no longer run'}")
            continue
        a, b = old[name], new[name]
        if a["exit"] != str(b["exit"]):
            problems += 1
            print(f"DIFFERENT: {name}: exit code {b['exit']} instead of {a['exit']}")
        for part in dict.fromkeys([*a["streams"], *b["streams"]]):
            before, after = a["streams"].get(part, ("none", "", [])), b["streams"].get(part, ("none", "", []))
            if "html-skeleton" in (before[0], after[0]) and recorded[-1] != made["machine"][-1]:
                continue
            strict = same_draws or (a["kind"] == "solved" and not before[0].endswith("skeleton"))
            if not holds(before, after, strict):
                problems += 1
                print(f"DIFFERENT: {name}, {part}\n  $ {b['command']}")
                if before[2] == after[2]:
                    print("  numbers in what is too long to be kept: `net.py compare` with an older command shows them")
                else:
                    show("\n".join(before[2]), "\n".join(after[2]), part)
    if problems:
        print(f"{problems} differences. Were they intended? Then tests/net/net.py record ASIF, and look at git diff.")
    else:
        print(f"{len(new)} cases as recorded")
    return problems == 0


def main():
    words = sys.argv[1:]
    if len(words) == 3 and words[0] == "compare":
        sys.exit(0 if compare(kept(words[1]), kept(words[2])) else 1)
    if len(words) == 3 and words[0] == "numbers":
        sys.exit(0 if numbers(kept(words[1]), kept(words[2])) else 1)
    if len(words) == 3 and words[0] == "run":
        return save(kept(words[1]), words[2])
    if len(words) == 2 and words[0] == "check":
        sys.exit(0 if check(kept(words[1])) else 1)
    if len(words) == 2 and words[0] == "record":
        return write_expected(kept(words[1]))
    if words == ["intended"]:
        return print("\n".join(" ".join(entry) for entry in intended()))
    sys.exit(__doc__)


if __name__ == "__main__":
    main()
