"""What is reproduced of the papers: rows that can be run, claims that can be judged."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hopefear.presets import load_presets
from hopefear.reproduction import Paper, Row, papers
from hopefear.reproduction.corpus import Corpus, TextSet
from hopefear.reproduction.experiment import Experiment, Scale
from hopefear.reproduction.reproducing import QUICK

ALL = [(paper, row) for paper in papers.values() for row in paper.rows()]
CHOOSING = {"clark2014": 5}  # rows with settings that are chosen on held-out data
NAMES = [f"{paper.name}: {row.name}" for paper, row in ALL]


def experiment(row: Row, scale: Scale) -> Experiment:
    text = TextSet(source=Path("f"), references=(Path("e"),))
    corpus = Corpus(train=text, tuning=text, dev=text, test=text, description="")
    return Experiment(
        row=row, model=Path("model"), corpus=corpus, out=Path("out"), scale=scale, seed=1, threads=1
    )


@pytest.mark.parametrize(("paper", "row"), ALL, ids=NAMES)
def test_every_row_is_a_preset_with_settings_that_fit(paper: Paper, row: Row) -> None:
    assert row.preset in load_presets()
    assert row.preset.startswith(paper.name)
    first = [f"{key}={values[0]}" for key, values in row.choose.items()]
    settings = experiment(row, Scale()).settings(first)
    assert settings.replicas == row.replicas
    scaled = experiment(row, QUICK[1]).settings(first)
    varied = any(option.startswith("rhythm.epochs=") for option in row.options)
    most = settings.rhythm.epochs if varied else min(settings.rhythm.epochs, QUICK[1].epochs or 0)
    assert scaled.rhythm.epochs == most
    assert re.fullmatch(r"[\w.-]+", row.name)


@pytest.mark.parametrize("paper", papers.values(), ids=papers)
def test_every_claim_speaks_of_rows_that_are_run(paper: Paper) -> None:
    rows = {row.name for row in paper.rows()}
    for claim in paper.claims:
        assert {row.name for row in claim.rows} <= rows, claim.text
        assert claim.where
    assert len({claim.text for claim in paper.claims}) == len(paper.claims)


@pytest.mark.parametrize("paper", papers.values(), ids=papers)
def test_every_preset_of_a_paper_is_a_row_or_explained(paper: Paper) -> None:
    """Presets of the paper that no table or figure has."""
    without = {
        "chiang2012": {
            "chiang2012-mira-2008",  # footnote 4
            "chiang2012-mira-large",  # on one processor
            "chiang2012-arow-large",
        },
        "gimpel2012": {
            "gimpel2012-och-ney",  # 3.4
            "gimpel2012-soft-ramp1",
            "gimpel2012-soft-ramp2",
        },
        "watanabe2012": {
            f"watanabe2012-{name}-l-s8"  # algorithm 3 on 8 cores
            for name in ("mira", "oro-hinge", "oro-softmax", "o-oro-hinge", "o-oro-softmax")
        },
    }
    used = {row.preset for row in paper.rows()}
    known = {name for name in load_presets() if name.startswith(paper.name)}
    assert known - used == without.get(paper.name, set())


def test_a_row_with_more_replicas_stands_for_its_like() -> None:
    rows = papers["gimpel2012"].rows()
    assert len({row.name for row in rows}) == len(rows)
    chiang = {row.name: row for row in papers["chiang2012"].rows()}
    assert chiang["chiang2012-mira-large-mixing_large"].replicas == 3


@pytest.mark.parametrize("paper", papers.values(), ids=papers)
def test_no_two_rows_do_the_same(paper: Paper) -> None:
    """A figure that varies a rate has the rate of the table among its curves."""
    assert len({row.name for row in paper.rows() if row.choose}) == CHOOSING.get(paper.name, 0)
    rows = [row for row in paper.rows() if not row.choose]
    found = [(row.model, replace(experiment(row, Scale()).settings(), replicas=1)) for row in rows]
    for number, one in enumerate(found):
        assert one not in found[:number], rows[number].name


def test_replicas_that_are_asked_for_are_those_of_curves_too_but_not_of_what_is_certain() -> None:
    rows = {row.label: row for paper in papers.values() for row in paper.rows()}
    wanted = {"η₀ = 10.0": 5, "PRO": 5, "RAMPION": 1, "RAMPION, α = 5": 1, "ramp loss 2": 1}
    wanted["RAMPION, random starts"] = 5
    for label, count in wanted.items():
        assert experiment(rows[label], Scale(replicas=5)).settings().replicas == count


def test_a_claim_brings_the_rows_that_it_compares() -> None:
    part = papers["watanabe2012"].claiming(["line search HELPS MIRA", "O-ORO-L ends"])
    assert [claim.where for claim in part.claims] == ["section 5, table 2", "section 5, figure 1"]
    labels = {row.label for row in part.rows()}
    assert labels == {"MIRA", "MIRA-L", "O-ORO-L hinge", "ORO-L hinge"}
    assert [table.number for table in part.tables] == ["1", "2", "3"]
    assert {row.label for row in part.tables[0].rows} == labels - {"MIRA"}
    assert not papers["gimpel2012"].claiming(["nothing like it"]).claims


def test_a_table_alone_has_the_claims_of_its_rows() -> None:
    part = papers["gimpel2012"].table("2")
    assert [claim.where for claim in part.claims] == ["4.3, table 2"]
    assert not part.figures


def test_a_scale_takes_first_and_last_of_several_values() -> None:
    assert Scale(choices=2).values((4, 6, 8)) == [4, 8]
    assert Scale(choices=2).values((4, 6)) == [4, 6]
    assert Scale().values((4, 6, 8)) == [4, 6, 8]
    assert Scale(choices=1).values((4, 6, 8)) == [4]
