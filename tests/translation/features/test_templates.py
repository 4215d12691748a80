"""Templates: derivations have exactly the features that the templates give to their rules."""

import threading
from collections import Counter
from collections.abc import Mapping
from typing import cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from decoder_reference import Derived, Key
from hopefear.errors import DataError
from hopefear.forest import Forest
from hopefear.grammar import Nonterminal, Rule
from hopefear.translation import Decoder, DecoderOptions, glue_grammar
from hopefear.translation.features import LexicalTemplate, Special, Template
from hopefear.types import Weights
from small_grammars import built, sentences
from template_reference import TemplateDecoder, aligned_rules, lexical

NO_WEIGHTS = Weights()
MOST_DERIVATIONS = 2000
ALL_RULES = DecoderOptions(rule_limit=0, identity_rules=True, max_span=3)


def described(rule: Rule) -> Mapping[str, float]:
    """Features by which almost all rules differ; values are exact sums."""
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


def test_pairs_that_are_not_listed_and_words_without_a_class_have_no_features() -> None:
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


def test_the_weights_of_features_of_templates_decide_which_rules_are_kept_and_chosen() -> None:
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


def test_a_template_is_asked_once_for_each_rule_whatever_the_weights() -> None:
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


def test_without_memory_for_them_features_are_the_same() -> None:
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


def test_what_is_kept_of_templates_is_bounded() -> None:
    rules = [Rule(source=(f"s{i}",), target=(f"t{i}",)) for i in range(2000)]
    limit = 64 * 1000
    used = [0]
    for options in (DecoderOptions(template_cache_bytes=limit), DecoderOptions()):
        busy = decoder(rules, described, options=options)
        for i in range(0, 2000, 10):
            busy.parse([f"s{i + k}" for k in range(10)])
        used.append(busy.template_nbytes)
    assert 0 < used[1] <= limit < used[2]


def test_any_number_of_threads_gives_the_same_translations_and_features() -> None:
    rules = [Rule(source=(f"s{i}",), target=(f"t{j}",)) for i in range(20) for j in range(3)]
    texts = [[f"s{(7 * i + k) % 23}" for k in range(6)] for i in range(60)]
    weights = Weights({f"[X] -> s{i} | t{i % 3}": 0.5 for i in range(20)})

    def named(rule: Rule) -> Mapping[str, float]:
        return {str(rule): 1.0, "threads": float(threading.active_count() > 0)}

    def outcome(threads: int) -> list[object]:
        fresh = decoder(rules, named, weights=weights)
        found = list(fresh.translate_all(texts, threads=threads))
        return [fresh.feature_names.texts(), [(d.words, d.score, d.features) for d in found]]

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
