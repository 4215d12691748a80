"""What the model sees of the values that rules have."""

import math

import pytest

from hopefear.errors import ConfigError
from hopefear.grammar import FeatureKind, Grammar, GrammarBuilder, Rule
from hopefear.translation import Decoder, FeatureUse, GrammarUse
from hopefear.types import Weights

KINDS = {"p": FeatureKind.probability, "n": FeatureKind.count}


def grammar() -> Grammar:
    builder = GrammarBuilder()
    rule = Rule(source=("a",), target=("b",), features={"p": 0.25, "n": 3.0, "s": -7.5, "t": 2.0})
    builder.add(rule, KINDS)
    return builder.build()


def features_of_a(*uses: FeatureUse) -> dict[str, float]:
    decoder = Decoder(GrammarUse(grammar=grammar(), features=uses), {}, Weights())
    best = decoder.parse(["a"]).viterbi(Weights())
    penalties = {"WordPenalty", "PhrasePenalty", "Glue"}
    return {name: value for name, value in best.features.items() if name not in penalties}


def test_probabilities_are_seen_by_their_logarithms_and_counts_not_at_all() -> None:
    assert features_of_a() == {"p": math.log(0.25), "s": -7.5, "t": 2.0}


def test_a_value_can_be_seen_in_several_ways_and_under_other_names() -> None:
    uses = [
        FeatureUse(of="p", view="value", name="probability"),
        FeatureUse(of="p", view="logarithm", name="log"),
        FeatureUse(of="n", view="rarity"),
        FeatureUse(of="t", view="none"),
    ]
    expected = {"probability": 0.25, "log": math.log(0.25), "n": math.exp(-2), "s": -7.5}
    assert features_of_a(*uses) == expected


def test_a_feature_that_the_grammar_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="has no feature 'q'"):
        features_of_a(FeatureUse(of="q"))
