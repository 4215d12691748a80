"""A claim about searches: how good the hopes and fears are that they find.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, section 5 and figure 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hopefear.errors import DataError
from hopefear.formats.files import read_lines
from hopefear.inspection.build import Worth
from hopefear.metrics import Bleu, OracleDocument, References
from hopefear.reproduction.claims import Verdict
from hopefear.reproduction.outcomes import Outcome, Outcomes
from hopefear.reproduction.paper import Row
from hopefear.runs.run_directory import load_run_settings
from hopefear.search import Example, NBestSearch, Rerank, Search
from hopefear.translation.translate import translate
from hopefear.types import FloatArray

__all__ = ["BetterSearch", "search_gains"]

SENTENCES = 50


@dataclass(frozen=True, kw_only=True)
class BetterSearch:
    """A search of whole forests finds better hopes and fears than one of lists."""

    text: str
    where: str
    row: Row

    @property
    def rows(self) -> Sequence[Row]:
        """The row whose weights score the forests."""
        return (self.row,)

    def judge(self, outcomes: Outcomes) -> Verdict:
        """Compare w · h + B of hopes and w · h − B of fears, on some tuning sentences."""
        evidence, holds = [], True
        gains = search_gains(outcomes[self.row])
        for name, gain in zip(("hopes", "fears"), gains.T, strict=True):
            holds = holds and bool(gain.mean() > 0)
            share = 100 * float((gain > 1e-9).mean())
            evidence.append(f"{name} by {gain.mean():.3f} on average, better in {share:.0f} %")
        return Verdict.of(holds=holds, evidence=f"{'; '.join(evidence)} of {len(gains)} sentences")


def search_gains(outcome: Outcome) -> FloatArray:
    """Return by how much the hopes and fears of some sentences are better than those of lists.

    Returns
    -------
    array of shape (sentences, 2)
    """
    examples = list(_examples(outcome))
    best = np.array([example.best.statistics for example in examples])
    document = Worth.typical(Bleu(tokenize="none"), best).document
    assert document is not None  # BLEU has one
    found = [
        [
            [_value(search, example, document, sign) for sign in (1.0, -1.0)]
            for search in (Rerank(), NBestSearch(size=100))
        ]
        for example in examples
    ]
    forest, listed = np.array(found).transpose(1, 0, 2)
    return np.asarray(forest - listed)


def _value(search: Search, example: Example, document: OracleDocument, sign: float) -> float:
    found = search.find(example, example.scores, document, sign)[0]
    return found.derivation.score + sign * found.gain(document)


def _examples(outcome: Outcome) -> Iterator[Example]:
    """Yield forests of some tuning sentences, under the weights that the run learned."""
    settings = load_run_settings(outcome.run)
    tuning, model = settings.tuning, settings.model
    if tuning.source is None or model is None:
        raise DataError(f"{outcome.run}: is not a run around a model")
    references = References.from_streams([read_lines(file) for file in tuning.references])
    prepared = Bleu(tokenize="none").prepare(references)
    lines = islice(read_lines(tuning.source), SENTENCES)
    for number, one in enumerate(translate(model, lines, weights=outcome.run, forests=True)):
        assert one.forest is not None
        vector = outcome.weights.vector(one.forest.feature_names)
        yield Example(one.forest, number, prepared, vector)
