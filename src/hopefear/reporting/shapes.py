"""The shapes of discretized features: what every bin counts, and the curve that fits best.

Clark, Dyer and Lavie (2014), Locally non-linear learning for statistical machine translation,
figure 7.
"""

from collections.abc import Callable, Sequence

import numpy as np

from hopefear.reporting.chart import BEST, GRAY, Chart, Line, Mark, Points
from hopefear.reporting.page import Section
from hopefear.reporting.run_record import RunRecord
from hopefear.reporting.weights import shown_replica
from hopefear.translation.features.bins import Bins
from hopefear.types import FloatArray

__all__ = ["fitted_curve", "shape_chart", "shapes_section"]

POINTS = 100  # of a fitted curve
WIDE = 100.0  # between the first bin and the last


def shapes_section(runs: Sequence[RunRecord], *, top: int) -> Section | None:
    """Return the shapes that runs learned, of the `top` features whose bins differ most."""
    charts = []
    for run in runs:
        replica = shown_replica(run)
        if not run.bins or not len(replica.history):
            continue
        epoch = replica.best if replica.best is not None else len(replica.history) - 1
        names, row = list(replica.history.features), replica.history.row(epoch)
        weights = dict(zip(names, row.tolist(), strict=True))
        shapes = {name: _shape(name, bins, weights) for name, bins in run.bins.items()}
        widest = sorted(shapes, key=lambda name: -float(np.ptp(shapes[name])))[:top]
        title = "" if len(runs) == 1 else f" in {run.name}"
        charts += [
            shape_chart(name, run.bins[name], shapes[name], title)
            for name in run.bins
            if name in widest
        ]
    return Section(title="Shapes", macro="shapes", data={"charts": charts}) if charts else None


def _shape(feature: str, bins: Bins, weights: dict[str, float]) -> FloatArray:
    """Return what the mean value of each bin counts, with the part of a feature that stayed."""
    own = np.array([weights.get(name, 0.0) for name in bins.names(feature)])
    if bins.overlap:
        padded = np.pad(own, 1)
        own = padded[:-2] + padded[1:-1] + padded[2:]
    return own + weights.get(feature, 0.0) * bins.mean if bins.kept else own


def shape_chart(feature: str, bins: Bins, shape: FloatArray, title: str = "") -> Chart:
    """Return the picture of a shape, with a logarithm fitted to it where there is one.

    Bins of a feature that spans powers of ten, as probabilities do, would be on top of each other:
    their axis is logarithmic. Any curve of its kind fits two bins, so these have none.
    """
    wide = bins.mean[0] > 0 and bins.mean[-1] > WIDE * bins.mean[0]
    labels = [
        f"{feature}#{j}: {low:.4g} to {high:.4g}, {count:,} values"
        for j, (low, high, count) in enumerate(
            zip(bins.lowest, bins.highest, bins.count, strict=True)
        )
    ]
    means, counts = bins.mean.tolist(), shape.tolist()
    about = f"What each bin of {feature} adds to the score of a translation, at its mean value."
    marks: list[Mark] = []
    if len(bins) > 2:
        name, curve, explained = fitted_curve(bins, shape)
        x = np.linspace(bins.mean[0], bins.mean[-1], POINTS)
        x = np.unique(np.concatenate([x, bins.mean]))
        marks += [Line(name=name, x=x.tolist(), y=curve(x).tolist(), color=GRAY)]
        about += (
            f" The gray curve, {name}, fits the bins best by least squares, each with the number "
            f"of its values; it explains {100 * explained:.0f} % of how they vary."
        )
    marks += [
        Line(name="bins", x=means, y=counts, color=BEST),
        Points(name="bins", listed=False, x=means, y=counts, color=BEST, labels=labels),
    ]
    return Chart(
        title=f"Shape of {feature}{title}",
        description=about,
        x_label=feature,
        y_label="score",
        marks=marks,
        log_x=bool(wide),
    )


def fitted_curve(
    bins: Bins, shape: FloatArray
) -> tuple[str, Callable[[FloatArray], FloatArray], float]:
    """Return the logarithm that fits a shape, or a line where values are not positive.

    Returns
    -------
    str, callable, float
        Its formula, the curve, and the share of the variance that it explains.
    """
    logarithm = bool((bins.mean > 0).all())
    basis: Callable[[FloatArray], FloatArray] = np.log if logarithm else np.array
    z, weight = basis(bins.mean), bins.count / bins.count.sum()
    mean = float(weight @ z)
    spread = float(weight @ (z - mean) ** 2)
    level = float(weight @ shape)
    slope = float(weight @ ((z - mean) * (shape - level))) / spread if spread else 0.0
    total = float(weight @ (shape - level) ** 2)
    explained = slope**2 * spread / total if total else 1.0

    def curve(x: FloatArray) -> FloatArray:
        return level + slope * (basis(x) - mean)

    constant = level - slope * mean
    formula = f"{constant:.3g} {'+' if slope >= 0 else '-'} {abs(slope):.3g}".replace("-", "−")
    return f"{formula} {'log x' if logarithm else 'x'}", curve, explained
