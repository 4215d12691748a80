"""The decoder by its definition: enumerates all derivations of a sentence."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from hypothesis import strategies as st

from hopefear.grammar import Nonterminal, Rule
from hopefear.translation import ModelNames
from hopefear.translation.features import Special, feature_name
from small_models import BEGIN, END, rules

Definition = Callable[[Rule], Mapping[str, float]]
# Words, and features with their values.
Key = tuple[tuple[str, ...], tuple[tuple[str, float], ...]]


@dataclass(frozen=True)
class Derived:
    """The words of a derivation, <s> and </s> included, and its features."""

    words: tuple[str, ...]
    features: Mapping[str, float]

    @property
    def key(self) -> Key:
        """A value to compare derivations by; features that are 0 do not count."""
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
    """Enumerates derivations; each rule comes with its maximum span (0: no limit).

    Unary rules must not form cycles.
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
            ] + list(self.copied(label, begin, end))
        return self.known[key]

    def matches(
        self, source: Sequence[str | Nonterminal], begin: int, end: int
    ) -> Iterator[list[tuple[str, int, int]]]:
        """Yield the labels and spans of nonterminals for each match of a source side."""
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
        """Return whether a word looks like a sentence boundary but is none."""
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

    def copied(self, label: str, begin: int, end: int) -> Iterator[Derived]:
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


class TemplateDecoder(ReferenceDecoder):
    """Enumerates derivations with the features of a template."""

    def __init__(
        self,
        rules: Iterable[tuple[Rule, int]],
        template: Definition,
        *,
        identity_rules: bool = False,
    ) -> None:
        def added(rule: Rule) -> Rule:
            return replace(rule, features=total([rule.features, template(rule)]))

        self.template = template
        with_features = [(added(rule), span) for rule, span in rules]
        super().__init__(with_features, identity_rules=identity_rules)

    def copied(self, label: str, begin: int, end: int) -> Iterator[Derived]:
        for derived in super().copied(label, begin, end):
            names = self.names
            penalties = (names.word_penalty, names.phrase_penalty)
            kinds = {k: v for k, v in derived.features.items() if k not in penalties}
            word = derived.words
            rule = Rule(source=word, target=word, features=kinds, alignment=((0, 0),))
            yield Derived(word, total([derived.features, self.template(rule)]))


def lexical(rule: Rule, source_words: set[str], target_words: set[str]) -> dict[str, float]:
    """Return lex(e), lex(f, e) and lex(NULL, e) of a rule."""
    features = []
    for place, e in enumerate(rule.target):
        if isinstance(e, int) or (e in (BEGIN, END) and rule.lhs == "S"):
            continue
        shown = e if e in target_words else Special.UNKNOWN
        features.append(feature_name("lex", shown))
        linked = [rule.source[i] for i, j in rule.alignment if j == place]
        for f in linked:
            assert isinstance(f, str)
            features.append(feature_name("lex", f if f in source_words else Special.UNKNOWN, shown))
        if not linked:
            features.append(feature_name("lex", Special.NULL, shown))
    return total([{name: 1.0} for name in features])


@st.composite
def aligned_rules(draw: st.DrawFn) -> Rule:
    """Draw a rule with a random word alignment."""
    rule = draw(rules())
    sources = [i for i, symbol in enumerate(rule.source) if isinstance(symbol, str)]
    targets = [i for i, symbol in enumerate(rule.target) if isinstance(symbol, str)]
    links = [(i, j) for i in sources for j in targets if draw(st.booleans())]
    return replace(rule, alignment=tuple(links))
