"""`hopefear inspect`."""

from pathlib import Path

import pytest

import hopefear as package
from candidate_files import CandidateFiles, write_candidates
from command_line import Hopefear
from hopefear.forest import nbest_forest
from hopefear.formats.forests.store import ForestStore
from hopefear.inspection import read_cloud
from hopefear.types import Hypothesis

DATA = ["--nbest", "tune.nbest", "--refs", "tune.refs", "--tokenize", "none"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hopefear: Hopefear) -> CandidateFiles:
    monkeypatch.chdir(tmp_path)
    files = write_candidates(tmp_path)
    tune = ["tune", "kbest-mira", "--set", "rhythm.epochs=3", "-o", "run"]
    assert hopefear(*tune, *DATA).code == 0
    return files


def test_a_sentence_of_a_run_is_shown_and_saved_for_its_report(
    run: CandidateFiles, hopefear: Hopefear
) -> None:
    found = hopefear("inspect", "run", "--sentence", "3")
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0] == "sentence 3: 10 hypotheses; hope and fear: exhaustive search"
    assert lines[1] == f"reference: {run.references[3]}"
    assert lines[-1].startswith("picture: run/clouds/3.html (")
    cloud = read_cloud(Path("run/clouds/3.json"))
    for name, chosen in cloud.chosen.items():
        assert name in found.out
        assert chosen.point.text in found.out
    assert hopefear("report", "run").code == 0
    assert "sentence 3" in Path("run/report.html").read_text(encoding="utf-8")
    assert hopefear("tune", "mert", *DATA, "-o", "run", "--force").code == 0  # clouds are the run's
    assert not Path("run/clouds/3.html").exists()


def test_lists_and_weights_will_do_without_a_run(run: CandidateFiles, hopefear: Hopefear) -> None:
    given = ["--weights", "run/weights.tsv", *DATA]
    found = hopefear("inspect", "-s", "3", *given, "-o", "cloud.svg")
    assert found.code == 0
    assert "picture: cloud.svg (" in found.out
    cloud = package.inspect("run", sentence=3)
    same = package.inspect(
        sentence=3,
        nbest="tune.nbest",
        refs="tune.refs",
        tokenize="none",
        weights=dict(package.Weights(cloud.weights)),
    )
    assert same == cloud


def test_weights_of_another_epoch_can_be_looked_at(run: CandidateFiles) -> None:
    first, second = (
        package.inspect("run", sentence="0", weights=f"run/weights/0{epoch}.tsv")
        for epoch in (1, 2)
    )
    assert first.weights != second.weights
    Path("run/weights.tsv").unlink()  # as of a run that was killed
    assert package.inspect("run", sentence=0).weights == (
        package.inspect("run", sentence=0, weights="run/weights/03.tsv").weights
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "-s", "20"], "there is no sentence '20'; sentences are 0 to 19"),
        (["run", "-s", "x"], "there is no sentence 'x'; sentences are 0 to 19"),
        (["run", "-s", "0", "--dev"], "run: the run has no held-out data"),
        (["run", "-s", "0", "--refs", "tune.refs"], "give either a run or the data"),
        (["-s", "0", *DATA], "give a run, or weights and refs with either nbest or forests"),
        (["run", "-s", "0", "--search", "x"], "unknown search 'x'"),
        (["nothing", "-s", "0"], "nothing/config.toml: cannot be read"),
        (
            ["run", "-s", "0", "-o", "x.png"],
            "x.png: the name of a cloud's file must end in .html or .svg",
        ),
    ],
)
def test_what_cannot_be_done_is_an_error_of_one_line(
    arguments: list[str], message: str, run: CandidateFiles, hopefear: Hopefear
) -> None:
    found = hopefear("inspect", *arguments)
    assert found.code in (1, 2)
    assert found.err.startswith(f"hopefear: {message}")
    assert found.err.count("\n") == 1


def test_data_that_have_gone_are_named(run: CandidateFiles, hopefear: Hopefear) -> None:
    Path("tune.refs").rename("elsewhere")
    found = hopefear("inspect", "run", "-s", "0")
    assert "tune.refs: does not exist; run/config.toml names it" in found.err


def test_a_run_is_looked_at_from_anywhere(
    run: CandidateFiles, hopefear: Hopefear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    Path("tune.refs").write_text("of another run\n" * 20)
    found = hopefear("inspect", "../run", "-s", "3")
    assert found.code == 0
    assert f"reference: {run.references[3]}" in found.out


def test_a_run_that_was_moved_with_its_data_is_looked_at_where_it_is(
    run: CandidateFiles, hopefear: Hopefear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("run", "tune.nbest", "tune.refs"):
        (tmp_path / name).rename(moved / name)
    monkeypatch.chdir(moved)
    assert hopefear("inspect", "run", "-s", "3").code == 0
    monkeypatch.chdir(tmp_path)
    found = hopefear("inspect", "moved/run", "-s", "3")
    assert f"the run was started in {tmp_path}. Change to" in found.err


@pytest.mark.parametrize("text", ["", "[]", "{}", "\x00", '{"folder": '])
def test_a_broken_note_of_the_place_is_named(
    text: str, run: CandidateFiles, hopefear: Hopefear
) -> None:
    Path("run/run.json").write_text(text)
    found = hopefear("inspect", "run", "-s", "3")
    assert found.code == 1
    assert "run/run.json: does not say where the run was started" in found.err
    Path("run/run.json").unlink()  # as of older runs: from here
    assert hopefear("inspect", "run", "-s", "3").code == 0


def test_forests_are_searched_and_their_derivations_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hopefear: Hopefear
) -> None:
    monkeypatch.chdir(tmp_path)
    hypotheses = [Hypothesis(text=text, features={"lm": -len(text)}) for text in ("a b", "a c d")]
    ForestStore.write("x.forests", [(0, nbest_forest(hypotheses))])
    Path("refs").write_text("a c d\n")
    Path("w.tsv").write_text("lm\t1\n")
    data = ["--forests", "x.forests", "--refs", "refs", "--weights", "w.tsv"]
    found = hopefear("inspect", "-s", "0", *data, "--search", "linear")
    assert found.err == ""
    lines = found.out.splitlines()
    assert lines[0] == "sentence 0: 2 derivations; hope and fear: linear search"
    assert lines[-1].startswith("picture: sentence-0.html (")
    assert "├─" not in found.out
    page = Path("sentence-0.html").read_text(encoding="utf-8")
    assert "<pre" in page


def test_a_run_on_forests_is_looked_at_with_the_search_of_its_learner(
    run: CandidateFiles, hopefear: Hopefear
) -> None:
    forests = [(s.sentence, nbest_forest(s.hypotheses)) for s in run.segments]
    ForestStore.write("x.forests", [(int(number), forest) for number, forest in forests])
    tune = ["tune", "mira", "--forests", "x.forests", "--refs", "tune.refs", "--tokenize", "none"]
    small = ["--set", "rhythm.epochs=2", "--set", "learner.search=linear"]
    assert hopefear(*tune, *small, "-o", "forest-run").code == 0
    found = hopefear("inspect", "forest-run", "-s", "3")
    assert found.err == ""
    first = "sentence 3: 10 derivations; hope and fear: linear search"
    assert found.out.splitlines()[0] == first


def test_keys_are_names_of_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hopefear: Hopefear
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("n.jsonl").write_text(
        '{"sentence": "utt/1", "text": "a b", "features": {"lm": 1, "x": 1}}\n'
        '{"sentence": "utt/1", "text": "a", "features": {"lm": 2, "x": 0}}\n'
    )
    Path("refs").write_text("utt/1 a b\n")
    tune = ["tune", "mert", "--nbest", "n.jsonl", "--refs", "refs", "--keyed-refs", "-o", "run"]
    assert hopefear(*tune, "--metric", "wer", "--start", "lm=1 x=0").code == 0
    found = hopefear("inspect", "run", "-s", "utt/1")
    assert found.err == ""
    assert "picture: run/clouds/utt%2F1.html" in found.out
    assert "reference: a b" in found.out
    assert "no sentence has the key 'u'" in hopefear("inspect", "run", "-s", "u").err
