"""Which bitext the demonstration works with."""

from collections.abc import Callable, Sequence

from hopefear.demo.corpus import Corpus, Pair
from hopefear.demo.generated import generated_corpus
from hopefear.demo.verses import read_verses, verses_file
from hopefear.errors import DataError

__all__ = ["choose_corpus"]


def choose_corpus(kind: str, announce: Callable[[str], None], *, sentences: int = 300) -> Corpus:
    """Return the corpus to work with.

    Parameters
    ----------
    kind
        ``verses``; ``generated``; or ``auto``: verses if they can be had.
    announce
        Called with a sentence about what is about to be done.
    sentences
        How many verses to tune on, and how many to test on.
    """
    if kind == "generated":
        return generated_corpus()
    try:
        whole = read_verses(verses_file(announce))
    except DataError as error:
        if kind == "verses":
            raise
        announce(f"{error}; a made-up corpus takes the place of the verses")
        return generated_corpus()
    return Corpus(
        title=whole.title,
        train=whole.train,
        dev=_spread(whole.dev, sentences),
        test=_spread(whole.test, sentences),
    )


def _spread(pairs: Sequence[Pair], count: int) -> Sequence[Pair]:
    """Return so many pairs, from all over the part."""
    return [pairs[i * len(pairs) // count] for i in range(min(count, len(pairs)))]
