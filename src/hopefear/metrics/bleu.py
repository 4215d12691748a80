"""BLEU: the geometric mean of n-gram precisions, times a penalty for being too short.

Papineni et al. (2002), BLEU: a method for automatic evaluation of machine translation, ACL.
Lin & Och (2004), ORANGE, Coling: BLEU+1, the gain of a single sentence.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.errors import OptionError
from hopefear.metrics.base import (
    Statistics,
    format_signature,
    metrics,
    sacrebleu_version,
    score_rows,
)
from hopefear.metrics.bleu_references import BleuReferences
from hopefear.metrics.references import References
from hopefear.settings import setting, settings
from hopefear.text.tokenizers import TokenizerName, tokenizer

__all__ = ["Bleu"]

_SMOOTHINGS = {
    "none": _core.Smoothing.none,
    "floor": _core.Smoothing.floor,
    "add-k": _core.Smoothing.add_k,
    "exp": _core.Smoothing.exponential,
}
_SMOOTHING_VALUES = {"floor": 0.1, "add-k": 1.0}
_LENGTHS = {
    "closest": _core.ReferenceLength.closest,
    "shortest": _core.ReferenceLength.shortest,
    "average": _core.ReferenceLength.average,
}


@metrics.register("bleu")
@settings
class Bleu:
    """exp(1/K Σₖ log(mₖ/nₖ) + min(0, 1 − ρ/n₁)), with statistics [m₁ … m_K, n₁ … n_K, ρ].

    The options are those of sacreBLEU, and so is the score. Learners use the same statistics
    without smoothing, through :class:`~hopefear.metrics.OracleDocument` or `gains`.

    Examples
    --------
    >>> metric = Bleu(tokenize="none")
    >>> references = metric.prepare(References([["the cat sat on the mat"]]))
    >>> metric.score(references.statistics(["the cat sat on a mat"])).round(2)
    array([53.73])
    """

    name: ClassVar[str] = "BLEU"
    higher_is_better: ClassVar[bool] = True
    perfect_gain: ClassVar[float | None] = 1.0

    tokenize: TokenizerName = setting(
        "13a", "sacreBLEU's tokenizer; none keeps the words as they are."
    )
    lowercase: bool = setting(False, "Ignore case.")
    order: int = setting(4, "Longest n-grams.", least=1, most=_core.MAX_NGRAM_ORDER)  # K
    smoothing: Literal["exp", "floor", "add-k", "none"] = setting(
        "exp", "Smoothing of n-gram precisions that are zero."
    )
    smoothing_value: float | None = setting(
        None, "Constant of the smoothing: 0.1 for floor and 1 for add-k by default.", least=0
    )
    effective_order: bool = setting(False, "Ignore orders for which the hypothesis is too short.")
    reference_length: Literal["closest", "shortest", "average"] = setting(
        "closest", "Which length to use if there are several references."
    )  # ρ

    def check(self) -> None:
        """Require a smoothing that uses the constant, if it is given."""
        if self.smoothing_value is not None and self.smoothing not in _SMOOTHING_VALUES:
            problem = f": smoothing '{self.smoothing}' takes no constant; use floor or add-k"
            raise OptionError(self, "smoothing_value", problem)

    @property
    def _value(self) -> float | None:
        """The constant of the smoothing; None if it takes none."""
        default = _SMOOTHING_VALUES.get(self.smoothing)
        return default if default is None or self.smoothing_value is None else self.smoothing_value

    def prepare(self, references: References) -> BleuReferences:
        """Return references that compute the statistics of hypotheses."""
        return BleuReferences(
            references,
            tokenize=self.tokenize,
            lowercase=self.lowercase,
            order=self.order,
            length=_LENGTHS[self.reference_length],
        )

    def corpus_score(self) -> _core.BleuScore:
        """Return the core's BLEU, from 0 to 1."""
        options = _core.BleuOptions(
            smoothing=_SMOOTHINGS[self.smoothing],
            value=self._value or 0.0,
            effective_order=self.effective_order,
        )
        return _core.BleuScore(self.order, options)

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return BLEU of summed statistics, from 0 to 100."""
        return 100.0 * score_rows(self.corpus_score(), statistics)

    def length_ratio(self, statistics: Statistics) -> float:
        """Return the length of hypotheses divided by the length of references, n₁ / ρ."""
        totals = (
            np.asarray(statistics, dtype=np.float64).reshape(-1, 2 * self.order + 1).sum(axis=0)
        )
        return float(totals[self.order] / totals[-1]) if totals[-1] > 0 else 0.0

    def gains(self, statistics: Statistics) -> NDArray[np.float64]:
        """Return sentence BLEU+1 of each hypothesis, from 0 to 1."""
        return score_rows(_core.BleuScore(self.order, _core.BLEU_PLUS_ONE), statistics)

    def signature(self, references: References) -> str:
        """Return the options that influence the score, in sacreBLEU's form.

        They include an order and a reference length that sacreBLEU does not support.
        """
        value = "" if self._value is None else f"[{self._value:.2f}]"
        return format_signature(
            references,
            sacrebleu_version(),
            case="lc" if self.lowercase else "mixed",
            eff=self.effective_order,
            tok=tokenizer(self.tokenize).signature(),
            smooth=f"{self.smoothing}{value}",
            order=None if self.order == 4 else self.order,
            reflen=None if self.reference_length == "closest" else self.reference_length,
        )
