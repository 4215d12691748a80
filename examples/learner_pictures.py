"""Draw what learners do, for docs/how-learners-work.md, on made-up candidates with two features.

    python -m examples.learner_pictures docs/pictures/learners

Every picture is drawn from the learner itself: its states, its losses, its line search.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from hopefear import _core
from hopefear.candidates import ForestSet, ListSet
from hopefear.demo.synthetic import SyntheticCandidates
from hopefear.forest import nbest_forest
from hopefear.learners import (
    AnyLearner,
    Arow,
    KBestMira,
    Mira,
    OnlineSgd,
    Oro,
    Perceptron,
    Pro,
    StructuredSvm,
)
from hopefear.losses import BayesRisk, Hinge, Loss, Ramp3
from hopefear.metrics import Bleu, References
from hopefear.nbest import NBestBuilder
from hopefear.reporting.chart import (
    BEST,
    FEAR,
    GRAY,
    HOPE,
    PALE,
    Band,
    Chart,
    Line,
    Mark,
    Points,
    Symbol,
)
from hopefear.reporting.svg import picture_svg
from hopefear.rhythm import Step
from hopefear.types import FloatArray, Hypothesis, Vocabulary

__all__ = ["CHARTS", "draw", "main"]

SENTENCES, SIZE = 40, 15
UNITS = {"lm": 8.0, "tm": 4.0}  # features of about the same spread
START = np.array([0.15, 1.0])
METRIC = Bleu(tokenize="none")
X, Y = "weight of the language model", "weight of the translation model"


ALL = [list(range(SENTENCES))]
EACH = [[number] for number in range(SENTENCES)]
SENTENCE = 3  # of which MIRA takes two fears into account
LINE = np.linspace(-1.0, 4.0, 251)
MIRA = Mira(rate=0.1)
COST = 4.0  # α, by which losses multiply costs


def sentences() -> Iterator[tuple[str, list[Hypothesis]]]:
    """Yield references with their candidates, which keep two of their features."""
    for text, segment in SyntheticCandidates(sentences=SENTENCES, size=SIZE, seed=3):
        found = []
        for one in segment.hypotheses:
            features = {name: one.features[name] / unit for name, unit in UNITS.items()}
            found.append(replace(one, features=features))
        yield text, found


@cache
def lists() -> ListSet:
    """Return the candidates as n-best lists."""
    builder, references = NBestBuilder(), []
    for number, (text, hypotheses) in enumerate(sentences()):
        references.append([text])
        for one in hypotheses:
            builder.add(number, one.text, one.features)
    nbest = builder.finish(SENTENCES)
    METRIC.prepare(References(references)).set_statistics(nbest)
    return ListSet(nbest=nbest, metric=METRIC, threads=1)


@cache
def forests() -> ForestSet:
    """Return the candidates as forests, which are no more than lists here."""
    words, names = Vocabulary(), Vocabulary()
    pairs = list(sentences())
    made = [nbest_forest(found, words=words, feature_names=names) for _, found in pairs]
    return ForestSet(made, References([[text] for text, _ in pairs]), METRIC, threads=1)


def states(
    learner: AnyLearner, data: Any, blocks: Sequence[Sequence[int]], *, epochs: int = 1
) -> list[Any]:
    """Return the states of a learner: at the start, and after each block."""
    found = [learner.start(data, START, START)]
    for epoch in range(epochs):
        for number, block in enumerate(blocks):
            step = Step(
                epoch=epoch, epochs=epochs, block=number, blocks=len(blocks), entropy=(1, epoch)
            )
            found.append(learner.learn(found[-1], data, np.array(block), step)[0])
    return found


def path(name: str, color: int, points: Iterable[FloatArray], *, listed: bool = True) -> list[Mark]:
    """Return a way through the plane of weights."""
    x, y = np.array(list(points)).T.tolist()
    return [
        Line(name=name, color=color, x=x, y=y, listed=listed),
        Points(name=name, color=color, x=x, y=y, size=2.5, listed=False),
    ]


def spot(name: str, color: int, w: FloatArray, symbol: Symbol = "diamond") -> Points:
    """Return a point of the plane."""
    x, y = w.tolist()
    return Points(name=name, color=color, x=[x], y=[y], symbol=symbol, size=5.5)


def good(marks: Sequence[Mark]) -> Band:
    """Return the weights whose BLEU is within half a point of the best, as far as marks reach."""
    data = lists()
    angles = np.linspace(-np.pi / 2, np.pi / 2, 1001)[1:-1]
    scores = [data.corpus_score(data.chosen(np.array([np.cos(a), np.sin(a)]))) for a in angles]
    fine = angles[np.array(scores) > max(scores) - 0.005]
    lines = [mark for mark in marks if isinstance(mark, Line)]
    right = max(max(line.x) for line in lines)
    top = max(y for line in lines for y in line.y if y is not None)
    x = np.linspace(0, right, 100)
    low, high = (np.minimum(x * math.tan(a), top).tolist() for a in (fine[0], fine[-1]))
    name = "BLEU within half a point of the best"
    return Band(name=name, color=HOPE, x=x.tolist(), low=low, high=high)


def plane(title: str, description: str, marks: Sequence[Mark]) -> Chart:
    """Return a chart of the plane of weights, with the good ones behind the marks."""
    marks = [good(marks), *marks, spot("start", GRAY, START, "ring")]
    return Chart(title=title, description=description, x_label=X, y_label=Y, marks=marks)


def bleu(w: FloatArray) -> float:
    """Return the BLEU of the candidates that weights choose."""
    data = lists()
    return 100 * data.corpus_score(data.chosen(w))


def along(weights: FloatArray, figure: Callable[[FloatArray], float]) -> list[float]:
    """Return a figure along a line on which the language model's weight changes."""
    return [figure(weights * [x, 1.0]) for x in LINE]


def mean_loss(loss: Loss, w: FloatArray) -> float:
    """Return the loss of a sentence, on average."""
    data = lists()
    value, _ = _core.loss_gradient(data.nbest, w, data.costs, COST, loss.core(), 1)
    return value / SENTENCES


def mean_cost(w: FloatArray) -> float:
    """Return the cost of the 1-best, on average."""
    data = lists()
    return COST * float(data.costs[data.nbest.best(w, threads=1)].mean())


def mert() -> Chart:
    """Draw BLEU along a line."""
    data, direction = lists(), np.array([1.0, 0.0])
    surface = data.error_surface(data.scores(START), data.scores(direction))
    breaks, statistics = surface.table()
    scores = [100 * data.corpus_score(row) for row in statistics]
    found = surface.search(data.corpus_score)
    x, y = [float(LINE[0])], []
    for at, before in zip(breaks + START[0], scores, strict=False):
        if LINE[0] < at < LINE[-1]:
            x += [float(at), float(at)]
            y += [before, before]
    x.append(float(LINE[-1]))
    y += [scores[int(np.searchsorted(breaks + START[0], LINE[-1]))]] * 2
    best = START + found.step * direction
    return Chart(
        title="MERT: the metric itself, along a line",
        description="BLEU changes only where another candidate becomes the best of its list. All "
        "these places are known, so the best interval is found exactly.",
        x_label=f"{X}, the other weight is 1",
        y_label="BLEU",
        marks=[
            Line(name="BLEU of the 1-best", color=BEST, x=x, y=y),
            spot("start", GRAY, np.array([START[0], bleu(START)]), "ring"),
            spot("chosen", HOPE, np.array([best[0], bleu(best)])),
        ],
    )


def hope_and_fear() -> Chart:
    """Draw the steps of several learners from the same weights."""

    def visited(learner: Any) -> tuple[FloatArray, Any]:
        state = learner.start(forests(), START, START)
        state, lesson = learner.learn(state, forests(), np.array([SENTENCE]), Step(shared=True))
        return np.array(state.weights.current), lesson

    found, lesson = visited(Mira(rate=10.0))
    (taught,) = lesson.taught(2)
    marks: list[Mark] = []
    y = np.array([0.85, 1.25])
    for (a, b), loss in zip(taught.rows, taught.losses, strict=True):
        # w·(h(hope) − h(fear)) = B(hope) − B(fear)
        x = (loss - b * y) / a
        name = "fear just as far below the hope as in BLEU"
        listed = not marks
        marks.append(
            Line(name=name, color=FEAR, x=x.tolist(), y=y.tolist(), dashed=True, listed=listed)
        )
    marks += path("perceptron", 4, [START, visited(Perceptron(rate=0.1))[0]])
    marks += path("SGD", 1, [START, visited(OnlineSgd(rate=0.1))[0]])
    marks += path("MIRA", BEST, [START, found])
    marks += path("MIRA with a small step", 5, [START, visited(Mira(rate=0.05))[0]])
    return Chart(
        title="Hope and fear: one step on one sentence",
        description="Right of both lines, both fears are far enough below the hope. MIRA goes to "
        "the nearest such point, or as far as its step allows.",
        x_label=X,
        y_label=Y,
        marks=[*marks, spot("start", GRAY, START, "ring")],
    )


def arow() -> Chart:
    """Draw rates that fall as features are learned."""
    learner = Arow(rate=0.1, confidence=1.0)
    found = states(learner, forests(), EACH)
    marks = path("MIRA", PALE, (s.weights.current for s in states(MIRA, forests(), EACH)))
    marks += path("AROW", BEST, (state.weights.current for state in found))
    turn = np.linspace(0, 2 * np.pi, 61)
    for number in (0, 5, 15, SENTENCES):
        w, radius = found[number].weights.current, 0.5 * np.sqrt(found[number].rates)
        x, y = (w[i] + radius[i] * wave(turn) for i, wave in enumerate((np.cos, np.sin)))
        name = "variance after 0, 5, 15 and 40 sentences"
        listed = number == 0
        marks.append(Line(name=name, color=1, x=x.tolist(), y=y.tolist(), listed=listed))
    return plane(
        "AROW: steps that become smaller, feature by feature",
        "MIRA's steps stay as large as they were. AROW's shrink with the variance of each weight.",
        marks,
    )


def kbest_mira() -> Chart:
    """Draw where each sentence pulls, and the mean."""
    learner = KBestMira(max_step=0.05, line_search=0)
    steps = [state.core.weights() for state in states(learner, lists(), EACH, epochs=2)]
    means = [learner.weights(state) for state in states(learner, lists(), ALL, epochs=8)]
    marks = path("each sentence, two epochs", PALE, steps)
    marks += path("mean of each epoch", BEST, means)
    return plane(
        "k-best MIRA: the mean of many small steps",
        "Sentences pull in different directions. The mean over an epoch is what is kept.",
        marks,
    )


def pro() -> Chart:
    """Draw pairs as points, and the line between better and worse."""
    data, learner = lists(), Pro(samples=50, kept=4)
    w = learner.weights(states(learner, data, ALL)[-1])
    pairs = _core.sample_pairs(
        data.nbest, data.gains, samples=50, kept=4, threshold=0.05, seed=1, threads=1
    )
    rows = _core.pair_differences(data.nbest, pairs)
    x, y = (rows.dot(axis) for axis in np.eye(2))
    ends = 3.5 * np.array([-1.0, 1.0])

    def border(name: str, color: int, w: FloatArray, *, dashed: bool) -> Line:
        across = np.array([-w[1], w[0]]) / np.linalg.norm(w)
        a, b = (ends * part for part in across)
        return Line(name=name, color=color, x=a.tolist(), y=b.tolist(), dashed=dashed)

    return Chart(
        title="PRO: pairs of candidates as points to classify",
        description="Each point is the difference between a better and a worse candidate, or the "
        "reverse. The weights are at a right angle to the line that separates the two.",
        x_label="difference in the language model",
        y_label="difference in the translation model",
        marks=[
            Points(name="better − worse", color=HOPE, x=x.tolist(), y=y.tolist(), size=2.5),
            Points(name="worse − better", color=FEAR, x=(-x).tolist(), y=(-y).tolist(), size=2.5),
            border("start", GRAY, START, dashed=True),
            border("learned", BEST, w, dashed=False),
        ],
    )


def losses() -> Chart:
    """Draw losses beside what they stand for."""
    weights = np.array([3.0, 3.0])
    x = LINE.tolist()
    hinge, ramp, risk = Hinge(), Ramp3(), BayesRisk()
    return Chart(
        title="Losses: RAMPION, SGD, L-BFGS",
        description="The cost of the 1-best is a step function. The hinge loss is convex and far "
        "above it, ramp losses are close to it, and the risk is smooth.",
        x_label=f"{X}, divided by the other weight",
        y_label="mean over sentences",
        marks=[
            Line(name="cost of the 1-best", color=GRAY, x=x, y=along(weights, mean_cost)),
            Line(name="hinge", color=FEAR, x=x, y=along(weights, partial(mean_loss, hinge))),
            Line(name="ramp-3", color=BEST, x=x, y=along(weights, partial(mean_loss, ramp))),
            Line(name="risk", color=HOPE, x=x, y=along(weights, partial(mean_loss, risk))),
        ],
    )


def min_risk() -> Chart:
    """Draw the expected cost at several temperatures."""
    marks: list[Mark] = []
    x = LINE.tolist()
    for temperature, color in ((2.0, 1), (0.5, 4), (0.1, HOPE)):
        y = along(START[1] / temperature * np.ones(2), partial(mean_loss, BayesRisk()))
        marks.append(Line(name=f"T = {temperature:g}", color=color, x=x, y=y))
    cost = along(np.ones(2), mean_cost)
    return Chart(
        title="Minimum risk: the expected cost, cooled",
        description="At a high temperature all candidates count and the curve is smooth; at a low "
        "one it approaches the cost of the 1-best.",
        x_label=f"{X}, the other weight is 1",
        y_label="expected cost of a sentence",
        marks=[Line(name="1-best", color=GRAY, x=x, y=cost), *marks],
    )


def oro() -> Chart:
    """Draw a step for each batch."""
    batches = [list(range(begin, begin + 8)) for begin in range(0, SENTENCES, 8)]
    marks: list[Mark] = []
    for name, color, learner in (
        ("ORO", 1, Oro(update="subgradient")),
        ("O-ORO", BEST, Oro(update="optimized")),
    ):
        found = states(learner, lists(), batches, epochs=8)
        marks += path(name, color, (learner.weights(state) for state in found))
    return plane(
        "ORO and O-ORO: a step for each batch of 8 sentences",
        "ORO takes a subgradient step; O-ORO solves the problem of the batch within the rate.",
        marks,
    )


def structured_svm() -> Chart:
    """Draw planes below the loss."""
    data, learner = lists(), StructuredSvm(cost_scale=COST, strength=10.0)
    found = states(learner, data, ALL, epochs=20)
    end = learner.weights(found[-1])
    t = np.linspace(-0.5, 2.0, 101)
    points = [START + x * (end - START) for x in t]

    def loss(w: FloatArray) -> float:
        costs, scores = COST * data.costs, data.scores(w)
        worst = data.nbest.best(w, gains=costs, threads=1)
        return float((scores + costs)[worst].mean() - (scores + costs)[found[0].references].mean())

    marks: list[Mark] = [Line(name="the loss", color=GRAY, x=t.tolist(), y=[*map(loss, points)])]
    for number, color in ((1, 1), (2, 4), (4, BEST)):
        planes = found[number]
        y = [float((planes.costs - planes.rows @ w).max()) for w in points]
        name = f"known after {number} epoch{'s' * (number > 1)}"
        marks.append(Line(name=name, color=color, x=t.tolist(), y=y))
    return Chart(
        title="Structured SVM: cutting planes",
        description="An epoch adds the plane that touches the loss at the weights so far. The "
        "best weights as far as the planes tell come closer and closer to the best of all.",
        x_label="from the start (0) to the result (1)",
        y_label="mean over sentences",
        marks=marks,
    )


CHARTS: dict[str, Callable[[], Chart]] = {
    "mert": mert,
    "hope-and-fear-steps": hope_and_fear,
    "arow": arow,
    "kbest-mira": kbest_mira,
    "pro": pro,
    "losses": losses,
    "min-risk": min_risk,
    "oro": oro,
    "structured-svm": structured_svm,
}
"""The pictures by the names of their files."""


def draw(directory: Path) -> None:
    """Write a picture of each family of learners."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, chart in CHARTS.items():
        (directory / f"{name}.svg").write_text(picture_svg(chart()), encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """Draw into the directory given on the command line."""
    (directory,) = arguments
    draw(Path(directory))


if __name__ == "__main__":
    main(sys.argv[1:])
