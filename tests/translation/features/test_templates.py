"""Features of templates, n-grams and triggers, against their definitions on whole derivations."""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from decoder_reference import (
    Derived,
    Key,
    ReferenceDecoder,
    TemplateDecoder,
    aligned_rules,
    lexical,
)
from hopefear.errors import ConfigError, DataError
from hopefear.forest import Forest
from hopefear.grammar import Nonterminal, Rule
from hopefear.translation import Decoder, DecoderOptions, ForestRescorer, WordFeatures, glue_grammar
from hopefear.translation.features import LexicalTemplate, Special, Template
from hopefear.translation.language_model import LanguageModel
from hopefear.types import Weights
from small_models import X, built, grammars, sentences, write_language_model

NO_WEIGHTS = Weights()
MOST_DERIVATIONS = 2000
ALL_RULES = DecoderOptions(rule_limit=0, identity_rules=True, max_span=3)


def described(rule: Rule) -> Mapping[str, float]:
    """Return features that differ between almost all rules, with values that add up exactly."""
    return {
        f"{rule.lhs} {rule}": 1.0,
        "links": float(len(rule.alignment)),
        "value": 0.5 * sum(rule.features.values()),
    }


def keys(forest: Forest) -> list[Key]:
    best = forest.kbest(NO_WEIGHTS, MOST_DERIVATIONS + 1)
    return sorted(Derived(d.words, d.features).key for d in best)


def expected_keys(rules: list[Rule], words: list[str], template: object) -> list[Key]:
    assert callable(template)
    pairs = [(rule, 3) for rule in rules] + [(rule, 0) for rule in glue_grammar(["X", "Y"])]
    reference = TemplateDecoder(pairs, template, identity_rules=True)
    derived = reference.derivations(words)
    assume(len(derived) <= MOST_DERIVATIONS)
    return sorted(d.key for d in derived)


def decoder(
    rules: list[Rule],
    *templates: Template,
    weights: Weights = NO_WEIGHTS,
    options: DecoderOptions = ALL_RULES,
) -> Decoder:
    glue = glue_grammar(["X", "Y"])
    return Decoder(built(rules), {}, weights, glue=glue, options=options, templates=templates)


@settings(max_examples=60)
@given(st.lists(aligned_rules(), max_size=6), sentences)
def test_derivations_have_the_features_of_a_users_template(
    rules: list[Rule], words: list[str]
) -> None:
    forest = decoder(rules, described).parse(words)
    assert keys(forest) == expected_keys(rules, words, described)


@settings(max_examples=60)
@given(st.lists(aligned_rules(), max_size=6), sentences, st.data())
def test_derivations_have_the_lexical_features_of_their_rules(
    rules: list[Rule], words: list[str], data: st.DataObject
) -> None:
    source_words = data.draw(st.lists(st.sampled_from(["a", "b", "c", "7"]), unique=True))
    target_words = data.draw(st.lists(st.sampled_from(["a", "d", "e", "7"]), unique=True))
    outputs: list[str | Special] = [Special.UNKNOWN, *target_words]
    inputs = [None, Special.NULL, Special.UNKNOWN, *source_words]
    pairs = [(f, e) for f in inputs for e in outputs]
    template = LexicalTemplate(source_words=source_words, target_words=target_words, pairs=pairs)

    def definition(rule: Rule) -> Mapping[str, float]:
        return lexical(rule, set(source_words), set(target_words))

    found = keys(decoder(rules, template).parse(words))
    assert found == expected_keys(rules, words, definition)


def test_unlisted_pairs_and_words_have_no_features() -> None:
    rules = [Rule(source=("a", "b"), target=("d", "e"), alignment=((0, 0), (1, 1), (1, 0)))]
    template = LexicalTemplate(
        source_words=["a", "b"], target_words=["d"], pairs=[("a", "d"), (None, "d")], unknown=False
    )
    forest = decoder(rules, template, options=DecoderOptions()).parse(["a", "b"])
    found = [d.features for d in forest.kbest(NO_WEIGHTS, 5) if "d" in d.words]
    lexical_only = [{k: v for k, v in f.items() if k.startswith("lex")} for f in found]
    assert lexical_only == [{"lex:a/d": 1.0, "lex:d": 1.0}]


def test_a_listed_feature_of_an_unlisted_word_is_refused() -> None:
    template = LexicalTemplate(source_words=["a"], target_words=["d"], pairs=[("b", "d")])
    with pytest.raises(DataError, match="lex features: 'b' is a word of a feature but not"):
        decoder([], template)
    twice = LexicalTemplate(source_words=["a", "a"], target_words=[], pairs=[])
    with pytest.raises(DataError, match="the source word 'a' is listed twice"):
        decoder([], twice)


def test_weights_of_template_features_select_rules_and_translations() -> None:
    many = [Rule(source=("a",), target=(f"e{i}",), alignment=((0, 0),)) for i in range(9)]

    def favorite(rule: Rule) -> Mapping[str, float]:
        return {f"is:{symbol}": 1.0 for symbol in rule.target}

    options = DecoderOptions(rule_limit=2)
    first = decoder(many, favorite, weights=Weights({"is:e7": 2, "is:e3": 1}), options=options)
    assert first.translate(["a"]).words == ("e7",)
    assert {d.words[1] for d in first.parse(["a"]).kbest(NO_WEIGHTS, 9)} == {"e7", "e3"}
    best = first.with_weights(Weights({"is:e1": 0.25})).translate(["a", "a"])
    assert best.words == ("e1", "e1")
    assert best.features["is:e1"] == 2
    assert best.score == 0.5


def test_a_template_is_called_once_for_each_rule() -> None:
    X = Nonterminal()
    rules = [Rule(source=("a",), target=(w,)) for w in "de"] + [Rule(source=("a", X), target=(0,))]
    asked: Counter[str] = Counter()

    def counted(rule: Rule) -> Mapping[str, float]:
        asked[str(rule)] += 1
        return {"one": 1.0}

    first = decoder(rules, counted)
    for other in (first, first.with_weights(Weights({"one": 1.0}))):
        for words in (["a", "b"], ["b", "a", "a"]):
            other.forest(words)
    assert set(asked.values()) == {1}
    assert "[X] -> a [X,1] | [1]" in asked
    assert "[X] -> b | b" in asked  # b passes


def test_features_do_not_depend_on_the_cache() -> None:
    rules = [Rule(source=("a",), target=(w,)) for w in "de"]
    forgetful = DecoderOptions(template_cache_bytes=0, cache_bytes=0)
    words = ["a", "b", "a"]
    found = [
        [
            d.features
            for d in decoder(rules, described, options=options).forest(words).kbest(NO_WEIGHTS, 9)
        ]
        for options in (DecoderOptions(), forgetful)
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 4


def test_the_cache_of_template_features_is_bounded() -> None:
    rules = [Rule(source=(f"s{i}",), target=(f"t{i}",)) for i in range(2000)]
    limit = 64 * 1000
    used = [0]
    for options in (DecoderOptions(template_cache_bytes=limit), DecoderOptions()):
        busy = decoder(rules, described, options=options)
        for i in range(0, 2000, 10):
            busy.parse([f"s{i + k}" for k in range(10)])
        used.append(busy.template_nbytes)
    assert 0 < used[1] <= limit < used[2]


def test_translations_and_features_do_not_depend_on_threads() -> None:
    rules = [Rule(source=(f"s{i}",), target=(f"t{j}",)) for i in range(20) for j in range(3)]
    texts = [[f"s{(7 * i + k) % 23}" for k in range(6)] for i in range(60)]
    weights = Weights({f"[X] -> s{i} | t{i % 3}": 0.5 for i in range(20)})

    def named(rule: Rule) -> Mapping[str, float]:
        return {str(rule): 1.0, "threads": float(threading.active_count() > 0)}

    def outcome(threads: int) -> list[object]:
        fresh = decoder(rules, named, weights=weights)
        found = list(fresh.translate_all(texts, threads=threads))
        return [list(fresh.feature_names), [(d.words, d.score, d.features) for d in found]]

    expected = outcome(1)
    for threads in (2, 4, 4, 4):
        assert outcome(threads) == expected


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (ZeroDivisionError("oh"), r"'broken' failed for the rule .* \| d: ZeroDivisionError: oh"),
        ({"x": "many"}, r"'broken' failed for the rule .* \| d: ValueError: could not convert"),
        ({"x": float("nan")}, r"'broken' returned 'x': nan for the rule .* \| d; expected"),
        ({7: 1.0}, r"'broken' returned 7: 1.0 for the rule .* \| d; expected the name"),
        (None, r"'broken' failed for the rule .* \| d: AttributeError"),
    ],
)
def test_errors_of_a_template_are_shown_with_the_rule(wrong: object, message: str) -> None:
    def broken(rule: Rule) -> Mapping[str, float]:
        if rule.target != ("d",):
            return {}
        if isinstance(wrong, Exception):
            raise wrong
        return cast("Mapping[str, float]", wrong)

    failing = decoder([Rule(source=("a",), target=("d",))], broken)
    for _ in range(2):
        with pytest.raises(DataError, match=message):
            failing.translate(["a"])
    with pytest.raises(DataError, match=message):
        list(failing.translate_all([["b"], ["a"]] * 5, threads=3))
    assert failing.translate(["b"]).words == ("b",)


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
    """Return words of which only the first and last are sentence boundaries."""
    inner = [f"({word})" if word in ("<s>", "</s>") else word for word in words[1:-1]]
    return [words[0], *inner, words[-1]]


def counted(derived: Derived, source: Sequence[str], features: WordFeatures) -> Derived:
    """Return a derivation with the features counted on its whole string."""
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
    # The score of the search agrees with the features.
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


def test_an_unexpected_ngram_is_found() -> None:
    # The best rule alone is not the best in its n-gram.
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
    assert best.features["su"] == 1  # copied words are triggered, too
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
def test_invalid_ngrams_are_refused(ngrams: dict[tuple[str, ...], str], message: str) -> None:
    features = WordFeatures(ngrams=ngrams)
    with pytest.raises(ConfigError, match=message):
        Decoder(built([]), {}, Weights(), word_features=features)
    with pytest.raises(ConfigError, match=message):
        ForestRescorer({}, word_features=features)
