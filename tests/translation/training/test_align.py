"""Alignment files, symmetrization, the built-in aligner and eflomal."""

import math
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma

from hopefear._core import AlignmentParser, WordAligner
from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.translation.training.align import (
    SYMMETRIZATIONS,
    Alignments,
    DiagonalAligner,
    align,
    read_alignments,
    read_text,
    symmetrize,
    write_alignments,
)
from small_models import sentence_pairs, write_bitext

Links = set[tuple[int, int]]


def alignments(tmp_path: Path, lines: Iterable[str]) -> Alignments:
    path = tmp_path / "links"
    path.write_text("".join(line + "\n" for line in lines))
    return read_alignments(path)


def parsed(*lines: str) -> Alignments:
    parser = AlignmentParser("links")
    parser.feed("".join(line + "\n" for line in lines).encode())
    return parser.finish()


def links_of(alignments: Alignments, sentence: int = 0) -> Links:
    pairs = (pair.split("-") for pair in alignments.text(sentence).split())
    return {(int(source), int(target)) for source, target in pairs}


def text_of(links: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{source}-{target}" for source, target in links)


# The pseudocode of Koehn's book (figure 4.14) over all cells of the matrix, target words outside.
NEIGHBORS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def free(links: Links, cell: tuple[int, int]) -> list[bool]:
    return [all(s != cell[0] for s, _ in links), all(t != cell[1] for _, t in links)]


def slow_grow(links: Links, union: Links, neighbors: list[tuple[int, int]], size: int) -> Links:
    cells = [(source, target) for target in range(size) for source in range(size)]
    before = None
    while before != len(links):
        before = len(links)
        for source, target in cells:
            for down, right in neighbors if (source, target) in links else []:
                new = (source + right, target + down)
                if new in union and any(free(links, new)):
                    links = links | {new}
    return links


def slow_symmetrize(forward: Links, reverse: Links, method: str, size: int) -> Links:
    union, links = forward | reverse, forward & reverse
    if method in ("union", "intersection"):
        return union if method == "union" else links
    links = slow_grow(links, union, NEIGHBORS if "diag" in method else NEIGHBORS[:4], size)
    needed = all if method.endswith("and") else any
    for direction in (forward, reverse) if "final" in method else ():
        for cell in sorted(direction - links, key=lambda cell: cell[::-1]):
            if needed(free(links, cell)):
                links = links | {cell}
    return links


@given(data=st.data(), method=st.sampled_from(sorted(SYMMETRIZATIONS)))
def test_symmetrization_equals_the_published_pseudocode(data: st.DataObject, method: str) -> None:
    size = data.draw(st.integers(1, 7))
    choices = st.lists(st.integers(-1, size - 1), min_size=size, max_size=size)
    forward = {(s, t) for t, s in enumerate(data.draw(choices)) if s >= 0}
    reverse = {(s, t) for s, t in enumerate(data.draw(choices)) if t >= 0}
    both = symmetrize(parsed(text_of(forward)), parsed(text_of(reverse)), method)
    assert links_of(both) == slow_symmetrize(forward, reverse, method, size)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("intersection", "0-0 1-1"),
        ("union", "0-0 0-4 1-1 1-2 2-3 5-6"),
        ("grow", "0-0 1-1 1-2"),  # 1-2 is below 1-1 and target word 2 has no link yet
        ("grow-diag", "0-0 1-1 1-2 2-3"),  # 2-3 is diagonal to 1-2
        ("grow-diag-final", "0-0 0-4 1-1 1-2 2-3 5-6"),  # target word 4 has no link yet
        ("grow-diag-final-and", "0-0 1-1 1-2 2-3 5-6"),  # but source word 0 has one
        ("grow-final", "0-0 0-4 1-1 1-2 2-3 5-6"),
        ("grow-final-and", "0-0 1-1 1-2 2-3 5-6"),
    ],
)
def test_symmetrization_of_a_small_example(method: str, expected: str) -> None:
    forward, reverse = parsed("0-0 1-1 1-2 0-4 5-6"), parsed("0-0 1-1 2-3")
    assert symmetrize(forward, reverse, method).text(0) == expected


def test_final_steps_try_forward_links_first() -> None:
    forward, reverse = parsed("2-0"), parsed("0-0")
    assert symmetrize(forward, reverse, "grow-diag-final-and").text(0) == "2-0"
    assert symmetrize(reverse, forward, "grow-diag-final-and").text(0) == "0-0"


def test_alignments_are_read_sorted_without_duplicates_and_written_back(tmp_path: Path) -> None:
    read = alignments(tmp_path, ["1-0 0-2 1-0", "", "3-3"])
    assert [read.text(i) for i in range(len(read))] == ["0-2 1-0", "", "3-3"]
    assert read.link_count == 3
    write_alignments(read, tmp_path / "links.gz")
    again = read_alignments(tmp_path / "links.gz")
    assert [again.text(i) for i in range(len(again))] == ["0-2 1-0", "", "3-3"]


@pytest.mark.parametrize(
    "wrong", ["0:1", "0-", "-1", "a-b", "0-1-2", "-1-0", "0-65535", "0-99999999999"]
)
def test_invalid_links_are_errors_with_file_and_line(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=rf"links:2: .*'{wrong}'"):
        alignments(tmp_path, ["0-0", f"1-1 {wrong}"])


def test_directions_of_different_length_are_refused() -> None:
    with pytest.raises(DataError, match="has 2 sentences and the reverse one 1"):
        symmetrize(parsed("0-0", "0-0"), parsed("0-0"))


def test_an_unknown_symmetrization_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="did you mean 'grow-diag-final-and'"):
        symmetrize(parsed("0-0"), parsed("0-0"), "grow-diag-final-an")


def test_a_sentence_out_of_range_is_an_error() -> None:
    with pytest.raises(DataError, match="no sentence 1"):
        parsed("0-0").text(1)


def write_sentence(tmp_path: Path) -> tuple[Path, Path]:
    source, target = tmp_path / "f", tmp_path / "e"
    source.write_text("das haus\n")
    target.write_text("the  house\u00a0of \u2009\n")
    return source, target


def test_eflomal_is_run_in_both_directions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Aligner:
        def __init__(self, model: int, rel_iterations: float) -> None:
            assert (model, rel_iterations) == (2, 0.5)

        def align(
            self, source: Iterable[str], target: Iterable[str], forward: str, reverse: str
        ) -> None:
            assert list(source) == ["das haus"]
            assert list(target) == ["the house_of _"]  # only blanks separate words
            Path(forward).write_text("0-0 1-1\n")
            Path(reverse).write_text("0-0\n")

    monkeypatch.setitem(sys.modules, "eflomal", SimpleNamespace(Aligner=Aligner))
    source, target = write_sentence(tmp_path)
    links = align(source, target, method="intersection", model=2, iterations=0.5)
    assert links.text(0) == "0-0"


def test_the_error_without_eflomal_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(ConfigError, match=r"pip install 'hopefear\[align\]'"):
        align(*write_sentence(tmp_path))


def test_eflomal_itself_finds_the_alignment_of_an_easy_bitext(tmp_path: Path) -> None:
    pytest.importorskip("eflomal", reason="eflomal is an optional extra")
    source, target = tmp_path / "f", tmp_path / "e"
    words = [("eins", "one"), ("zwei", "two"), ("drei", "three"), ("vier", "four")]
    pairs = [(a, b) for a in words for b in words if a != b] * 10
    source.write_text("".join(f"{a[0]} {b[0]}\n" for a, b in pairs))
    target.write_text("".join(f"{b[1]} {a[1]}\n" for a, b in pairs))
    links = align(source, target)
    right = sum(links.text(i) == "0-1 1-0" for i in range(len(links)))
    assert right > 0.9 * len(links)


Bitext = list[tuple[list[str], list[str]]]


def positions(j: int, m: int, n: int, tension: float) -> list[float]:
    """Return the distribution of equation 1 over the positions of word j of m, without NULL."""
    weights = [math.exp(-tension * abs((i + 1) / n - (j + 1) / m)) for i in range(n)]
    return [weight / sum(weights) for weight in weights]


def mean_distance(m: int, n: int, tension: float) -> float:
    return sum(
        weight * abs((i + 1) / n - (j + 1) / m)
        for j in range(m)
        for i, weight in enumerate(positions(j, m, n, tension))
    )


class SlowAligner:
    """Aligns in one direction: words of `e` choose among those of `f`."""

    def __init__(self, bitext: Bitext, options: DiagonalAligner) -> None:
        self.bitext = [(f, e) for f, e in bitext if f and e]
        self.options = options
        self.tension = options.tension
        self.t: defaultdict[tuple[str | None, str], float] = defaultdict(lambda: 1.0)

    def posteriors(self, f: list[str], e: list[str], j: int) -> list[float]:
        """Return unnormalized posteriors of NULL and of each word."""
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

    def links(self, f: list[str], e: list[str]) -> tuple[Links, float]:
        """Return the links and the smallest margin of any decision."""
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


def all_links(alignments: Alignments) -> list[Links]:
    return [links_of(alignments, sentence) for sentence in range(len(alignments))]


sentences = st.lists(st.sampled_from("abcde"), max_size=6)
bitexts = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("diagonal")


@settings(max_examples=50)
@given(bitext=bitexts, iterations=st.integers(1, 4), threads=st.integers(1, 3))
def test_links_equal_those_of_the_definition(
    folder: Path, bitext: Bitext, iterations: int, threads: int
) -> None:
    options = DiagonalAligner(iterations=iterations, threads=threads)
    forward, reverse = options.align(*write(folder, bitext))
    swapped = [(e, f) for f, e in bitext]
    for found, side in ((all_links(forward), bitext), (all_links(reverse), swapped)):
        slow = SlowAligner(side, options)
        for _ in range(iterations):
            slow.iterate()
        for i, (f, e) in enumerate(side):
            expected, nearest = slow.links(f, e)
            if nearest > 1e-4:  # the aligner stores probabilities in single precision
                given_links = found[i] if side is bitext else {(t, s) for s, t in found[i]}
                assert given_links == expected


def test_an_easy_bitext_is_aligned_correctly(tmp_path: Path) -> None:
    forward, reverse = DiagonalAligner().align(*write_bitext(tmp_path))
    found = symmetrize(forward, reverse, "intersection")
    place = [f for f, _ in sentence_pairs()].index("starý muž hledá nový vlak")
    # man old seeks train new
    assert all_links(found)[place] == {(0, 1), (1, 0), (2, 2), (3, 4), (4, 3)}


def test_sentences_that_are_empty_or_too_long_have_no_links(tmp_path: Path) -> None:
    bitext = [(["a"], ["b"]), ([], ["b"]), (["a"], []), (["a"] * 3, ["b"])]
    forward, reverse = DiagonalAligner(max_length=2).align(*write(tmp_path, bitext))
    assert all_links(forward) == all_links(reverse) == [{(0, 0)}, set(), set(), set()]


def test_little_memory_estimates_from_fewer_sentences_but_aligns_all(tmp_path: Path) -> None:
    words = [f"{i:x}" for i in range(3000)]
    bitext = [(words[i : i + 20], words[i : i + 20]) for i in range(0, 2980, 2)]
    forward, _ = DiagonalAligner(memory=1 << 20).align(*write(tmp_path, bitext))
    diagonal = {(i, i) for i in range(20)}
    right = sum(len(links & diagonal) for links in all_links(forward))
    assert right > 0.95 * 20 * len(bitext)


@pytest.mark.parametrize("memory", [1 << 20, 1 << 31])  # pairs of a sample, or of all sentences
def test_processes_that_share_sentences_find_the_same_links(tmp_path: Path, memory: int) -> None:
    random = Random(1)
    words = [f"{i:x}" for i in range(300)]
    bitext = [(random.choices(words, k=8), random.choices(words, k=9)) for _ in range(400)]
    texts = write(tmp_path, bitext)
    options = DiagonalAligner(memory=memory)

    def opened() -> WordAligner:
        return WordAligner(
            read_text(texts[0]),
            read_text(texts[1]),
            null_probability=options.null_probability,
            tension=options.tension,
            concentration=options.concentration,
            max_length=options.max_length,
            memory=memory,
            threads=1,
        )

    ends = (0, 1, 150, 400)
    first, others = opened(), [opened() for _ in ends[1:]]
    for _ in range(options.iterations):
        for k, other in enumerate(others):
            other.set_parameters(*first.parameters())
            other.expect(ends[k], ends[k + 1])
            first.add_counts(other.take_counts())
        first.maximize()
    found = []
    for k, other in enumerate(others):
        other.set_parameters(*first.parameters())
        found += all_links(other.align(ends[k], ends[k + 1]).forward)
    assert found == all_links(options.align(*texts)[0])
    with pytest.raises(DataError, match="another text"):
        first.add_counts(np.zeros(1, np.uint64))


def test_texts_of_different_length_are_refused(tmp_path: Path) -> None:
    source, target = write(tmp_path, [(["a"], ["b"])])
    target.write_text("b\nc\n")
    with pytest.raises(DataError, match="1 sentences, the target text 2"):
        DiagonalAligner().align(source, target)
    with pytest.raises(ConfigError, match=r"DiagonalAligner\.iterations"):
        DiagonalAligner(iterations=0)


def test_the_error_rate_on_manual_alignments_is_about_that_of_fast_align(shared_data: Path) -> None:
    gold_data = shared_data / "gold-align-grc-en"
    gold = all_links(read_alignments(gold_data / "all.align.gz"))
    directed = DiagonalAligner().align(gold_data / "all.grc.gz", gold_data / "all.en.gz")
    found = all_links(symmetrize(*directed))
    right = sum(len(a & b) for a, b in zip(found, gold, strict=True))
    error = 1 - 2 * right / (sum(map(len, found)) + sum(map(len, gold)))
    assert error < 0.43
