"""What was fitted can be saved, loaded, reported and shown."""

from pathlib import Path
from typing import Any

import pytest

import hopefear
from fitting.test_fit import make_lists
from hopefear.errors import ConfigError


@pytest.fixture
def lists() -> tuple[Any, list[str]]:
    return make_lists(20)


def test_what_was_saved_predicts_and_scores_as_before(lists: Any, tmp_path: Path) -> None:
    fitted = hopefear.fit(*lists, learner="kbest-mira", epochs=5, tokenize="none")
    loaded = hopefear.Fitted.load(fitted.save(tmp_path / "run"))
    assert loaded.weights == fitted.weights
    assert loaded.predict(lists[0]) == fitted.predict(lists[0])
    assert loaded.score(*lists) == fitted.score(*lists) == fitted.tuning_score
    assert repr(loaded) == repr(fitted)
    with pytest.raises(ConfigError, match="holds a run already"):
        fitted.save(tmp_path / "run")
    fitted.save(tmp_path / "run", force=True)


def test_saved_weights_are_those_of_a_run(lists: Any, tmp_path: Path) -> None:
    fitted = hopefear.fit(*lists, learner="mert", replicas=2, learner__restarts=1)
    directory = fitted.save(tmp_path / "run")
    assert (directory / "replica-2" / "weights.tsv").is_file()
    (tmp_path / "lists.jsonl").write_text(
        '{"sentence": 0, "text": "a", "features": {"quality": 1, "noise": 0}}\n'
    )
    found = hopefear.rerank(nbest=tmp_path / "lists.jsonl", weights=directory)
    assert list(found) == ["a"]
    assert hopefear.Fitted.load(directory).weights == fitted.weights


def test_columns_are_saved_and_functions_are_asked_for(lists: Any, tmp_path: Path) -> None:
    renamed = [[{"mt": one.pop("text"), **one} for one in found] for found in lists[0]]

    def length(text: str, references: Any) -> float:
        return float(len(text))

    fitted = hopefear.fit(
        renamed, metric=length, columns={"text": "mt"}, ignore=["noise"], learner="mert"
    )
    fitted.save(tmp_path / "run")
    loaded = hopefear.Fitted.load(tmp_path / "run")
    assert loaded.predict(renamed) == fitted.predict(renamed)
    with pytest.raises(ConfigError, match="a Python function, which is not saved"):
        loaded.score(renamed)
    again = hopefear.Fitted.load(tmp_path / "run", metric=length)
    assert again.score(renamed) == fitted.score(renamed)


def test_bins_of_discretized_features_are_kept(lists: Any, tmp_path: Path) -> None:
    fitted = hopefear.fit(
        *lists, learner="kbest-mira", discretize={"bits": 2}, epochs=3, tokenize="none"
    )
    assert fitted.score(*lists) == fitted.tuning_score
    loaded = hopefear.Fitted.load(fitted.save(tmp_path / "run"))
    assert loaded.predict(lists[0]) == fitted.predict(lists[0])


def test_a_report_is_one_file(lists: Any, tmp_path: Path) -> None:
    fitted = hopefear.fit(*lists, learner="kbest-mira", epochs=3)
    path = fitted.report(tmp_path / "report.html")
    assert "quality" in path.read_text()


def test_weights_are_a_table_sorted_by_what_they_are_worth(lists: Any) -> None:
    fitted = hopefear.fit(*lists, learner="kbest-mira", epochs=3)
    lines = repr(fitted).splitlines()
    assert lines[0].startswith("Fitted(kbest-mira, tuning BLEU ")
    assert lines[1].split() == ["feature", "weight", "x", "spread"]
    worth = [abs(float(line.split()[2])) for line in lines[2:]]
    assert worth == sorted(worth, reverse=True)
    assert "<td>quality</td>" in fitted._repr_html_()
    assert "<td>quality</td>" in fitted.weights._repr_html_()


def test_many_weights_are_shown_in_part() -> None:
    weights = hopefear.Weights({f"f{i}": float(i) for i in range(150)})
    assert "f149" in weights._repr_html_()
    assert "<td>f1</td>" not in weights._repr_html_()
    assert "... 50 more" in weights._repr_html_()
