from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hopefear.errors import ConfigError
from hopefear.metrics import References, Ter, Wer, evaluate
from hopefear.settings.config import decode
from metric_corpora import Corpus, corpora, read_bible, read_wmt22, split, words

few_words = st.lists(st.sampled_from("abcdef"), max_size=30).map(" ".join)


@given(
    corpora,
    st.fixed_dictionaries(
        {
            "normalized": st.booleans(),
            "no_punct": st.booleans(),
            "asian_support": st.booleans(),
            "case_sensitive": st.booleans(),
        }
    ),
)
def test_ter_and_its_signature_equal_those_of_sacrebleu(
    corpus: Corpus, options: dict[str, Any]
) -> None:
    hypotheses, references, streams = split(corpus)
    judge = sacrebleu.TER(**options)
    score = evaluate(Ter(**options), hypotheses, references)
    assert_allclose(score.value, judge.corpus_score(hypotheses, streams).score, rtol=1e-12)
    assert score.signature == judge.get_signature().format()


@given(few_words, few_words)
def test_the_shifts_of_ter_are_those_of_sacrebleu(hypothesis: str, reference: str) -> None:
    judge = sacrebleu.TER()
    expected = judge.sentence_score(hypothesis, [reference]).num_edits
    prepared = Ter().prepare(References([[reference]]))
    assert prepared.statistics([hypothesis])[0, 0] == expected


def numbered(letter: str, count: int) -> str:
    return "".join(f"{letter}{number} " for number in range(count))


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        # Blocks of 10 words are moved, larger ones are not.
        (numbered("a", 10) + numbered("b", 11), numbered("b", 11) + numbered("a", 10)),
        (numbered("a", 11) + numbered("b", 12), numbered("b", 12) + numbered("a", 11)),
        # They are moved by 50 places, but no further.
        (numbered("a", 2) + numbered("x", 50), numbered("y", 50) + numbered("a", 2)),
        (numbered("a", 2) + numbered("x", 51), numbered("y", 51) + numbered("a", 2)),
        # The beam is 25 words wide on one side of the diagonal and 24 on the other.
        (numbered("x", 25) + numbered("a", 30), numbered("a", 30) + numbered("y", 25)),
        (numbered("x", 26) + numbered("a", 30), numbered("a", 30) + numbered("y", 26)),
        (numbered("a", 30) + numbered("x", 24), numbered("y", 24) + numbered("a", 30)),
        (numbered("a", 30) + numbered("x", 25), numbered("y", 25) + numbered("a", 30)),
        # Far from square it is wider.
        ("a", "b " * 60 + "a " + "b " * 90),
        ("b " * 60 + "a " + "b " * 90, "a"),
        # After the 1000th candidate no move is made; here one is made after 999 of them.
        (
            " ".join("32044430141100224440420441131111104101334244112"),
            " ".join("12222320242400304210301002111132230310334201110"),
        ),
        # Of moves that gain as much the longest one is made.
        ("b d b e", "e b b d"),
        ("c a b a f f c", "f b a c a f c"),
        ("", "a b"),
        ("a b", ""),
    ],
)
def test_the_limits_of_ter_are_those_of_sacrebleu(hypothesis: str, reference: str) -> None:
    expected = sacrebleu.TER().sentence_score(hypothesis, [reference]).num_edits
    prepared = Ter().prepare(References([[reference]]))
    assert prepared.statistics([hypothesis])[0, 0] == expected


@pytest.mark.parametrize("vocabulary", [1, 3, 40])
@settings(max_examples=2)
@given(data=st.data())
def test_ter_of_long_sentences_is_that_of_sacrebleu(vocabulary: int, data: st.DataObject) -> None:
    # So many candidates that the search for shifts is cut short.
    rng = data.draw(st.randoms(use_true_random=False))
    hypothesis, reference = (
        " ".join(str(rng.randrange(vocabulary)) for _ in range(rng.randrange(35, 50)))
        for _ in range(2)
    )
    expected = sacrebleu.TER().sentence_score(hypothesis, [reference]).num_edits
    prepared = Ter().prepare(References([[reference]]))
    assert prepared.statistics([hypothesis])[0, 0] == expected


@pytest.mark.parametrize(("pair", "system"), [("de-en", "PROMT"), ("zh-en", "Online-W")])
def test_wmt22_systems_have_the_ter_of_sacrebleu(shared_data: Path, pair: str, system: str) -> None:
    # The shortest hypotheses, one of which is empty: sacreBLEU takes seconds for a long one.
    hypotheses, streams = read_wmt22(shared_data, pair, system)
    rows = sorted(range(len(hypotheses)), key=lambda row: len(hypotheses[row]))[:400]
    hypotheses = [hypotheses[row] for row in rows]
    streams = [[stream[row] for row in rows] for stream in streams]
    expected = sacrebleu.TER().corpus_score(hypotheses, streams).score
    score = evaluate(Ter(), hypotheses, References.from_streams(streams))
    assert_allclose(score.value, expected, rtol=1e-12)


def test_six_references_have_the_ter_of_sacrebleu(shared_data: Path) -> None:
    hypotheses, streams = read_bible(shared_data, "ylt")
    hypotheses, streams = hypotheses[:10], [stream[:10] for stream in streams]
    expected = sacrebleu.TER().corpus_score(hypotheses, streams).score
    score = evaluate(Ter(), hypotheses, References.from_streams(streams))
    assert_allclose(score.value, expected, rtol=1e-12)


def levenshtein(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Return the distance by its recursive definition."""

    @cache
    def distance(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        if a[i - 1] == b[j - 1]:
            return distance(i - 1, j - 1)
        return 1 + min(distance(i - 1, j), distance(i, j - 1), distance(i - 1, j - 1))

    return distance(len(a), len(b))


@given(st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_wer_is_the_levenshtein_distance_to_the_closest_reference(corpus: Corpus) -> None:
    hypotheses, references, _ = split(corpus)
    closest = [
        min(
            (levenshtein(tuple(hypothesis.split()), tuple(text.split())), -len(text.split()))
            for text in texts
        )
        for hypothesis, texts in corpus
    ]
    rows = Wer().prepare(references).statistics(hypotheses)
    assert rows.tolist() == [[edits, -negative_length] for edits, negative_length in closest]
    edits, length = rows.sum(axis=0)
    expected = edits / length if length else float(edits > 0)
    assert_allclose(evaluate(Wer(), hypotheses, references).value, 100 * expected, rtol=1e-12)


def test_a_rate_without_reference_words_is_all_or_nothing() -> None:
    references = References([[""]])
    for metric in (Wer(), Ter()):
        assert evaluate(metric, ["a b"], references).value == 100
        assert evaluate(metric, [""], references).value == 0


def test_case_and_tokenization_of_wer_are_options() -> None:
    references = References([["The cat."]])
    assert evaluate(Wer(), ["the cat ."], references).value == 150
    score = evaluate(Wer(lowercase=True, tokenize="13a"), ["the cat ."], references)
    assert score.value == 0
    assert score.signature.startswith("nrefs:1|case:lc|tok:13a|version:hopefear-")
    with pytest.raises(ConfigError, match=r"tokenize: unknown value 'moses'"):
        decode(Wer, {"tokenize": "moses"})


@pytest.mark.parametrize("metric", [Ter(), Wer()])
def test_higher_gains_of_error_rates_are_better(metric: Ter | Wer) -> None:
    rows = metric.prepare(References([["a b c d"]] * 2)).statistics(["a b c d", "a b x y"])
    assert metric.gains(rows).tolist() == [0, -0.5]
    assert metric.score(rows).tolist() == [0, 50]
    assert not metric.higher_is_better


@pytest.mark.parametrize("metric", [Ter(), Wer()])
def test_any_number_of_threads_gives_the_same_bits(shared_data: Path, metric: Ter | Wer) -> None:
    hypotheses, streams = read_wmt22(shared_data, "de-en", "PROMT")
    prepared = metric.prepare(References.from_streams(streams))
    one = prepared.statistics(hypotheses, threads=1)
    assert (one == prepared.statistics(hypotheses, threads=5)).all()
