"""The same answer from any number of threads, from any vector instructions, and from both solvers."""
import re

from common import Checks, Folder, np, run, source, study_text
import generate
from library import Engine, LibraryError, have_library

checks, folder = Checks("threads and vectors"), Folder()
diag = source("examples", "diag", "study.yaml")
agents = [
    {"alpha": 0.5, "beta": 1.25, "eta": 0.001},
    {"alpha": 1e-3, "beta": 1e3, "eta": 1e-3},
    {"alpha": 10, "beta": -0.75, "eta": 75},
    {"alpha": "0", "beta": "inf", "eta": 0},
    {"alpha": "0-", "beta": "0+", "eta": -3},
]


def quiet(text):
    return re.sub(r'"seconds": *[-+.0-9eE]+', '"seconds": 0', text)


def problem(seed):
    rng = np.random.default_rng([12, seed])
    p = generate.problem(rng, reward=seed == 1, states=(3, 4))
    return folder.file("p%d.yaml" % seed, study_text(p, generate.theta(rng, limits=False), 14)), p


cases = [
    (
        diag,
        g,
        ["--belief", "0.3,0.7", "--history", "monitor:positive,monitor:negative,declare_healthy:positive"],
        3,
        3,
    )
    for g in agents
]
for seed in range(3):
    path, p = problem(seed)
    cases.append((path, {}, ["--belief", ",".join(repr(float(x)) for x in np.full(p.S, 1 / p.S))], p.U, p.M))

missing = set()
for study, given, options, U, M in cases:
    parameters = [x for name, value in given.items() for x in ("-p", "%s=%s" % (name, value))]
    # Below 16384 nodes one thread does it all.
    sizes = (14,) if study != diag else (30, 20000) if given in agents[::3] else (30,)
    for n in sizes:
        flags = ["--json", "--occupancy", "--resolution", n] + parameters + options
        one, two = (quiet(run("plan", study, "--threads", t, *flags)) for t in (1, 2))
        checks.true(
            one == two, "%s %s, n = %d: 2 threads say\n%s\nand 1 says\n%s" % (study, given, n, two, one)
        )
    if study == diag:
        logs, flags = [], ["-n", 500, "--seed", 4, "--max-steps", 30] + parameters
        for t in (1, 2):
            path = folder.file("logs%d.csv" % t)
            run("simulate", study, "-o", path, "--threads", t, *flags)
            with open(path, "rb") as f:
                logs.append(f.read())
        checks.true(logs[0] == logs[1], "simulate %s: 2 threads differ from 1" % given)
    if not have_library():
        continue
    values, policies, names = [], [], []
    for level, newton in [(level, newton) for level in (1, 2, 3, 4, 0) for newton in (False, True)]:
        try:
            n = 101 if study == diag else 14
            engine = Engine(study, n, tol=1e-13, vector_level=level, newton_only=newton)
        except LibraryError as error:
            checks.true(level > 1 and error.status == -2, "level %d: %s" % (level, error))
            missing.add(level)
            continue
        info = engine.solve(**given)
        names.append("%s (level %d)%s" % (engine.vector(), level, ", Newton" if newton else ""))
        at = "%s %s, %s: " % (study, given, names[-1])
        checks.true(engine.stop(info) == "converged", at + engine.stop(info))
        checks.true(info.linear_products > 0 or not newton, at + "no Jacobian products")
        values.append(engine.values())
        policies.append(engine.look(engine.states(), U, M)["pi"])
        engine.close()
    scale = max(1.0, np.abs(values[0]).max())
    for name, V, pi in zip(names, values, policies):
        # Newton's values are as far as its own residual lets them be.
        room = 1e-12 if "Newton" not in name else 5e-11
        checks.near(
            "%s %s: values, %s" % (study, given, name),
            V,
            values[0],
            atol=room * scale,
            kind="V, Newton" if "Newton" in name else "V",
        )
        if given.get("alpha") not in ("0", "0-"):
            checks.near(
                "%s %s: policy, %s" % (study, given, name),
                pi,
                policies[0],
                atol=1e-9 * max(1, 1 / abs(float(given.get("alpha", 0.05)))),
                kind="pi",
            )
if missing:
    print("vector levels that this machine does not have: %s" % sorted(missing))
checks.finish()
