"""Parts of a test set: sentences that differ, lengths of sentences, frequencies of words."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
import sacrebleu

from garbled_systems import REFERENCES, garbled
from hopefear.evaluation import Evaluation, evaluate_systems
from hopefear.metrics import Bleu, References, Ter, TextMetric

RANDOM = np.random.default_rng(5)
LINES = [" ".join(text.split()[: RANDOM.integers(1, 13)]) for text in REFERENCES[0]]
LONGER = [f"{text} {text}" if i % 3 else text for i, text in enumerate(LINES)]
FIRST = [garbled(LONGER, rate, seed) for seed, rate in enumerate((0.3, 0.1, 0.2))]
SECOND = [garbled(LONGER, 0.2, 9)]
SYSTEMS = [("first", FIRST), ("second", SECOND)]


def found(
    metric: TextMetric,
    *,
    differences: int = 0,
    buckets: bool = False,
    frequencies: Sequence[str] | None = None,
) -> Evaluation:
    return evaluate_systems(
        SYSTEMS,
        References([[text] for text in LONGER]),
        {"m": metric},
        resamples=0,
        shuffles=0,
        differences=differences,
        buckets=buckets,
        frequencies=frequencies,
    )


def test_the_largest_wins_and_losses_are_those_of_the_median_replica() -> None:
    (against,) = found(Ter(), differences=3).differences
    # 0.2 is the rate between the others
    ter = sacrebleu.TER()
    scores = [
        [ter.sentence_score(text, [ref]).score for text, ref in zip(texts, LONGER, strict=True)]
        for texts in (FIRST[2], SECOND[0])
    ]
    gains = np.array(scores[0]) - np.array(scores[1])
    assert [one.difference for one in against.wins] == pytest.approx(sorted(gains)[:-4:-1])
    assert [one.difference for one in against.losses] == pytest.approx(sorted(gains)[:3])
    win = against.wins[0]
    assert (win.first_text, win.text) == (FIRST[2][win.sentence], SECOND[0][win.sentence])
    assert win.references == (LONGER[win.sentence],)
    assert win.score == pytest.approx(scores[1][win.sentence])


def test_sentences_that_do_not_differ_are_neither_wins_nor_losses() -> None:
    references = References([[text] for text in LONGER])
    systems = [("first", [LONGER]), ("other", [["x", *LONGER[1:]]])]
    (against,) = evaluate_systems(systems, references, {"b": Bleu()}, differences=10).differences
    assert [one.sentence for one in against.losses] == [0]
    assert (against.wins, against.metric) == ([], "BLEU+1")


def test_scores_by_length_are_those_of_the_sentences_of_that_length() -> None:
    buckets = found(Bleu(tokenize="none")).by_length
    assert not buckets
    buckets = found(Bleu(tokenize="none"), buckets=True).by_length
    assert [bucket.label for bucket in buckets] == ["0 to 10", "11 to 20", "21 to 30"]
    assert sum(bucket.count for bucket in buckets) == len(LONGER)
    short = [i for i, text in enumerate(LONGER) if len(text.split()) <= 10]
    judge = sacrebleu.BLEU(tokenize="none")
    expected = [
        judge.corpus_score([texts[i] for i in short], [[LONGER[i] for i in short]]).score
        for texts in FIRST
    ]
    assert buckets[0].count == len(short)
    assert buckets[0].scores["m"][0] == pytest.approx(np.mean(expected))


def test_words_are_scored_by_their_frequency_in_a_text() -> None:
    text = ["the the the the the a a cat", "zzz " * 20]
    buckets = found(Bleu(tokenize="none"), buckets=True, frequencies=text).by_frequency
    labels = {"0": ("dog", "moon", "sat", "lay", "on", "under", "mat"), "1": ("cat",)}
    labels |= {"2": ("a",), "5 to 9": ("the",)}
    # Nobody's reference has the word that is there twenty times.
    assert [bucket.label for bucket in buckets] == list(labels)
    for bucket, words in zip(buckets, labels.values(), strict=True):
        right = ours = theirs = 0
        for output, reference in zip(SECOND[0], LONGER, strict=True):
            both = Counter(output.split()), Counter(reference.split())
            right += sum(min(both[0][word], both[1][word]) for word in words)
            ours += sum(both[0][word] for word in words)
            theirs += sum(both[1][word] for word in words)
        assert bucket.count == theirs
        assert bucket.scores["precision"][1] == pytest.approx(100 * right / ours)
        assert bucket.scores["recall"][1] == pytest.approx(100 * right / theirs)
        assert bucket.scores["f1"][1] == pytest.approx(200 * right / (ours + theirs))


def test_of_several_references_the_one_with_most_right_words_counts() -> None:
    references = References([["a b c d", "x y"], ["a", "x"]])
    systems = [("s", [["x y", "a"]])]
    metrics = {"b": Bleu(tokenize="none")}
    (bucket, *_) = evaluate_systems(
        systems, references, metrics, buckets=True, frequencies=[]
    ).by_frequency
    assert (bucket.label, bucket.count, bucket.scores["f1"]) == ("0", 3, [100.0])


def test_words_are_those_of_the_tokenizer_and_the_case_of_bleu() -> None:
    references = References([["The house."]])
    for lowercase, counts in ((False, [2, 1]), (True, [1, 2])):
        found = evaluate_systems(
            [("s", [["the house."]])],
            references,
            {"b": Bleu(lowercase=lowercase)},
            buckets=True,
            frequencies=["The house.", "the car."],
        )
        assert [bucket.count for bucket in found.by_frequency] == counts
