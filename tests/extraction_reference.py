"""Rule extraction by its definition: tries every span.

Chiang (2007), section 3.2; Koehn, Och & Marcu (2003) for lexical weights.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

from hopefear.grammar import Nonterminal, SourceSide, TargetSide
from hopefear.translation.training.extract import RuleExtraction

X = Nonterminal()
Links = frozenset[tuple[int, int]]
Pair = tuple[Sequence[str], Sequence[str], Links]
RuleKey = tuple[SourceSide, TargetSide]


@dataclass(frozen=True)
class Span:
    """Source words [i, k) with target words [j, m)."""

    i: int
    k: int
    j: int
    m: int

    def links(self, links: Links) -> Links:
        """Return the links inside the phrase pair."""
        return frozenset((s, t) for s, t in links if self.has_source(s) and self.has_target(t))

    def has_source(self, s: int) -> bool:
        """Return whether a source word is inside."""
        return self.i <= s < self.k

    def has_target(self, t: int) -> bool:
        """Return whether a target word is inside."""
        return self.j <= t < self.m

    def inside(self, other: "Span") -> bool:
        """Return whether the phrase pair lies inside another."""
        return (
            other.i <= self.i
            and self.k <= other.k
            and other.j <= self.j
            and self.m <= other.m
            and self != other
        )

    def disjoint(self, other: "Span") -> bool:
        """Return whether two phrase pairs share no word on either side."""
        source = self.k <= other.i or other.k <= self.i
        target = self.m <= other.j or other.m <= self.j
        return source and target


def initial_phrase_pairs(pair: Pair, options: RuleExtraction) -> list[Span]:
    """Return the phrase pairs consistent with the alignment, within the limits."""
    source, target, links = pair
    n, m, most = len(source), len(target), options.max_phrase_length
    spans = [
        Span(i, k, j, e)
        for i in range(n)
        for k in range(i + 1, min(n, i + most) + 1)
        for j in range(m)
        for e in range(j + 1, min(m, j + most) + 1)
    ]
    consistent = [
        span
        for span in spans
        if span.links(links) and all(span.has_source(s) == span.has_target(t) for s, t in links)
    ]
    return [span for span in consistent if not options.tight or corners_are_linked(span, links)]


def corners_are_linked(span: Span, links: Links) -> bool:
    """Return whether the first and last words of both sides have links."""
    sources, targets = {s for s, _ in links}, {t for _, t in links}
    return {span.i, span.k - 1} <= sources and {span.j, span.m - 1} <= targets


def rules_of(
    outer: Span, spans: list[Span], pair: Pair, options: RuleExtraction
) -> list[tuple[RuleKey, Links]]:
    """Return the rules of an initial phrase pair with their word alignments."""
    inner = [
        span
        for span in spans
        if span.inside(outer) and span.k - span.i >= options.min_nonterminal_span
    ]
    found = []
    for count in range(options.max_nonterminals + 1):
        for holes in combinations(sorted(inner, key=lambda span: span.i), count):
            if all(a.disjoint(b) for a, b in combinations(holes, 2)):
                rule = make_rule(outer, holes, pair)
                if is_allowed(rule, options):
                    found.append(rule)
    return found


def make_rule(outer: Span, holes: Sequence[Span], pair: Pair) -> tuple[RuleKey, Links]:
    """Replace phrase pairs by nonterminals; holes come in the order of the source."""
    source, target, links = pair
    source_side: list[str | Nonterminal] = []
    target_side: list[str | int] = []
    source_place, target_place = {}, {}
    for s in range(outer.i, outer.k):
        if any(hole.i < s < hole.k for hole in holes):
            continue
        source_place[s] = len(source_side)
        source_side.append(X if any(hole.i == s for hole in holes) else source[s])
    for t in range(outer.j, outer.m):
        if any(hole.j < t < hole.m for hole in holes):
            continue
        target_place[t] = len(target_side)
        slots = [slot for slot, hole in enumerate(holes) if hole.j == t]
        target_side.append(slots[0] if slots else target[t])
    inside = frozenset(
        (source_place[s], target_place[t])
        for s, t in outer.links(links)
        if not any(hole.has_source(s) for hole in holes)
    )
    return (tuple(source_side), tuple(target_side)), inside


def is_allowed(rule: tuple[RuleKey, Links], options: RuleExtraction) -> bool:
    """Return whether a rule is within the limits."""
    (source, _), links = rule
    adjacent = any(a == b == X for a, b in pairwise(source))
    return (
        len(source) <= options.max_source_symbols
        and len(links) > 0
        and (options.adjacent_nonterminals or not adjacent)
    )


# Counts are whole multiples of this, so that sums do not depend on their order.
UNIT = 2**32


def count_rules(bitext: Sequence[Pair], options: RuleExtraction) -> dict[RuleKey, Counter[Links]]:
    """Return the count of each rule with each alignment, in units of 1 / UNIT."""
    counts: dict[RuleKey, Counter[Links]] = defaultdict(Counter)
    for pair in bitext:
        spans = initial_phrase_pairs(pair, options)
        for outer in spans:
            rules = rules_of(outer, spans, pair, options)
            share = Fraction(UNIT, len(rules) if rules and options.fractional_counts else 1)
            for key, links in rules:
                counts[key][links] += int(share + Fraction(1, 2))
    return counts


WordWeights = dict[tuple[str, str], Fraction]


def word_weights(bitext: Sequence[Pair]) -> tuple[WordWeights, WordWeights]:
    """Return w(e|f) and w(f|e), both by (f, e); NULL is the empty word."""
    joint: Counter[tuple[str, str]] = Counter()
    for source, target, links in bitext:
        joint.update((source[s], target[t]) for s, t in links)
        linked_s, linked_t = {s for s, _ in links}, {t for _, t in links}
        joint.update((w, "") for s, w in enumerate(source) if s not in linked_s)
        joint.update(("", w) for t, w in enumerate(target) if t not in linked_t)
    total_f: Counter[str] = Counter()
    total_e: Counter[str] = Counter()
    for (f, e), count in joint.items():
        total_f[f] += count
        total_e[e] += count
    return (
        {(f, e): Fraction(c, total_f[f]) for (f, e), c in joint.items()},
        {(f, e): Fraction(c, total_e[e]) for (f, e), c in joint.items()},
    )


def lex_e_given_f(key: RuleKey, links: Links, weights: WordWeights) -> Fraction:
    """Return Π over target words of the mean of w(e|f) over their links."""
    source, target = key
    product = Fraction(1)
    for t, e in enumerate(target):
        if isinstance(e, str):
            linked = [str(source[s]) for s, u in links if u == t] or [""]
            product *= sum((weights[f, e] for f in linked), Fraction(0)) / len(linked)
    return product


def lex_f_given_e(key: RuleKey, links: Links, weights: WordWeights) -> Fraction:
    """Return Π over source words of the mean of w(f|e) over their links."""
    source, target = key
    product = Fraction(1)
    for s, f in enumerate(source):
        if isinstance(f, str):
            linked = [str(target[t]) for u, t in links if u == s] or [""]
            product *= sum((weights[f, e] for e in linked), Fraction(0)) / len(linked)
    return product


def best_alignment(alignments: Counter[Links], *, by_target: bool) -> Links:
    """Return the most frequent alignment; ties go to the greatest, as in Moses."""

    def places(links: Links) -> list[list[int]]:
        pairs = [(t, s) if by_target else (s, t) for s, t in links]
        length = 1 + max(word for links in alignments for pair in links for word in pair)
        return [sorted(b for a, b in pairs if a == word) for word in range(length)]

    return max(alignments, key=lambda links: (alignments[links], places(links)))


def without_numbers(target: TargetSide) -> TargetSide:
    """Return a target side without the indices of nonterminals."""
    return tuple(w if isinstance(w, str) else 0 for w in target)


def scored_rules(
    bitext: Sequence[Pair], options: RuleExtraction
) -> dict[RuleKey, tuple[dict[str, float], Links]]:
    """Return all rules with their features and alignments, without smoothing."""
    counts = count_rules(bitext, options)
    forward, backward = word_weights(bitext)
    joint = {key: sum(alignments.values()) for key, alignments in counts.items()}
    count_f: Counter[SourceSide] = Counter()
    count_e: Counter[TargetSide] = Counter()
    for (source, target), count in joint.items():
        count_f[source] += count
        count_e[without_numbers(target)] += count
    scored = {}
    for key, alignments in counts.items():
        f, e = count_f[key[0]], count_e[without_numbers(key[1])]
        links = best_alignment(alignments, by_target=True)
        inverse = best_alignment(alignments, by_target=False)
        features = {
            "p_f_given_e": joint[key] / e,
            "lex_f_given_e": float(lex_f_given_e(key, inverse, backward)),
            "p_e_given_f": joint[key] / f,
            "lex_e_given_f": float(lex_e_given_f(key, links, forward)),
            "count_f_e": joint[key] / UNIT,
            "count_f": f / UNIT,
            "count_e": e / UNIT,
        }
        scored[key] = (features, links)
    return scored


def can_match(source: SourceSide, sentence: Sequence[str], max_span: int | None) -> bool:
    """Return whether a source side matches a sentence, a nonterminal at least one word."""

    def ends(symbols: SourceSide, begin: int) -> Iterator[int]:
        if not symbols:
            yield begin
        elif isinstance(symbols[0], Nonterminal):
            for end in range(begin + 1, len(sentence) + 1):
                yield from ends(symbols[1:], end)
        elif begin < len(sentence) and sentence[begin] == symbols[0]:
            yield from ends(symbols[1:], begin + 1)

    return any(
        max_span is None or end - begin <= max_span
        for begin in range(len(sentence))
        for end in ends(source, begin)
    )
