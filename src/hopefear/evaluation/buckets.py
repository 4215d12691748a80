"""Scores of parts of a test set: by the length of sentences, and by the frequency of words.

Neubig et al. (2019), compare-mt: a tool for holistic comparison of language generation systems,
NAACL.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from hopefear.evaluation.measured import Measured
from hopefear.evaluation.results import Bucket

__all__ = ["length_buckets", "word_buckets"]

# The shortest sentence, and the rarest word, of each bucket.
LENGTHS = (0, 11, 21, 31, 41, 51, 61)
FREQUENCIES = (0, 1, 2, 3, 4, 5, 10, 100, 1000)


def length_buckets(found: Measured) -> list[Bucket]:
    """Return the scores of sentences by the number of words of their first reference."""
    lengths = [len(found.words(texts[0])) for texts in found.references.sentences]
    places = np.array([bisect_right(LENGTHS, length) - 1 for length in lengths])
    buckets = []
    for place, label in enumerate(_labels(LENGTHS)):
        if not (count := int(np.count_nonzero(places == place))):
            continue
        scores = {
            name: [
                float(np.mean([metric.score(m[places == place].sum(axis=0)) for m in replicas]))
                for replicas in found.statistics[name]
            ]
            for name, metric in found.metrics.items()
        }
        buckets.append(Bucket(label=label, count=count, scores=scores))
    return buckets


def word_buckets(found: Measured, text: Iterable[str] | None = None) -> list[Bucket]:
    """Return how well words are translated, by their frequency in a text or in the references.

    Of each word of a sentence, min(count in the output, count in the reference) are right. Of
    several references, the one with most words that are right counts.

    Parameters
    ----------
    found : Measured
        The outputs and their references.
    text : iterable of str, optional
        Sentences whose words are counted, such as those of the training data.
    """
    references = [
        [Counter(found.words(each)) for each in texts] for texts in found.references.sentences
    ]
    counts: Counter[str] = Counter()
    if text is None:
        for sentence in references:
            for words in sentence:
                counts.update(words)
    else:
        for line in text:
            counts.update(found.words(line))
    place = {word: bisect_right(FREQUENCIES, count) - 1 for word, count in counts.items()}
    # By system: the mean over replicas of F1, precision and recall, and reference words.
    results = [
        np.mean([_word_scores(found, texts, references, place) for texts in replicas], axis=0)
        for _, replicas in found.systems
    ]
    totals = results[0][3]
    return [
        Bucket(
            label=label,
            count=round(float(totals[i])),
            scores={
                name: [float(result[row, i]) for result in results]
                for row, name in enumerate(("f1", "precision", "recall"))
            },
        )
        for i, label in enumerate(_labels(FREQUENCIES))
        if totals[i]
    ]


def _word_scores(
    found: Measured,
    texts: Sequence[str],
    references: Sequence[Sequence[Counter[str]]],
    place: Mapping[str, int],
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return rows of F1, precision, recall and the number of reference words, by bucket."""
    right, ours, theirs = np.zeros((3, len(FREQUENCIES)))
    for text, sentence in zip(texts, references, strict=True):
        output = Counter(found.words(text))
        matches = [output & reference for reference in sentence]
        best = max(range(len(matches)), key=lambda i: matches[i].total())
        for sums, words in ((right, matches[best]), (ours, output), (theirs, sentence[best])):
            for word, count in words.items():
                sums[place.get(word, 0)] += count
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [2 * right / (ours + theirs), right / ours, right / theirs]
    return np.array([*(100.0 * np.nan_to_num(share) for share in shares), theirs])


def _labels(starts: Sequence[int]) -> list[str]:
    """Return the names of buckets.

    Examples
    --------
    >>> _labels((0, 1, 5, 10))
    ['0', '1 to 4', '5 to 9', '10 or more']
    """
    ends = [start - 1 for start in starts[1:]]
    ranges = [
        f"{low}" if low == high else f"{low} to {high}"
        for low, high in zip(starts, ends, strict=False)
    ]
    return [*ranges, f"{starts[-1]} or more"]
