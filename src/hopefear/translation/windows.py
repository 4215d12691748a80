"""Long inputs in windows: time linear in the length of the input, memory that of one window.

A chart takes hundreds of kilobytes per word, so that a book on one line would need all memory.
"""

import unicodedata
from collections.abc import Iterator, Sequence

from hopefear.errors import DataError
from hopefear.forest import Derivation, Forest, ForestBuilder
from hopefear.limits import LONGEST_LINE

__all__ = ["check_line", "join", "windows"]


def check_line(line: str) -> None:
    """Raise DataError for a line that is too long or was not UTF-8, before work is done on it."""
    if len(line.encode(errors="surrogatepass")) > LONGEST_LINE:
        raise DataError(f"the line is longer than {LONGEST_LINE >> 20} MiB; split it")
    try:
        line.encode()
    except UnicodeEncodeError as error:
        place = len(line[: error.start].encode(errors="surrogateescape")) + 1
        raise DataError(f"is not UTF-8 (byte {place} of the line)") from None


def windows(words: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield consecutive parts of at most `size` words; of all words if `size` is 0.

    A part ends with the last punctuation mark in its second half, if there is one.
    """
    begin = 0
    while size and len(words) - begin > size:
        end = begin + size
        marks = (at for at in range(end, begin + size // 2, -1) if _is_mark(words[at - 1]))
        end = next(marks, end)
        yield words[begin:end]
        begin = end
    yield words[begin:]


def _is_mark(word: str) -> bool:
    return len(word) == 1 and unicodedata.category(word) == "Po"


def join(parts: Sequence[tuple[int, Sequence[Derivation]]]) -> Forest:
    """Return a forest whose derivations are one derivation of each part, one after the other.

    Parts are given with their numbers of source words.
    """
    first = parts[0][1][0].forest
    builder = ForestBuilder(first.words, first.feature_names)
    nodes, begin = [], 0
    for length, derivations in parts:
        nodes.append(builder.add_node(begin=begin, covered=length))
        begin += length
        for one in derivations:
            builder.add_edge(nodes[-1], target=one.words, features=one.features)
    root = builder.add_node(begin=0, covered=begin)
    builder.add_edge(root, tails=nodes, target=range(len(nodes)))
    builder.set_root(root)
    return builder.build()
