"""Forests as bytes, for :mod:`hopefear.formats.forests.store`: compact, exact, safe to read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hopefear import _core
from hopefear.forest.forest import Forest
from hopefear.types import Vocabulary

__all__ = ["ForestDecoder", "ForestEncoder"]


class ForestEncoder:
    """Makes bytes of forests, which number words and features in vocabularies of their own.

    The vocabularies grow with each forest. A forest can be read from its bytes and from those of
    the vocabularies, taken at any later time.
    """

    def __init__(self) -> None:
        self._words, self._feature_names = Vocabulary(), Vocabulary()

    def encode(self, forest: Forest) -> bytes:
        """Return the bytes of a forest."""
        return _core.encode_forest(forest.core, self._words, self._feature_names)

    def vocabularies(self) -> tuple[bytes, bytes]:
        """Return the bytes of the words and of the feature names."""
        words, feature_names = self._words, self._feature_names
        return _core.encode_vocabulary(words), _core.encode_vocabulary(feature_names)


class ForestDecoder:
    """Reads the forests of one encoder.

    Several threads may decode at the same time.

    Parameters
    ----------
    encoded_words, encoded_feature_names
        The bytes of the encoder's vocabularies.
    words, feature_names
        The vocabularies of the forests that are read: what is new is added here.
    """

    def __init__(
        self,
        encoded_words: bytes,
        encoded_feature_names: bytes,
        words: Vocabulary,
        feature_names: Vocabulary,
    ) -> None:
        self._words, self._feature_names = words, feature_names
        self._word_ids: NDArray[np.int32] = _core.decode_vocabulary(encoded_words, words)
        self._feature_ids: NDArray[np.int32] = _core.decode_vocabulary(
            encoded_feature_names, feature_names
        )

    def decode(self, encoded: bytes) -> Forest:
        """Return the forest of these bytes; FormatError or ForestError if they are broken."""
        return Forest(
            _core.decode_forest(
                encoded, self._words, self._feature_names, self._word_ids, self._feature_ids
            )
        )
