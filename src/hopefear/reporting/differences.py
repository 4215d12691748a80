"""Words that differ: what a start has and a result has not, and which of it is in a reference."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter

__all__ = ["Piece", "compared"]

# Languages that write no spaces between words: kana, Chinese characters, Thai, Lao, Khmer, Burmese.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# Words, or such letters, each with the space before it; the space at the end alone.
_WORD = re.compile(rf"\s*(?:[{_UNSPACED}]|[^\s{_UNSPACED}]+)|\s+")
LONGEST = 400  # words that are compared, since the time grows with their square


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Words in a row: the same in both texts, or only in this one; and whether references agree.

    `known` is whether the words are in a reference, as often as they are here.
    """

    text: str
    differs: bool = False
    known: bool = False


def compared(start: str, result: str, references: Sequence[str]) -> tuple[list[Piece], list[Piece]]:
    """Return both texts in pieces that are the same or differ; the pieces make the texts again.

    Examples
    --------
    >>> start, result = compared("a dog bark", "the dog barks", ["the dog barks"])
    >>> [(piece.text, piece.differs, piece.known) for piece in result]
    [('the', True, True), (' dog', False, True), (' ', False, False), ('barks', True, True)]
    >>> [piece.text for piece in start if piece.differs and not piece.known]
    ['a', 'bark']
    """
    before, after = _WORD.findall(start), _WORD.findall(result)
    if max(len(before), len(after)) > LONGEST:
        whole = start != result
        return [Piece(text=start, differs=whole)], [Piece(text=result, differs=whole)]
    known = Counter[str]()
    for reference in references:
        known |= Counter(map(str.strip, _WORD.findall(reference)))
    old, new = (list(map(str.strip, one)) for one in (before, after))
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    same = [{block[side] + i for block in blocks for i in range(block.size)} for side in (0, 1)]
    return (
        list(_pieces(before, same[0], known)),
        list(_pieces(after, same[1], known)),
    )


def _pieces(words: Sequence[str], same: set[int], known: Counter[str]) -> Iterator[Piece]:
    """Join words of one kind; a space before words that differ does not."""
    left = known.copy()
    kinds = []
    for i, word in enumerate(words):
        plain = word.strip()
        kinds.append((i not in same, left[plain] > 0))
        left[plain] -= 1
    for (differs, here), group in groupby(zip(kinds, words, strict=True), key=itemgetter(0)):
        text = "".join(word for _, word in group)
        words_alone = text.lstrip() if differs else text
        if space := text[: len(text) - len(words_alone)]:
            yield Piece(text=space)
        if words_alone:
            yield Piece(text=words_alone, differs=differs, known=here)
