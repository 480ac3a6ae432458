"""A solved agent: its policy, values and log-likelihood."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._library import ANY, Call, ffi, lib, new, string

if TYPE_CHECKING:
    import numpy as np

    from ._study import Study


class Plan:
    """The agent of a study with values for all parameters. One thread at a time may use it."""

    def __init__(self, study: "Study", values: Mapping[str, Any], *, resolution: int | None = None):
        self.study = study
        self._call = Call()
        self._theta = study._values(self._call, values)
        options = ffi.new("asif_plan_options *", lib.asif_study_solver(study._study)[0])
        if resolution is not None:
            options.resolution, options.lattice_error = resolution, 0
            if options.beliefs == lib.ASIF_BELIEFS_REACHABLE:
                options.beliefs = lib.ASIF_BELIEFS_LATTICE
        self._work = self._call.make("asif_work", lib.asif_work_create, self._call.context,
                                     lib.asif_study_planner(study._study), lib.asif_study_setting(study._study), options,
                                     free=lib.asif_work_free)
        self._info = ffi.new("asif_plan_info *")
        self._call.run(lib.asif_solve, self._work, self._theta, self._info)
        self._ready()

    def _ready(self) -> None:
        import numpy
        self._numpy = numpy
        self._behavior = lib.asif_work_behavior(self._work)
        self.width: int = lib.asif_behavior_width(self._behavior)
        self._actions: int = lib.asif_setting_get(lib.asif_study_setting(self.study._study)).actions
        self._total = ffi.new("double *")
        self._row = ffi.new("double[]", self._actions)
        self._view = new("asif_view", policy=self._row)
        self._state = ffi.new("double[]", self.width)

    def set(self, **values: float) -> "Plan":
        """Change values of parameters and solve again, starting from the last solution."""
        call = self._call
        for name, value in values.items():
            status = lib.asif_theta_set(self._theta, name.encode(), value, call.error)
            if status:
                call.check(status)
        status = lib.asif_solve(self._work, self._theta, self._info, call.error)
        if status:
            call.check(status)
        return self

    @property
    def converged(self) -> bool:
        return self._info.stop == lib.ASIF_STOP_CONVERGED

    @property
    def actions(self) -> list[str]:
        """Labels of the actions, in the order of the columns of a policy."""
        return self.study._labels(lib.ASIF_LABEL_ACTION, self._actions)

    def policy(self, beliefs: Any) -> "np.ndarray":
        """Probabilities of the actions at one agent state (a belief, or the number of a state that is seen) or at many."""
        return self._look(beliefs, "policy", self._actions)

    def value(self, beliefs: Any) -> "np.ndarray":
        """Expected discounted value at agent states."""
        return self._look(beliefs, "value", 1)[..., 0]

    def _look(self, beliefs: Any, what: str, columns: int) -> "np.ndarray":
        numpy = self._numpy
        states = numpy.ascontiguousarray(beliefs, dtype=float)
        if states.shape[-1:] != (self.width,):
            raise ValueError(f"an agent state has {self.width} numbers: an array [..., {self.width}] was expected")
        out = numpy.empty(states.shape[:-1] + (columns,))
        view = self._view if what == "policy" else new("asif_view")
        setattr(view, what, ffi.from_buffer("double[]", out))
        status = lib.asif_look(self._behavior, states.size // self.width, ffi.from_buffer("double[]", states), view,
                               self._call.error)
        if status:
            self._call.check(status)
        return out

    def log_likelihood(self, logs: Any) -> float:
        """Log-likelihood of logs: of Study.logs(), or anything that it takes."""
        from ._logs import Logs
        tree = logs if isinstance(logs, Logs) else self.study.logs(logs)
        status = lib.asif_loglik(self._total, self._behavior, tree.tree, ffi.NULL, self._call.error)
        if status:
            self._call.check(status)
        return self._total[0]

    def text(self, width: int = 80) -> str:
        """What `asif plan` prints."""
        call = self._call
        return call.text(lib.asif_report_plan, call.context, self.study._study, self._work, self._theta, self._info,
                         new("asif_plan_request"), new("asif_report_options", width=width))

    def simulate(self, episodes: int = 1, *, seed: int = 0, max_steps: int = 1000) -> str:
        """Simulate the agent in the environment; the logs as CSV, as `asif simulate` writes them."""
        pieces: list[bytes] = []

        @ffi.callback("asif_status(void *, const char *, uint64_t)", error=lib.ASIF_EIO)
        def write(user: Any, data: Any, length: int) -> int:
            pieces.append(ffi.buffer(data, length)[:])
            return lib.ASIF_OK

        options = new("asif_simulate_options", episodes=episodes, seed=seed, max_steps=max_steps)
        if lib.asif_setting_get(lib.asif_study_setting(self.study._study)).start_weights:
            options.start = ANY
        self._call.run(lib.asif_simulate_csv, self._behavior, options, write, ffi.NULL, ffi.NULL)
        return b"".join(pieces).decode()

    def __repr__(self) -> str:
        return f"<asif.Plan {self.study.title!r}: {string(lib.asif_stop_text(self._info.stop))}>"
