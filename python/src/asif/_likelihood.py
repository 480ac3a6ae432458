"""Log-likelihoods of logs at many values of the parameters at once."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._library import ANY, Call, Error, ffi, lib, new, string
from ._logs import Logs, pairs

if TYPE_CHECKING:
    import numpy as np

    from ._study import Study


class Likelihood:
    """Log-likelihood of logs as a function of the parameters that are open, `names`. One thread at a time may use it.

    Agents are solved 32 at a time where the planner can do that, and one by one elsewhere. A result does not depend on what was
    computed before, while Plan.set() starts from the last solution."""

    def __init__(self, study: "Study", logs: Logs, values: Mapping[str, Any]):
        self._call = call = Call()
        array, kept, count = pairs(values)
        theta = study._values(call, values)
        specs = lib.asif_study_estimates(study._study, ffi.NULL, 0)
        spec = ffi.new("asif_estimate_spec[]", max(specs, 1))
        lib.asif_study_estimates(study._study, spec, specs)
        specs = lib.asif_study_left(spec, specs, array, count)
        if not specs:
            raise Error("no parameter is open", hint="mark one as `learn` in the study, or leave it out of `values`")
        work = call.make("asif_work", lib.asif_work_create, call.context, lib.asif_study_planner(study._study),
                         lib.asif_study_setting(study._study), lib.asif_study_solver(study._study), free=lib.asif_work_free)
        self._estimates = call.make("asif_estimates", lib.asif_estimates_create, call.context, theta, spec, specs,
                                    lib.ASIF_PRIORS_STATED, ffi.NULL, free=lib.asif_estimates_free)
        self._target = call.make("asif_target", lib.asif_target_create, work, self._estimates, logs.tree,
                                 new("asif_target_options", objective_only=True), free=lib.asif_target_free)
        self._density = lib.asif_target_density(self._target)
        self._infos = [lib.asif_estimates_get(self._estimates, i) for i in range(specs)]
        for info in self._infos:
            if info.coordinate == ANY or info.label:
                raise Error(f"`{string(info.parameter)}` is a distribution, which has no values to list here",
                            hint="Plan.log_likelihood() takes a study in which it is assumed")
        self.names: list[str] = [string(info.parameter) for info in self._infos]
        self._signs = [-1.0 if spec[i].negative else 1.0 for i in range(specs)]
        at_zero = ffi.new("double[]", specs)
        lib.asif_estimates_report(self._estimates, ffi.new("double[]", specs), at_zero)
        self._at_zero = [self._line(info, at_zero[i]) for i, info in enumerate(self._infos)]

    @staticmethod
    def _line(info: Any, number: Any) -> Any:
        """A reported number on the real line, where it is its coordinate up to a constant."""
        import numpy

        with numpy.errstate(divide="ignore", invalid="ignore"):
            if info.line == lib.ASIF_LINE_LOG:
                return numpy.log(number - info.low) if info.low > -numpy.inf else -numpy.log(info.high - number)
            if info.line == lib.ASIF_LINE_LOGIT:
                return numpy.log((number - info.low) / (info.high - number))
        return number

    def coordinates(self, **values: Any) -> "np.ndarray":
        """The points [..., names] at which these values are, in the coordinates in which a fit samples."""
        import numpy

        if set(values) != set(self.names):
            raise TypeError(f"values of {', '.join(self.names)} were expected, not of {', '.join(values) or 'nothing'}")
        columns = numpy.broadcast_arrays(*(numpy.asarray(values[name], dtype=float) for name in self.names))
        x = numpy.empty(columns[0].shape + (len(columns),))
        for i, (info, number, sign) in enumerate(zip(self._infos, columns, self._signs)):
            number = number * sign
            if lib.asif_parameter_in_logs(info.parameter):
                with numpy.errstate(divide="ignore", invalid="ignore"):
                    number = numpy.log(number)
            x[..., info.coordinate] = self._line(info, number) - self._at_zero[i]
        if not numpy.isfinite(x).all():
            raise ValueError("a value is outside of its parameter's limits")
        return x

    def __call__(self, **values: Any) -> "np.ndarray":
        """The log-likelihoods where each open parameter has these values: numbers, or arrays that numpy can broadcast."""
        import numpy

        points = self.coordinates(**values)
        x = points.reshape(-1, points.shape[-1])
        out = numpy.empty(len(x))
        given, taken, density = ffi.from_buffer("double[]", x), ffi.from_buffer("double[]", out), self._density
        if density.evaluate_many:
            self._call.run(density.evaluate_many, density.user, given, len(x), taken)
        else:
            for i in range(len(x)):
                self._call.check(density.evaluate(density.user, given + i * x.shape[1], taken + i, ffi.NULL, self._call.error))
        return out.reshape(points.shape[:-1])

    def __repr__(self) -> str:
        return f"<asif.Likelihood of {', '.join(self.names)}>"
