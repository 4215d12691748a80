"""A small translation system and a corpus for it, made up."""

from pathlib import Path
from random import Random

from hopefear.candidates import DecodedSet, Parses, write_parses
from hopefear.formats.forests.store import ForestStore
from hopefear.grammar import Rule
from hopefear.metrics import Bleu, References
from hopefear.translation import Decoder, DecoderOptions
from hopefear.types import Vocabulary, Weights
from small_grammars import KNOWN_WORDS, X, built, write_language_model

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
