"""Features of n-grams and triggers, against what whole translations have of them."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from decoder_reference import Derived, ReferenceDecoder
from hopefear.errors import ConfigError
from hopefear.forest import Forest
from hopefear.grammar import Rule
from hopefear.translation import Decoder, DecoderOptions, ForestRescorer, WordFeatures, glue_grammar
from hopefear.translation.language_model import LanguageModel
from hopefear.types import Weights
from small_grammars import X, built, grammars, sentences, write_language_model

MOST_DERIVATIONS = 1000
FEW = DecoderOptions(max_span=0, rule_limit=0, pop_limit=2)
ALL = DecoderOptions(max_span=0, rule_limit=0, pop_limit=0)
WORDS = ["a", "d", "e", "7", "<s>", "</s>"]

ngrams = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple)
pairs = st.tuples(st.sampled_from(["a", "b", "7"]), st.sampled_from(["a", "d", "7"]))
values = st.integers(-8, 8).map(lambda n: n / 4)
ngram_weights = st.dictionaries(ngrams, values, max_size=8)
trigger_weights = st.dictionaries(pairs, values, max_size=4)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    folder: Path = tmp_path_factory.mktemp("models")
    return write_language_model(folder / "lm.arpa", seed=5)


def ngram_name(ngram: tuple[str, ...]) -> str:
    return "ngram " + " ".join(ngram)


def trigger_name(pair: tuple[str, str]) -> str:
    return "trigger " + " ".join(pair)


def disguise(words: Sequence[str]) -> list[str]:
    """Return words such that those inside that look like the ends of the sentence do not."""
    inner = [f"({word})" if word in ("<s>", "</s>") else word for word in words[1:-1]]
    return [words[0], *inner, words[-1]]


def counted(derived: Derived, source: Sequence[str], features: WordFeatures) -> Derived:
    """Return a derivation with what its whole string has of the features."""
    words = disguise(derived.words)
    added: dict[str, float] = {}
    for ngram in features.ngrams:
        places = range(len(words) - len(ngram) + 1)
        count = sum(tuple(words[i : i + len(ngram)]) == ngram for i in places)
        added[ngram_name(ngram)] = float(count)
    for first, second in features.triggers:
        count = words.count(second) if first in source else 0
        added[trigger_name((first, second))] = float(count)
    return Derived(derived.words[1:-1], {**derived.features, **added})


def word_features(
    counts: dict[tuple[str, ...], float], triggers: dict[tuple[str, str], float]
) -> tuple[WordFeatures, Weights]:
    features = WordFeatures(
        ngrams={ngram: ngram_name(ngram) for ngram in counts},
        triggers={pair: trigger_name(pair) for pair in triggers},
    )
    weights = {ngram_name(ngram): value for ngram, value in counts.items()}
    weights |= {trigger_name(pair): value for pair, value in triggers.items()}
    return features, Weights({"lm": 0.25, "p": 1.0, "WordPenalty": -0.25, **weights})


def derived(forest: Forest, weights: Weights) -> list[Derived]:
    found = forest.kbest(weights, MOST_DERIVATIONS)
    return [Derived(d.words, without(d.features, "lm")) for d in found]


def without(features: dict[str, float], name: str) -> dict[str, float]:
    return {other: value for other, value in features.items() if other != name}


@settings(max_examples=80)
@given(rules=grammars, words=sentences, counts=ngram_weights, triggers=trigger_weights)
def test_derivations_have_the_features_of_their_whole_strings(
    model: LanguageModel,
    rules: list[Rule],
    words: list[str],
    counts: dict[tuple[str, ...], float],
    triggers: dict[tuple[str, str], float],
) -> None:
    glue = glue_grammar(["X", "Y"])
    plain = ReferenceDecoder([(rule, 0) for rule in [*rules, *glue]]).derivations(words)
    assume(len(plain) <= MOST_DERIVATIONS)
    features, weights = word_features(counts, triggers)
    expected = [counted(d, words, features) for d in plain]
    expected_keys = sorted(d.key for d in expected)

    def decoder(options: DecoderOptions) -> Decoder:
        return Decoder(
            built(rules),
            {"lm": model},
            weights,
            glue=glue,
            options=options,
            word_features=features,
        )

    # Exhaustive search, of a sentence and of its stored forest.
    exact = decoder(ALL)
    forest = exact.forest(words)
    assert sorted(d.key for d in derived(forest, weights)) == expected_keys
    rescorer = exact.rescorer()
    rescored = rescorer.rescore(exact.parse(words), weights)
    assert sorted(d.key for d in derived(rescored, weights)) == expected_keys
    again = rescorer.rescore(rescored, weights)
    assert sorted(d.key for d in derived(again, weights)) == expected_keys
    # Pruned search.
    pruned = decoder(FEW)
    some = pruned.forest(words)
    assert {d.key for d in derived(some, weights)} <= set(expected_keys)
    # What search took for the best is what the features say.
    best = pruned.translate(words)
    assert best.score == pytest.approx(some.viterbi(weights).score, abs=1e-9)
    assert best.score == pytest.approx(weights.dot(best.features), abs=1e-9)
    stored = pruned.rescorer().translate(pruned.parse(words), weights)
    assert stored.score == pytest.approx(best.score, abs=1e-9)


def test_nodes_are_split_only_by_words_that_matter() -> None:
    rules = [Rule(source=("s",), target=(word,)) for word in "abcdefgh"]
    rules.append(Rule(source=(X, X), target=(0, 1)))

    def nodes(*grams: tuple[str, ...]) -> int:
        features = WordFeatures(ngrams={gram: ngram_name(gram) for gram in grams})
        decoder = Decoder(built(rules), {}, Weights(), options=ALL, word_features=features)
        return decoder.forest(["s", "s"]).node_count

    assert nodes() == nodes(("a",), ("b",)) < nodes(("a", "b")) < nodes(("a", "b"), ("c", "d"))


def test_an_ngram_that_the_decoder_did_not_expect_is_still_found() -> None:
    # The best rule by itself is not the best with the n-gram that it becomes part of.
    rules = [
        Rule(source=("s",), target=("a",), features={"p": 1.0}),
        Rule(source=("s",), target=("b",), features={"p": 0.0}),
        Rule(source=("t",), target=("c",)),
    ]
    features = WordFeatures(ngrams={("b", "c"): "bc"})
    weights = Weights({"p": 1.0, "bc": 2.0})
    best = Decoder(built(rules), {}, weights, word_features=features).translate(["s", "t"])
    assert (best.text, best.score) == ("b c", 2.0)


def test_a_trigger_counts_every_target_word_once_for_a_source_word() -> None:
    rules = [Rule(source=("s",), target=("a", "a"))]
    features = WordFeatures(triggers={("s", "a"): "sa", ("t", "a"): "ta", ("s", "u"): "su"})
    decoder = Decoder(built(rules), {}, Weights(), word_features=features)
    best = decoder.translate(["s", "s", "u"])
    assert best.text == "a a a a u"
    assert best.features["sa"] == 4
    assert best.features["su"] == 1  # words that pass are triggered, too
    assert "ta" not in best.features
    assert decoder.parse(["s", "s", "u"]).viterbi(Weights()).features["sa"] == 4


def test_triggers_change_which_rule_of_a_source_side_is_best() -> None:
    rules = [
        Rule(source=("s",), target=("a",), features={"p": 1.0}),
        Rule(source=("s",), target=("b",), features={"p": 0.0}),
    ]
    features = WordFeatures(triggers={("t", "b"): "tb"})
    weights = Weights({"p": 1.0, "tb": 3.0})
    options = DecoderOptions(pop_limit=1)
    decoder = Decoder(built(rules), {}, weights, word_features=features, options=options)
    assert decoder.translate(["s"]).text == "a"
    assert decoder.translate(["s", "t"]).text == "b t"
    assert decoder.translate(["s"]).text == "a"


@pytest.mark.parametrize(
    ("ngrams", "message"),
    [
        ({(): "empty"}, "an n-gram feature has no words"),
        ({("a",) * 17: "long"}, "has more than 16 words"),
    ],
)
def test_ngrams_that_cannot_be_are_refused(
    ngrams: dict[tuple[str, ...], str], message: str
) -> None:
    features = WordFeatures(ngrams=ngrams)
    with pytest.raises(ConfigError, match=message):
        Decoder(built([]), {}, Weights(), word_features=features)
    with pytest.raises(ConfigError, match=message):
        ForestRescorer({}, word_features=features)
