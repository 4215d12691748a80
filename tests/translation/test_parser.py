"""Parsing: the forest of a sentence has exactly the derivations that the rules allow."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from decoder_reference import Derived, Key, ReferenceDecoder
from hopefear.errors import ConfigError, DataError
from hopefear.forest import Forest
from hopefear.grammar import FeatureKind, Grammar, GrammarBuilder, Rule
from hopefear.translation import Decoder, DecoderOptions, FeatureUse, GrammarUse, glue_grammar
from hopefear.types import Weights
from small_models import X, Y, built, grammars, sentences

NO_WEIGHTS = Weights()
MOST_DERIVATIONS = 3000


def all_derived(forest: Forest) -> list[Derived]:
    best = forest.kbest(NO_WEIGHTS, MOST_DERIVATIONS + 1)
    return [Derived(derivation.words, derivation.features) for derivation in best]


def keys(derived: list[Derived]) -> list[Key]:
    return sorted(d.key for d in derived)


@settings(max_examples=150)
@given(grammars, sentences, st.integers(0, 3), st.booleans(), st.booleans())
def test_a_forest_has_exactly_the_derivations_of_the_sentence(
    added: list[Rule], words: list[str], max_span: int, identity: bool, numbers: bool
) -> None:
    glue = glue_grammar(["X", "Y"])
    pairs = [(rule, max_span) for rule in added] + [(rule, 0) for rule in glue]
    reference = ReferenceDecoder(pairs, identity_rules=identity, number_rules=numbers)
    expected = reference.derivations(words)
    assume(len(expected) <= MOST_DERIVATIONS)
    options = DecoderOptions(
        max_span=max_span, rule_limit=0, identity_rules=identity, number_rules=numbers
    )
    decoder = Decoder(built(added), {}, NO_WEIGHTS, glue=glue, options=options)
    forest = decoder.parse(words)
    assert forest.count() == len(expected)
    assert keys(all_derived(forest)) == keys(expected)


@given(grammars, grammars, sentences)
def test_several_grammars_are_used_as_one(
    first: list[Rule], second: list[Rule], words: list[str]
) -> None:
    separate = Decoder([built(first), built(second)], {}, NO_WEIGHTS)
    together = Decoder(built(first + second), {}, NO_WEIGHTS)
    count = together.parse(words).count()
    assert separate.parse(words).count() == count
    assume(count <= MOST_DERIVATIONS)
    forests = [decoder.parse(words) for decoder in (separate, together)]
    found = [all_derived(forest) for forest in forests]
    assert keys(found[0]) == keys(found[1])


@pytest.mark.parametrize("word", ["Anna", "Ázerbájdžán", "Živa", "Ÿ", "Ωmega", "Иван", "Ấ", "3M"])
def test_capitalized_words_are_copied_as_names_if_allowed(word: str) -> None:
    for written in (word, word.lower()):
        rules = [Rule(source=(written,), target=("b",))]
        options = DecoderOptions(name_rules=True)
        decoder = Decoder(built(rules), {}, NO_WEIGHTS, options=options)
        found = all_derived(decoder.parse([written]))
        expected = {"b", written} if written[0].isupper() else {"b"}
        assert {d.words[1] for d in found} == expected
        assert sum(d.features.get("NameRule", 0) for d in found) == len(expected) - 1


def test_nodes_know_which_source_words_they_cover() -> None:
    decoder = Decoder(built([Rule(source=("a", X), target=(0,))]), {}, NO_WEIGHTS)
    forest = decoder.parse(["a", "b"])
    spans = {
        (int(forest.core.source_begin[node]), forest.covered(node))
        for node in range(forest.node_count)
    }
    assert spans == {(0, 0), (0, 1), (1, 1), (0, 2)}
    assert forest.covered(forest.root) == 2


def test_an_empty_sentence_has_a_parse() -> None:
    (only,) = all_derived(Decoder(built([]), {}, NO_WEIGHTS).parse([]))
    assert only.words == ("<s>", "</s>")


def test_a_sentence_of_unknown_words_is_copied() -> None:
    (only,) = all_derived(Decoder(built([]), {}, NO_WEIGHTS).parse(["ú", "ú"]))
    assert only.words == ("<s>", "ú", "ú", "</s>")
    assert only.features == {"Glue": 2, "WordPenalty": -4, "PhrasePenalty": 6, "UnknownWord": 2}


def test_cycles_of_unary_rules_are_cut() -> None:
    circle = [
        Rule(lhs="X", source=(Y,), target=(0,)),
        Rule(lhs="Y", source=(X,), target=(0,)),
        Rule(lhs="X", source=(X,), target=(0,)),
        Rule(lhs="Y", source=("a",), target=("b",)),
        Rule(lhs="X", source=("a",), target=("c",)),
    ]
    forest = Decoder(built(circle), {}, NO_WEIGHTS).parse(["a"])
    assert {d.words for d in all_derived(forest)} >= {("<s>", "c", "</s>")}


def test_the_best_rules_of_each_source_side_are_kept() -> None:
    many = [Rule(source=("a",), target=(str(i),), features={"p": i % 7}) for i in range(20)]
    weights = Weights({"p": 1.0})
    decoder = Decoder(built(many), {}, weights, options=DecoderOptions(rule_limit=4))
    found = {d.words[1] for d in all_derived(decoder.parse(["a"]))}
    assert found == {"6", "13", "5", "12"}  # ties go to earlier rules
    worst = decoder.with_weights(-weights).parse(["a"])
    assert {d.words[1] for d in all_derived(worst)} == {"0", "7", "14", "1"}


def test_other_weights_can_select_the_best_rules() -> None:
    many = [Rule(source=("a",), target=(str(i),), features={"p": i % 7}) for i in range(20)]
    weights, options = Weights({"p": 1.0}), DecoderOptions(rule_limit=4)
    decoder = Decoder(built(many), {}, -weights, options=options, rule_weights=weights)
    forest = decoder.parse(["a"])
    assert {d.words[1] for d in all_derived(forest)} == {"6", "13", "5", "12"}
    assert decoder.translate(["a"]).words == ("5",)  # the best of them under -weights
    again = decoder.with_weights(2 * weights).parse(["a"])
    assert {d.words[1] for d in all_derived(again)} == {"6", "13", "5", "12"}


def test_memory_grows_linearly_with_the_length_of_a_sentence() -> None:
    rules_of_any_length = [Rule(source=(X, "b", X), target=(1, "b", 0))]
    decoder = Decoder(built(rules_of_any_length), {}, NO_WEIGHTS)
    edges = [decoder.parse(["a", "b"] * length).edge_count for length in (125, 250)]
    assert edges[1] < 2.2 * edges[0] < 500_000


def test_the_error_for_a_sentence_without_parse_says_what_is_missing() -> None:
    nothing = built([Rule(source=("a",), target=("b",))])
    decoder = Decoder(nothing, {}, NO_WEIGHTS, glue=nothing)
    with pytest.raises(
        DataError, match=r"a sentence of 1 words has no parse as 'S'; add glue rules"
    ):
        decoder.parse(["a"])


def test_a_decoder_works_after_a_sentence_without_parse() -> None:
    rules = [Rule(lhs="S", source=("<s>", "a", "</s>"), target=("b",))]
    decoder = Decoder(built(rules), {}, NO_WEIGHTS, glue=built([]))
    with pytest.raises(DataError):
        decoder.parse(["a", "a"])
    assert decoder.parse(["a"]).count() == 1


def test_options_cannot_be_negative() -> None:
    with pytest.raises(ConfigError, match=r"DecoderOptions\.max_span must be a whole number"):
        DecoderOptions(max_span=-1)
    with pytest.raises(ConfigError, match=r"DecoderOptions\.rule_limit must be a whole number"):
        DecoderOptions(rule_limit=-1)
    with pytest.raises(ConfigError, match=r"DecoderOptions\.cache_bytes must be a whole number"):
        DecoderOptions(cache_bytes=-1)


KINDS = {"p": FeatureKind.probability, "n": FeatureKind.count}


def weighted_grammar() -> Grammar:
    builder = GrammarBuilder()
    rule = Rule(source=("a",), target=("b",), features={"p": 0.25, "n": 3.0, "s": -7.5, "t": 2.0})
    builder.add(rule, KINDS)
    return builder.build()


def features_of_a(*uses: FeatureUse) -> dict[str, float]:
    decoder = Decoder(GrammarUse(grammar=weighted_grammar(), features=uses), {}, Weights())
    best = decoder.parse(["a"]).viterbi(Weights())
    penalties = {"WordPenalty", "PhrasePenalty", "Glue"}
    return {name: value for name, value in best.features.items() if name not in penalties}


def test_by_default_probabilities_become_logarithms_and_counts_are_unused() -> None:
    assert features_of_a() == {"p": math.log(0.25), "s": -7.5, "t": 2.0}


def test_a_value_can_be_used_in_several_ways_under_other_names() -> None:
    uses = [
        FeatureUse(of="p", view="value", name="probability"),
        FeatureUse(of="p", view="logarithm", name="log"),
        FeatureUse(of="n", view="rarity"),
        FeatureUse(of="t", view="none"),
    ]
    expected = {"probability": 0.25, "log": math.log(0.25), "n": math.exp(-2), "s": -7.5}
    assert features_of_a(*uses) == expected


def test_a_feature_that_the_grammar_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no feature 'q'"):
        features_of_a(FeatureUse(of="q"))
