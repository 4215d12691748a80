"""Generated candidates: garbled copies of sentences, with features that reflect the damage.

They need no data and no system, so demos, examples and benchmarks run anywhere. The features
behave like those of a real system: each carries some information, none carries all of it, and their
scales differ.
"""

from collections.abc import Iterator

import numpy as np

from hopefear.settings import setting, settings
from hopefear.types import Hypothesis, Segment, Weights

__all__ = ["START", "SyntheticCandidates"]

START = Weights({"lm": 0.2, "tm": 0.2, "reordering": 0.2, "words": 0.2, "noise": 0.2})
"""Equal weights for all features."""

SYLLABLES = ("ba", "do", "fi", "ga", "ke", "li", "mo", "nu", "pa", "ri", "se", "tu", "va", "zo")


@settings
class SyntheticCandidates:
    """A corpus of references with an n-best list for each."""

    sentences: int = setting(400, "The number of sentences.", least=1)
    size: int = setting(50, "Hypotheses in each list.", least=1)
    skip: int = setting(0, "Sentences to skip first, for other data of the same language.", least=0)
    seed: int = setting(1, "The same seed gives the same corpus.", least=0)

    def __iter__(self) -> Iterator[tuple[str, Segment]]:
        """Yield each reference with its list."""
        language = _Language(np.random.default_rng([self.seed, 0]))
        for sentence in range(self.sentences):
            random = np.random.default_rng([self.seed, 1, self.skip + sentence])
            reference = language.sentence(random)
            hypotheses = tuple(_garble(reference, language, random) for _ in range(self.size))
            text = " ".join(language.words[i] for i in reference)
            yield text, Segment(sentence=sentence, hypotheses=hypotheses)


class _Language:
    """A few hundred words, each with its own preferred followers."""

    def __init__(self, random: np.random.Generator, size: int = 300, followers: int = 12) -> None:
        self.words = [_spell(int(i)) for i in random.permutation(len(SYLLABLES) ** 3)[:size]]
        frequency = 1.0 / np.arange(1, size + 1)
        frequency /= frequency.sum()
        self.cumulated = frequency.cumsum()
        self.followers = random.choice(size, (size, followers), p=frequency)
        share = np.zeros((size, size))
        np.add.at(share, (np.arange(size)[:, None], self.followers), 1.0 / followers)
        self.log_probability = np.log(0.7 * share + 0.3 * frequency)

    def word(self, random: np.random.Generator) -> int:
        """Return a random word; frequent words come more often."""
        return min(int(self.cumulated.searchsorted(random.random())), len(self.words) - 1)

    def sentence(self, random: np.random.Generator) -> list[int]:
        """Return the words of a new sentence."""
        words = [self.word(random)]
        for choice in random.integers(self.followers.shape[1], size=random.integers(6, 20)):
            words.append(int(self.followers[words[-1], choice]))
        return words

    def score(self, words: list[int]) -> float:
        """Return the log probability of the words in this order."""
        return float(self.log_probability[words[:-1], words[1:]].sum())


def _spell(number: int) -> str:
    """Return the word with this number: syllables as digits."""
    word = ""
    while number or not word:
        number, digit = divmod(number, len(SYLLABLES))
        word += SYLLABLES[digit]
    return word


def _garble(reference: list[int], language: _Language, random: np.random.Generator) -> Hypothesis:
    """Return a hypothesis with some words lost, replaced, inserted or moved."""
    words = list(reference)
    changed = moved = 0
    for _ in range(int(random.poisson(0.4 * len(reference)))):
        at = int(random.integers(len(words)))
        match int(random.integers(4)):
            case 0 if len(words) > 2:
                del words[at]
                changed += 1
            case 1:
                words[at] = language.word(random)
                changed += 1
            case 2:
                words.insert(at, language.word(random))
                changed += 1
            case _:
                to = min(at + 1, len(words) - 1)
                words[at], words[to] = words[to], words[at]
                moved += 1
    features = {
        "lm": language.score(words),
        "tm": -2.0 * changed + random.normal(0, 4),
        "reordering": -0.3 * moved + random.normal(0, 0.5),
        "words": float(len(words)),
        "noise": random.normal(0, 5),
    }
    rounded = {name: float(f"{value:.6g}") for name, value in features.items()}
    return Hypothesis(text=" ".join(language.words[i] for i in words), features=rounded)
