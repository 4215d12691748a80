"""The table of structured losses: what should go up and what should go down.

Gimpel and Smith (2012), Structured ramp loss minimization for machine translation, figure 2. With
the score s = w · h and the cost c of a hypothesis, a loss of a list is

    L(w) = − M(s + a c) + M(s + b c),    M = max, or log Σ exp in the soft versions,

where the first M is over what should go up and the second over what should go down. Each class
below is one row of the table; the mathematics is in the core, once (loss.hpp).
"""

from typing import ClassVar, Literal, Protocol

from hopefear import _core
from hopefear.registry import Registry
from hopefear.settings import setting, settings

__all__ = [
    "BayesRisk",
    "Hinge",
    "Loss",
    "Perceptron",
    "Ramp1",
    "Ramp2",
    "Ramp3",
    "ReferenceDerivation",
    "losses",
]

ReferenceDerivation = Literal["hope", "local", "max-metric", "bold"]
"""What stands for the reference, which a model can seldom produce.

``hope``: the best of score minus cost. ``local``: the least cost among the model's best.
``max-metric``: the least cost in the list. ``bold``: cost zero, or the sentence is skipped.
"""


class Loss(Protocol):
    """A loss of one sentence's list of hypotheses."""

    @property
    def smooth(self) -> bool:
        """Whether it has a gradient everywhere, as L-BFGS needs."""

    def core(self) -> _core.Loss:
        """Return the loss as the core knows it."""


losses: Registry[Loss] = Registry("loss", group="hopefear.losses")


@settings
class _TwoSides:
    """A loss of two sides, each a max or a log-sum-exp."""

    soft: bool = setting(False, "log Σ exp in place of max, on both sides.")

    @property
    def smooth(self) -> bool:
        return self.soft

    def _side(self, pool: _core.Pool, cost: float) -> _core.Side:
        return _core.Side(pool=pool, cost=cost, soft=self.soft)

    def _all(self, cost: float) -> _core.Side:
        return self._side(_core.Pool.all, cost)


@settings
class _WithReference(_TwoSides):
    """A loss that raises a reference derivation."""

    reference: ReferenceDerivation = setting("max-metric", "What stands for the reference.")
    local_size: int = setting(
        100, "How many of the model's best hypotheses are searched for a local reference.", least=1
    )

    def _raised(self) -> _core.Side:
        if self.reference == "hope":
            return self._all(-1.0)
        pool = {
            "local": _core.Pool.local,
            "max-metric": _core.Pool.least_cost,
            "bold": _core.Pool.reference,
        }[self.reference]
        return self._side(pool, 0.0)


@losses.register("perceptron")
@settings
class Perceptron(_WithReference):
    """Equations 9 and 10: the reference above the 1-best; its soft version is the log loss."""

    def core(self) -> _core.Loss:
        """− max_reference s + max s."""
        return _core.Loss(up=self._raised(), down=self._all(0.0), local_size=self.local_size)


@losses.register("log")
@settings
class Log(Perceptron):
    """− log p(reference): the soft perceptron loss."""

    soft: bool = setting(True, "log Σ exp in place of max, on both sides.")


@losses.register("hinge")
@settings
class Hinge(_WithReference):
    """Equation 13: the reference above the worst of score plus cost."""

    def core(self) -> _core.Loss:
        """− max_reference s + max (s + c)."""
        return _core.Loss(up=self._raised(), down=self._all(1.0), local_size=self.local_size)


@losses.register("ramp-1")
@settings
class Ramp1(_TwoSides):
    """Equation 6: the 1-best above the fear; softened it is the Jensen risk bound."""

    def core(self) -> _core.Loss:
        """− max s + max (s + c)."""
        return _core.Loss(up=self._all(0.0), down=self._all(1.0))


@losses.register("ramp-2")
@settings
class Ramp2(_TwoSides):
    """Equation 7: the hope above the 1-best."""

    def core(self) -> _core.Loss:
        """− max (s − c) + max s."""
        return _core.Loss(up=self._all(-1.0), down=self._all(0.0))


@losses.register("ramp-3")
@settings
class Ramp3(_TwoSides):
    """Equation 8: the hope above the fear."""

    def core(self) -> _core.Loss:
        """− max (s − c) + max (s + c)."""
        return _core.Loss(up=self._all(-1.0), down=self._all(1.0))


@losses.register("soft-ramp-1")
@settings
class JensenRiskBound(Ramp1):
    """log E exp(cost) ≥ E cost: the first ramp loss, softened (Gimpel and Smith, 2010)."""

    soft: bool = setting(True, "log Σ exp in place of max, on both sides.")


@losses.register("soft-ramp-2")
@settings
class SoftRamp2(Ramp2):
    """The second ramp loss, softened."""

    soft: bool = setting(True, "log Σ exp in place of max, on both sides.")


@losses.register("soft-ramp-3")
@settings
class SoftRamp3(Ramp3):
    """The third ramp loss, softened."""

    soft: bool = setting(True, "log Σ exp in place of max, on both sides.")


@losses.register("risk")
@settings
class BayesRisk:
    """Equation 5: the expected cost under p ∝ exp(s)."""

    smooth: ClassVar[bool] = True

    def core(self) -> _core.Loss:
        """E c."""
        return _core.Loss(risk=True)
