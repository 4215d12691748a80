"""Metrics by name with shared options."""

import pytest

from hopefear.errors import ConfigError
from hopefear.evaluation import choose_metrics
from hopefear.metrics import Bleu, Chrf, Ter, Wer


def test_an_option_goes_to_the_metrics_that_have_it() -> None:
    found = choose_metrics(["bleu", "chrf", "ter", "wer"], tokenize="none", lowercase=True)
    assert list(found.values()) == [
        Bleu(tokenize="none", lowercase=True),
        Chrf(lowercase=True),
        Ter(),
        Wer(tokenize="none", lowercase=True),
    ]


def test_an_option_that_no_metric_has_is_an_error() -> None:
    with pytest.raises(ConfigError, match="\\(chrf, ter\\) has the option 'tokenize'"):
        choose_metrics(["chrf", "ter"], tokenize="none")


def test_ignoring_case_is_no_news_to_ter() -> None:
    assert choose_metrics(["ter"], lowercase=True) == {"ter": Ter()}


def test_an_unknown_metric_or_tokenizer_is_named_with_the_nearest_known() -> None:
    with pytest.raises(ConfigError, match="unknown metric 'belu'; did you mean 'bleu'"):
        choose_metrics(["belu"])
    with pytest.raises(
        ConfigError, match=r"metric 'bleu': tokenize: unknown value '13b'; did you mean '13a'"
    ):
        choose_metrics(["bleu"], tokenize="13b")


def test_a_column_of_scores_is_no_metric_of_texts() -> None:
    with pytest.raises(ConfigError, match="'column' does not compare texts"):
        choose_metrics(["column"])
