"""Rules that string parts of sentences together (Chiang, 2007, section 3.2)."""

from collections.abc import Sequence

from hopefear.grammar import Grammar, GrammarBuilder, Nonterminal, Rule

__all__ = ["glue_grammar"]

BEGIN, END = "<s>", "</s>"


def glue_grammar(
    labels: Sequence[str] = ("X",), *, goal: str = "S", feature: str = "Glue"
) -> Grammar:
    """Return the rules that make a sentence of whatever parts there are, one after the other.

    They are S → <s>, S → S X for each label X, with 1 as the value of `feature`, and S → S </s>.
    With them every sentence has a parse.
    """
    builder = GrammarBuilder()
    builder.add(Rule(lhs=goal, source=(BEGIN,), target=(BEGIN,), features={feature: 0.0}))
    sentence = Nonterminal(goal)
    for label in labels:
        both = (sentence, Nonterminal(label))
        builder.add(Rule(lhs=goal, source=both, target=(0, 1), features={feature: 1.0}))
    builder.add(Rule(lhs=goal, source=(sentence, END), target=(0, END)))
    return builder.build("glue grammar")
