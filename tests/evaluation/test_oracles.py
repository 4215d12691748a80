"""Oracle scores of n-best lists and forests."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopefear
from hopefear import _core
from hopefear.errors import ConfigError, DataError
from hopefear.formats import load_nbest, write_forests
from hopefear.metrics import Bleu, References, Ter
from tuning_sets import FOREST_START, garbled_forests

LISTS = [
    [("the cat sat on a mat", 1.0), ("the cat sat on the mat", 3.0), ("cats sit", 2.0)],
    [],
    [("dogs bark", 2.0), ("a dog barks at me", 1.0), ("a dog barks at us all", 0.0)],
    [("one only", 0.0)],
]
REFERENCES = ["the cat sat on the mat", "nothing", "a dog barks at us", "only one"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    nbest, refs = tmp_path / "nbest", tmp_path / "refs"
    rows = [(i, text, x) for i, found in enumerate(LISTS) for text, x in found]
    nbest.write_text("".join(f"{i} ||| {text} ||| x= {x}\n" for i, text, x in rows))
    refs.write_text("".join(f"{text}\n" for text in REFERENCES))
    return nbest, refs


@pytest.mark.parametrize("weights", [None, {"x": 1.0}, {"x": -1.0}])
def test_best_and_worst_are_those_of_all_choices(
    files: tuple[Path, Path], weights: dict[str, float] | None
) -> None:
    nbest, refs = files
    sign = 0.0 if weights is None else -weights["x"]
    ordered = [sorted(found, key=lambda one: sign * one[1]) for found in LISTS if found]
    metric = Ter()
    found = hopefear.evaluate(nbest=nbest, refs=refs, metric="ter", weights=weights).oracles
    assert found is not None
    assert found.ordered == (weights is not None)
    rows = found.metrics["ter"].rows
    assert [row.size for row in rows] == [1, 2, 3]
    some = [text for text, one in zip(REFERENCES, LISTS, strict=True) if one]
    prepared = metric.prepare(References([[text] for text in some]))
    for row in rows:
        scores = [
            float(metric.score(prepared.statistics([text for text, _ in choice]).sum(axis=0)))
            for choice in product(*(one[: row.size] for one in ordered))
        ]
        # lower is better
        assert (row.best, row.worst) == pytest.approx((min(scores), max(scores)))
    assert found.metrics["ter"].first == rows[0].best == rows[0].worst


def test_the_oracle_of_whole_lists_is_that_of_tuning(files: tuple[Path, Path]) -> None:
    nbest, refs = files
    lists, metric = load_nbest(nbest, sentences=len(REFERENCES)), Bleu(tokenize="none")
    metric.prepare(References([[text] for text in REFERENCES])).set_statistics(lists)
    found = hopefear.evaluate(nbest=nbest, refs=refs, metric="bleu", tokenize="none").oracles
    assert found is not None
    rows = [
        one[0] for one in _core.corpus_oracles(lists, metric.corpus_score(), np.arange(4)) if one
    ]
    expected = metric.score(lists.sum_statistics(np.array(rows, dtype=np.int64)))
    assert found.metrics["bleu"].rows[-1].best == pytest.approx(float(expected))


def test_an_order_has_the_rows_of_each_list(files: tuple[Path, Path]) -> None:
    lists, metric = load_nbest(files[0], sentences=4), Bleu(tokenize="none")
    metric.prepare(References([[text] for text in REFERENCES])).set_statistics(lists)
    score, sentences = metric.corpus_score(), np.arange(4)
    with pytest.raises(DataError, match="an order of 2 rows, but there are 7"):
        _core.corpus_oracles(lists, score, sentences, order=np.arange(2))
    with pytest.raises(DataError, match="sentence 0 has rows 0 to 3, but its order has row 6"):
        _core.corpus_oracles(lists, score, sentences, order=np.arange(7)[::-1].copy())


def test_forests_have_lists_and_an_oracle_of_their_own(tmp_path: Path) -> None:
    forests, references = garbled_forests(sentences=6, seed=3)
    write_forests(tmp_path / "forests", enumerate(forests))
    (tmp_path / "refs").write_text("".join(f"{text}\n" for (text,) in references))
    options: dict[str, Any] = {
        "forests": tmp_path / "forests",
        "refs": tmp_path / "refs",
        "tokenize": "none",
    }
    found = hopefear.evaluate(**options, weights=dict(FOREST_START), size=20).oracles
    assert found is not None
    bleu, ter = found.metrics["bleu"], found.metrics["ter"]
    assert [row.size for row in bleu.rows] == [1, 2, 5, 10, 20, None]
    assert [row.size for row in ter.rows] == [1, 2, 5, 10, 20]
    best = [row.best for row in bleu.rows]
    assert best == sorted(best)
    assert best[0] < best[-1]
    texts = list(hopefear.rerank(forests=tmp_path / "forests", weights=dict(FOREST_START)))
    scored = hopefear.evaluate(hyp={"s": texts}, refs=tmp_path / "refs", tokenize="none")
    assert bleu.first == pytest.approx(scored.systems[0].metrics["bleu"].score)
    alone = hopefear.evaluate(**options, metric="bleu").oracles
    assert alone is not None
    assert [row.size for row in alone.metrics["bleu"].rows] == [None]
    assert alone.metrics["bleu"].rows[0].best == best[-1]


def test_candidates_need_references_in_files(files: tuple[Path, Path]) -> None:
    with pytest.raises(ConfigError, match="references in files"):
        hopefear.evaluate(nbest=files[0], refs=[REFERENCES])
    with pytest.raises(ConfigError, match="nothing to evaluate"):
        hopefear.evaluate(refs=[REFERENCES])
    with pytest.raises(ConfigError, match="choose one"):
        hopefear.evaluate(nbest=files[0], forests=files[0], refs=files[1])


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ("nbest", {"buckets": True}),
        ("nbest", {"differences": 3}),
        ("hyp", {"weights": {"x": 1.0}}),
        ("hyp", {"format": "moses"}),
        ("hyp", {"differences": 3}),
    ],
)
def test_an_option_of_what_is_not_given_is_refused(
    files: tuple[Path, Path], given: str, options: dict[str, Any]
) -> None:
    arguments: dict[str, Any] = {given: files[1], "refs": files[1], **options}
    with pytest.raises(ConfigError) as refused:
        hopefear.evaluate(**arguments)
    assert next(iter(options)) in refused.value.settings
