"""Small grammars, sentences and language models for exhaustive search."""

import itertools
import random
from pathlib import Path

from hypothesis import assume
from hypothesis import strategies as st

from hopefear.grammar import Grammar, GrammarBuilder, Nonterminal, Rule
from hopefear.translation.language_model import LanguageModel

X, Y = Nonterminal("X"), Nonterminal("Y")
BEGIN, END = "<s>", "</s>"
KNOWN_WORDS = ["a", "b", "d", "e"]  # in the language models


def built(rules: list[Rule]) -> Grammar:
    """Return a grammar of these rules."""
    builder = GrammarBuilder()
    for rule in rules:
        builder.add(rule)
    return builder.build()


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """Draw a rule over few words; unary rules form no cycles."""
    symbols: list[str | Nonterminal] = ["a", "b", "c", X, Y]
    source = draw(st.lists(st.sampled_from(symbols), min_size=1, max_size=4))
    # Y may be rewritten to X, but not the other way round.
    labels = ["Y"] if source == [X] else ["X", "Y"]
    assume(source != [Y])
    arity = sum(isinstance(symbol, Nonterminal) for symbol in source)
    words = draw(st.lists(st.sampled_from(["a", "d", "e"]), max_size=2))
    parts: list[str | int] = [*words, *range(arity)]
    return Rule(
        lhs=draw(st.sampled_from(labels)),
        source=tuple(source),
        target=tuple(draw(st.permutations(parts))),
        features={"p": draw(st.integers(-4, 4)) / 4},
    )


grammars = st.lists(rules(), max_size=8)
sentences = st.lists(st.sampled_from(["a", "b", "c", "7", BEGIN, END]), max_size=4)


def write_language_model(path: Path, seed: int) -> LanguageModel:
    """Write a trigram model with some n-grams, and return it.

    All its figures are fractions of powers of two, so that sums of them are exact.
    """
    draw = random.Random(seed)
    contexts: set[tuple[str, ...]] = {(BEGIN,), *((word,) for word in KNOWN_WORDS)}
    followers = [*KNOWN_WORDS, END]
    ngrams: list[set[tuple[str, ...]]] = [{("<unk>",), (END,), *contexts}]
    for _ in range(2):
        longer = itertools.product(sorted(contexts), followers)
        # Every n-gram without its first word is in the model, too.
        possible = [(*h, w) for h, w in longer if (*h, w)[1:] in ngrams[-1]]
        ngrams.append({ngram for ngram in possible if draw.random() < 0.6})
        contexts = {ngram for ngram in ngrams[-1] if ngram[-1] != END}
    lines = ["\\data\\", *(f"ngram {n}={len(found)}" for n, found in enumerate(ngrams, 1))]
    for n, found in enumerate(ngrams, 1):
        lines += ["", f"\\{n}-grams:"]
        for ngram in sorted(found):
            score, back_off = -draw.randint(1, 24) / 8, -draw.randint(1, 12) / 8
            score = 0.0 if ngram == (BEGIN,) else score
            last = n == len(ngrams) or ngram[-1] in (END, "<unk>")
            lines.append(f"{score}\t{' '.join(ngram)}" + ("" if last else f"\t{back_off}"))
    path.write_text("\n".join([*lines, "", "\\end\\", ""]))
    return LanguageModel(str(path))
