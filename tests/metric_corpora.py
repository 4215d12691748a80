"""Small corpora drawn by hypothesis and real ones from files, for metrics and for sacreBLEU."""

import gzip
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from hopefear.metrics import References

Corpus = list[tuple[str, list[str]]]  # a hypothesis and its references, for each sentence

words = st.lists(st.sampled_from(["a", "b", "c", "Das", "ß", "é."]), max_size=12).map(" ".join)
# White space of every kind, and words that differ in case only.
texts = st.one_of(words, st.text(max_size=40), st.text("aA. \t\x1c\x85\xa0\u2003\u3000\u200b"))
corpora = st.lists(
    st.tuples(texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=6
)


def split(corpus: Corpus) -> tuple[list[str], References, Any]:
    """Return hypotheses, references, and the references as sacreBLEU's streams."""
    hypotheses = [hypothesis for hypothesis, _ in corpus]
    most = max(len(references) for _, references in corpus)
    streams = [
        [references[r] if r < len(references) else None for _, references in corpus]
        for r in range(most)
    ]
    return hypotheses, References([references for _, references in corpus]), streams


def read(path: Path) -> list[str]:
    """Return the lines of a compressed file; only a newline ends a line."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return [line.rstrip("\n") for line in lines]


def read_wmt22(shared_data: Path, pair: str, system: str) -> tuple[list[str], list[list[str]]]:
    """Return the output of a system of WMT22 and both references."""
    folder = shared_data / "wmt22-systems"
    streams = [read(folder / f"{pair}.ref.{name}.en.gz") for name in "AB"]
    return read(folder / f"{pair}.hyp.{system}.en.gz"), streams


def read_bible(shared_data: Path, left_out: str) -> tuple[list[str], list[list[str]]]:
    """Return one English version of the Bible as hypotheses, the six others as references."""
    names = ["asv", "bbe", "bsb", "dby", "kjv", "web", "ylt"]
    versions = {name: read(shared_data / f"bible-multi/dev.en.{name}.gz") for name in names}
    return versions.pop(left_out), list(versions.values())
