"""A small translation system and a corpus for it, made up."""

import itertools
import random
from pathlib import Path
from random import Random

from hypothesis import assume
from hypothesis import strategies as st

from hopefear.candidates import DecodedSet, Parses, write_parses
from hopefear.formats.forests.store import ForestStore
from hopefear.grammar import Grammar, GrammarBuilder, Nonterminal, Rule
from hopefear.metrics import Bleu, References
from hopefear.translation import Decoder, DecoderOptions
from hopefear.translation.language_model import LanguageModel
from hopefear.types import Vocabulary, Weights

X, Y = Nonterminal("X"), Nonterminal("Y")
BEGIN, END = "<s>", "</s>"


SOURCE_WORDS = [f"s{i}" for i in range(6)]
START = Weights({"lm": 0.2, "p": 0.3, "noise": 0.5, "Glue": 0.1, "WordPenalty": 0.1})


def small_decoder(folder: Path, *, seed: int = 1) -> Decoder:
    """Words with a right translation and wrong ones, and rules that swap two phrases."""
    random, rules = Random(seed), []
    for i, word in enumerate(SOURCE_WORDS):
        for j, target in enumerate(KNOWN_WORDS):
            right = j == i % len(KNOWN_WORDS)
            features = {
                "p": random.gauss(-0.2 if right else -1.5, 0.5),
                "noise": random.gauss(0, 1),
            }
            rules.append(Rule(lhs="X", source=(word,), target=(target,), features=features))
    rules.append(Rule(lhs="X", source=("s0", X), target=(0, "a"), features={"p": -0.7}))
    rules.append(Rule(lhs="X", source=(X, "s1", X), target=(1, "b", 0), features={"p": -1.2}))
    models = {"lm": write_language_model(folder / "lm.arpa", seed)}
    return Decoder(built(rules), models, START, options=DecoderOptions(pop_limit=20))


def small_corpus(count: int, *, seed: int = 1) -> tuple[list[list[str]], References]:
    """Sentences, and what their words mean, in order."""
    random = Random(seed)
    sentences = [random.choices(SOURCE_WORDS, k=random.randint(3, 7)) for _ in range(count)]
    texts = [
        " ".join(KNOWN_WORDS[SOURCE_WORDS.index(word) % len(KNOWN_WORDS)] for word in words)
        for words in sentences
    ]
    return sentences, References([[text] for text in texts])


def small_set(folder: Path, *, sentences: int = 12, threads: int = 1) -> DecodedSet:
    """Return the corpus with its parses."""
    decoder = small_decoder(folder)
    source, references = small_corpus(sentences)
    write_parses(folder / "parses.forests", decoder, source, threads=threads)
    names = Vocabulary()
    for name in START:
        names.add(name)
    store = ForestStore.open(folder / "parses.forests", feature_names=names)
    rescorer = decoder.rescorer()
    return DecodedSet(
        Parses(store, rescorer), rescorer, references, Bleu(tokenize="none"), threads=threads
    )


ADJECTIVES = {"velký": "big", "malý": "small", "starý": "old", "nový": "new"}
NOUNS = {"dům": "house", "pes": "dog", "muž": "man", "vlak": "train"}
VERBS = {"vidí": "sees", "hledá": "seeks"}


def sentence_pairs() -> list[tuple[str, str]]:
    """Return sentences such as 'velký pes vidí dům' and 'dog big sees house'."""
    phrases = [
        (f"{a} {n}", f"{NOUNS[n]} {ADJECTIVES[a]}") for a, n in itertools.product(ADJECTIVES, NOUNS)
    ] + list(NOUNS.items())
    pairs = []
    for i, (subject, object_) in enumerate(itertools.product(phrases, phrases)):
        verb = list(VERBS)[i % 2]
        pairs.append(
            (f"{subject[0]} {verb} {object_[0]}", f"{subject[1]} {VERBS[verb]} {object_[1]}")
        )
    return pairs


def write_bitext(directory: Path, *, every: int = 1) -> tuple[Path, Path]:
    """Write some of the sentences and return both files."""
    pairs = sentence_pairs()[::every]
    source, target = directory / "train.f", directory / "train.e"
    source.write_text("".join(f"{f}\n" for f, _ in pairs), encoding="utf-8")
    target.write_text("".join(f"{e}\n" for _, e in pairs), encoding="utf-8")
    return source, target


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
