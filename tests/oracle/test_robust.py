"""No solver failures on random agents, on DIAG and on a problem of ADNI's shape, cold and warm, through the
library.

ASIF_THETAS is the number of agents (300 unless set), ASIF_ADNI_RESOLUTION the lattice of the second
problem (20). Where the oracle is present it applies its own backup to the values now and then: a residual
is not believed, but seen.
"""
import os
import sys

from common import Checks, Folder, np, Problem, source, study_text
from library import Engine, LibraryError
from reference import Term, inverse

checks, folder = Checks("robustness"), Folder()
count = int(os.environ.get("ASIF_THETAS", "300"))
sys.path.insert(0, os.environ.get("ASIF_ORACLE", ""))
try:
    import brc
except ImportError:
    brc = None


def adni():
    """Three slow states. One action sees three results, the other nine more telling ones, and costs.
    Utility is by how certain one is. Invented numbers."""
    rng = np.random.default_rng(11)
    stay = np.array([[0.93, 0.06, 0.01], [0.03, 0.87, 0.10], [0.005, 0.025, 0.97]])
    cheap = np.array([[0.70, 0.25, 0.05], [0.30, 0.50, 0.20], [0.10, 0.30, 0.60]])
    dear = np.kron(cheap, [[0.5, 0.3, 0.2]]) * rng.uniform(0.3, 3, (3, 9))
    worlds = []
    for sharper in (0.7, 1.3):
        omega = np.zeros((2, 3, 12))
        omega[0, :, :3] = cheap**sharper / (cheap**sharper).sum(1, keepdims=True)
        omega[1, :, 3:] = dear**sharper / (dear**sharper).sum(1, keepdims=True)
        worlds.append(omega)
    tau = np.repeat(stay[None, :, None], 2, 2).repeat(2, 0)
    v = np.array([[0.0, -0.1]] * 3)
    return Problem(tau, np.array(worlds), v, 0.95, [0.5, 0.35, 0.15], terms=[Term(">", 0.9, 1.0)])


def theta(rng):
    alpha = float(np.exp(rng.uniform(np.log(1e-3), np.log(10.0))) * (-1 if rng.random() < 0.15 else 1))
    b = rng.normal()
    beta = "inf" if abs(b) < 1e-12 else float(1 / b)
    eta = float(rng.normal(0, 30 if rng.random() < 0.5 else 1))
    if rng.random() < 0.03:
        alpha = str(rng.choice(["0", "0-", "inf"]))
    if rng.random() < 0.03:
        beta = str(rng.choice(["inf", "0+", "0-"]))
    if rng.random() < 0.03:
        eta = 0.0
    return {"alpha": alpha, "beta": beta, "eta": eta}


def examine(name, study, resolution, problem):
    warm, cold = Engine(study, resolution), Engine(study, resolution)
    rng, backups, products = np.random.default_rng(5), {"cold": [], "warm": []}, 0
    warm.solve(alpha=1.0, beta="inf", eta=0.0)
    lattice = order = None
    if brc and problem is not None:
        lattice = brc.Lattice(problem.S, resolution)
        grid = brc.Plan.precompute(problem, lattice)
        keys = {tuple(np.round(z * resolution).astype(int)): i for i, z in enumerate(lattice.z)}
        order = np.array([keys[tuple(np.round(z * resolution).astype(int))] for z in warm.states()])
    for i in range(count):
        given, values, infos = theta(rng), {}, {}
        at = "%s, agent %d (%s): " % (name, i, ", ".join("%s %s" % kv for kv in given.items()))
        for how, engine in (("cold", cold.fresh()), ("warm", warm)):
            try:
                info = engine.solve(**given)
            except LibraryError as error:
                checks.fail(at + how + ": " + str(error))
                continue
            values[how], infos[how] = engine.values(), info
            backups[how].append(info.backups)
            products += info.linear_products
            checks.true(
                engine.stop(info) == "converged",
                at
                + "%s: stopped because of %s after %d backups, residual %g"
                % (how, engine.stop(info), info.backups, info.residual),
            )
            checks.true(
                info.residual <= engine.options.tol * info.scale,
                at + "%s: residual %g, scale %g" % (how, info.residual, info.scale),
            )
            checks.near(at + how + ": scale", info.scale, max(1.0, np.abs(values[how]).max()), rtol=1e-12)
            checks.near(at + how + ": bound", info.bound, 0.95 / 0.05 * info.residual, rtol=1e-9)
        if len(values) == 2:
            scale = infos["cold"].scale
            room = infos["cold"].bound + infos["warm"].bound + 1e-13 * scale
            checks.near(at + "warm and cold", values["warm"], values["cold"], atol=room, kind="warm/cold")
        if lattice is not None and i % 10 == 0 and "warm" in values:
            judge = brc.Plan(
                problem,
                resolution,
                inverse(given["alpha"]),
                inverse(given["beta"]),
                given["eta"],
                lattice,
                grid,
            )
            V = np.zeros(lattice.size)
            V[order] = values["warm"]
            checks.near(
                at + "the oracle's backup of the values",
                judge.backup(V)[0],
                V,
                atol=2e-12 * infos["warm"].scale,
                kind="residual",
            )
    print(
        "%s: %d agents; backups cold median %d, most %d; warm median %d, most %d; %d Jacobian products"
        % (
            name,
            count,
            np.median(backups["cold"]),
            max(backups["cold"]),
            np.median(backups["warm"]),
            max(backups["warm"]),
            products,
        )
    )
    warm.close()
    cold.close()


examine("DIAG", source("examples", "diag", "study.yaml"), 100, brc and brc.diag_problem())
p = adni()
path = folder.file("adni.yaml", study_text(p, {"alpha": 1.0, "beta": "inf", "eta": 0.0}))
examine("ADNI's shape", path, int(os.environ.get("ASIF_ADNI_RESOLUTION", "20")), brc and p.oracle(brc))
checks.finish()
