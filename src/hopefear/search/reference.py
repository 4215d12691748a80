"""The reference derivation: what a learner moves towards.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 4; Liang et al.
(2006), An end-to-end discriminative approach to machine translation, ACL, for bold and local
updating.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hopefear.errors import OptionError
from hopefear.metrics import OracleDocument
from hopefear.registry import Registry
from hopefear.search.base import Example, Found, Search
from hopefear.settings import setting, settings

__all__ = [
    "Bold",
    "Hope",
    "Local",
    "MaxBleu",
    "ReferenceDerivation",
    "reference_derivations",
]


class ReferenceDerivation(Protocol):
    """Chooses the derivation to move towards."""

    def choose(
        self, example: Example, search: Search, document: OracleDocument, epoch: int
    ) -> Found | None:
        """Return the derivation; None to leave the sentence out. `epoch` counts from 0."""


reference_derivations: Registry[ReferenceDerivation] = Registry("reference derivation")


@reference_derivations.register("hope")
@settings
class Hope:
    """argmax w · h − μ B: good for the model and good by BLEU (equation 9)."""

    mu: float = setting(
        -1.0,
        "μ < 0: how much BLEU counts. More negative values learn faster at first, less negative "
        "ones end higher (figure 3b).",
    )
    # The paper leaves a schedule open, after McAllester et al. (2010).
    mu_decay: float = setting(
        1.0, "μ is multiplied by this after every epoch; 1 keeps it.", above=0, most=1
    )

    def check(self) -> None:
        """Require that BLEU counts."""
        if not self.mu < 0:
            raise OptionError(self, "mu", f" must be < 0, got {self.mu}")

    def choose(
        self, example: Example, search: Search, document: OracleDocument, epoch: int
    ) -> Found:
        """Return the hope."""
        gain_weight = -self.mu * self.mu_decay**epoch
        return search.find(example, example.scores, document, gain_weight)[0]


@reference_derivations.register("max-bleu")
@dataclass(frozen=True, kw_only=True)
class MaxBleu:
    """argmax B, whatever the model thinks of it (4.1)."""

    def choose(
        self, example: Example, search: Search, document: OracleDocument, epoch: int
    ) -> Found:
        """Return the best by BLEU that the search finds."""
        found = search.find(example, np.zeros_like(example.scores), document, 1.0)[0]
        edges = found.derivation.edges
        scored = example.forest.derivation(edges, edge_scores=example.scores)
        return Found(scored, found.statistics)


@reference_derivations.register("local")
@settings
class Local:
    """The best by BLEU of the model's n-best list (4.2)."""

    size: int = setting(100, "Length of the list; the longer, the closer to max-BLEU.", least=1)

    def choose(
        self, example: Example, search: Search, document: OracleDocument, epoch: int
    ) -> Found:
        """Return the derivation; of equals the one that the model likes best."""
        found = example.nbest(self.size, distinct=False)
        gains = document.gains(np.array([candidate.statistics for candidate in found]))
        return found[int(gains.argmax())]


@reference_derivations.register("bold")
@dataclass(frozen=True, kw_only=True)
class Bold:
    """The best derivation of a reference itself; where there is none the sentence is left out."""

    def choose(
        self, example: Example, search: Search, document: OracleDocument, epoch: int
    ) -> Found | None:
        """Return the derivation, if a reference can be reached."""
        edges = example.references.reach(example.forest, example.sentence, example.scores)
        if edges is None:
            return None
        return example.found([example.forest.derivation(edges, edge_scores=example.scores)])[0]
