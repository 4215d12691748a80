from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear._core import Vocabulary
from hopefear.errors import DataError


@given(st.lists(st.text()))
def test_a_vocabulary_numbers_strings_in_order_of_first_appearance(texts: list[str]) -> None:
    vocabulary = Vocabulary()
    ids = [vocabulary.add(text) for text in texts]
    distinct = list(dict.fromkeys(texts))
    assert ids == [distinct.index(text) for text in texts]
    assert list(vocabulary) == distinct
    assert [vocabulary.find(text) for text in distinct] == list(range(len(distinct)))


def test_a_string_that_was_never_added_is_not_found() -> None:
    vocabulary = Vocabulary()
    vocabulary.add("hope")
    assert vocabulary.find("fear") is None


@given(st.lists(st.text()), st.lists(st.text()))
def test_many_strings_are_found_like_single_ones(texts: list[str], others: list[str]) -> None:
    vocabulary = Vocabulary()
    for text in texts:
        vocabulary.add(text)
    one_by_one = [vocabulary.find(text) for text in texts + others]
    found = vocabulary.find_all(texts + others)
    assert found.tolist() == [-1 if id is None else id for id in one_by_one]
    assert list(vocabulary) == list(dict.fromkeys(texts))


@pytest.mark.parametrize("unknown", [-1, 1])
def test_an_id_outside_the_vocabulary_is_an_error_that_names_it(unknown: int) -> None:
    vocabulary = Vocabulary()
    vocabulary.add("hope")
    with pytest.raises(DataError, match=f"id {unknown} is not in the vocabulary, which has 1"):
        vocabulary[unknown]


def test_threads_may_add_and_read_at_the_same_time() -> None:
    vocabulary = Vocabulary()
    texts = [f"{'long ' * (i % 50)}{i}" for i in range(20_000)]
    wrong: list[str] = []

    def work(first: int) -> None:
        for i in range(len(texts)):
            text = texts[(first + i) % len(texts)]
            id = vocabulary.add(text)
            if vocabulary[id] != text or vocabulary.find(text) != id:
                wrong.append(text)

    threads = [Thread(target=work, args=(i * 5000,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert sorted(list(vocabulary)) == sorted(texts)
