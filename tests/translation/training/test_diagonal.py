"""Our word aligner equals its definition, whatever the threads."""

import math
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma

from hopefear.errors import ConfigError, DataError
from hopefear.translation.training.align import (
    Alignments,
    DiagonalAligner,
    read_alignments,
    symmetrize,
)
from small_bitext import sentence_pairs, write_bitext

Bitext = list[tuple[list[str], list[str]]]
Links = list[set[tuple[int, int]]]


def positions(j: int, m: int, n: int, tension: float) -> list[float]:
    """Equation 1 of the paper: where word j of m may be aligned to, without NULL."""
    weights = [math.exp(-tension * abs((i + 1) / n - (j + 1) / m)) for i in range(n)]
    return [weight / sum(weights) for weight in weights]


def mean_distance(m: int, n: int, tension: float) -> float:
    return sum(
        weight * abs((i + 1) / n - (j + 1) / m)
        for j in range(m)
        for i, weight in enumerate(positions(j, m, n, tension))
    )


class SlowAligner:
    """One direction: the words of `e` choose among those of `f`."""

    def __init__(self, bitext: Bitext, options: DiagonalAligner) -> None:
        self.bitext = [(f, e) for f, e in bitext if f and e]
        self.options = options
        self.tension = options.tension
        self.t: defaultdict[tuple[str | None, str], float] = defaultdict(lambda: 1.0)

    def posteriors(self, f: list[str], e: list[str], j: int) -> list[float]:
        """Unnormalized: NULL first, then each word."""
        p0 = self.options.null_probability
        weights = positions(j, len(e), len(f), self.tension)
        return [
            p0 * self.t[None, e[j]],
            *((1 - p0) * weight * self.t[f[i], e[j]] for i, weight in enumerate(weights)),
        ]

    def iterate(self) -> None:
        counts: defaultdict[tuple[str | None, str], float] = defaultdict(float)
        distance = linked = words = 0.0
        for f, e in self.bitext:
            for word in e:
                counts[None, word] += 0
            for j in range(len(e)):
                weights = self.posteriors(f, e, j)
                counts[None, e[j]] += weights[0] / sum(weights)
                for i, weight in enumerate(weights[1:]):
                    counts[f[i], e[j]] += weight / sum(weights)
                    distance += weight / sum(weights) * abs((i + 1) / len(f) - (j + 1) / len(e))
                    linked += weight / sum(weights)
                words += 1
        for _ in range(8 if words else 0):
            model = sum(mean_distance(len(e), len(f), self.tension) for f, e in self.bitext)
            self.tension += 20 * (linked / words * model - distance) / words
            self.tension = min(14.0, max(0.1, self.tension))
        alpha = self.options.concentration
        totals: defaultdict[str | None, float] = defaultdict(float)
        for (f_word, _), count in counts.items():
            totals[f_word] += count + alpha
        for (f_word, e_word), count in counts.items():
            log = digamma(count + alpha) - digamma(totals[f_word])
            self.t[f_word, e_word] = max(math.exp(log), 1e-12)

    def links(self, f: list[str], e: list[str]) -> tuple[set[tuple[int, int]], float]:
        """Return the links, and how near any decision was."""
        chosen, nearest = set(), math.inf
        for j in range(len(e) if f else 0):
            weights = self.posteriors(f, e, j)
            best = max(range(len(weights)), key=lambda i: (weights[i], -i))
            others = [w for i, w in enumerate(weights) if i != best]
            nearest = min(nearest, weights[best] / max(others) - 1)
            if best > 0:
                chosen.add((best - 1, j))
        return chosen, nearest


def write(folder: Path, bitext: Bitext) -> tuple[Path, Path]:
    for side in range(2):
        lines = [" ".join(pair[side]) + "\n" for pair in bitext]
        (folder / "fe"[side]).write_text("".join(lines))
    return folder / "f", folder / "e"


def links_of(alignments: Alignments) -> Links:
    found = []
    for sentence in range(len(alignments)):
        pairs = (pair.split("-") for pair in alignments.text(sentence).split())
        found.append({(int(s), int(t)) for s, t in pairs})
    return found


sentences = st.lists(st.sampled_from("abcde"), max_size=6)
bitexts = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("diagonal")


@settings(max_examples=50)
@given(bitext=bitexts, iterations=st.integers(1, 4), threads=st.integers(1, 3))
def test_links_are_those_of_the_definition(
    folder: Path, bitext: Bitext, iterations: int, threads: int
) -> None:
    options = DiagonalAligner(iterations=iterations, threads=threads)
    forward, reverse = options.align(*write(folder, bitext))
    swapped = [(e, f) for f, e in bitext]
    for found, side in ((links_of(forward), bitext), (links_of(reverse), swapped)):
        slow = SlowAligner(side, options)
        for _ in range(iterations):
            slow.iterate()
        for i, (f, e) in enumerate(side):
            expected, nearest = slow.links(f, e)
            if nearest > 1e-4:  # probabilities are kept in single precision
                given_links = found[i] if side is bitext else {(t, s) for s, t in found[i]}
                assert given_links == expected


def test_a_clear_bitext_is_aligned_as_it_should_be(tmp_path: Path) -> None:
    forward, reverse = DiagonalAligner().align(*write_bitext(tmp_path))
    found = symmetrize(forward, reverse, "intersection")
    place = [f for f, _ in sentence_pairs()].index("starý muž hledá nový vlak")
    # man old seeks train new
    assert links_of(found)[place] == {(0, 1), (1, 0), (2, 2), (3, 4), (4, 3)}


def test_sentences_that_are_empty_or_too_long_have_no_links(tmp_path: Path) -> None:
    bitext = [(["a"], ["b"]), ([], ["b"]), (["a"], []), (["a"] * 3, ["b"])]
    forward, reverse = DiagonalAligner(max_length=2).align(*write(tmp_path, bitext))
    assert links_of(forward) == links_of(reverse) == [{(0, 0)}, set(), set(), set()]


def test_a_model_of_few_sentences_aligns_all_where_memory_is_short(tmp_path: Path) -> None:
    words = [f"{i:x}" for i in range(3000)]
    bitext = [(words[i : i + 20], words[i : i + 20]) for i in range(0, 2980, 2)]
    forward, _ = DiagonalAligner(memory=1 << 20).align(*write(tmp_path, bitext))
    diagonal = {(i, i) for i in range(20)}
    right = sum(len(links & diagonal) for links in links_of(forward))
    assert right > 0.95 * 20 * len(bitext)


def test_texts_that_do_not_belong_together_are_told(tmp_path: Path) -> None:
    source, target = write(tmp_path, [(["a"], ["b"])])
    target.write_text("b\nc\n")
    with pytest.raises(DataError, match="1 sentences, the target text 2"):
        DiagonalAligner().align(source, target)
    with pytest.raises(ConfigError, match=r"DiagonalAligner\.iterations"):
        DiagonalAligner(iterations=0)


def test_manual_alignments_are_met_about_as_well_as_by_fast_align(shared_data: Path) -> None:
    gold_data = shared_data / "gold-align-grc-en"
    gold = links_of(read_alignments(gold_data / "all.align.gz"))
    directed = DiagonalAligner().align(gold_data / "all.grc.gz", gold_data / "all.en.gz")
    found = links_of(symmetrize(*directed))
    right = sum(len(a & b) for a, b in zip(found, gold, strict=True))
    error = 1 - 2 * right / (sum(map(len, found)) + sum(map(len, gold)))
    assert error < 0.43
