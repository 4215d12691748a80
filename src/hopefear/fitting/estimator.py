"""A reranker as scikit-learn's tools expect an estimator; scikit-learn itself is not needed."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, Self

from hopefear.errors import ConfigError
from hopefear.fitting.fitted import Fitted
from hopefear.fitting.fitting import fit
from hopefear.fitting.judge import AnyMetric
from hopefear.learners import AnyLearner
from hopefear.types import Weights

__all__ = ["Reranker"]


class Reranker:
    """Learns to choose the best candidate of a sentence; one sample is the list of one sentence.

    `fit`, `predict`, `score`, `get_params` and `set_params` are what `cross_val_score`,
    `GridSearchCV` and pipelines of scikit-learn need. Its scores are higher for better candidates
    whatever the metric: BLEU and chrF as fractions, error rates negated.

    Parameters
    ----------
    metric : str, Metric or callable
        As for `hopefear.fit`.
    learner : str or Learner
        As for `hopefear.fit`.
    columns, features, ignore
        As for `hopefear.fit`.
    **settings
        Settings of `hopefear.tune`, such as ``learner__max_step``; a grid can name them, too.

    Examples
    --------
    >>> lists = [[{"text": "a b c d", "x": 2.0}, {"text": "e f g h", "x": 1.0}]] * 2
    >>> model = Reranker(learner="kbest-mira", start={"x": -1.0}, tokenize="none")
    >>> model.fit(lists, ["a b c d"] * 2).predict(lists)
    ['a b c d', 'a b c d']
    """

    _own: ClassVar[tuple[str, ...]] = ("metric", "learner", "columns", "features", "ignore")

    def __init__(
        self,
        *,
        metric: AnyMetric = "bleu",
        learner: str | AnyLearner = "auto",
        columns: dict[str, str] | None = None,
        features: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        self.metric, self.learner = metric, learner
        self.columns, self.features, self.ignore = columns, features, ignore
        self.settings = settings
        self.fitted_: Fitted

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return what the estimator was made with."""
        return {name: getattr(self, name) for name in self._own} | self.settings

    def set_params(self, **params: Any) -> Self:
        """Change what the estimator was made with; learning happens at the next `fit`."""
        for name, value in params.items():
            if name in self._own:
                setattr(self, name, value)
            else:
                self.settings[name] = value
        return self

    def fit(self, X: object, y: Any = None) -> Self:
        """Learn from candidates `X` and references `y`."""
        self.fitted_ = fit(X, y, **self.get_params())
        return self

    @property
    def weights_(self) -> Weights:
        """The weights that were learned."""
        return self._fitted.weights

    @property
    def _fitted(self) -> Fitted:
        if not hasattr(self, "fitted_"):
            raise ConfigError("this Reranker has not been fitted yet: call fit first")
        return self.fitted_

    def predict(self, X: object) -> list[str]:
        """Return the best text of each sentence."""
        return self._fitted.predict(X)

    def score(self, X: object, y: Any = None) -> float:
        """Return the metric of the best candidates; higher is better."""
        return self._fitted.gain(X, y)

    def __sklearn_tags__(self) -> SimpleNamespace:
        """Return what scikit-learn asks about an estimator: neither classifier nor regressor."""
        return SimpleNamespace(
            estimator_type=None,
            target_tags=SimpleNamespace(required=False, single_output=False, multi_output=False),
            input_tags=SimpleNamespace(pairwise=False, allow_nan=False, sparse=False),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
            array_api_support=False,
            no_validation=True,
            non_deterministic=False,
            requires_fit=True,
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items() if value)
        return f"Reranker({given})"
