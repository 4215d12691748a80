"""Start weights by least squares: those whose scores come nearest to the metric of each hypothesis.

Only differences within a list count, for these are all that a choice depends on. The result has the
scale of the metric, so that learners whose margins are gains can go on from it whatever the units
of the features are.
"""

import numpy as np

from hopefear.candidates import ListSet
from hopefear.types import FloatArray, IntArray

__all__ = ["dense_features", "regression_weights"]

# The ridge, as a share of the mean variance of the features.
RIDGE = 1e-3
# Numbers in the matrix; beyond it, some of the lists have to do.
MOST_NUMBERS = 20_000_000
# Each feature is a column of the matrix; those that fewest hypotheses have are left out.
MOST_FEATURES = 500


def dense_features(data: ListSet) -> IntArray:
    """Return the features that most hypotheses have and that vary; all that vary if none do."""
    varies = data.feature_spread > 0
    counts = data.nbest.count_features().hypotheses
    dense = varies & (2 * counts >= len(data.nbest))
    found = np.flatnonzero(dense if dense.any() else varies)
    return np.sort(found[np.argsort(-counts[found], kind="stable")[:MOST_FEATURES]])


def regression_weights(data: ListSet) -> FloatArray:
    """Return the ridge regression of gains on features; 0 for features that few hypotheses have."""
    chosen = dense_features(data)
    w = np.zeros(len(data.feature_names))
    if not len(chosen):
        return w
    part = data
    if (share := MOST_NUMBERS / max(1, len(data.nbest) * len(chosen))) < 1:
        step = int(np.ceil(1 / share))
        part = data.subset(range(0, data.sentence_count, step))
    sizes = np.diff(part.nbest.offsets)
    sizes = sizes[sizes > 0]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)

    def centered(column: FloatArray) -> FloatArray:
        return column - np.repeat(np.add.reduceat(column, starts) / sizes, sizes)

    unit = data.feature_unit[chosen]
    columns = [part.nbest.column(int(i), part.threads) for i in chosen]
    table = np.stack([centered(column) for column in columns]) / unit[:, np.newaxis]
    squares = table @ table.T
    squares[np.diag_indices_from(squares)] += RIDGE * np.trace(squares) / len(chosen)
    w[chosen] = np.linalg.solve(squares, table @ centered(part.gains)) / unit
    return w
