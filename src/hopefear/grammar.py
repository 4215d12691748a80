"""Synchronous grammars: translation rules in a compact, memory-mapped table.

Chiang (2007), Hierarchical phrase-based translation. A rule rewrites a nonterminal to a source side
and a target side at once; the nonterminals of the two sides are linked. The table is mapped from
its file: it is ready at once, whatever its size, and processes share its memory.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hopefear import _core
from hopefear._core import FeatureKind, Link, RuleTable, Vocabulary, score_of

__all__ = [
    "FeatureKind",
    "Grammar",
    "GrammarBuilder",
    "Nonterminal",
    "Rule",
    "RuleTable",
    "score_of",
]


@dataclass(frozen=True)
class Nonterminal:
    """A nonterminal on a source side."""

    label: str = "X"

    def __str__(self) -> str:
        return f"[{self.label}]"


SourceSide = tuple[str | Nonterminal, ...]
TargetSide = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule, which rewrites a nonterminal on both sides.

    Attributes
    ----------
    lhs
        The label of the left-hand side.
    source
        Words and nonterminals.
    target
        Words, and indices of nonterminals of the source side, from 0.
    features
        Feature values by name.
    alignment
        Pairs of a source position and a target position.
    """

    lhs: str = "X"
    source: SourceSide
    target: TargetSide
    features: Mapping[str, float] = field(default_factory=dict)
    alignment: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        source, target, number = [], [], 0
        for symbol in self.source:
            number += isinstance(symbol, Nonterminal)
            source.append(symbol if isinstance(symbol, str) else f"[{symbol.label},{number}]")
        for place in self.target:
            target.append(place if isinstance(place, str) else f"[{place + 1}]")
        return f"[{self.lhs}] -> {' '.join(source)} | {' '.join(target)}"


class Grammar:
    """An immutable set of rules, indexed by a trie of their source sides.

    Parameters
    ----------
    path
        A file that :class:`GrammarBuilder` or rule extraction wrote.
    verify
        Whether to verify the checksums. Without it a damaged file is noticed later or not at all,
        but never read beyond its end.

    Raises
    ------
    FormatError
        If the file is not a grammar, truncated, or of another version.
    """

    __slots__ = ("core",)

    def __init__(self, path: str | Path, *, verify: bool = True) -> None:
        self.core = _core.Grammar(str(path), verify)

    @classmethod
    def from_core(cls, core: _core.Grammar) -> "Grammar":
        """Return the Python object of a compiled grammar."""
        grammar = cls.__new__(cls)
        grammar.core = core
        return grammar

    def __repr__(self) -> str:
        rules, sources = f"{self.core.rule_count:,} rules", f"{self.core.source_count:,}"
        return f"Grammar({self.core.name!r}: {rules} of {sources} source sides)"

    def __len__(self) -> int:
        return self.core.rule_count

    @property
    def source_count(self) -> int:
        """The number of different source sides."""
        return self.core.source_count

    @property
    def source_words(self) -> Vocabulary:
        """The words of source sides."""
        return self.core.source_words

    @property
    def target_words(self) -> Vocabulary:
        """The words of target sides."""
        return self.core.target_words

    @property
    def labels(self) -> Vocabulary:
        """The names of nonterminals."""
        return self.core.labels

    @property
    def features(self) -> dict[str, FeatureKind]:
        """The features and the kinds of their values; those that every rule has come first."""
        return dict(zip(self.core.feature_names, self.core.kinds, strict=True))

    @property
    def notes(self) -> str:
        """Notes on how the grammar was made."""
        return self.core.notes

    @property
    def nbytes(self) -> int:
        """The size of the file."""
        return self.core.nbytes

    def find(self, source: Sequence[str | Nonterminal]) -> list[Rule]:
        """Return the rules with this source side.

        Examples
        --------
        >>> builder = GrammarBuilder()
        >>> builder.add(Rule(source=("pas", Nonterminal()), target=("not", 0), features={"p": 1}))
        >>> grammar = builder.build()
        >>> [str(rule) for rule in grammar.find(["pas", Nonterminal()])]
        ['[X] -> pas [X,1] | not [1]']
        """
        state = self.core.root
        for symbol in source:
            number = self._source_number(symbol)
            child = None if number is None else self.core.child(state, number)
            if child is None:
                return []
            state = child
        return [self._rule(tuple(source), rule) for rule in self.core.rules(state)]

    def __iter__(self) -> Iterator[Rule]:
        """Yield all rules, in the order of the table."""
        core = self.core
        waiting: list[tuple[int, SourceSide]] = [(core.root, ())]
        while waiting:
            state, source = waiting.pop()
            yield from (self._rule(source, rule) for rule in core.rules(state))
            first = core.first_child(state)
            children = [
                (first + i, (*source, self._source_symbol(symbol)))
                for i, symbol in enumerate(core.symbols(state).tolist())
            ]
            waiting.extend(reversed(children))

    def write_text(self, table: RuleTable, write: Callable[[bytes], object]) -> None:
        """Write all rules as text, in pieces; FormatError if the format cannot hold them."""

        def sink(piece: bytes) -> None:
            write(piece)

        _core.write_rules(self.core, table, sink)

    def texts(self, source: Sequence[int], rules: Iterable[_core.Rule]) -> list[Rule]:
        """Convert rules of the compiled grammar that have this source side."""
        symbols = tuple(self._source_symbol(symbol) for symbol in source)
        return [self._rule(symbols, rule) for rule in rules]

    def _source_number(self, symbol: str | Nonterminal) -> int | None:
        if isinstance(symbol, str):
            return self.core.source_words.find(symbol)
        label = self.core.labels.find(symbol.label)
        return None if label is None else ~label

    def _source_symbol(self, symbol: int) -> str | Nonterminal:
        if symbol >= 0:
            return self.core.source_words[symbol]
        return Nonterminal(self.core.labels[~symbol])

    def _rule(self, source: SourceSide, rule: _core.Rule) -> Rule:
        words, names = self.core.target_words, self.core.feature_names
        values = [*enumerate(rule.features), *zip(rule.sparse_ids, rule.sparse_values, strict=True)]
        return Rule(
            lhs=self.core.labels[rule.lhs],
            source=source,
            target=tuple(words[s] if s >= 0 else ~s for s in rule.target),
            features={names[feature]: value for feature, value in values},
            alignment=tuple((link.source, link.target) for link in rule.alignment),
        )


class GrammarBuilder:
    """Builds a grammar from rules in any order.

    Every rule has the features of the first rule: if a later rule does not give them, they are 0 (1
    for a probability). All other features are stored only for the rules that give them.
    """

    def __init__(self) -> None:
        self.core = _core.GrammarBuilder()

    def __len__(self) -> int:
        return self.core.rule_count

    def add(self, rule: Rule, kinds: Mapping[str, FeatureKind] | None = None) -> None:
        """Add a rule.

        Parameters
        ----------
        rule
            The rule; features are stored in single precision.
        kinds
            Kinds of feature values; by default scores.
        """
        core, known = self.core, {} if kinds is None else kinds
        core.add(
            core.labels.add(rule.lhs),
            [
                core.source_words.add(s) if isinstance(s, str) else ~core.labels.add(s.label)
                for s in rule.source
            ],
            [core.target_words.add(s) if isinstance(s, str) else ~s for s in rule.target],
            [Link(source, target) for source, target in rule.alignment],
            [core.feature(name, known.get(name, FeatureKind.score)) for name in rule.features],
            list(rule.features.values()),
        )

    def parse(
        self, pieces: Iterable[bytes], table: RuleTable, label: str, file: str, *, negate: bool
    ) -> None:
        """Add the rules of a text.

        Parameters
        ----------
        pieces
            The bytes of the file, in pieces of any size.
        table
            The format of rules.
        label
            Values without a name are called LABEL_0, LABEL_1, ...
        file
            Name of the file in messages.
        negate
            Whether to negate values without a name.
        """
        parser = _core.RuleParser(self.core, table, label, negate, file)
        for piece in pieces:
            parser.feed(piece)
        parser.finish()

    def build(self, name: str = "grammar in memory") -> Grammar:
        """Return the grammar of the rules added so far."""
        return Grammar.from_core(self.core.build(name))

    def write(self, path: str | Path, notes: str = "") -> None:
        """Write the grammar to a file, completely or not at all."""
        self.core.write(str(path), notes)
