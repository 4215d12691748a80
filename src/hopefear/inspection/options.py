"""How a cloud is made, and how much of it is shown."""

import math
from dataclasses import dataclass

from hopefear.errors import OptionError
from hopefear.search import Search
from hopefear.settings import require

__all__ = ["CloudOptions"]


@dataclass(frozen=True, kw_only=True)
class CloudOptions:
    """How much of a cloud is shown.

    Parameters
    ----------
    listed : int
        So many of the model's best, at least one.
    others : int
        So many that are drawn at random.
    seed : int
        Decides which are drawn.
    search : Search, optional
        How hope and fear are found in forests; if not given, as the run's learner does, or by
        forest reranking.
    temperature : float, optional
        Of the distribution over a forest from which derivations are drawn. If not given, it is the
        distance of the best from the worst of those listed, so that most lie outside of them.
    """

    listed: int = 100
    others: int = 200
    seed: int = 1
    search: Search | None = None
    temperature: float | None = None

    def __post_init__(self) -> None:
        if self.temperature is not None and not 0 < self.temperature < math.inf:
            raise OptionError(self, "temperature", f" must be > 0, got {self.temperature}")
        require.integer(self, "listed", 1)
        require.integer(self, "others", 0)
        require.integer(self, "seed", 0)
