"""Selection of features from a bitext equals its definition."""

import math
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopefear import _core
from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.formats.files import tell_nobody
from hopefear.formats.texts import read_feature_table, write_feature_table
from hopefear.translation.features import (
    FeatureSet,
    Lexical,
    LexicalTemplate,
    Patterns,
    Special,
    templates,
)

Pair = tuple[list[str], list[str], list[tuple[int, int]]]


@st.composite
def sentence_pairs(draw: st.DrawFn) -> Pair:
    source = draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=5))
    target = draw(st.lists(st.sampled_from("vwxyz"), min_size=1, max_size=6))
    links = [(i, j) for i in range(len(source)) for j in range(len(target)) if draw(st.booleans())]
    return source, target, links


bitexts = st.lists(sentence_pairs(), min_size=1, max_size=12)


def bitext_of(pairs: list[Pair]) -> _core.Bitext:
    sides = []
    for name, texts in (("source", [p[0] for p in pairs]), ("target", [p[1] for p in pairs])):
        parser = _core.TextParser(name)
        parser.feed("".join(" ".join(words) + "\n" for words in texts).encode())
        parser.finish()
        sides.append(parser)
    links = _core.AlignmentParser("links")
    links.feed("".join(" ".join(f"{i}-{j}" for i, j in p[2]) + "\n" for p in pairs).encode())
    return _core.Bitext(sides[0], sides[1], links.finish(), "links")


def ranks(sentences: Iterable[list[str]]) -> dict[str, int]:
    """Rank words by frequency, then by first occurrence."""
    counts = Counter(word for sentence in sentences for word in sentence)
    return {word: i for i, (word, _) in enumerate(counts.most_common())}


def ngrams(pairs: list[Pair], order: int) -> Iterator[tuple[str, ...]]:
    for _, target, _ in pairs:
        yield from zip(*(target[i:] for i in range(order)), strict=False)


@given(bitexts, st.integers(1, 3), st.integers(0, 12))
def test_the_most_frequent_ngrams_are_selected(pairs: list[Pair], order: int, limit: int) -> None:
    rank = ranks(target for _, target, _ in pairs)
    counts = Counter(ngrams(pairs, order))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], [rank[w] for w in item[0]]))
    expected = [(list(words), count) for words, count in ordered[:limit]]
    assert _core.frequent_ngrams(bitext_of(pairs), order, limit, tell_nobody) == expected


@given(bitexts, st.integers(0, 12))
def test_the_most_frequent_links_are_selected(pairs: list[Pair], limit: int) -> None:
    sources, targets = ranks(p[0] for p in pairs), ranks(p[1] for p in pairs)
    counts = Counter((f[i], e[j]) for f, e, links in pairs for i, j in links)
    ordered = sorted(
        counts.items(), key=lambda item: (-item[1], sources[item[0][0]], targets[item[0][1]])
    )
    expected = [([f, e], count) for (f, e), count in ordered[:limit]]
    assert _core.frequent_links(bitext_of(pairs), limit, tell_nobody) == expected


def information(pairs: list[Pair], f: str, e: str) -> float:
    """Return the mutual information of two words' occurrences in sentence pairs."""
    events = Counter((f in source, e in target) for source, target, _ in pairs)
    total = 0.0
    for (first, second), count in events.items():
        a = sum(n for (x, _), n in events.items() if x == first) / len(pairs)
        b = sum(n for (_, y), n in events.items() if y == second) / len(pairs)
        total += count / len(pairs) * math.log(count / len(pairs) / (a * b))
    return total


def attracted(pairs: list[Pair], f: str, e: str) -> bool:
    together = sum(f in source and e in target for source, target, _ in pairs)
    with_f = sum(f in source for source, _, _ in pairs)
    return together * len(pairs) > with_f * sum(e in target for _, target, _ in pairs)


@given(bitexts, st.integers(0, 12))
def test_the_triggers_with_the_highest_mutual_information_are_selected(
    pairs: list[Pair], limit: int
) -> None:
    found = _core.best_triggers(bitext_of(pairs), limit, tell_nobody)
    scores = {
        (f, e): information(pairs, f, e) for f in "abcde" for e in "vwxyz" if attracted(pairs, f, e)
    }
    assert [score for _, _, score in found] == pytest.approx(
        sorted(scores.values(), reverse=True)[:limit], rel=1e-9, abs=1e-12
    )
    for f, e, score in found:
        assert score == pytest.approx(scores[f, e], rel=1e-9, abs=1e-12)
    assert len({(f, e) for f, e, _ in found}) == len(found)


def lexical_counts(pairs: list[Pair], min_count: int) -> Counter[tuple[str, str]]:
    """Count lex(e), lex(f, e) and lex(NULL, e) by name."""
    frequent = [Counter(w for p in pairs for w in p[side]) for side in (0, 1)]

    def shown(side: int, word: str) -> str:
        return word if frequent[side][word] >= min_count else "<unk>"

    counts: Counter[tuple[str, str]] = Counter()
    for source, target, links in pairs:
        for j, e in enumerate(target):
            own = [source[i] for i, k in links if k == j]
            counts["", shown(1, e)] += 1
            counts.update((shown(0, f), shown(1, e)) for f in own)
            if not own:
                counts["<null>", shown(1, e)] += 1
    return counts


@given(bitexts, st.integers(1, 6), st.integers(1, 3))
def test_lexical_features_are_those_of_frequent_words(
    pairs: list[Pair], min_count: int, min_feature_count: int
) -> None:
    chosen = Lexical(min_count=min_count, min_feature_count=min_feature_count)
    rows = list(chosen.collect(bitext_of(pairs), tell_nobody))
    (template,) = chosen.features(rows).templates
    assert isinstance(template, LexicalTemplate)
    expected = {
        (f, e) for (f, e), n in lexical_counts(pairs, min_count).items() if n >= min_feature_count
    }

    def text(word: str | Special | None) -> str:
        return "" if word is None else word.value if isinstance(word, Special) else word

    assert {(text(f), text(e)) for f, e in template.pairs} == expected
    assert len(template.pairs) == len(expected)
    for side, words in ((0, template.source_words), (1, template.target_words)):
        counts = Counter(w for p in pairs for w in p[side])
        assert list(words) == [w for w, n in counts.most_common() if n >= min_count]


@settings(max_examples=20)
@given(bitexts)
def test_features_are_the_same_after_they_were_written_and_read(pairs: list[Pair]) -> None:
    bitext = bitext_of(pairs)
    for chosen in (Lexical(min_count=2), Patterns(triggers=3, bigrams=5)):
        rows = list(chosen.collect(bitext, tell_nobody))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.tsv"
            assert write_feature_table(rows, path) == len(rows)
            assert list(read_feature_table(path)) == rows
            assert [p.name for p in Path(folder).iterdir()] == ["table.tsv"]
            assert chosen.features(read_feature_table(path)) == chosen.features(rows)


def test_patterns_have_the_requested_number_of_features_of_each_kind() -> None:
    pairs: list[Pair] = [(["a", "b"], ["v", "w", "x"], [(0, 0), (1, 2)])] * 3
    pairs += [(["c"], ["v"], [(0, 0)])]
    chosen = Patterns(pairs=2, unigrams=1, bigrams=1, trigrams=5, triggers=2)
    features = chosen.features(chosen.collect(bitext_of(pairs), tell_nobody))
    names = [
        name
        for template in features.templates
        if isinstance(template, LexicalTemplate)
        for name in template.names()
    ]
    assert names == ["pair:a/v", "pair:b/x", "unigram:v"]
    assert list(features.word_features.ngrams.values()) == ["bigram:v/w", "trigram:v/w/x"]
    assert list(features.word_features.triggers.values()) == ["trigger:a/w", "trigger:a/x"]


@pytest.mark.parametrize("name", ["large", "patterns"])
def test_invalid_rows_are_errors_with_their_number(name: str) -> None:
    chosen = templates[name]()
    assert isinstance(chosen, Lexical | Patterns)
    for row in (("what",), ("pair", "a", "b"), ("link", "a"), ("unigram", "", "3"), ("",)):
        with pytest.raises(FormatError, match=r"row 1: .*\["):
            chosen.features([row])


def test_an_error_names_an_unreadable_table(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nothing\.tsv: cannot be read"):
        list(read_feature_table(tmp_path / "nothing.tsv"))
    (tmp_path / "bytes.tsv").write_bytes(b"any\t\xff\t1\n")
    with pytest.raises(FormatError, match=r"bytes\.tsv:1: .*not UTF-8"):
        list(read_feature_table(tmp_path / "bytes.tsv"))


def test_limits_cannot_be_negative() -> None:
    with pytest.raises(ConfigError, match=r"Patterns\.triggers must be a whole number >= 0"):
        Patterns(triggers=-1)
    with pytest.raises(ConfigError, match=r"Lexical\.min_count must be a whole number >= 1"):
        Lexical(min_count=0)


def test_feature_sets_are_joined() -> None:
    first = Patterns().features([("unigram", "a", "1"), ("bigram", "a", "b", "1")])
    second = Lexical().features([("target", "a"), ("any", "a", "1")])
    joined = FeatureSet.joined([first, second])
    assert len(joined.templates) == 3
    assert joined.word_features == first.word_features


def test_an_empty_bitext_has_no_features() -> None:
    empty = bitext_of([])
    assert list(Patterns().collect(empty, tell_nobody)) == []
    assert list(Lexical().collect(empty, tell_nobody)) == []
    with pytest.raises((ConfigError, DataError), match="an order of at least 1"):
        _core.frequent_ngrams(empty, 0, 1, tell_nobody)
