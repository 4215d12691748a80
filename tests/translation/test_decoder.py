"""Decoding, against all derivations, KenLM on whole sentences, and Moses."""

import gzip
import math
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from benchmarks.decoder import NAMES as MOSES_NAMES
from benchmarks.decoder import read_weights as read_moses_weights
from benchmarks.decoder import sentences as moses_sentences
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from decoder_reference import Derived, ReferenceDecoder
from hopefear.errors import ConfigError, DataError
from hopefear.forest import Derivation, Forest
from hopefear.formats.rules import read_rules
from hopefear.grammar import FeatureKind, GrammarBuilder, Rule
from hopefear.nbest import NBestBuilder
from hopefear.translation import (
    Decoder,
    DecoderOptions,
    ForestRescorer,
    WordFeatures,
    glue_grammar,
)
from hopefear.translation.language_model import LanguageModel, load_language_model
from hopefear.translation.training.estimate import Structure, write_kenlm_binary
from hopefear.types import Hypothesis, Vocabulary, Weights
from small_models import X, built, grammars, sentences, write_language_model

MOST_DERIVATIONS = 1000
ALL = DecoderOptions(max_span=0, rule_limit=0, pop_limit=0)
Models = dict[str, LanguageModel]
WEIGHTS = Weights(
    {"lm": 0.5, "other": 0.25, "p": 1.0, "Glue": -0.5, "WordPenalty": -0.375, "PhrasePenalty": 0.25}
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    folder = tmp_path_factory.mktemp("models")
    return {
        name: write_language_model(folder / f"{name}.arpa", seed)
        for seed, name in enumerate(["lm", "other"])
    }


def expected(rules: list[Rule], words: Sequence[str], models: Models) -> list[Derived]:
    """Return all derivations, scored by KenLM, without sentence boundaries."""
    reference = ReferenceDecoder([(rule, 0) for rule in [*rules, *glue_grammar(["X", "Y"])]])
    found = reference.derivations(words)
    assume(len(found) <= MOST_DERIVATIONS)
    return [with_models(derived, models) for derived in found]


def with_models(derived: Derived, models: Models) -> Derived:
    inner = derived.words[1:-1]
    scores = {name: model.score(inner) * math.log(10) for name, model in models.items()}
    return Derived(inner, {**derived.features, **scores})


def decoder(rules: list[Rule], models: Models, options: DecoderOptions = ALL) -> Decoder:
    return Decoder(built(rules), models, WEIGHTS, glue=glue_grammar(["X", "Y"]), options=options)


def derived(derivations: Sequence[Derivation]) -> list[Derived]:
    return [Derived(derivation.words, derivation.features) for derivation in derivations]


def assert_same(found: Sequence[Derived], expected: Sequence[Derived]) -> None:
    assert sorted(d.key for d in found) == sorted(d.key for d in expected)


@settings(max_examples=60)
@given(rules=grammars, words=sentences, count=st.integers(0, 2))
def test_an_unpruned_forest_has_all_derivations_with_exact_scores(
    models: Models, rules: list[Rule], words: list[str], count: int
) -> None:
    used = dict(islice(models.items(), count))
    all_derivations = expected(rules, words, used)
    forest = decoder(rules, used).forest(words)
    assert forest.count() == len(all_derivations)
    assert_same(derived(forest.kbest(WEIGHTS, MOST_DERIVATIONS)), all_derivations)


@settings(max_examples=60)
@given(rules=grammars, words=sentences)
def test_unpruned_search_finds_the_best_derivations(
    models: Models, rules: list[Rule], words: list[str]
) -> None:
    all_derivations = expected(rules, words, models)
    scores = sorted((WEIGHTS.dot(d.features) for d in all_derivations), reverse=True)
    searching = decoder(rules, models)
    best = searching.translate(words)
    assert best.score == pytest.approx(scores[0], abs=1e-9)
    assert Derived(best.words, best.features).key in {d.key for d in all_derivations}
    kbest = searching.kbest(words, 20, distinct=False)
    assert [d.score for d in kbest] == pytest.approx(scores[:20], abs=1e-9)


@settings(max_examples=40)
@given(rules=grammars, words=sentences)
def test_distinct_lists_have_the_best_derivation_of_each_string(
    models: Models, rules: list[Rule], words: list[str]
) -> None:
    best: dict[tuple[str, ...], float] = {}
    for d in expected(rules, words, models):
        best[d.words] = max(best.get(d.words, -math.inf), WEIGHTS.dot(d.features))
    found = decoder(rules, models).kbest(words, MOST_DERIVATIONS)
    assert len(found) == len(best)
    for derivation in found:
        assert derivation.score == pytest.approx(best[derivation.words], abs=1e-9)


@settings(max_examples=60)
@given(
    rules=grammars, words=sentences, pop_limit=st.integers(1, 4), beam=st.sampled_from([0.0, 1.0])
)
def test_pruned_search_finds_derivations_with_exact_scores(
    models: Models, rules: list[Rule], words: list[str], pop_limit: int, beam: float
) -> None:
    keys = {d.key for d in expected(rules, words, models)}
    options = DecoderOptions(max_span=0, rule_limit=0, pop_limit=pop_limit, beam=beam)
    searching = decoder(rules, models, options)
    forest = searching.forest(words)
    found = forest.kbest(WEIGHTS, MOST_DERIVATIONS)
    assert {d.key for d in derived(found)} <= keys
    # Rounding decides among equals.
    assert searching.translate(words).score == pytest.approx(found[0].score, abs=1e-9)
    assert forest.edge_count <= pop_limit * searching.parse(words).node_count


def test_nodes_far_from_the_best_derivation_get_fewer_candidates(models: Models) -> None:
    choices = [f"{letter}{i}" for letter in "xy" for i in range(10)]
    rules = [
        Rule(source=("a", "b"), target=(word,), features={"p": 10.0}) for word in choices[:10]
    ] + [Rule(source=("a",), target=(word,), features={"p": -10.0}) for word in choices[10:]]
    forest = decoder(rules, models, DecoderOptions(pop_limit=8)).forest(["a", "b"])
    firsts = [d.words[0][0] for d in forest.kbest(WEIGHTS, 100)]
    assert 0 < firsts.count("y") < 4 < firsts.count("x")


@settings(max_examples=40)
@given(rules=grammars, words=sentences, pop_limit=st.integers(0, 4))
def test_rescoring_a_stored_forest_equals_decoding(
    models: Models, rules: list[Rule], words: list[str], pop_limit: int
) -> None:
    options = DecoderOptions(max_span=0, rule_limit=0, pop_limit=pop_limit)
    searching = decoder(rules, models, options)
    parsed = searching.parse(words)
    assume(parsed.count() <= MOST_DERIVATIONS)
    rescorer = searching.rescorer()
    prepared = rescorer.prepare(parsed)
    for weights in (WEIGHTS, -WEIGHTS):
        direct = searching.with_weights(weights).forest(words)
        rescored = rescorer.rescore(prepared, weights)
        found = derived(rescored.kbest(weights, MOST_DERIVATIONS))
        assert_same(found, derived(direct.kbest(weights, MOST_DERIVATIONS)))
        best = rescorer.translate(parsed, weights).score
        assert best == pytest.approx(rescored.viterbi(weights).score, abs=1e-9)


@settings(max_examples=60)
@given(rules=grammars, words=sentences, pop_limit=st.integers(0, 4))
def test_lists_of_a_rescorer_are_those_of_its_forests(
    models: Models, rules: list[Rule], words: list[str], pop_limit: int
) -> None:
    ngrams = WordFeatures(ngrams={("a", "b"): "ab", ("<s>", "a"): "first"})
    options = DecoderOptions(max_span=0, rule_limit=0, pop_limit=pop_limit)
    glue = glue_grammar(["X", "Y"])
    searching = Decoder(
        built(rules), models, WEIGHTS, glue=glue, options=options, word_features=ngrams
    )
    rescorer = searching.rescorer()
    prepared = rescorer.prepare(searching.parse(words))
    for weights in (WEIGHTS + Weights({"ab": 0.5}), -WEIGHTS):
        forest = rescorer.rescore(prepared, weights)
        assume(forest.count() <= MOST_DERIVATIONS)
        expected = {d.text: d.score for d in forest.kbest(weights, MOST_DERIVATIONS, distinct=True)}
        builder = NBestBuilder(Vocabulary(), prepared.feature_names)
        assert rescorer.kbest(prepared, weights, MOST_DERIVATIONS).add_to(builder, 0) > 0
        lists = builder.finish(1)
        found = {lists.text(i): weights.dot(lists.features_of(i)) for i in lists.rows(0)}
        assert found == pytest.approx(expected, abs=1e-9)
        assert list(found.values()) == pytest.approx(sorted(expected.values(), reverse=True))
        assert len(rescorer.kbest(prepared, weights, 2)) == min(2, len(expected))


@pytest.mark.parametrize("weight", [2.0, 0.0, -1.0])
@pytest.mark.parametrize("chosen_by", [None, Weights({"p": 2.0, "lm": 3.0, "s": 1.0})])
def test_the_rules_of_a_source_side_are_the_best_with_their_words(
    models: Models, weight: float, chosen_by: Weights | None
) -> None:
    random = np.random.default_rng(1)
    vocabulary, kinds = list("abcd"), {"p": FeatureKind.probability}
    builder, rules = GrammarBuilder(), {}
    for number in range(120):
        target = tuple(random.choice(vocabulary, random.integers(1, 6)).tolist())
        features = {"p": float(random.uniform(0.001, 1.0))}
        if number and number % 5 == 0:  # the features of the first rule are dense
            features["s"] = float(random.normal())
        if target not in rules:
            rules[target] = features
            builder.add(Rule(source=("q",), target=target, features=features), kinds)
    weights = Weights({"p": 1.0, "lm": weight, "s": 0.5, "WordPenalty": -2.0})
    chooser = weights if chosen_by is None else chosen_by

    def preference(target: tuple[str, ...]) -> float:
        features = rules[target] | {"p": math.log(rules[target]["p"])}
        features["WordPenalty"] = -float(len(target))
        features["lm"] = models["lm"].score(target, begin=False, end=False) * math.log(10)
        return sum(chooser.get(name, 0.0) * value for name, value in features.items())

    for limit in (1, 7, 30):
        options = DecoderOptions(rule_limit=limit)
        found = Decoder(
            builder.build(), {"lm": models["lm"]}, weights, rule_weights=chosen_by, options=options
        ).parse(["q"])
        derivations = found.kbest(Weights(), len(rules) + 1)
        best = sorted(rules, key=preference, reverse=True)[:limit]
        assert sorted(d.words[1:-1] for d in derivations) == sorted(best)


@pytest.mark.parametrize("cache_bytes", [0, 1 << 18, 1 << 27])
def test_scored_rules_are_found_again_in_a_cache_of_any_size(cache_bytes: int) -> None:
    rules = [Rule(source=(f"s{i}",), target=(f"t{i}",)) for i in range(6000)]
    searching = Decoder(built(rules), {}, WEIGHTS, options=DecoderOptions(cache_bytes=cache_bytes))
    for _ in range(2):
        for first in range(0, 6000, 100):
            best = searching.translate([f"s{i}" for i in range(first, first + 100)])
            assert best.words == tuple(f"t{i}" for i in range(first, first + 100))


def test_a_beam_drops_candidates_far_below_the_best() -> None:
    rules = [Rule(source=("s",), target=(str(i),), features={"p": -float(i)}) for i in range(10)]
    weights = Weights({"p": 1.0})

    def found(beam: float) -> list[str]:
        options = DecoderOptions(beam=beam)
        decoder = Decoder(built(rules), {}, weights, options=options)
        return [derivation.text for derivation in decoder.kbest(["s"])]

    assert found(2.5) == ["0", "1", "2"]
    assert len(found(0.0)) == 10


def test_a_rescored_forest_can_be_rescored_again(models: Models) -> None:
    rules = [Rule(source=(word,), target=(*word,)) for word in ("ab", "de", "da")]
    rules += [Rule(source=(X, X), target=order) for order in ((0, 1), (1, 0))]
    searching = decoder(rules, models)
    once = searching.forest(["ab", "de", "da"])
    twice = searching.rescorer().rescore(once, -WEIGHTS)
    assert twice.count() == once.count()
    assert_same(
        derived(twice.kbest(WEIGHTS, MOST_DERIVATIONS)),
        derived(once.kbest(WEIGHTS, MOST_DERIVATIONS)),
    )
    assert (
        twice.viterbi(-WEIGHTS).words
        == searching.with_weights(-WEIGHTS).translate(["ab", "de", "da"]).words
    )


def test_an_array_of_weights_may_be_shorter_than_the_list_of_features(models: Models) -> None:
    searching = decoder([Rule(source=("a",), target=("b",), features={"p": 2.0})], models)
    parsed = searching.parse(["a"])
    short = np.zeros(1)
    assert searching.rescorer().translate(parsed, short).words == ("b",)


def test_weights_that_are_not_finite_are_refused(models: Models) -> None:
    parsed = decoder([], models).parse(["a"])
    bad = np.full(len(parsed.feature_names), math.nan)
    with pytest.raises(DataError, match="is nan; weights must be finite"):
        ForestRescorer(models).rescore(parsed, bad)


def test_sentence_boundaries_are_not_words_of_the_translation(models: Models) -> None:
    best = decoder([], models).translate([])
    assert best.words == ()
    assert best.features["lm"] == pytest.approx(models["lm"].score([]) * math.log(10))


def test_words_that_look_like_sentence_boundaries_are_copied(models: Models) -> None:
    searching = decoder([], models)
    words = ["a", "<s>", "</s>", "b"]
    assert list(searching.translate(words).words) == words
    parsed = searching.parse(words)
    assert list(searching.rescorer().translate(parsed, WEIGHTS).words) == words


def test_the_forest_grows_linearly_with_the_length_of_a_sentence(models: Models) -> None:
    rules = [Rule(source=(X, "b", X), target=(1, "d", 0)), Rule(source=("a",), target=("e",))]
    searching = decoder(rules, models, DecoderOptions(pop_limit=5))
    sizes = [searching.forest(["a", "b"] * n).edge_count for n in (125, 250)]
    assert sizes[1] < 2.2 * sizes[0] < 100_000
    assert len(searching.translate(["a", "b", "ú", "b"] * 125).words) == 500


def test_results_and_their_order_do_not_depend_on_threads(models: Models) -> None:
    rules = [Rule(source=(X, "b", X), target=(1, "d", 0)), Rule(source=("a",), target=("e",))]
    searching = decoder(rules, models, DecoderOptions(pop_limit=5))
    inputs = [["a", "b"] * n for n in range(12)]

    def found(threads: int) -> list[tuple[str, float]]:
        return [(d.text, d.score) for d in searching.translate_all(inputs, threads=threads)]

    assert found(1) == found(3) == [(d.text, d.score) for d in map(searching.translate, inputs)]
    forests = searching.rescorer().rescore_all(
        searching.parse_all(inputs, threads=2), WEIGHTS, threads=2
    )
    assert [f.viterbi(WEIGHTS).text for f in forests] == [text for text, _ in found(1)]
    lists = searching.kbest_all(inputs, 3, threads=2)
    assert [kbest[0].text for kbest in lists] == [text for text, _ in found(1)]
    whole = searching.forest_all(inputs, threads=2)
    assert [f.viterbi(WEIGHTS).text for f in whole] == [text for text, _ in found(1)]


def test_sentences_are_read_lazily(models: Models) -> None:
    taken = []

    def endless() -> Iterator[list[str]]:
        while True:
            taken.append("a")
            yield ["a"]

    translations = decoder([], models).translate_all(endless(), threads=2)
    assert [t.text for t in islice(translations, 3)] == ["a", "a", "a"]
    assert len(taken) <= 8


def test_a_sentence_without_parse_fails_at_its_position(models: Models) -> None:
    nothing = built([Rule(lhs="S", source=("<s>", "a", "</s>"), target=("<s>", "b", "</s>"))])
    searching = Decoder(nothing, models, WEIGHTS, glue=nothing)
    translations = searching.translate_all([["a"], ["b"], ["a"]], threads=2)
    assert next(translations).text == "b"
    with pytest.raises(DataError, match="has no parse"):
        next(translations)


def test_limits_cannot_be_negative(models: Models) -> None:
    with pytest.raises(ConfigError, match=r"DecoderOptions\.pop_limit must be a whole number"):
        DecoderOptions(pop_limit=-1)
    with pytest.raises(ConfigError, match=r"DecoderOptions\.beam must be .* >= 0, got -1\.0"):
        DecoderOptions(beam=-1.0)
    with pytest.raises(ConfigError, match="the beam must not be negative"):
        ForestRescorer(models, beam=-1.0)
    with pytest.raises(ConfigError, match="the number of threads must not be negative"):
        decoder([], models).translate_all([], threads=-1)


def test_forests_without_sentence_boundaries_are_whole_sentences(models: Models) -> None:
    forest: Forest = decoder([], {}).forest(["a", "b"])
    best = ForestRescorer(models).translate(forest, WEIGHTS)
    assert best.words == ("a", "b")
    assert best.features["lm"] == pytest.approx(models["lm"].score(["a", "b"]) * math.log(10))


@pytest.mark.parametrize("structure", ["probing", "trie"])
def test_kenlm_binaries_give_the_same_translations_as_arpa_files(
    structure: Structure, tmp_path: Path
) -> None:
    text = write_language_model(tmp_path / "lm.arpa", seed=3)
    write_kenlm_binary(tmp_path / "lm.arpa", tmp_path / "lm.binary", structure=structure)
    binary = LanguageModel(str(tmp_path / "lm.binary"))
    rules = [Rule(source=("s",), target=target) for target in (("a",), ("b", "d"), ("e",), ())]
    rules += [Rule(source=(X, "t", X), target=order) for order in ((0, "a", 1), (1, 0))]
    words = ["s", "t", "s", "t", "s"]
    found = [decoder(rules, {"lm": model}).forest(words) for model in (text, binary)]
    keys = [sorted(d.key for d in derived(f.kbest(WEIGHTS, MOST_DERIVATIONS))) for f in found]
    assert keys[0] == keys[1]
    for derivation in found[1].kbest(WEIGHTS, MOST_DERIVATIONS):
        score = binary.score(derivation.words) * math.log(10)
        assert derivation.features["lm"] == pytest.approx(score, abs=1e-9)


@pytest.fixture(scope="module")
def translated(shared_data: Path) -> list[tuple[Derivation, Hypothesis]]:
    """Return pairs of our translation and that of Moses."""
    peers = shared_data / "multi30k-cs-en/peers"
    glue = read_rules(peers / "glue-grammar.moses", "moses:label=TranslationModel1").build()
    rules = read_rules(peers / "val200.rule-table.moses.gz", "moses:label=TranslationModel0")
    decoder = Decoder(
        rules.build(),
        {"LM0": load_language_model(peers / "train.en.5gram.lmplz.arpa.gz")},
        read_moses_weights(peers / "val200.weights.txt"),
        glue=glue,
        names=MOSES_NAMES,
    )
    ours = decoder.translate_all(moses_sentences(shared_data))
    theirs = moses_translations(peers / "val200.moses-pop200.1best.gz")
    return list(zip(ours, theirs, strict=True))


def moses_translations(path: Path) -> Iterator[Hypothesis]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            _, text, features, score = line.split(" ||| ")
            named: dict[str, float] = {}
            name = ""
            for token in features.split():
                if token.endswith("="):
                    name, number = token.removesuffix("="), 0
                    continue
                key = f"{name}_{number}" if name == "TranslationModel0" else name
                named[key] = float(token)
                number += 1
            yield Hypothesis(text=text.strip(), features=named, score=float(score))


def test_scores_are_as_high_as_those_of_moses(
    translated: list[tuple[Derivation, Hypothesis]],
) -> None:
    assert len(translated) == 200
    assert sum(ours.score for ours, _ in translated) / 200 >= -40.87


def test_derivations_with_the_same_score_have_the_features_of_moses(
    translated: list[tuple[Derivation, Hypothesis]],
) -> None:
    same = 0
    for ours, theirs in translated:
        assert theirs.score is not None
        if ours.text != theirs.text or abs(ours.score - theirs.score) > 1e-3:
            continue
        same += 1
        for name, value in theirs.features.items():
            # Moses writes six digits and reads probabilities in single precision.
            assert ours.features[name] == pytest.approx(value, rel=1e-4, abs=2e-3), name
    assert same >= 180
