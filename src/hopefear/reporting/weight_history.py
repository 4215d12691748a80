"""The weights of a run, epoch by epoch, as arrays."""

import numpy as np

from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["WeightHistory"]


class WeightHistory:
    """The start and the weights after each epoch; features may join on the way."""

    def __init__(self) -> None:
        self.features = Vocabulary()
        self._known: tuple[str, ...] = ()
        self._rows: list[FloatArray] = []

    def __len__(self) -> int:
        """Return the number of epochs, the start included."""
        return len(self._rows)

    def add(self, weights: Weights) -> None:
        """Take up the weights of the next epoch."""
        if weights.names != self._known:  # nearly always they are the same
            for name in weights.names:
                self.features.add(name)
            self._known = weights.names
        self._rows.append(weights.vector(self.features))

    def drop(self, epoch: int) -> None:
        """Forget this epoch and later ones: they were learned again."""
        del self._rows[epoch:]

    def row(self, epoch: int) -> FloatArray:
        """Return the weights after an epoch, 0 being the start, aligned to `features`."""
        row = np.zeros(len(self.features))
        found = self._rows[epoch]
        row[: len(found)] = found
        return row

    def columns(self, features: list[int]) -> FloatArray:
        """Return the weights of some features: a row for each epoch, the start being the first."""
        matrix = np.zeros((len(self._rows), len(features)))
        for row, found in zip(matrix, self._rows, strict=True):
            known = [i for i, feature in enumerate(features) if feature < len(found)]
            row[known] = found[[features[i] for i in known]]
        return matrix
