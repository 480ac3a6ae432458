"""Matrices of log-likelihoods on which leave-one-out is compared with other implementations, and the library's answer."""
import ctypes

from draws import Draws, np, pointer


class Loo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("elpd", "p", "k", "efficiency")] + [
        ("constant", ctypes.c_bool)
    ]


class Library(Draws):
    def loo(self, values, efficiency=np.nan):
        """Of one unit, values [chains, draws]."""
        values = np.ascontiguousarray(values, float)
        out, (chains, draws) = Loo(), values.shape
        self.call(
            "asif_leave_one_out",
            ctypes.byref(out),
            self.context,
            pointer(values),
            ctypes.c_uint32(chains),
            ctypes.c_uint64(draws),
            ctypes.c_double(efficiency),
        )
        return out


def autoregressive(rng, chains, draws, phi):
    z = rng.standard_normal((chains, draws))
    x = np.empty_like(z)
    x[:, 0] = z[:, 0]
    for i in range(1, draws):
        x[:, i] = phi * x[:, i - 1] + np.sqrt(1 - phi * phi) * z[:, i]
    return x


def cases(rng):
    """(name, values [units, chains, draws]): the length of a chain is a product of 2, 3 and 5, for which loo's transform is exact."""
    for chains, draws in [(4, 1000), (4, 250), (2, 500), (1, 2000), (3, 75), (4, 16), (4, 8), (2, 10)]:
        theta = autoregressive(rng, chains, draws, 0.6)
        other = autoregressive(rng, chains, draws, -0.4)
        size = "%d x %d" % (chains, draws)
        light = [a * theta - 0.02 * b * other**2 for a, b in rng.uniform(-1, 1, (12, 2))]
        yield "light tails, " + size, np.stack(light)
        heavy = [-0.5 * (theta - m) ** 2 * s for m, s in zip(rng.uniform(-3, 3, 12), rng.uniform(0.3, 1.5, 12))]
        yield "heavy tails, " + size, np.stack(heavy)
        cauchy = [-np.log1p((rng.standard_cauchy() - 3 * theta - other) ** 2) for _ in range(8)]
        yield "Cauchy, " + size, np.stack(cauchy)
        sticky = theta.copy()
        for c in range(chains):  # as a random walk that stays where it is
            for i in range(1, draws):
                if rng.uniform() < 0.7:
                    sticky[c, i] = sticky[c, i - 1]
        yield "sticky, " + size, np.stack([-0.3 * (sticky - m) ** 2 for m in (-1, 0, 1.5)])
        ties = [-np.floor(np.abs(theta) * n) for n in (1, 2, 20)]
        yield "ties, " + size, np.stack(ties)
        yield "constant, " + size, np.stack([np.full_like(theta, -3.5), np.zeros_like(theta)])
        many = [-20 + 3 * theta + rng.uniform(-1, 1) for _ in range(4)]
        yield "many decisions, " + size, np.stack(many)
