"""Interpolated modified Kneser-Ney smoothing by its definition.

Chen and Goodman (1998), An empirical study of smoothing techniques for language modeling, sec. 3.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

NGram = tuple[str, ...]
Arpa = dict[NGram, tuple[float, float]]


class Reference:
    """The model of a text as counts; computes every probability on request."""

    def __init__(
        self,
        sentences: Iterable[Sequence[str]],
        order: int,
        prune: Sequence[int] = (),
        fallback: Sequence[float] | None = None,
    ) -> None:
        self.order = order
        self.occurrences: Counter[NGram] = Counter()
        for sentence in sentences:
            words = ("<s>", *sentence, "</s>")
            for n in range(1, order + 1):
                self.occurrences.update(words[i : i + n] for i in range(len(words) - n + 1))
        del self.occurrences[("<s>",)]  # it is never predicted
        self.vocabulary = {"<unk>"} | {g[0] for g in self.occurrences if len(g) == 1}
        preceding: defaultdict[NGram, set[str]] = defaultdict(set)
        for gram in self.occurrences:
            preceding[gram[1:]].add(gram[0])
        if order > 1:
            for sentence in sentences:  # bigrams at the beginning were counted, but not <s> itself
                preceding[(*sentence, "</s>")[:1]].add("<s>")
        self.adjusted = {
            gram: count if len(gram) == order or gram[0] == "<s>" else len(preceding[gram])
            for gram, count in self.occurrences.items()
        }
        thresholds = [*prune, *[prune[-1] if prune else 0] * (order - len(prune))]
        self.pruned = {
            g for g, count in self.occurrences.items() if count <= thresholds[len(g) - 1]
        }
        self.discounts = [self._discounts(n, fallback) for n in range(1, order + 1)]
        self.following: defaultdict[NGram, list[NGram]] = defaultdict(list)
        for gram in self.adjusted:
            self.following[gram[:-1]].append(gram)

    def _discounts(self, n: int, fallback: Sequence[float] | None) -> list[float]:
        counts = Counter(count for gram, count in self.adjusted.items() if len(gram) == n)
        try:
            y = counts[1] / (counts[1] + 2 * counts[2])
            found = [i - (i + 1) * y * counts[i + 1] / counts[i] for i in (1, 2, 3)]
        except ZeroDivisionError:
            found = [math.nan]
        if all(0 < discount <= i for i, discount in enumerate(found, 1)):
            return [0.0, *found]
        assert fallback is not None, f"no discounts for order {n}"
        return [0.0, *fallback]

    def discount(self, gram: NGram) -> float:
        """Return D(a(gram)); a pruned n-gram loses its whole count."""
        count = self.adjusted[gram]
        return count if gram in self.pruned else self.discounts[len(gram) - 1][min(count, 3)]

    def gamma(self, context: NGram) -> float:
        """Return the weight of the lower order after a context; 1 after an unknown one."""
        grams = self.following.get(context, [])
        total = sum(self.adjusted[gram] for gram in grams)
        return sum(map(self.discount, grams)) / total if grams else 1.0

    def probability(self, word: str, context: NGram) -> float:
        """Return p(word | context) of a known word, for a context shorter than the order."""
        grams = self.following.get(context, [])
        total = sum(self.adjusted[gram] for gram in grams)
        gram = (*context, word)
        own = (self.adjusted[gram] - self.discount(gram)) / total if gram in self.adjusted else 0.0
        if not context:
            return own + self.gamma(context) / len(self.vocabulary)
        return own + self.gamma(context) * self.probability(word, context[1:])

    def arpa(self) -> Arpa:
        """Return the n-grams with log10 of their probabilities and back-off weights."""
        entries: Arpa = {("<s>",): (0.0, self._log10_gamma(("<s>",))), ("<unk>",): (0.0, 0.0)}
        for gram in {("<unk>",), *self.adjusted} - self.pruned:
            log10 = math.log10(self.probability(gram[-1], gram[:-1]))
            entries[gram] = (log10, self._log10_gamma(gram))
        return entries

    def _log10_gamma(self, gram: NGram) -> float:
        return math.log10(self.gamma(gram)) if len(gram) < self.order else 0.0

    def sentence_log10(self, words: Sequence[str]) -> float:
        """Return log10 p(words </s> | <s>); words out of vocabulary count as <unk>."""
        known = [word if word in self.vocabulary else "<unk>" for word in words]
        text = ("<s>", *known, "</s>")
        return sum(
            math.log10(self.probability(text[i], text[max(0, i - self.order + 1) : i]))
            for i in range(1, len(text))
        )


def read_arpa(path: Path) -> Arpa:
    """Read an ARPA file and check its numbers of n-grams."""
    announced, entries = {}, {}
    for line in path.read_text().split("\n"):
        if line.startswith("ngram "):
            order, count = line.removeprefix("ngram ").split("=")
            announced[int(order)] = int(count)
        elif "\t" in line:
            log10, gram, *backoff = line.split("\t")
            entries[tuple(gram.split(" "))] = (float(log10), float(backoff[0]) if backoff else 0.0)
    found = Counter(map(len, entries))
    assert announced == {order: found[order] for order in announced}
    return entries


def back_off(entries: Arpa, word: str, context: NGram) -> float:
    """Return log10 p(word | context) as computed from an ARPA file."""
    gram = (*context, word)
    if gram in entries:
        return entries[gram][0]
    return entries.get(context, (0.0, 0.0))[1] + back_off(entries, word, context[1:])
