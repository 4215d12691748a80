"""What online learners have in common that look for hope and fear.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, sections 4 and 5.
"""

from abc import ABC
from dataclasses import dataclass, field
from typing import Annotated

from hopefear.learners.online import OnlineLearner
from hopefear.search import (
    Hope,
    ReferenceDerivation,
    Rerank,
    Search,
    reference_derivations,
    searches,
)

__all__ = ["HopeFearLearner"]


@dataclass(frozen=True, kw_only=True)
class HopeFearLearner(OnlineLearner, ABC):
    """An online learner that moves from one derivation to another.

    Parameters
    ----------
    search : Search
        How hope and fear are found: rerank, linear, nbest.
    reference : ReferenceDerivation
        What to move towards: hope, local, max-bleu, bold.
    """

    search: Annotated[Search, searches] = field(default_factory=Rerank)
    reference: Annotated[ReferenceDerivation, reference_derivations] = field(default_factory=Hope)
