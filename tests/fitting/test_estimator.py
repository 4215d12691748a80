"""A reranker goes through scikit-learn's tools."""

import subprocess
import sys
from importlib import import_module

import pytest

import hopefear
from fitting.test_fit import make_lists
from hopefear.errors import ConfigError


def test_scores_of_folds_are_those_of_fitting_by_hand() -> None:
    pytest.importorskip("sklearn")
    selection = import_module("sklearn.model_selection")
    lists, references = make_lists(24)
    model = hopefear.Reranker(learner="kbest-mira", epochs=3, tokenize="none")
    scores = selection.cross_val_score(model, lists, references, cv=3)
    for i, score in enumerate(scores):
        test = range(8 * i, 8 * i + 8)
        rest = [j for j in range(24) if j not in test]
        fitted = hopefear.fit(
            [lists[j] for j in rest],
            [references[j] for j in rest],
            learner="kbest-mira",
            epochs=3,
            tokenize="none",
        )
        found = fitted.score([lists[j] for j in test], [references[j] for j in test])
        assert 100 * score == pytest.approx(found, rel=1e-12)


@pytest.mark.filterwarnings("ignore::hopefear.errors.HopefearWarning")
def test_a_grid_is_searched_for_settings_of_the_learner() -> None:
    pytest.importorskip("sklearn")
    selection = import_module("sklearn.model_selection")
    lists, references = make_lists(24)
    model = hopefear.Reranker(metric="wer", learner="kbest-mira", epochs=3)
    grid = {"learner__max_step": [0.001, 0.01], "scale_features": [False, True]}
    search = selection.GridSearchCV(model, grid, cv=2).fit(lists, references)
    assert set(search.best_params_) == set(grid)
    assert search.best_score_ <= 0  # an error rate, negated
    assert len(search.predict(lists)) == 24
    best = search.best_estimator_
    assert best.weights_ == best.fitted_.weights


def test_parameters_are_read_and_set() -> None:
    model = hopefear.Reranker(metric="chrf", epochs=3)
    assert model.get_params()["epochs"] == 3
    model.set_params(epochs=4, metric="bleu", learner__max_step=0.1)
    assert {"epochs": 4, "metric": "bleu", "learner__max_step": 0.1}.items() <= (
        model.get_params().items()
    )
    assert "epochs=4" in repr(model)
    with pytest.raises(ConfigError, match="call fit first"):
        model.predict([])


def test_a_reranker_does_not_load_scikit_learn() -> None:
    code = "import sys, hopefear; hopefear.Reranker(); assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
