"""Watanabe (2012), Optimized online rank learning for machine translation, NAACL.

The paper mixed the weights of learners on 8 cores after each iteration. Here one learner has all
sentences, and the line search begins with its weights: algorithm 3 with one shard.
"""

from hopefear.reproduction.claims import Above, Close, Early, Ordered
from hopefear.reproduction.paper import Figure, Paper, Row, Table
from hopefear.reproduction.trends import NoTrend, Smoother

__all__ = ["WATANABE_2012"]


def _row(label: str, preset: str, dev: float, test: float, replicas: int = 3) -> Row:
    figures = {"MT06": dev, "MT08": test}
    return Row(label=label, preset=f"watanabe2012-{preset}", paper=figures, replicas=replicas)


def _batches(label: str, preset: str, *scores: tuple[float, float]) -> tuple[Row, ...]:
    sizes = zip((1, 4, 8), scores, strict=True)
    return tuple(_row(f"{label}, batches of {b}", f"{preset}-b{b}", *both) for b, both in sizes)


MERT = _row("MERT", "mert", 31.45, 24.13)
PRO = _row("PRO", "pro", 31.76, 24.43)
MIRA = _row("MIRA", "mira", 30.95, 23.06)
MIRA_L = _row("MIRA-L", "mira-l", 31.42, 24.15)
ORO_HINGE = _row("ORO hinge", "oro-hinge", 29.09, 21.93)
ORO_HINGE_L = _row("ORO-L hinge", "oro-hinge-l", 29.76, 21.96)
ORO_SOFTMAX = _row("ORO softmax", "oro-softmax", 30.80, 23.06)
ORO_SOFTMAX_L = _row("ORO-L softmax", "oro-softmax-l", 30.77, 23.07)
O_ORO_HINGE = _row("O-ORO hinge", "o-oro-hinge", 31.15, 23.20)
O_ORO_HINGE_L = _row("O-ORO-L hinge", "o-oro-hinge-l", 32.06, 24.95)
O_ORO_SOFTMAX = _row("O-ORO softmax", "o-oro-softmax", 31.40, 23.93)
O_ORO_SOFTMAX_L = _row("O-ORO-L softmax", "o-oro-softmax-l", 31.16, 23.20)

BASELINES = (MERT, PRO, MIRA_L)

# Table 3, by batches of 1, 4 and 8 sentences; those of 16 are the rows above.
MIRA_B = _batches("MIRA-L", "mira-l", (31.28, 23.46), (31.53, 23.97), (31.63, 24.58))
ORO_HINGE_B = _batches("ORO-L hinge", "oro-hinge-l", (31.32, 23.63), (30.69, 23.12), (29.61, 22.07))
O_ORO_HINGE_B = _batches(
    "O-ORO-L hinge", "o-oro-hinge-l", (31.44, 23.72), (31.54, 24.02), (31.35, 24.28)
)
ORO_SOFTMAX_B = _batches(
    "ORO-L softmax", "oro-softmax-l", (25.10, 19.27), (31.66, 23.59), (31.31, 23.50)
)
O_ORO_SOFTMAX_B = _batches(
    "O-ORO-L softmax", "o-oro-softmax-l", (31.15, 23.62), (31.17, 23.31), (30.90, 23.03)
)

WATANABE_2012 = Paper(
    name="watanabe2012",
    title="Watanabe (2012), Optimized online rank learning for machine translation",
    tables=(
        Table(
            number="1",
            title="Main results",
            rows=(
                MERT,
                PRO,
                MIRA_L,
                ORO_HINGE_L,
                O_ORO_HINGE_L,
                ORO_SOFTMAX_L,
                O_ORO_SOFTMAX_L,
            ),
        ),
        Table(
            number="2",
            title="With and without the line search",
            rows=(
                MIRA,
                MIRA_L,
                ORO_HINGE,
                ORO_HINGE_L,
                ORO_SOFTMAX,
                ORO_SOFTMAX_L,
                O_ORO_HINGE,
                O_ORO_HINGE_L,
                O_ORO_SOFTMAX,
                O_ORO_SOFTMAX_L,
            ),
        ),
        Table(
            number="3",
            title="Sizes of batches",
            rows=(
                *(*MIRA_B, MIRA_L),
                *(*ORO_HINGE_B, ORO_HINGE_L),
                *(*O_ORO_HINGE_B, O_ORO_HINGE_L),
                *(*ORO_SOFTMAX_B, ORO_SOFTMAX_L),
                *(*O_ORO_SOFTMAX_B, O_ORO_SOFTMAX_L),
            ),
        ),
    ),
    figures=(
        Figure(
            number="1a",
            title="MIRA-L, ORO-L and O-ORO-L with the hinge loss, tuning data",
            rows=(MIRA_L, ORO_HINGE_L, O_ORO_HINGE_L),
            data="tuning",
        ),
        Figure(
            number="1b",
            title="MIRA-L, ORO-L and O-ORO-L with the hinge loss, held-out data",
            rows=(MIRA_L, ORO_HINGE_L, O_ORO_HINGE_L),
        ),
        Figure(
            number="2",
            title="ORO-L and O-ORO-L by the size of batches, tuning data",
            rows=(*ORO_HINGE_B, ORO_HINGE_L, *O_ORO_HINGE_B, O_ORO_HINGE_L),
            data="tuning",
        ),
    ),
    claims=(
        Close(
            text="PRO and MIRA are comparable to MERT",
            where="section 5, table 1",
            rows=BASELINES,
        ),
        Above(
            text="ORO without optimized updates is below the baselines, hinge loss",
            where="section 5, table 1",
            better=BASELINES,
            worse=ORO_HINGE_L,
        ),
        Above(
            text="ORO without optimized updates is below the baselines, softmax loss",
            where="section 5, table 1",
            better=BASELINES,
            worse=ORO_SOFTMAX_L,
        ),
        Above(
            text="With the softmax loss, optimized updates are below the baselines, too",
            where="section 5, table 1",
            better=BASELINES,
            worse=O_ORO_SOFTMAX_L,
        ),
        Above(
            text="O-ORO-L with the hinge loss is better than MERT",
            where="section 5, table 1",
            better=O_ORO_HINGE_L,
            worse=MERT,
        ),
        Above(
            text="O-ORO-L with the hinge loss is the best of all",
            where="section 5, table 1",
            better=O_ORO_HINGE_L,
            worse=(*BASELINES, ORO_HINGE_L, ORO_SOFTMAX_L, O_ORO_SOFTMAX_L),
        ),
        Above(
            text="Optimized updates beat plain ones, hinge loss",
            where="section 5, table 1",
            better=O_ORO_HINGE_L,
            worse=ORO_HINGE_L,
        ),
        Above(
            text="Optimized updates beat plain ones, softmax loss",
            where="section 5, table 1",
            better=O_ORO_SOFTMAX_L,
            worse=ORO_SOFTMAX_L,
        ),
        Above(
            text="The line search helps MIRA",
            where="section 5, table 2",
            better=MIRA_L,
            worse=MIRA,
        ),
        Above(
            text="The line search helps O-ORO with the hinge loss",
            where="section 5, table 2",
            better=O_ORO_HINGE_L,
            worse=O_ORO_HINGE,
        ),
        Close(
            text="The line search matters less to ORO with the hinge loss",
            where="section 5, table 2",
            rows=(ORO_HINGE_L, ORO_HINGE),
        ),
        Close(
            text="The line search matters less to ORO with the softmax loss",
            where="section 5, table 2",
            rows=(ORO_SOFTMAX_L, ORO_SOFTMAX),
        ),
        Ordered(
            text="The line search does not help O-ORO with the softmax loss",
            where="section 5, table 2",
            rows=(O_ORO_SOFTMAX, O_ORO_SOFTMAX_L),
        ),
        NoTrend(
            text="The size of batches has no clear trend in MIRA",
            where="section 5, table 3",
            rows=(*MIRA_B, MIRA_L),
        ),
        Ordered(
            text="Smaller batches are better for ORO with the hinge loss",
            where="section 5, table 3",
            rows=(*ORO_HINGE_B, ORO_HINGE_L),
            slack=0.1,
        ),
        Ordered(
            text="Larger batches are better for O-ORO with the hinge loss",
            where="section 5, table 3",
            rows=(O_ORO_HINGE_L, *reversed(O_ORO_HINGE_B)),
            slack=0.1,
        ),
        Ordered(
            text="Smaller batches are better for ORO with the softmax loss, but for those of 1",
            where="section 5, table 3",
            rows=(*ORO_SOFTMAX_B[1:], ORO_SOFTMAX_L),
            slack=0.1,
        ),
        Ordered(
            text="Larger batches are better for O-ORO with the softmax loss",
            where="section 5, not by its table 3",
            rows=(O_ORO_SOFTMAX_L, *reversed(O_ORO_SOFTMAX_B)),
            slack=0.1,
        ),
        Early(
            text="ORO with the hinge loss converges faster with smaller batches",
            where="section 5, figure 2",
            better=(*ORO_HINGE_B, ORO_HINGE_L),
            data="tuning",
        ),
        Early(
            text="MIRA-L converges quickly, ORO-L slowly",
            where="section 5, figure 1",
            better=(MIRA_L, ORO_HINGE_L),
            data="tuning",
        ),
        Smoother(
            text="ORO-L is more stable from iteration to iteration than MIRA-L and O-ORO-L",
            where="section 5, figure 1",
            smooth=(ORO_HINGE_L,),
            others=(MIRA_L, O_ORO_HINGE_L),
        ),
        Early(
            text="O-ORO-L ends above ORO-L on the tuning data",
            where="section 5, figure 1",
            better=(O_ORO_HINGE_L, ORO_HINGE_L),
            data="tuning",
            end="last",
        ),
    ),
)
