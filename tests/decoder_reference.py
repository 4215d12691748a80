"""The decoder as its definition: all derivations of a sentence, one after the other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from hopefear.grammar import Nonterminal, Rule
from hopefear.translation import ModelNames

BEGIN, END = "<s>", "</s>"
# Words, and features with their values.
Key = tuple[tuple[str, ...], tuple[tuple[str, float], ...]]


@dataclass(frozen=True)
class Derived:
    """What a derivation makes: words with <s> and </s>, and its features."""

    words: tuple[str, ...]
    features: Mapping[str, float]

    @property
    def key(self) -> Key:
        """What it is, comparable; features that are 0 do not count."""
        values = sorted((name, round(x, 9)) for name, x in self.features.items() if x != 0)
        return self.words, tuple(values)


def total(vectors: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the sum of feature vectors."""
    values: dict[str, float] = {}
    for vector in vectors:
        for name, value in vector.items():
            values[name] = values.get(name, 0.0) + value
    return values


class ReferenceDecoder:
    """Enumerates derivations; rules come with the largest span they may cover (0: any).

    No label may be derived from itself by rules that rewrite one nonterminal to one other.
    """

    def __init__(
        self,
        rules: Iterable[tuple[Rule, int]],
        *,
        identity_rules: bool = False,
        number_rules: bool = False,
        name_rules: bool = False,
    ) -> None:
        self.rules = list(rules)
        self.names = ModelNames()
        self.identity_rules, self.number_rules = identity_rules, number_rules
        self.name_rules = name_rules

    def derivations(self, words: Sequence[str]) -> list[Derived]:
        """Return all derivations of a sentence."""
        self.tokens = [BEGIN, *words, END]
        self.known: dict[tuple[str, int, int], list[Derived]] = {}
        return self.span(self.names.goal, 0, len(self.tokens))

    def span(self, label: str, begin: int, end: int) -> list[Derived]:
        key = (label, begin, end)
        if key not in self.known:
            self.known[key] = [
                derived
                for rule, max_span in self.rules
                if rule.lhs == label and (max_span == 0 or end - begin <= max_span)
                for tails in self.matches(rule.source, begin, end)
                for derived in self.applied(rule, tails)
            ] + list(self.passing(label, begin, end))
        return self.known[key]

    def matches(
        self, source: Sequence[str | Nonterminal], begin: int, end: int
    ) -> Iterator[list[tuple[str, int, int]]]:
        """Yield for each way in which a source side fits what its nonterminals cover."""
        if not source:
            if begin == end:
                yield []
            return
        first, rest = source[0], source[1:]
        if isinstance(first, str):
            if begin < end and first == self.tokens[begin] and not self.disguised(begin):
                yield from self.matches(rest, begin + 1, end)
            return
        for middle in range(begin + 1, end + 1):
            for tails in self.matches(rest, middle, end):
                yield [(first.label, begin, middle), *tails]

    def disguised(self, position: int) -> bool:
        """Tell whether a word is written like an end of the sentence, but is none."""
        inside = 0 < position < len(self.tokens) - 1
        return inside and self.tokens[position] in (BEGIN, END)

    def applied(self, rule: Rule, tails: list[tuple[str, int, int]]) -> Iterator[Derived]:
        own = {
            **rule.features,
            self.names.word_penalty: -float(sum(isinstance(s, str) for s in rule.target)),
            self.names.phrase_penalty: 1.0,
        }
        for parts in product(*(self.span(*tail) for tail in tails)):
            words: list[str] = []
            for symbol in rule.target:
                words.extend([symbol] if isinstance(symbol, str) else parts[symbol].words)
            yield Derived(tuple(words), total([own, *(part.features for part in parts)]))

    def passing(self, label: str, begin: int, end: int) -> Iterator[Derived]:
        if label != self.names.pass_through or end != begin + 1:
            return
        if not 0 < begin < len(self.tokens) - 1:
            return
        word = self.tokens[begin]
        alone = [r for r, _ in self.rules if r.lhs == label and r.source == (word,)]
        covered = bool(alone) and not self.disguised(begin)
        kinds = [] if covered else [self.names.unknown_word]
        if covered and self.identity_rules:
            kinds.append(self.names.identity_rule)
        if self.number_rules and word.isdigit():
            kinds.append(self.names.number_rule)
        if self.name_rules and word[0].isupper():
            kinds.append(self.names.name_rule)
        for kind in kinds:
            penalties = {self.names.word_penalty: -1.0, self.names.phrase_penalty: 1.0}
            yield Derived((word,), {**penalties, kind: 1.0})
