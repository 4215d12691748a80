"""N-best lists: the hypotheses of each sentence, with their features.

>>> builder = NBestBuilder()
>>> builder.add(0, "a house", {"lm": -2.5, "words": 2})
True
>>> builder.add(1, "the dog", {"lm": -1.5, "words": 2})
True
>>> builder.add(0, "the house", {"lm": -2.0, "words": 2})
True
>>> lists = builder.finish()
>>> lists
NBest(2 sentences, 3 hypotheses)
>>> lists.rows(0)
range(0, 2)
>>> lists.text(1), lists.features_of(1)
('the house', {'lm': -2.0, 'words': 2.0})
"""

from collections.abc import Iterable, Mapping, Sequence

from hopefear import _core
from hopefear._core import (
    BarHypothesis,
    BarLayout,
    ErrorSurface,
    FeatureCounts,
    LineSearchResult,
    NBest,
    Vocabulary,
    error_surface,
    format_number,
    parse_hypothesis,
)
from hopefear.errors import DataError
from hopefear.types import check_features, check_text

__all__ = [
    "BarHypothesis",
    "BarLayout",
    "ErrorSurface",
    "FeatureCounts",
    "LineSearchResult",
    "NBest",
    "NBestBuilder",
    "Vocabulary",
    "error_surface",
    "format_number",
    "parse_hypothesis",
]


class NBestBuilder(_core.NBestBuilder):
    """Collects hypotheses in any order and makes n-best lists from them.

    Of hypotheses with the same sentence, text and features, the first is kept.

    Parameters
    ----------
    words, feature_names
        Vocabularies to share with other lists; new ones by default.
    memory_limit
        Size in bytes beyond which the data moves to a temporary file; 0 for no limit. Words and
        names stay in memory, and so do about 20 bytes per hypothesis during building.
    directory
        Where to make that (invisible) file; by default the system's temporary directory.
    """

    _last_names: tuple[str, ...] = ()
    _last_ids: Sequence[int] = ()

    def add(self, sentence: int, text: str, features: Mapping[str, float]) -> bool:
        """Add a hypothesis; return False if it is a duplicate."""
        try:
            return self.add_ids(
                sentence, text, self._feature_ids(tuple(features)), list(features.values())
            )
        except (TypeError, AttributeError):  # checked only now, because there may be millions
            _check_hypothesis(sentence, text, features)
            raise

    def _feature_ids(self, names: tuple[str, ...]) -> Sequence[int]:
        """Return the ids of features; most hypotheses have the same ones."""
        if names != self._last_names:
            vocabulary = self.feature_names
            self._last_ids = [vocabulary.add(name) for name in names]
            self._last_names = names
        return self._last_ids

    def parse(self, pieces: Iterable[bytes], layout: BarLayout, file: str) -> list[tuple[str, int]]:
        """Add the hypotheses of a file whose fields are separated by ``|||``.

        Parameters
        ----------
        pieces
            The bytes of the file, in pieces of any size.
        layout
            The places of the fields.
        file
            The name of the file, for messages.

        Returns
        -------
        list of (label, count)
            The labels with several values, which become NAME_0, NAME_1, ...

        Raises
        ------
        FormatError
            Names the line and the problem. Earlier lines have been added.
        """
        parser = _core.NBestParser(self, layout, file)
        for piece in pieces:
            parser.feed(piece)
        parser.finish()
        return parser.labels


def _check_hypothesis(sentence: object, text: object, features: object) -> None:
    """Raise DataError for invalid arguments of a hypothesis."""
    if not isinstance(sentence, int) or not 0 <= sentence < 2**32:
        raise DataError(f"a sentence number must be a whole number >= 0, got {sentence!r:.60}")
    try:
        check_text(text, "the text")
        check_features(features)
    except DataError as error:
        raise DataError(f"sentence {sentence}: {error}") from None
