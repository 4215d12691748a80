"""Texts whose lines begin with the keys of their sentences, such as the ids of utterances.

Kaldi's and ESPnet's text files separate key and text by a blank, tables by a tab. Nobody has to say
so: keys are recognized because candidates, or other texts, have the same ones.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from hopefear.errors import DataError
from hopefear.formats.fields import split_blanks
from hopefear.formats.nbest import SentenceKeys

__all__ = [
    "ReferenceLines",
    "aligned_texts",
    "in_order_of_keys",
    "keyed_references",
    "offered_keys",
    "texts_by_key",
]

# What the column of keys is called in tables that have a header.
_HEADERS = {
    "id",
    "key",
    "utt",
    "utt_id",
    "utterance",
    "sentence",
    "seg_id",
    "segment_id",
    "sent_id",
}
# A key that no word looks like: digits together with letters or a separator.
_ID = re.compile(r"(?=\S*[0-9])(?=\S*[^\W\d]|\S*[_-])\S+")


class ReferenceLines(list[str]):
    """References out of records, of which more is known than of lines.

    Parameters
    ----------
    lines : iterable of str
    keyed : bool
        Whether each line begins with a key and a tab.
    further : bool
        Whether these are second or later references: a sentence has none where the text is empty.
    """

    def __init__(self, lines: Iterable[str], *, keyed: bool, further: bool) -> None:
        super().__init__(lines)
        self.keyed, self.further = keyed, further


def _are_keyed(lines: Sequence[str]) -> bool:
    return isinstance(lines, ReferenceLines) and lines.keyed


def texts_by_key(lines: Sequence[str]) -> dict[str, str] | None:
    """Return the texts by their first words, or None if these cannot be keys.

    Keys differ from each other, and every line that is not empty has one.

    Examples
    --------
    >>> texts_by_key(["utt1 a house", "utt2"])
    {'utt1': 'a house', 'utt2': ''}
    """
    filled = [line for line in lines if line.strip()]
    if filled and all("\t" in line for line in filled):
        pairs = [line.split("\t", 1) for line in filled]
        if pairs[0][0].strip().lower() in _HEADERS:
            pairs = pairs[1:]
    else:
        pairs = [split_blanks(line, most=1) for line in filled]
    texts = {pair[0].strip(): pair[1] if len(pair) > 1 else "" for pair in pairs}
    return texts if texts and len(texts) == len(pairs) else None


def offered_keys(files: Iterable[Sequence[str]], wanted: bool | None) -> SentenceKeys:
    """Return keys for lists that take over those of references, if the lists have the same ones.

    `wanted` says that the references have keys, or that they have none; None if that is not known.
    """
    found = (texts_by_key(lines) for lines in files)
    names = next((texts for texts in found if texts is not None), {})
    if wanted:
        return SentenceKeys(names)
    return SentenceKeys(offered=() if wanted is False else names)


def in_order_of_keys(
    lines: Sequence[str],
    name: str,
    keys: SentenceKeys,
    wanted: bool | None,
    candidates: Sequence[str],
) -> Sequence[str]:
    """Return references in the order of the lists' sentences, found by their keys if they have any.

    Sentences may also have numbers, from 0 or from 1, as keys: then every line begins with one.
    Keys that look like ids, as in utt_0017, are keys even if the lists have numbers only, unless
    one of them is a word of `candidates`, which has a candidate of each sentence.
    """
    texts = None if wanted is False else texts_by_key(lines)
    if texts is not None and len(texts) > 1 and not keys.names:
        for first in (0, 1):
            numbered = [str(number + first) for number in range(len(lines))]
            if texts.keys() == set(numbered):
                return [texts[number] for number in numbered]
    if texts is not None and _are_keyed(lines) and not keys.names:
        return list(texts.values())
    if texts is None or not (wanted or any(key in texts for key in keys.names)):
        if texts is None or wanted is False or not _are_ids(texts):
            return lines
        if not keys.names:
            return list(texts.values()) if _are_no_words(texts, candidates) else lines
    try:
        return keyed_references(keys, texts)
    except DataError as error:
        raise DataError(f"{name}: {error}") from None


def keyed_references(keys: SentenceKeys, references: Mapping[str, str]) -> list[str]:
    """Return references in the order of the sentences.

    Every sentence must have a reference, and every reference a sentence. To include sentences
    without hypotheses, make the keys from the references before reading the n-best lists:
    ``SentenceKeys(references)``.
    """
    names = dict.fromkeys(keys.names)
    for name in names:
        if name not in references:
            raise DataError(f"no reference for '{name}'")
    for name in references:
        if name not in names:
            raise DataError(f"no hypothesis for '{name}', which has a reference")
    return [references[name] for name in names]


def aligned_texts(named: Sequence[tuple[str, Sequence[str]]]) -> list[Sequence[str]]:
    """Return texts whose lines correspond, found by keys where lines begin with them.

    Texts with the same keys are brought into the order of the first of them. Where only some texts
    have keys, these have to look like ids, as in utt_0017, that are words of no other text, and the
    lines are in the same order.

    Examples
    --------
    >>> aligned_texts([("hyp", ["utt2 b", "utt1 a"]), ("ref", ["utt1 a", "utt2 b"])])
    [['b', 'a'], ['b', 'a']]
    """
    keyed = [texts_by_key(lines) for _, lines in named]
    same = _same_columns(keyed, [lines for _, lines in named])
    looks = [texts if texts and _are_ids(texts) else None for texts in keyed]
    ids = [
        texts
        if texts
        and (same or _are_keyed(named[i][1]) or (looks[i] and _are_confirmed(i, looks, named)))
        else None
        for i, texts in enumerate(keyed)
    ]
    first = next((i for i, texts in enumerate(ids) if texts is not None), None)
    if first is None:
        return [lines for _, lines in named]
    order, found = ids[first] or {}, list[Sequence[str]]()
    for (name, lines), texts in zip(named, ids, strict=True):
        if texts is None:
            found.append(lines)
            continue
        if missing := next((key for key in order if key not in texts), None):
            raise DataError(f"{name}: has no line for '{missing}', which {named[first][0]} has")
        if other := next((key for key in texts if key not in order), None):
            raise DataError(f"{named[first][0]}: has no line for '{other}', which {name} has")
        found.append([texts[key] for key in order])
    return found


def _are_ids(keys: Mapping[str, str]) -> bool:
    """Whether the first words of lines cannot be words of the texts."""
    return len(keys) > 1 and all(map(_ID.fullmatch, keys))


def _are_no_words(keys: Iterable[str], lines: Sequence[str]) -> bool:
    """Whether no line has its key as a word."""
    return not any(key in line.split() for key, line in zip(keys, lines, strict=False))


def _are_confirmed(
    number: int,
    looks: Sequence[Mapping[str, str] | None],
    named: Sequence[tuple[str, Sequence[str]]],
) -> bool:
    """Whether every other text has half of the same ids at least, or none of them as words."""
    own = looks[number] or {}
    others = [
        2 * len(own.keys() & other) >= len(own) if other else _are_no_words(own, lines)
        for i, (other, (_, lines)) in enumerate(zip(looks, named, strict=True))
        if i != number
    ]
    return bool(others) and all(others)


def _same_columns(
    keyed: Sequence[Mapping[str, str] | None], texts: Sequence[Sequence[str]]
) -> bool:
    """Whether all texts have a column with the same keys before a tab."""
    lines = (line for text in texts for line in text if line.strip())
    sets = {frozenset(keys or ()) for keys in keyed}
    return len(texts) > 1 and len(sets) == 1 and all("\t" in line for line in lines)
