"""Clark, Dyer and Lavie (2014), Locally non-linear learning for SMT, TACL."""

from dataclasses import replace

from hopefear.reproduction.claims import Above, Ordered
from hopefear.reproduction.curved import LikeLogarithm
from hopefear.reproduction.paper import Figure, Paper, Row, Table

__all__ = ["CLARK_2014"]

BITS = {"discretize.bits": (4, 6, 8)}
SHAPE = {**BITS, "learner.regularizer.strength": (50, 500, 5000)}

P = Row(label="P", preset="clark2014-p", paper={"Zh→En": 20.8, "Ar→En": 44.3, "Cz→En": 36.5})
LOG_P = Row(
    label="log P", preset="clark2014-logp", paper={"Zh→En": 23.5, "Ar→En": 47.9, "Cz→En": 37.6}
)
DISC = Row(
    label="Disc P",
    preset="clark2014-disc",
    choose=BITS,
    paper={"Zh→En": 23.4, "Ar→En": 47.2, "Cz→En": 36.8},
)
OVERLAP = Row(
    label="Over. P",
    preset="clark2014-overlap",
    choose=BITS,
    paper={"Zh→En": 20.7, "Ar→En": 44.6, "Cz→En": 36.6},
)
LNR = Row(
    label="LNR P",
    preset="clark2014-lnr",
    choose=SHAPE,
    paper={"Zh→En": 23.1, "Ar→En": 48.0, "Cz→En": 37.3},
)
MNR = Row(
    label="MNR P",
    preset="clark2014-mnr",
    choose=SHAPE,
    paper={"Zh→En": 23.8, "Ar→En": 48.7, "Cz→En": 37.6},
)
MNR_COUNT = Row(
    label="MNR C",
    preset="clark2014-mnr-count",
    choose=SHAPE,
    paper={"Zh→En": 23.6, "Ar→En": 48.7, "Cz→En": 37.4},
)

BITS_4, BITS_8, BITS_12 = (
    replace(
        DISC,
        label=f"{bits} bits",
        options=(f"discretize.bits={bits}",),
        choose={},
        paper={"features": features, "Cz→En": score},
    )
    for bits, features, score in ((4, 101, 36.4), (8, 1302, 36.6), (12, 12910, 36.8))
)

CLARK_2014 = Paper(
    name="clark2014",
    title="Clark, Dyer and Lavie (2014), Locally non-linear learning for statistical machine "
    "translation via discretization and structured regularization",
    tables=(
        Table(
            number="2",
            title="Discretization with different numbers of bits",
            rows=(BITS_4, BITS_8, BITS_12),
        ),
        Table(
            number="3",
            title="With and without the logarithm, and with bins instead",
            rows=(P, LOG_P, DISC, OVERLAP, LNR, MNR, MNR_COUNT),
        ),
    ),
    figures=(
        Figure(
            number="7",
            title="Shapes that MNR P and MNR C learned",
            rows=(MNR, MNR_COUNT),
            kind="shapes",
        ),
    ),
    claims=(
        Above(
            text="Probabilities without their logarithm are worse than with it",
            where="6.1, table 3",
            better=LOG_P,
            worse=P,
        ),
        Above(
            text="Discretized probabilities are better than probabilities",
            where="6.2, table 3",
            better=DISC,
            worse=P,
        ),
        Ordered(
            text="Bins alone do not recover what logarithms reach",
            where="6.2, table 3",
            rows=(LOG_P, DISC),
        ),
        Above(
            text="Overlapping bins are worse than bins",
            where="6.2, table 3",
            better=DISC,
            worse=OVERLAP,
        ),
        Above(
            text="Monotone neighbors are better than linear ones",
            where="6.2, table 3",
            better=MNR,
            worse=LNR,
        ),
        Ordered(
            text="Raw P < log P ≤ monotone neighbors",
            where="6.2, table 3",
            rows=(MNR, LOG_P, P),
        ),
        Ordered(
            text="Counts instead of phrase probabilities lose little (at most 0.3)",
            where="6.2, table 3",
            rows=(MNR_COUNT, MNR),
            slack=0.3,
        ),
        Ordered(
            text="Counts in bins reach what logarithms of probabilities do (less 0.3 at most)",
            where="6.2 and 8, table 3",
            rows=(MNR_COUNT, LOG_P),
            slack=0.3,
        ),
        Ordered(
            text="More bits are better",
            where="table 2",
            rows=(BITS_12, BITS_8, BITS_4),
        ),
        LikeLogarithm(
            text="The shape of p(e|f) resembles a logarithm",
            where="6.2, figure 7",
            row=MNR,
            feature="p_e_given_f",
        ),
        LikeLogarithm(
            text="The shape of c(f) resembles a logarithm",
            where="6.2, figure 7",
            row=MNR_COUNT,
            feature="count_f",
            rising=False,
        ),
    ),
)
