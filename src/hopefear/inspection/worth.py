"""What a metric says of single sentences: what a picture shows, and what hope and fear weigh."""

from dataclasses import dataclass

import numpy as np

from hopefear.metrics import Bleu, Column, Metric, OracleDocument
from hopefear.metrics.base import Statistics
from hopefear.types import FloatArray

__all__ = ["Worth"]


@dataclass(frozen=True, kw_only=True)
class Worth:
    """The worth of texts by a metric.

    Parameters
    ----------
    metric : Metric
        Any metric.
    document : OracleDocument, optional
        For BLEU: the context in which a text has its gain.
    """

    metric: Metric
    document: OracleDocument | None = None

    @classmethod
    def typical(cls, metric: Metric, chosen: Statistics) -> "Worth":
        """Return the worth in a typical context.

        Parameters
        ----------
        metric : Metric
            Any metric; only BLEU needs a context.
        chosen : array
            The statistics of the 1-best of some sentences, a row for each.

        Notes
        -----
        A learner goes from sentence to sentence with b̄ ← decay · (b̄ + b) (Chiang, 2012, 2.4). With
        the mean b of the sentences that ends at b̄ = decay / (1 − decay) · b. The document of the
        start is added, so that no component is 0.
        """
        if not isinstance(metric, Bleu):
            return cls(metric=metric)
        decay = OracleDocument().decay
        start = metric.corpus_score().first_document()
        mean = chosen.mean(axis=0) if len(chosen) else np.zeros_like(start)
        return cls(
            metric=metric,
            document=OracleDocument(statistics=start + decay / (1 - decay) * mean, decay=decay),
        )

    @property
    def name(self) -> str:
        """What the numbers of `shown` are."""
        if isinstance(self.metric, Bleu):
            return "sentence BLEU+1"
        sign = "" if self.metric.higher_is_better else "minus "
        return f"{sign}{self.metric.name} of the sentence"

    def shown(self, statistics: Statistics) -> FloatArray:
        """Return the worth of each text on its own, as scores are printed; higher is better."""
        percent = 1.0 if isinstance(self.metric, Column) else 100.0
        return percent * self.metric.gains(statistics)

    def gains(self, statistics: Statistics) -> FloatArray:
        """Return B of each text."""
        if self.document is not None:
            return self.document.gains(statistics)
        return self.metric.gains(statistics)
