"""Templates as their definitions, and decoding with them as its own."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from hypothesis import strategies as st

from decoder_reference import Derived, ReferenceDecoder, total
from hopefear.grammar import Rule
from hopefear.translation.features import Special, feature_name
from small_grammars import BEGIN, END, rules

Definition = Callable[[Rule], Mapping[str, float]]


class TemplateDecoder(ReferenceDecoder):
    """Enumerates derivations whose rules have further features."""

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

    def passing(self, label: str, begin: int, end: int) -> Iterator[Derived]:
        for derived in super().passing(label, begin, end):
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
    """Rules whose words are aligned, in whatever way."""
    rule = draw(rules())
    sources = [i for i, symbol in enumerate(rule.source) if isinstance(symbol, str)]
    targets = [i for i, symbol in enumerate(rule.target) if isinstance(symbol, str)]
    links = [(i, j) for i in sources for j in targets if draw(st.booleans())]
    return replace(rule, alignment=tuple(links))
