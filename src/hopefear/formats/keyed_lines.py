"""Lines that begin with a key, as in the text files of Kaldi and ESPnet: UTTERANCE words."""

from collections.abc import Iterator, Mapping

from hopefear.errors import DataError
from hopefear.formats.fields import split_blanks
from hopefear.formats.files import PathLike, Source, open_source
from hopefear.formats.nbest import SentenceKeys

__all__ = ["keyed_references", "keyed_values", "read_keyed_lines"]


def keyed_values(source: Source) -> Iterator[tuple[int, str, str]]:
    """Give line number, key and what follows it, without blanks around it."""
    seen: set[str] = set()
    for number, line in source:
        words = split_blanks(line, most=1)
        if not words:
            continue
        if words[0] in seen:
            raise source.error(number, f"'{words[0]}' comes twice")
        seen.add(words[0])
        yield number, words[0], words[1] if len(words) > 1 else ""


def read_keyed_lines(path: PathLike) -> dict[str, str]:
    """Read a file of texts by their keys, such as the references of utterances."""
    with open_source(path) as source:
        return {key: value for _, key, value in keyed_values(source)}


def keyed_references(keys: SentenceKeys, references: Mapping[str, str]) -> list[str]:
    """Return references in the order of the sentences.

    Every sentence must have a reference and every reference a sentence. To count sentences for
    which there are no hypotheses at all, make the keys from the references before reading the
    n-best lists: ``SentenceKeys(references)``.
    """
    names = dict.fromkeys(keys.names)
    for name in names:
        if name not in references:
            raise DataError(f"there is no reference for '{name}'")
    for name in references:
        if name not in names:
            raise DataError(f"there is a reference for '{name}', but no hypothesis")
    return [references[name] for name in names]
