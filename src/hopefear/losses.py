"""The table of structured losses: what should go up and what should go down.

Gimpel and Smith (2012), Structured ramp loss minimization for machine translation, figure 2. With
the score s = w · h and the cost c of a hypothesis, a loss of a list is

    L(w) = − M(s + a c) + M(s + b c),    M = max, or log Σ exp in the soft versions,

where the first M is over what should go up and the second over what should go down. Each class
below is one row of the table; the mathematics is in the core, once (learn/loss.hpp).
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
    "Soft",
    "TwoSides",
    "losses",
]

ReferenceDerivation = Literal["hope", "local", "max-metric", "bold"]
"""What stands for the reference, which a model can seldom produce.

``hope``: the best of score minus cost. ``local``: the least cost among the model's best.
``max-metric``: the least cost in the list. ``bold``: cost zero, or the sentence is skipped.
"""


Soft = Literal["neither", "up", "down", "both"]
"""Where log Σ exp takes the place of max: for what should go up, for what should go down."""


class Loss(Protocol):
    """A loss of one sentence's list of hypotheses."""

    @property
    def smooth(self) -> bool:
        """Whether it has a gradient everywhere, as L-BFGS needs."""

    def core(self) -> _core.Loss:
        """Return the loss as the core knows it."""


losses: Registry[Loss] = Registry("loss", group="hopefear.losses")


@settings
class TwoSides:
    """L(w) = − M(s + a c) + M(s + b c), with M = max, or log Σ exp where it is `soft`."""

    soft: Soft = setting("neither", "The sides on which log Σ exp takes the place of max (3.4).")

    @property
    def a(self) -> float:
        """How much the cost counts in what should go up."""
        return 0.0

    @property
    def b(self) -> float:
        """How much the cost counts in what should go down."""
        return 0.0

    @property
    def smooth(self) -> bool:
        """Whether it has a gradient everywhere."""
        return self.soft == "both"

    def core(self) -> _core.Loss:
        """Return the loss as the core knows it."""
        return _core.Loss(up=self._up(self.a), down=self._down())

    def _up(self, cost: float, pool: _core.Pool = _core.Pool.all) -> _core.Side:
        return _core.Side(pool=pool, cost=cost, soft=self.soft in ("up", "both"))

    def _down(self) -> _core.Side:
        return _core.Side(cost=self.b, soft=self.soft in ("down", "both"))


@settings
class _WithReference(TwoSides):
    """L(w) = − M_reference s + M(s + b c)."""

    reference: ReferenceDerivation = setting("max-metric", "What takes the place of the reference.")
    local_size: int = setting(
        100, "The number of the model's best hypotheses to search for a local reference.", least=1
    )

    def core(self) -> _core.Loss:
        """Return the loss as the core knows it."""
        return _core.Loss(up=self._reference(), down=self._down(), local_size=self.local_size)

    def _reference(self) -> _core.Side:
        if self.reference == "hope":
            return self._up(-1.0)
        pool = {
            "local": _core.Pool.local,
            "max-metric": _core.Pool.least_cost,
            "bold": _core.Pool.reference,
        }[self.reference]
        return self._up(0.0, pool)


@losses.register("perceptron")
@settings
class Perceptron(_WithReference):
    """Equations 9 and 10: − max_reference s + max s; the soft version is the log loss."""


@losses.register("log")
@settings
class Log(Perceptron):
    """− log p(reference): the soft perceptron loss."""

    soft: Soft = setting("both", "The sides on which log Σ exp takes the place of max (3.4).")


@losses.register("hinge")
@settings
class Hinge(_WithReference):
    """Equation 13: − max_reference s + max (s + c)."""

    b: ClassVar[float] = 1.0


@losses.register("ramp-1")
@settings
class Ramp1(TwoSides):
    """Equation 6: − max s + max (s + c), the 1-best above the fear."""

    b: ClassVar[float] = 1.0


@losses.register("ramp-2")
@settings
class Ramp2(TwoSides):
    """Equation 7: − max (s − c) + max s, the hope above the 1-best."""

    a: ClassVar[float] = -1.0


@losses.register("ramp-3")
@settings
class Ramp3(TwoSides):
    """Equation 8: − max (s − c) + max (s + c), the hope above the fear."""

    a: ClassVar[float] = -1.0
    b: ClassVar[float] = 1.0


@losses.register("soft-ramp-1")
@settings
class JensenRiskBound(Ramp1):
    """log E exp(cost) ≥ E cost: the first ramp loss, softened (Gimpel and Smith, 2010)."""

    soft: Soft = setting("both", "The sides on which log Σ exp takes the place of max (3.4).")


@losses.register("soft-ramp-2")
@settings
class SoftRamp2(Ramp2):
    """The second ramp loss, softened."""

    soft: Soft = setting("both", "The sides on which log Σ exp takes the place of max (3.4).")


@losses.register("soft-ramp-3")
@settings
class SoftRamp3(Ramp3):
    """The third ramp loss, softened."""

    soft: Soft = setting("both", "The sides on which log Σ exp takes the place of max (3.4).")


@losses.register("risk")
@settings
class BayesRisk:
    """Equation 5: E c, the expected cost under p ∝ exp(s)."""

    smooth: ClassVar[bool] = True

    def core(self) -> _core.Loss:
        """Return the loss as the core knows it."""
        return _core.Loss(risk=True)
