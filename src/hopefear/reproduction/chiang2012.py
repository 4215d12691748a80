"""Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13.

Learners that the paper ran on 20 processors are mixed or hear each other here as well, on as many
workers, however many processors there are.
"""

from dataclasses import replace

from hopefear.reproduction.claims import Above, Close, Early
from hopefear.reproduction.paper import Figure, Paper, Row, Table, Training
from hopefear.reproduction.searches import BetterSearch
from hopefear.reproduction.trends import Smoother

__all__ = ["CHIANG_2012"]

MIXING = ("strategy.name=mixing", "strategy.workers=20")
ASYNC = ("strategy.name=async", "strategy.workers=20")


def _row(label: str, preset: str, dev: float, test: float, *options: str) -> Row:
    large: Training = "large" if "-large" in preset else "small"
    figures = {"dev": dev, "test": test}
    return Row(
        label=label, preset=f"chiang2012-{preset}", options=options, model=large, paper=figures
    )


def _curve(row: Row, label: str, *options: str) -> Row:
    """Return a curve of a figure, which is one run."""
    kept = [
        one for one in row.options if one.split("=")[0] not in {o.split("=")[0] for o in options}
    ]
    return replace(row, label=label, options=(*kept, *options), paper={}, replicas=1)


# Table 1. "IPM" is iterative parameter mixing.
MERT = _row("small, MERT", "mert-small", 42.1, 45.2)
SGD = _row("small, hinge, SGD η = 0.02, IPM", "sgd-small", 42.2, 44.9, *MIXING)
RISK = _row("small, risk, SGD η = 0.05, IPM", "risk-small", 41.9, 44.8, *MIXING)
MIRA = _row("small, hinge, MIRA η = 0.05, IPM", "mira-small", 42.2, 44.9, *MIXING)
ONLINE = (SGD, RISK, MIRA)
SGD_LARGE = _row("large, hinge, SGD η = 0.01, IPM", "sgd-large", 42.4, 45.2, *MIXING)
MIRA_MIXING = _row("large, hinge, MIRA η = 0.01, IPM", "mira-large-mixing", 43.1, 45.9)
MIRA_ASYNC = _row("large, hinge, MIRA η = 0.01, async", "mira-large-async", 44.5, 47.3)
AROW_ASYNC = _row("large, hinge, AROW, async", "arow-large-async", 44.7, 47.6)

# Figure 2: learning rates.
RATES = (0.01, 0.02, 0.05, 0.1)
SGD_RATES, RISK_RATES, MIRA_RATES = (
    tuple(_curve(row, f"{name}, η = {rate}", f"learner.rate={rate}") for rate in RATES)
    for name, row in (("SGD", SGD), ("risk", RISK), ("MIRA", MIRA))
)

# Figure 3: reranking or linear BLEU; values of μ.
SGD_RERANK = _curve(SGD, "reranking", "learner.rate=0.01")
SGD_LINEAR = _curve(SGD, "linear BLEU", "learner.rate=0.01", "learner.search.name=linear")
MUS = tuple(
    _curve(MIRA, f"μ = {mu}", "learner.rate=0.01", f"learner.reference.mu={mu}")
    for mu in (-5.0, -2.0, -1.0, -0.5, -0.2)
)

# Figure 4: mixed or asynchronous, 20 or 50 learners.
SMALL_ASYNC = _curve(MIRA, "small, async, 20", "learner.rate=0.01", *ASYNC)
SMALL_MIXING = _curve(MIRA, "small, IPM, 20", "learner.rate=0.01")
SMALL_ASYNC_50 = _curve(SMALL_ASYNC, "small, async, 50", "strategy.workers=50")
SMALL_MIXING_50 = _curve(SMALL_MIXING, "small, IPM, 50", "strategy.workers=50")
MIXING_50 = _curve(MIRA_MIXING, "large, IPM, 50", "strategy.workers=50")
ASYNC_50 = _curve(MIRA_ASYNC, "large, async, 50", "strategy.workers=50")

# Figure 5: more learners.
ASYNC_BY_WORKERS = tuple(
    _curve(MIRA_ASYNC, f"async, {workers}", f"strategy.workers={workers}") for workers in (1, 4, 16)
)

# Figure 6: AROW's initial rate and confidence.
AROW_RATES = tuple(
    _curve(AROW_ASYNC, f"η₀ = {rate}", f"learner.rate={rate}") for rate in (0.01, 0.1, 1.0, 10.0)
)
AROW_CONFIDENCES = tuple(
    _curve(AROW_ASYNC, f"λ = {value}", f"learner.confidence={value}")
    for value in (0.0001, 0.001, 0.01, 0.1)
)

CHIANG_2012 = Paper(
    name="chiang2012",
    title="Chiang (2012), Hope and fear for discriminative training of statistical machine "
    "translation models",
    tables=(
        Table(
            number="1",
            title="Final results",
            rows=(MERT, SGD, RISK, MIRA, SGD_LARGE, MIRA_MIXING, MIRA_ASYNC, AROW_ASYNC),
        ),
    ),
    figures=(
        Figure(number="1", title="Hope and fear of a sentence", rows=(MIRA,), kind="cloud"),
        Figure(number="2a", title="SGD at several rates", rows=SGD_RATES),
        Figure(number="2b", title="MIRA at several rates", rows=MIRA_RATES),
        Figure(number="2c", title="Minimum risk at several rates", rows=RISK_RATES),
        Figure(number="2d", title="Online learners and MERT", rows=(MERT, SGD, RISK, MIRA)),
        Figure(number="3a", title="Reranking and linear BLEU", rows=(SGD_RERANK, SGD_LINEAR)),
        Figure(number="3b", title="Values of μ", rows=MUS),
        Figure(
            number="4",
            title="Mixing and asynchronous learning",
            rows=(
                *(SMALL_MIXING, SMALL_MIXING_50, SMALL_ASYNC, SMALL_ASYNC_50),
                *(MIRA_MIXING, MIXING_50, MIRA_ASYNC, ASYNC_50),
            ),
        ),
        Figure(number="5", title="Asynchronous learners", rows=ASYNC_BY_WORKERS),
        Figure(number="6a", title="AROW's initial rate", rows=AROW_RATES),
        Figure(number="6b", title="AROW's confidence", rows=AROW_CONFIDENCES),
    ),
    claims=(
        BetterSearch(
            text="Forest reranking finds better hopes and fears than 100-best lists",
            where="5.2, figure 1",
            row=MIRA,
        ),
        Close(
            text="SGD is not very sensitive to its rate",
            where="section 7, figure 2a",
            rows=SGD_RATES,
            data="dev at the end",
        ),
        Close(
            text="Minimum risk is not very sensitive to its rate",
            where="section 7, figure 2c",
            rows=RISK_RATES,
            data="dev at the end",
        ),
        Close(
            text="Online learners of the small model reach the same level",
            where="section 7, figure 2",
            rows=ONLINE,
            data="dev at the end",
        ),
        Early(
            text="MIRA converges faster with higher rates up to 0.05",
            where="section 7, figure 2b",
            better=(MIRA_RATES[2], MIRA_RATES[1], MIRA_RATES[0]),
        ),
        Early(
            text="Online learners converge more quickly than MERT",
            where="section 7, figure 2d",
            better=ONLINE,
            than=(MERT,),
        ),
        Smoother(
            text="Online learners converge more smoothly than MERT",
            where="section 7, figure 2d",
            smooth=ONLINE,
            others=(MERT,),
        ),
        Early(
            text="MIRA converges faster than SGD and minimum risk",
            where="section 7, figure 2d",
            better=(MIRA,),
            than=(SGD, RISK),
        ),
        Above(
            text="On the test data, MERT is above the other learners of the small model",
            where="section 7, table 1",
            better=MERT,
            worse=ONLINE,
        ),
        Above(
            text="The hinge loss is slightly better than minimum risk",
            where="section 8, table 1",
            better=SGD,
            worse=RISK,
        ),
        Close(
            text="Linear BLEU and forest reranking are close",
            where="section 7, figure 3a",
            rows=(SGD_RERANK, SGD_LINEAR),
            data="dev at the end",
        ),
        Early(
            text="More negative values of μ are better at first",
            where="section 7, figure 3b",
            better=(MUS[0], MUS[2], MUS[4]),
            epochs=1,
        ),
        Early(
            text="Less negative values of μ end higher",
            where="section 7, figure 3b",
            better=(MUS[3], MUS[2], MUS[0]),
            end="last",
            epochs=1,
        ),
        Early(
            text="On the small model, asynchronous MIRA starts better than mixing",
            where="section 7, figure 4",
            better=(SMALL_ASYNC, SMALL_MIXING),
            epochs=1,
        ),
        Early(
            text="On the small model, mixing ends above asynchronous MIRA",
            where="section 7, figure 4",
            better=(SMALL_MIXING, SMALL_ASYNC),
            end="last",
        ),
        Above(
            text="On the large model, asynchronous MIRA is better than mixing",
            where="section 7, table 1, figure 4",
            better=MIRA_ASYNC,
            worse=MIRA_MIXING,
        ),
        Early(
            text="On the small model, mixing gets worse from 20 to 50 learners",
            where="section 7, figure 4",
            better=(SMALL_MIXING, SMALL_MIXING_50),
            epochs=10,
        ),
        Early(
            text="On the large model, mixing gets worse from 20 to 50 learners",
            where="section 7, figure 4",
            better=(MIRA_MIXING, MIXING_50),
            epochs=10,
        ),
        Early(
            text="At each epoch, 50 asynchronous learners are no worse than 20: they are faster",
            where="section 7, figure 4",
            better=(ASYNC_50, MIRA_ASYNC),
            epochs=10,
            ties=True,
        ),
        Early(
            text="At each epoch, more asynchronous learners are better",
            where="section 7, figure 5",
            better=tuple(reversed(ASYNC_BY_WORKERS)),
            epochs=10,
        ),
        Close(
            text="AROW is insensitive to initial rates from 0.1 to 1",
            where="section 7, figure 6a",
            rows=(AROW_RATES[1], AROW_RATES[2]),
            data="dev at the end",
        ),
        Early(
            text="AROW is worse with initial rates of 0.01 and of 10",
            where="section 7, figure 6a",
            better=AROW_RATES[1:3],
            than=(AROW_RATES[0], AROW_RATES[3]),
            end="last",
        ),
        Early(
            text="AROW converges faster with larger λ up to 0.01",
            where="section 7, figure 6b",
            better=(AROW_CONFIDENCES[2], AROW_CONFIDENCES[1], AROW_CONFIDENCES[0]),
        ),
        Early(
            text="AROW is worse with λ = 0.1",
            where="section 7, figure 6b",
            better=(AROW_CONFIDENCES[2], AROW_CONFIDENCES[3]),
            end="last",
        ),
        Above(
            text="On the large model, MIRA is better than SGD",
            where="section 8, table 1",
            better=MIRA_MIXING,
            worse=SGD_LARGE,
        ),
        Above(
            text="AROW async is better than MIRA async",
            where="section 8, table 1",
            better=AROW_ASYNC,
            worse=MIRA_ASYNC,
        ),
        Above(
            text="The large model with AROW is better than the small one with MERT",
            where="section 8, table 1",
            better=AROW_ASYNC,
            worse=MERT,
        ),
    ),
)
