#!/usr/bin/env python3
"""Recovery of hidden worlds: dynamics learnt from simulated sequences against the world that they come from.

    tests/long/hidden_dynamics.py [BUILD] [--worlds N] [--sequences N] [--seed N] [--states S ...]

For each number of states (4 and 6), N random worlds (3) with two actions that share their transitions, eight observations whose emissions differ by action, and 2,000
sequences of 5 to 15 steps with random actions. States are matched by the permutation nearest to the true emissions. Errors must be within three standard
errors in at least 95 % of all entries, and z-scores must have a root mean square of .8 to 1.25. Draws by Gibbs sampling must have standard deviations within 25 % of
the standard errors in nine of ten entries. Prints the figures; exits with 1 where one fails."""
import argparse
import itertools
import os
import sys
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "oracle"))
os.environ.setdefault("ASIF_SOURCE", SOURCE)
os.environ.setdefault("ASIF_ORACLE", os.path.join(SOURCE, "..", "shared", "oracle"))


def world(rng, S, U, X, np):
    """States that stay for a while, and emissions of which each state has favourites."""
    start = rng.dirichlet(np.full(S, 5.0))
    tau = .8 * np.eye(S) + .2 * rng.dirichlet(np.full(S, 1.0), S)
    omega = np.stack([rng.dirichlet(np.full(X, .35), S) * .95 + .05 / X for _ in range(U)])
    return start, tau, omega


def simulate(rng, w, N, np):
    start, tau, omega = w
    draw = lambda p: int(min(np.searchsorted(np.cumsum(p), rng.random()), len(p) - 1))
    us, xs = [], []
    for _ in range(N):
        s, u, x = draw(start), [], []
        for _ in range(int(rng.integers(5, 16))):
            u.append(int(rng.integers(len(omega))))
            s = draw(tau[s])
            x.append(draw(omega[u[-1], s]))
        us.append(u)
        xs.append(x)
    return us, xs


def permuted(tables, q, np):
    out = {"start": tables["start"][:, q], "tau": tables["tau"][np.ix_(q, q)]}
    return out | {k: v[q] for k, v in tables.items() if k.startswith("omega")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", default=os.path.join(SOURCE, "build", "release"))
    parser.add_argument("--worlds", type=int, default=3)
    parser.add_argument("--sequences", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--states", type=int, nargs="+", default=[4, 6])
    args = parser.parse_args()
    os.environ.setdefault("ASIF_LIB", os.path.join(args.build, "src", "libasif.so"))
    from common import np
    from dynamics import Dynamics

    failed = False
    for S in args.states:
        U, X, z, drawn = 2, 8, [], []
        for k in range(args.worlds):
            rng = np.random.default_rng([args.seed, S, k])
            w = world(rng, S, U, X, np)
            us, xs = simulate(rng, w, args.sequences, np)
            truth = {"start": w[0][None], "tau": w[1]} | {"omega%d" % u: w[2][u] for u in range(U)}
            model = Dynamics(us, xs, S, U, X, {n: (np.ones_like(v, bool), None) for n, v in truth.items()}, ["tau"] * U,
                             [["omega%d" % u] for u in range(U)])
            begun = time.process_time()
            fit = model.learn()
            took = time.process_time() - begun
            q = min((list(q) for q in itertools.permutations(range(S))),
                    key=lambda q: sum(np.abs(fit["point"]["omega%d" % u][q] - w[2][u]).sum() for u in range(U)))
            at, error = permuted(fit["point"], q, np), permuted(fit["error"], q, np)
            here = np.concatenate([((at[n] - truth[n]) / error[n]).ravel() for n in truth])
            here = here[np.isfinite(here)]
            draws, info = model.draw(fit["point"], 400, thin=5)
            sd, se = draws.std(0), model.point(fit["error"])
            ratio = (sd / se)[np.isfinite(se) & (se > 0)]
            z.append(here)
            drawn.append(ratio)
            print("%d states, world %d: %d histories, %d of 20 starts agree, %.1f s; %d of %d entries within 3 standard errors, rms z %.2f; "
                  "draws: effective %.0f, sd / standard error %.2f to %.2f"
                  % (S, k, model.histories, fit["agree"], took, (np.abs(here) < 3).sum(), len(here), np.sqrt((here**2).mean()),
                     info.least_ess, *np.quantile(ratio, [.05, .95])), flush=True)
            model.close()
        z, drawn = np.concatenate(z), np.concatenate(drawn)
        share, rms, near = (np.abs(z) < 3).mean(), np.sqrt((z**2).mean()), (np.abs(drawn - 1) < .25).mean()
        good = share >= .95 and .8 < rms < 1.25 and near >= .9
        failed = failed or not good
        print("%d states: %.1f %% of %d entries within 3 standard errors, rms z %.3f, draws near in %.0f %%: %s"
              % (S, 100 * share, len(z), rms, 100 * near, "good" if good else "FAILED"), flush=True)
    sys.exit(failed)


main()
