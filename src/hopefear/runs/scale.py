"""The scale of weights that are handed over: to a decoder, to the next decoding, and as the result.

Weights times a positive number choose the same candidates, so nothing keeps the weights of MERT
from growing from decoding to decoding. To a decoder their scale does matter: to a beam in units of
the score, and to features whose weights are not learned.
"""

import numpy as np

from hopefear.candidates import HasSurface
from hopefear.types import BoolArray, FloatArray

__all__ = ["fixed_norm", "nearest_scale"]


def fixed_norm(w: FloatArray, start: FloatArray, free: BoolArray) -> FloatArray:
    """Return the weights with a fixed l1 norm of those that are free.

    It is 1, as Moses has it. Where other weights are held fixed and not zero, it is the norm at the
    start, so that the free ones keep their size relative to them.

    Examples
    --------
    >>> w, start = np.array([6.0, -2.0, 4.0]), np.array([0.5, 0.25, 4.0])
    >>> fixed_norm(w, start, np.array([True, True, True])).round(3).tolist()
    [0.5, -0.167, 0.333]
    >>> fixed_norm(w, start, np.array([True, True, False])).tolist()
    [0.5625, -0.1875, 4.0]
    """
    size = np.abs(w[free]).sum()
    wanted = np.abs(start[free]).sum() if w[~free].any() else 1.0
    return np.where(free, w * ((wanted or 1.0) / size), w) if size else w


def nearest_scale(data: HasSurface, w: FloatArray, wish: FloatArray, free: BoolArray) -> FloatArray:
    """Return `w` with its free part as near to the scale of `wish` as the metric stays as good."""
    direction = np.where(free, w, 0.0)
    surface = data.error_surface(data.scores(w), data.scores(direction))
    breakpoints, statistics = surface.table()
    # w + γ d is the free part times 1 + γ, which stays positive.
    edges = np.concatenate([[-1.0], breakpoints[breakpoints > -1.0], [np.inf]])
    rows = statistics[len(statistics) - len(edges) + 1 :]
    step = np.abs(wish[free]).sum() / np.abs(w[free]).sum() - 1.0
    # At a breakpoint two candidates tie: keep off it.
    margin = 1e-3 * np.minimum(np.diff(edges), 1.0 + edges[:-1])
    margin[0] = 1e-3 * min(edges[1] + 1.0, 1.0)
    steps = np.clip(step, edges[:-1] + margin, edges[1:] - margin)
    least = data.corpus_score(surface.at_zero)
    good = [i for i, row in enumerate(rows) if data.corpus_score(row) >= least]
    if not good:
        return w
    best = steps[min(good, key=lambda i: abs(steps[i] - step))]
    return np.where(free, w * (1.0 + best), w)
