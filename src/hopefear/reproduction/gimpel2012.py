"""Gimpel and Smith (2012), Structured ramp loss minimization for machine translation, NAACL.

The figures of table 1 are averages over all language pairs and test sets (its last column), with
the Chinese sets beside it, since deviations are given there; those of table 2 are Chinese.
"""

from dataclasses import replace

from hopefear.reproduction.claims import Above, Close, Ordered, Overfits, Steadier
from hopefear.reproduction.paper import Figure, Paper, Row, Table
from hopefear.reproduction.trends import SameWeights

__all__ = ["GIMPEL_2012"]

MERT = Row(label="MERT", preset="gimpel2012-mert", paper={"MT02": 35.7, "MT05": 34.2, "avg": 36.6})
PRO = Row(label="PRO", preset="gimpel2012-pro", paper={"MT02": 36.3, "MT05": 34.5, "avg": 36.6})
# It visits sentences in order, and nothing else is drawn: replicas would be the same.
RAMPION = Row(
    label="RAMPION",
    preset="gimpel2012-rampion",
    paper={"MT02": 36.4, "MT05": 34.7, "avg": 36.8},
    replicas=1,
    random=False,
)

PRO_LARGE = Row(
    label="PRO",
    preset="gimpel2012-pro-large",
    model="patterns",
    paper={"Tune": 40.9, "MT02": 35.7, "MT05": 33.6},
)
RAMPION_LARGE = Row(
    label="RAMPION",
    preset="gimpel2012-rampion-large",
    model="patterns",
    paper={"Tune": 38.8, "MT02": 36.2, "MT05": 34.3},
    replicas=1,
    random=False,
)

RANDOM = ("random_start=true",)
MERT_RANDOM, PRO_RANDOM, RAMPION_RANDOM = (
    replace(
        row, label=f"{row.label}, random starts", options=RANDOM, paper={}, replicas=3, random=True
    )
    for row in (MERT, PRO, RAMPION)
)

RAMP_1 = Row(label="ramp loss 1", preset="gimpel2012-ramp1", replicas=1, random=False)
RAMP_2 = Row(label="ramp loss 2", preset="gimpel2012-ramp2", replicas=1, random=False)
SOFT_RAMP_3 = Row(
    label="soft ramp loss 3", preset="gimpel2012-soft-ramp3", replicas=1, random=False
)
ALPHA_1, ALPHA_5 = (
    replace(RAMPION, label=f"RAMPION, α = {a}", options=(f"learner.cost_scale={a}",), paper={})
    for a in (1, 5)
)
MORE_ROUNDS, C_LOW, C_HIGH = (
    replace(RAMPION, label=f"RAMPION, {name} = {value}", options=(f"{key}={value}",), paper={})
    for name, key, value in (
        ("T′", "rhythm.epochs", 50),
        ("C", "learner.regularizer.strength", 0.1),
        ("C", "learner.regularizer.strength", 10.0),
    )
)

GIMPEL_2012 = Paper(
    name="gimpel2012",
    title="Gimpel and Smith (2012), Structured ramp loss minimization for machine translation",
    tables=(
        Table(number="1", title="Three learners, usual features", rows=(MERT, PRO, RAMPION)),
        Table(number="2", title="Large feature sets", rows=(PRO_LARGE, RAMPION_LARGE)),
        Table(
            number="footnotes",
            title="Other ramp losses (footnote 8) and settings (footnote 12)",
            rows=(
                *(RAMPION, RAMP_1, RAMP_2, SOFT_RAMP_3),
                *(ALPHA_1, ALPHA_5, MORE_ROUNDS, C_LOW, C_HIGH),
            ),
        ),
    ),
    figures=(
        Figure(
            number="3",
            title="Tuning and test scores from different starts",
            rows=(MERT, PRO, RAMPION, MERT_RANDOM, PRO_RANDOM, RAMPION_RANDOM),
            kind="scatter",
        ),
    ),
    claims=(
        Close(
            text="MERT, PRO and RAMPION perform very similarly",
            where="4.1, table 1",
            rows=(MERT, PRO, RAMPION),
            within=1.0,
        ),
        Above(
            text="RAMPION is slightly better than MERT and PRO on average",
            where="4.1, table 1",
            better=RAMPION,
            worse=(MERT, PRO),
        ),
        Steadier(
            text="MERT varies more over random seeds than PRO",
            where="4.1, table 1",
            steady=PRO,
            others=(MERT,),
        ),
        Steadier(
            text="RAMPION varies less over seeds and starts than MERT and PRO",
            where="4.2, figure 3",
            steady=RAMPION_RANDOM,
            others=(MERT_RANDOM, PRO_RANDOM),
        ),
        Steadier(
            text="PRO varies more over starts than MERT",
            where="4.2, figure 3",
            steady=MERT_RANDOM,
            others=(PRO_RANDOM,),
        ),
        SameWeights(
            text="RAMPION finds very similar weights from all starts",
            where="4.2",
            row=RAMPION_RANDOM,
        ),
        Overfits(
            text="With many features, PRO is above RAMPION on tuning and below it on test data",
            where="4.3, table 2",
            overfit=PRO_LARGE,
            other=RAMPION_LARGE,
        ),
        Close(
            text="Patterns gain little on test data",
            where="4.3, tables 1 and 2",
            rows=(RAMPION_LARGE, RAMPION),
        ),
        Above(
            text="Ramp loss 1 does poorly",
            where="footnote 8",
            better=RAMPION,
            worse=RAMP_1,
        ),
        Overfits(
            text="Ramp loss 2 is high on tuning data but does not generalize as ramp loss 3 does",
            where="footnote 8",
            overfit=RAMP_2,
            other=RAMPION,
        ),
        Close(
            text="Soft ramp loss 3 is comparable to ramp loss 3",
            where="footnote 8",
            rows=(RAMPION, SOFT_RAMP_3),
        ),
        Ordered(
            text="Soft ramp loss 3 is no better than ramp loss 3",
            where="footnote 8",
            rows=(RAMPION, SOFT_RAMP_3),
        ),
        Close(
            text="Values of α of 1, 5 and 10 all work well",
            where="footnote 12",
            rows=(ALPHA_1, ALPHA_5, RAMPION),
        ),
        Ordered(
            text="T′ = 10 rounds on each set of lists are no worse than 50",
            where="footnote 12",
            rows=(RAMPION, MORE_ROUNDS),
        ),
        Close(
            text="RAMPION is insensitive to C",
            where="footnote 12",
            rows=(C_LOW, RAMPION, C_HIGH),
        ),
    ),
)
