"""Features that are derived from the texts of candidates: ``+words``, ``+agreement:chrf``, ...

Their names begin with a plus sign, so that weights say by themselves what has to be derived, and no
feature of a file is mistaken for one. Where candidates already have the feature, it stays.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from hopefear import _core
from hopefear.errors import ConfigError
from hopefear.formats import read_lines
from hopefear.formats.files import PathLike
from hopefear.metrics import Chrf, ChrfPlusPlus
from hopefear.nbest import NBest
from hopefear.registry import suggest
from hopefear.types import FloatArray

__all__ = [
    "DERIVED",
    "MARK",
    "derive_features",
    "derived_names",
    "needs_source",
    "source_lines",
]

MARK = "+"
Derive = Callable[[NBest, list[str], int], FloatArray]


def _of_text(feature: _core.TextFeature) -> Derive:
    return lambda lists, sources, threads: _core.text_feature(
        lists, feature, sources, threads=threads
    )


def _chrf_agreement(metric: Chrf) -> Derive:
    return lambda lists, sources, threads: _core.chrf_agreement(
        lists, metric.core_options, threads=threads
    )


DERIVED: dict[str, Derive] = {
    "words": _of_text(_core.TextFeature.words),
    "characters": _of_text(_core.TextFeature.characters),
    "length-ratio": _of_text(_core.TextFeature.length_ratio),
    "copy": _of_text(_core.TextFeature.copy),
    "repetition": _of_text(_core.TextFeature.repetition),
    "rank": _of_text(_core.TextFeature.rank),
    "agreement:chrf": _chrf_agreement(Chrf()),
    "agreement:chrf++": _chrf_agreement(ChrfPlusPlus()),
    "agreement:bleu": lambda lists, sources, threads: _core.bleu_agreement(
        lists, 4, threads=threads
    ),
}
"""What can be derived; docs/features.md describes each."""

_OF_SOURCE = ("length-ratio", "copy")


def derived_names(features: Iterable[str]) -> tuple[str, ...]:
    """Return the derived features among names, without the plus sign.

    Examples
    --------
    >>> derived_names(["lm", "+words,+copy", "+agreement:bleu"])
    ('words', 'copy', 'agreement:bleu')
    """
    found: list[str] = []
    for item in features:
        if item.startswith(MARK):
            found += [part.strip().removeprefix(MARK) for part in item.split(",")]
    for name in found:
        if name not in DERIVED:
            raise ConfigError(
                f"unknown derived feature '{MARK}{name}'{suggest(name, DERIVED)}",
                settings=("features",),
            )
    return tuple(dict.fromkeys(found))


def needs_source(names: Iterable[str]) -> list[str]:
    """Return which derived features need the sentences that the candidates translate."""
    return [name for name in names if name in _OF_SOURCE]


def source_lines(path: PathLike | None) -> list[str]:
    """Read the sentences that candidates translate; none without a file."""
    return [] if path is None else read_lines(path)


def derive_features(
    lists: NBest,
    derived: Sequence[str],
    sources: Sequence[str] = (),
    *,
    threads: int = 0,
) -> NBest:
    """Return n-best lists with further features of their texts; the texts are shared.

    Parameters
    ----------
    lists : NBest
        The lists; their vocabulary gets the new names, which begin with a plus sign.
    derived : sequence of str
        Names in `DERIVED`, with or without the plus sign.
    sources : sequence of str
        The sentences that the candidates translate, for ``length-ratio`` and ``copy``.
    threads : int
        0 for one per core. The result does not depend on it.

    Examples
    --------
    >>> from hopefear.nbest import NBestBuilder
    >>> builder = NBestBuilder()
    >>> _ = builder.add(0, "the house", {"lm": -2.5}), builder.add(0, "a big house", {"lm": -2.0})
    >>> derive_features(builder.finish(), ["words", "rank"]).features_of(1)
    {'lm': -2.0, '+words': 3.0, '+rank': 1.0}
    """
    chosen = derived_names([MARK + name.removeprefix(MARK) for name in derived])
    names = lists.feature_names
    new = [name for name in chosen if MARK + name not in names or not _occurs(lists, MARK + name)]
    if not new:
        return lists
    texts = list(sources)
    if (missing := needs_source(new)) and len(texts) < lists.sentence_count:
        raise ConfigError(
            f"{MARK}{missing[0]} needs the sentences that the candidates translate: found "
            f"{len(texts)} of {lists.sentence_count}",
            settings=("source",),
        )
    columns = np.stack([DERIVED[name](lists, texts, threads) for name in new], axis=1)
    offsets, ids, values = lists.feature_arrays()
    rows, count = len(offsets) - 1, len(new)
    # Row i has its old entries first: they move by `count` for each earlier row.
    begins = offsets + count * np.arange(rows + 1)
    of_old = np.arange(len(ids)) + np.repeat(begins[:-1] - offsets[:-1], np.diff(offsets))
    of_new = begins[1:, None] - count + np.arange(count)
    all_ids = np.empty(begins[-1], dtype=np.int32)
    all_values = np.empty(begins[-1])
    all_ids[of_old], all_values[of_old] = ids, values
    all_ids[of_new] = np.array([names.add(MARK + name) for name in new], dtype=np.int32)
    all_values[of_new] = columns
    return lists.with_features(names, begins, all_ids, all_values)


def _occurs(lists: NBest, name: str) -> bool:
    feature = lists.feature_names.find(name)
    counts = lists.count_features().hypotheses
    return feature is not None and feature < len(counts) and counts[feature] > 0
