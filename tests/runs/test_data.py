"""From files to tuning sets."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from candidate_files import write_candidates
from hopefear.candidates import ListSet
from hopefear.errors import DataError, FormatError
from hopefear.metrics import Bleu, Column, References, evaluate
from hopefear.runs import DataSettings, Loaded, load_data
from hopefear.types import Vocabulary

WORDS = Bleu(tokenize="none")


def lists_of(loaded: Loaded) -> ListSet:
    assert isinstance(loaded.candidates, ListSet)
    return loaded.candidates


def settings(nbest: Path, **options: Any) -> DataSettings:
    return DataSettings(nbest=(nbest,), **options)


def test_the_score_of_chosen_hypotheses_is_that_of_their_texts(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    loaded = load_data(settings(files.nbest, references=(files.refs,)), WORDS)
    data = lists_of(loaded)
    w = np.linspace(-1, 1, len(data.nbest.feature_names))
    texts = [data.nbest.text(int(row)) for row in data.nbest.best(w)]
    expected = evaluate(WORDS, texts, References([[text] for text in files.references]))
    assert data.score(w) == pytest.approx(expected.value, rel=1e-12)
    assert loaded.signature == expected.signature


def test_files_are_merged_without_duplicates(tmp_path: Path) -> None:
    first = write_candidates(tmp_path, "first", size=6)
    both = DataSettings(nbest=(first.nbest, first.nbest), references=(first.refs,))
    once = load_data(settings(first.nbest, references=(first.refs,)), WORDS)
    assert len(load_data(both, WORDS).nbest) == len(once.nbest)


def test_references_of_another_length_are_told_with_both_numbers_and_files(tmp_path: Path) -> None:
    files = write_candidates(tmp_path)
    short = tmp_path / "short"
    short.write_text("one\ntwo\n")
    with pytest.raises(DataError) as caught:
        load_data(settings(files.nbest, references=(short,)), WORDS)
    assert str(caught.value) == (
        f"{files.nbest} has n-best lists of 20 sentences, but {short} has references for 2"
    )
    long = tmp_path / "long"
    long.write_text("one\n" * 22)
    with pytest.raises(DataError, match=r"say so with tuning\.sentences = 22"):
        load_data(settings(files.nbest, references=(long,)), WORDS)
    loaded = load_data(settings(files.nbest, references=(long,), sentences=22), WORDS)
    assert loaded.nbest.empty_sentences.tolist() == [20, 21]


def test_lists_that_count_sentences_from_one_are_told_so(tmp_path: Path) -> None:
    (tmp_path / "nbest").write_text("1 ||| a ||| f= 1\n1 ||| b ||| f= 2\n2 ||| c ||| f= 1\n")
    (tmp_path / "refs").write_text("a\nc\n")
    given = settings(tmp_path / "nbest", references=(tmp_path / "refs",))
    with pytest.raises(DataError, match=r"there is no sentence 0, .* from 1"):
        load_data(given, WORDS)


def test_feature_names_are_shared(tmp_path: Path) -> None:
    files, names = write_candidates(tmp_path), Vocabulary()
    first = load_data(settings(files.nbest, references=(files.refs,)), WORDS, feature_names=names)
    second = load_data(settings(files.nbest, references=(files.refs,)), WORDS, feature_names=names)
    assert list(first.nbest.feature_names) == list(second.nbest.feature_names)
    assert len(names) == 5


TABLE = """\
sentence\ttext\tlm\tcomet
1\tc\t3\t0.3
0\ta\t1\t0.1
1\td\t4\t0.4
0\tb\t2\t0.2
0\ta\t1\t0.1
"""


def test_scores_from_a_file_are_in_the_order_of_the_lists(tmp_path: Path) -> None:
    lists, scores = tmp_path / "lists.tsv", tmp_path / "scores"
    lists.write_text(TABLE)
    scores.write_text("0.3\n0.1\n0.4\n0.2\n0.1\n")
    data = lists_of(load_data(settings(lists, scores=scores), Column()))
    assert [data.nbest.text(row) for row in range(4)] == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(data.gains, [0.1, 0.2, 0.3, 0.4])


def test_a_feature_can_be_the_score_and_is_then_no_feature(tmp_path: Path) -> None:
    lists = tmp_path / "lists.tsv"
    lists.write_text(TABLE)
    loaded = load_data(settings(lists, score_feature="comet"), Column(label="comet"))
    np.testing.assert_array_equal(lists_of(loaded).gains, [0.1, 0.2, 0.3, 0.4])
    assert list(loaded.nbest.feature_names) == ["lm"]
    assert loaded.signature == "mean of comet"


def test_too_few_and_too_many_scores_are_told(tmp_path: Path) -> None:
    lists, scores = tmp_path / "lists.tsv", tmp_path / "scores"
    lists.write_text(TABLE)
    scores.write_text("1\n" * 3)
    with pytest.raises(DataError, match=r"scores: has 3 scores, but .*lists.tsv has more hyp"):
        load_data(settings(lists, scores=scores), Column())
    scores.write_text("1\n" * 7)
    with pytest.raises(DataError, match=r"scores: has 7 scores, but .*lists.tsv has 5 hypotheses"):
        load_data(settings(lists, scores=scores), Column())


def test_a_score_that_is_no_number_is_told_with_its_line(tmp_path: Path) -> None:
    lists, scores = tmp_path / "lists.tsv", tmp_path / "scores"
    lists.write_text(TABLE)
    scores.write_text("1\n2\nnan\n")
    with pytest.raises(FormatError, match=r"scores:3: 'nan' is not finite"):
        load_data(settings(lists, scores=scores), Column())


def test_a_hypothesis_without_the_score_feature_is_named(tmp_path: Path) -> None:
    lists = tmp_path / "lists.tsv"
    lists.write_text(TABLE)
    with pytest.raises(DataError, match=r"lists.tsv: sentence 1: 'c' has no feature 'bleurt'"):
        load_data(settings(lists, score_feature="bleurt"), Column())


def test_references_are_found_by_keys(tmp_path: Path) -> None:
    lists, refs = tmp_path / "lists.tsv", tmp_path / "refs"
    lists.write_text("sentence\ttext\tlm\nutt2\tb c\t1\nutt1\ta b\t2\nutt2\tb d\t3\n")
    refs.write_text("utt1 a b\nutt2 b d\n")
    loaded = load_data(settings(lists, references=(refs,), keyed_references=True), WORDS)
    assert [loaded.sentence(i) for i in range(2)] == ["utt1", "utt2"]
    # the unigrams that match, of each hypothesis
    statistics = loaded.nbest.statistics
    assert statistics is not None
    np.testing.assert_array_equal(statistics[:, 0], [2, 1, 2])
    refs.write_text("utt1 a b\n")
    with pytest.raises(DataError, match="refs: no reference for 'utt2'"):
        load_data(settings(lists, references=(refs,), keyed_references=True), WORDS)


def test_a_memory_limit_changes_nothing_but_the_place(tmp_path: Path) -> None:
    files = write_candidates(tmp_path, sentences=100)
    data = settings(files.nbest, references=(files.refs,))
    small, large = load_data(data, WORDS, memory_limit=1), load_data(data, WORDS)
    assert (small.nbest.spilled, large.nbest.spilled) == (True, False)
    np.testing.assert_array_equal(lists_of(small).gains, lists_of(large).gains)
