"""Packages that only some need: what is said where one is missing."""

import sys

import numpy as np
import pytest

import hopefear
from hopefear.demo.synthetic import SyntheticCandidates
from hopefear.errors import ConfigError, import_extra
from hopefear.learners.minimize import minimize
from hopefear.regularizers import L1


@pytest.fixture
def no_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)


def test_a_missing_package_is_named_with_what_installs_it() -> None:
    with pytest.raises(ConfigError, match=r"the thing needs the package nowhere.*'hopefear.all.'"):
        import_extra("nowhere.to.be.found", "all", "the thing")


@pytest.mark.parametrize("learner", ["lbfgs", "structured-svm"])
def test_learners_that_need_scipy_say_so_before_anything_is_read(
    no_scipy: None, learner: str
) -> None:
    with pytest.raises(ConfigError, match=r"hopefear\[scipy\].*kbest-mira") as caught:
        hopefear.tune(learner, nbest="nowhere.jsonl", refs="nowhere.txt")
    assert caught.value.settings == ("learner",)


@pytest.mark.parametrize("learner", ["auto", "kbest-mira", "mert", "pro", "rampion", "sgd"])
def test_the_usual_learners_do_without_scipy(no_scipy: None, learner: str) -> None:
    made_up = list(SyntheticCandidates(sentences=40, size=8))
    references = [reference for reference, _ in made_up]
    lists = [[{"text": h.text, **h.features} for h in s.hypotheses] for _, s in made_up]
    fitted = hopefear.fit(lists, references, learner=learner, tokenize="none")
    assert fitted.score(lists, references) > 40


def test_a_penalty_that_needs_scipy_says_so(no_scipy: None) -> None:
    penalty = L1(strength=1.0).bind(["a"], np.zeros(1))
    with pytest.raises(ConfigError, match=r"hopefear\[scipy\]"):
        minimize(lambda w: (float(w @ w), 2 * w), penalty, np.zeros(1))
