"""Whole reproductions, on a corpus that the package makes itself."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hopefear
from command_line import Hopefear
from hopefear.demo import generated_corpus
from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.formats.lock import FolderLock
from hopefear.reproduction import Paper, Reproduction, papers, reproducing
from hopefear.reproduction.corpus import Sizes
from hopefear.reproduction.experiment import Scale
from hopefear.runs import batch

SIZES = Sizes(train=150, tuning=12, dev=8, test=10)
SCALE = Scale(replicas=2, decodings=2, epochs=2, list_size=8, choices=2)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    generated_corpus(train=200, dev=40, test=20).write(folder)
    return folder


@pytest.fixture
def tiny(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return `hopefear.reproduce` on a tiny scale, in this process."""
    monkeypatch.setattr(reproducing, "QUICK", (SIZES, SCALE))

    def run(paper: str, **settings: Any) -> Reproduction:
        given: dict[str, Any] = {
            "data": data,
            "out": tmp_path / "out",
            "quick": True,
            "jobs": 1,
            "threads": 1,
        }
        return hopefear.reproduce(paper, **(given | settings))

    return run


def cut(paper: Paper, labels: set[str]) -> Paper:
    """Return a paper with some of its rows."""
    tables = [
        replace(table, rows=tuple(row for row in table.rows if row.label in labels))
        for table in paper.tables
    ]
    figures = [
        replace(figure, rows=tuple(row for row in figure.rows if row.label in labels))
        for figure in paper.figures
    ]
    return replace(
        paper,
        tables=tuple(table for table in tables if table.rows),
        figures=tuple(figure for figure in figures if figure.rows),
    )


def test_a_table_is_reproduced_and_costs_nothing_again(
    tiny: Callable[..., Reproduction], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    found = tiny("gimpel2012", table="1", on_row=lambda outcome: done.append(outcome.row.label))
    assert done == ["MERT", "PRO", "RAMPION"]
    assert [len(one.replicas) for one in found.outcomes.found.values()] == [2, 2, 1]
    claims = {judged.claim.text for judged in found.judged}
    assert "MERT, PRO and RAMPION perform very similarly" in claims
    assert "Ramp loss 1 does poorly" not in claims  # its rows are in another table
    page = found.page.read_text(encoding="utf-8")
    assert "scaled down: at most 2 decodings, 2 epochs, 8 hypotheses" in page
    assert "2 choices; replicas: 2" in page
    assert "reproduce gimpel2012 --data corpus" in page
    assert "--table 1 --quick -o out`" in page
    (row,) = [line for line in page.splitlines() if line.startswith("| PRO")]
    scores = found.outcomes.found["gimpel2012-pro"].test
    assert row.startswith("| PRO | 36.3 | 34.5 | 36.6 | ")
    assert f" {sum(scores) / 2:.2f} ± " in row
    stored = json.loads(found.json.read_text(encoding="utf-8"))
    assert stored["rows"]["gimpel2012-pro"]["test"] == scores

    monkeypatch.setattr(batch, "run", None)  # nothing may be run again
    monkeypatch.chdir(data)
    again = tiny("gimpel2012", table="1", data=Path())
    assert json.loads(again.json.read_text(encoding="utf-8"))["rows"] == stored["rows"]
    assert "reproduce gimpel2012 --data corpus" in again.page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("paper", "labels", "pictures", "judged"),
    [
        (
            "chiang2012",
            {"small, MERT", "small, hinge, MIRA η = 0.05, IPM"},
            {"chiang2012-figure-1.svg", "chiang2012-figure-2d.svg"},
            "Forest reranking finds better hopes and fears than 100-best lists",
        ),
        (
            "clark2014",
            {"log P", "MNR P", "MNR C", "4 bits"},
            {"clark2014-figure-7-p-e-given-f.svg", "clark2014-figure-7-count-f.svg"},
            "The shape of p(e|f) resembles a logarithm",
        ),
        (
            "gimpel2012",
            {"RAMPION", "RAMPION, random starts"},
            {"gimpel2012-figure-3.svg"},
            None,
        ),
        (
            "watanabe2012",
            {"MIRA-L", "ORO-L hinge"},
            {"watanabe2012-figure-1a.svg", "watanabe2012-figure-2.svg"},
            "MIRA-L converges quickly, ORO-L slowly",
        ),
    ],
)
def test_figures_are_drawn_and_claims_judged(
    tiny: Callable[..., Reproduction],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    paper: str,
    labels: set[str],
    pictures: set[str],
    judged: str | None,
) -> None:
    monkeypatch.setitem(papers, paper, cut(papers[paper], labels))
    found = tiny(paper)
    drawn = {path.name for path in (tmp_path / "out" / "figures").iterdir()}
    assert pictures <= drawn
    page = found.page.read_text(encoding="utf-8")
    assert all(f"](figures/{name})" in page for name in drawn)
    if judged is not None:
        (verdict,) = [one.verdict for one in found.judged if one.claim.text == judged]
        assert verdict.evidence
    if paper == "clark2014":
        chosen = found.outcomes.found["clark2014-mnr_chosen"].chosen
        assert set(chosen) == {"discretize.bits", "learner.regularizer.strength"}
        assert "MNR P (bits " in page
        (row,) = [line for line in page.splitlines() if line.startswith("| 4 bits")]
        assert row.startswith(
            f"| 4 bits | 101 | 36.4 | {found.outcomes[found.paper.tables[0].rows[0]].features} | "
        )
        cell = tmp_path / "out" / "choices" / "clark2014-mnr_chosen" / "config.toml"
        assert "decodings = 2" in cell.read_text(encoding="utf-8")


def test_claims_alone_are_judged_with_other_epochs(tiny: Callable[..., Reproduction]) -> None:
    found = tiny("gimpel2012", claim=["ramp loss 1", "Ramp loss 2"], epochs=3, replicas=1)
    assert list(found.outcomes.found) == [
        "gimpel2012-rampion",
        "gimpel2012-ramp1",
        "gimpel2012-ramp2",
    ]
    assert [len(found.outcomes[row].curve()) for row in found.paper.rows()] == [3, 3, 3]
    assert [one.claim.where for one in found.judged] == ["footnote 8", "footnote 8"]
    page = found.page.read_text(encoding="utf-8")
    assert "--epochs 3 --replicas 1 --claim 'ramp loss 1' --claim 'Ramp loss 2' --quick" in page
    with pytest.raises(
        ConfigError, match="no claim of gimpel2012 has 'MIRA' in it; it claims\n- MERT"
    ):
        tiny("gimpel2012", claim=["PRO", "MIRA"])


def test_rows_are_run_in_processes_of_their_own(
    tiny: Callable[..., Reproduction], tmp_path: Path
) -> None:
    alone = tiny("gimpel2012", table="2")
    apart = tiny("gimpel2012", table="2", out=tmp_path / "apart", jobs=2)
    for name, outcome in alone.outcomes.found.items():
        assert outcome.test == apart.outcomes.found[name].test
        assert outcome.curve() == apart.outcomes.found[name].curve()


def test_the_command_prints_tables_and_claims(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(reproducing, "QUICK", (SIZES, SCALE))
    monkeypatch.setitem(papers, "gimpel2012", cut(papers["gimpel2012"], {"RAMPION"}))
    out = str(tmp_path / "out")
    result = Hopefear(capsys)(
        *("reproduce", "gimpel2012", "--data", str(data), "--quick", "--jobs", "1", "-o", out)
    )
    assert result.code == 0, result.err
    assert "Table 1: Three learners, usual features" in result.out
    assert "paper: MT02" in result.out
    assert f"page: {out}/gimpel2012.md" in result.out


def test_what_a_killed_process_left_is_removed_and_one_at_a_time_works(
    tiny: Callable[..., Reproduction], tmp_path: Path
) -> None:
    run = tmp_path / "out" / "runs" / "gimpel2012-rampion"
    run.mkdir(parents=True)
    (run / ".test.txt.0123456789abcdef.part").write_text("half")
    with FolderLock(tmp_path / "out"), pytest.raises(ConfigError, match="is in use by"):
        tiny("gimpel2012", table="1")
    assert list(run.iterdir())
    with pytest.raises(DataError, match="is not a directory"):
        tiny("gimpel2012", table="1", data=tmp_path / "none", out=tmp_path / "never")
    assert not (tmp_path / "never").exists()
    tiny("gimpel2012", table="1", replicas=2)
    assert not list((tmp_path / "out").rglob("*.part"))
    log = min((tmp_path / "out" / "runs").glob("*/replica-2/events.jsonl"))
    log.write_text(log.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"replica-2/events\.jsonl: does not say how the run"):
        tiny("gimpel2012", table="1", replicas=2)


def test_unknown_tables_are_refused(tiny: Callable[..., Reproduction]) -> None:
    with pytest.raises(ConfigError, match="gimpel2012 has no table '7'; it has 1, 2, footnotes"):
        tiny("gimpel2012", table="7")
