"""A generated bitext of two small languages that differ in word order and endings.

The source language puts verbs last and adjectives after nouns, marks objects with an ending, and
has no articles. The target language is a fragment of English. The translation of a word may depend
on its neighbours, so a language model helps, and so do good weights.
"""

import random
from dataclasses import dataclass

from hopefear.demo.corpus import Corpus, Pair

__all__ = ["generated_corpus"]

SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in ("a", "e", "i", "o", "u")]
NOUNS = ["dog", "cat", "king", "queen", "child", "river", "house", "boat"]
NOUNS += ["garden", "letter", "bird", "road", "song", "city", "field"]
ADJECTIVES = ["old", "young", "small", "large", "bright", "dark", "quiet", "green"]
VERBS = ["sees", "finds", "loves", "hears", "leaves", "follows", "paints", "guards"]
PLACES = [("in", "ra"), ("near", "ra"), ("behind", "sol")]
# Nouns that share a source word; only the adjective or the verb can tell them apart.
SHARED = [("river", "road"), ("song", "letter"), ("house", "city")]


@dataclass(frozen=True)
class _Lexicon:
    nouns: dict[str, str]
    adjectives: dict[str, str]
    verbs: dict[str, str]


def generated_corpus(
    *, train: int = 1000, dev: int = 100, test: int = 100, seed: int = 1
) -> Corpus:
    """Generate sentence pairs; the parts share no sentence.

    Examples
    --------
    >>> corpus = generated_corpus(train=100, dev=10, test=10)
    >>> len(corpus.train), len(corpus.dev), len(corpus.test)
    (100, 10, 10)
    """
    stream = random.Random(seed)
    lexicon = _lexicon(stream)
    seen: set[str] = set()
    pairs: list[Pair] = []
    while len(pairs) < train + dev + test:
        pair = _sentence(stream, lexicon)
        if pair[0] not in seen:
            seen.add(pair[0])
            pairs.append(pair)
    return Corpus(
        title="generated sentences of two invented languages",
        train=pairs[:train],
        dev=pairs[train : train + dev],
        test=pairs[train + dev :],
    )


def _lexicon(stream: random.Random) -> _Lexicon:
    words: set[str] = set()

    def word() -> str:
        while (made := "".join(stream.choices(SYLLABLES, k=2))) in words:
            pass
        words.add(made)
        return made

    nouns = {noun: word() for noun in NOUNS}
    nouns |= {second: nouns[first] for first, second in SHARED}
    return _Lexicon(nouns, {a: word() for a in ADJECTIVES}, {v: word() for v in VERBS})


def _sentence(stream: random.Random, lexicon: _Lexicon) -> Pair:
    subject, object_ = _phrase(stream, lexicon, ""), _phrase(stream, lexicon, "n")
    verb = stream.choice(VERBS)
    source = f"{subject[0]} {object_[0]} {lexicon.verbs[verb]} ."
    target = f"{subject[1]} {verb} {object_[1]} ."
    if stream.random() < 0.4:
        preposition, particle = stream.choice(PLACES)
        place = _phrase(stream, lexicon, "")
        source = f"{place[0]} {particle} {source}"
        target = f"{target[:-2]} {preposition} {place[1]} ."
    return source, target


def _phrase(stream: random.Random, lexicon: _Lexicon, ending: str) -> Pair:
    noun = stream.choice(NOUNS)
    article = "the" if stream.random() < 0.6 else "a"
    source, target = lexicon.nouns[noun] + ending, noun
    if stream.random() < 0.6:
        # Each noun goes with three adjectives only, which tells nouns with the same word apart.
        adjective = ADJECTIVES[(NOUNS.index(noun) + stream.randrange(3)) % len(ADJECTIVES)]
        source, target = f"{source} {lexicon.adjectives[adjective]}", f"{adjective} {target}"
    if article == "a" and target[0] in "aeiou":
        article = "an"
    return source, f"{article} {target}"
