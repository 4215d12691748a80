"""Features of words in n-best lists that another system wrote, against our decoder and by hand."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given

import brute_force
import hopefear
from hopefear import Model
from hopefear.candidates.added import CountedForests, count_in_lists
from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.events import RunStarted
from hopefear.forest import Forest, ForestBuilder
from hopefear.formats import write_forests, write_nbest
from hopefear.nbest import NBestBuilder
from hopefear.translation.features import FeatureSet, LexicalTemplate, Special, WordFeatures
from hopefear.translation.features.counting import WordCounter
from hopefear.translation.features.lexical import WordPair
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import build_train_settings
from hopefear.types import Hypothesis, Segment, Weights
from small_models import sentence_pairs, write_bitext
from strategies import forests

KINDS = ("unigram", "bigram", "trigram", "trigger")
PAIRS = sentence_pairs()[3::40]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    source, target = write_bitext(folder, every=7)
    options = {"source": source, "target": target, "templates": ["patterns"]}
    build(build_train_settings(None, options), folder / "model")
    return folder / "model"


@pytest.fixture
def lists(model: Path, tmp_path: Path) -> dict[str, Path]:
    """Write what a decoder without patterns would list, and the decoder's own patterns."""
    decoder = Model(model).decoder()
    segments = []
    for number, (f, _) in enumerate(PAIRS):
        found = decoder.kbest(f.split(), 10)
        hypotheses = tuple(
            Hypothesis(
                text=one.text,
                features={k: v for k, v in one.features.items() if ":" not in k},
            )
            for one in found
        )
        segments.append(Segment(sentence=number, hypotheses=hypotheses))
    write_nbest(tmp_path / "lists", segments, "moses")
    (tmp_path / "f").write_text("".join(f"{f}\n" for f, _ in PAIRS))
    (tmp_path / "e").write_text("".join(f"{e}\n" for _, e in PAIRS))
    return {"nbest": tmp_path / "lists", "source": tmp_path / "f", "refs": tmp_path / "e"}


def test_counts_in_lists_are_those_of_the_decoder(model: Path) -> None:
    decoder, builder = Model(model).decoder(), NBestBuilder()
    own: list[dict[str, float]] = []
    for number, (f, _) in enumerate(PAIRS):
        for one in decoder.kbest(f.split(), 20):
            assert builder.add(number, one.text, {"score": one.score, "n": len(own)})
            own.append({k: v for k, v in one.features.items() if k.split(":")[0] in KINDS})
    nbest = builder.finish()
    counted = count_in_lists(nbest, WordCounter.read(model), [f.split() for f, _ in PAIRS])
    for row, features in enumerate(own):
        found = counted.features_of(row)
        assert {k: v for k, v in found.items() if k.split(":")[0] in KINDS} == features
        assert {k: found[k] for k in ("score", "n")} == nbest.features_of(row)
    assert {name.split(":")[0] for features in own for name in features} == set(KINDS)
    assert counted.text(7) == nbest.text(7)


PAIR_NAMES: list[WordPair] = [
    (None, "x"),
    ("a", "x"),
    (Special.NULL, "x"),
    ("a", Special.UNKNOWN),
    ("b", "y"),
]


def counts(target: str, links: list[tuple[int, int]] | None) -> dict[str, float]:
    template = LexicalTemplate(source_words=["a", "b"], target_words=["x", "y"], pairs=PAIR_NAMES)
    features = FeatureSet(
        templates=[template],
        word_features=WordFeatures(ngrams={("<s>", "x"): "first", ("x", "</s>"): "last"}),
    )
    builder = NBestBuilder()
    builder.add(0, target, {})
    alignments = None if links is None else [links]
    lists = count_in_lists(builder.finish(), WordCounter(features), [["a", "c", "b"]], alignments)
    return lists.features_of(0)


def test_pairs_count_links() -> None:
    found = counts("x y x z", [(0, 0), (2, 1), (0, 3)])
    expected = {"lex:x": 2, "lex:a/x": 1, "lex:<null>/x": 1, "lex:a/<unk>": 1, "lex:b/y": 1}
    assert found == expected | {"first": 1}


def test_pairs_count_target_words_of_sentences_with_the_source_word_without_links() -> None:
    found = counts("x y x", None)
    assert found == {"lex:x": 2, "lex:a/x": 2, "lex:b/y": 1, "first": 1, "last": 1}


@given(forests())
def test_a_derivation_has_the_counts_of_its_string_and_its_own_features(forest: Forest) -> None:
    words = sorted({word for string in derivation_texts(forest) for word in string} | {"z"})
    ngrams: dict[tuple[str, ...], str] = {
        pair: "/".join(pair) for pair in zip(["<s>", *words], [*words, "</s>"], strict=True)
    }
    ngrams |= {(w, w): f"twice {w}" for w in words}
    ngrams |= {(w, v, w): f"{w} {v} {w}" for w in words for v in words}
    triggers = {("f", words[0]): "trigger f", ("g", words[0]): "trigger g"}
    features = WordFeatures(ngrams=ngrams, triggers=triggers)
    with TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.write_text("f f\n")
        found = CountedForests(WordCounter(FeatureSet(word_features=features)), source).count(
            0, forest
        )
    expected = []
    for derivation in brute_force.derivations(forest):
        string = brute_force.words(forest, derivation)
        padded = ("<s>", *string, "</s>")
        counts = Counter(brute_force.features(forest, derivation))
        for n in (2, 3):
            present = zip(*(padded[i:] for i in range(n)), strict=False)
            counts.update(Counter(ngrams[ngram] for ngram in present if ngram in ngrams))
        counts["trigger f"] += string.count(words[0])
        expected.append((string, frozenset((k, round(v, 6)) for k, v in counts.items() if v)))
    counted = [
        (
            brute_force.words(found, derivation),
            frozenset(
                (k, round(v, 6)) for k, v in brute_force.features(found, derivation).items() if v
            ),
        )
        for derivation in brute_force.derivations(found)
    ]
    assert Counter(counted) == Counter(expected)


def derivation_texts(forest: Forest) -> list[tuple[str, ...]]:
    return [brute_force.words(forest, d) for d in brute_force.derivations(forest)]


def test_pairs_on_an_edge_are_those_of_the_source_words_that_it_translates(tmp_path: Path) -> None:
    builder = ForestBuilder()
    part, root = builder.add_node(begin=2, covered=1), builder.add_node(begin=0, covered=3)
    builder.add_edge(part, target=["x"])
    builder.add_edge(root, tails=[part], target=["x", 0])
    builder.set_root(root)
    template = LexicalTemplate(source_words=["a", "b"], target_words=["x"], pairs=[("b", "x")])
    (tmp_path / "source").write_text("a c b\n")
    counter = WordCounter(FeatureSet(templates=[template]))
    found = CountedForests(counter, tmp_path / "source").count(0, builder.build())
    assert found.viterbi(Weights()).features == {"lex:b/x": 1}


def test_a_link_to_a_word_that_is_not_there_is_refused() -> None:
    with pytest.raises(DataError, match="sentence 0 has the link 0-5, but 3 source and 1 target"):
        counts("x", [(0, 5)])


def test_a_run_learns_patterns_and_reranking_counts_them_again(
    model: Path, lists: dict[str, Path], tmp_path: Path
) -> None:
    options: dict[str, Any] = {**lists, "tokenize": "none", "out": tmp_path / "run"}
    learned = hopefear.tune("pro", **options, patterns=model, threads=1)
    assert any(name.startswith("trigger:") for name in learned.weights)
    started = next(event for event in learned.events if isinstance(event, RunStarted))
    assert not any(started.weights[n] for n in started.weights if n.startswith("trigram:"))
    texts = list(
        hopefear.rerank(
            nbest=lists["nbest"],
            weights=tmp_path / "run",
            patterns=model / "features-patterns.tsv",
            source=lists["source"],
        )
    )
    refs = lists["refs"].read_text().splitlines()
    found = hopefear.evaluate(hyp={"ours": texts}, refs=[refs], tokenize="none", resamples=0)
    assert found.systems[0].metrics["bleu"].score == pytest.approx(learned.tuning_score)
    hopefear.inspect(tmp_path / "run", sentence="0", out=tmp_path / "cloud.svg")


def without_patterns(forest: Forest) -> Forest:
    builder = ForestBuilder()
    for node in range(forest.node_count):
        builder.add_node(begin=forest.source_begin(node), covered=forest.covered(node))
    for edge in range(forest.edge_count):
        own = {k: v for k, v in forest.features(edge).items() if ":" not in k}
        tails, target = forest.tails(edge).tolist(), forest.target(edge)
        builder.add_edge(forest.head(edge), tails=tails, target=target, features=own)
    builder.set_root(forest.root)
    return builder.build()


def test_a_run_on_forests_counts_patterns_as_reranking_does(
    model: Path, lists: dict[str, Path], tmp_path: Path
) -> None:
    decoder = Model(model).decoder()
    found = [(i, without_patterns(decoder.forest(f.split()))) for i, (f, _) in enumerate(PAIRS)]
    write_forests(tmp_path / "forests", found)
    options: dict[str, Any] = {
        "forests": tmp_path / "forests",
        "source": lists["source"],
        "patterns": model,
    }
    learned = hopefear.tune(
        "mira", **options, refs=lists["refs"], tokenize="none", out=tmp_path / "run", epochs=2
    )
    assert any(name.startswith("trigram:") for name in learned.weights)
    texts = list(hopefear.rerank(**options, weights=tmp_path / "run"))
    refs = lists["refs"].read_text().splitlines()
    judged = hopefear.evaluate(hyp={"ours": texts}, refs=[refs], tokenize="none", resamples=0)
    assert judged.systems[0].metrics["bleu"].score == pytest.approx(learned.tuning_score)
    hopefear.inspect(tmp_path / "run", sentence="0", out=tmp_path / "cloud.svg")


def test_alignments_are_those_of_the_hypotheses_in_the_order_of_the_lists(
    model: Path, lists: dict[str, Path], tmp_path: Path
) -> None:
    lines = lists["nbest"].read_text().splitlines()
    doubled = [line for line in lines for _ in range(2)]  # of equal ones the first one counts
    (tmp_path / "doubled").write_text("".join(f"{line}\n" for line in doubled))
    number = Counter(line.split(" |||")[0] for line in lines)
    links = [f"0-{n % 2}" if n % 2 == 0 else "9-9" for n in range(len(doubled))]
    (tmp_path / "links").write_text("".join(f"{link}\n" for link in links))
    given: dict[str, Any] = {**lists, "nbest": tmp_path / "doubled", "tokenize": "none"}
    hopefear.tune("pro", **given, patterns=model, alignments=tmp_path / "links")
    assert sum(number.values()) * 2 == len(links)
    for change, problem in (
        (links[:-1], "has more hypotheses"),
        ([*links, "0-0"], f"has {len(links) + 1} word alignments"),
        (["0:0", *links[1:]], "expected links as in '0-0 1-2', found '0:0'"),
    ):
        (tmp_path / "links").write_text("".join(f"{link}\n" for link in change))
        with pytest.raises(DataError, match=problem):
            hopefear.tune("pro", **given, patterns=model, alignments=tmp_path / "links")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"nbest": "n", "patterns": "p"}, "patterns need the sentences"),
        ({"nbest": "n", "source": "s"}, "source: is for a decoder, or for patterns"),
        ({"model": "m", "source": "s", "patterns": "p"}, "patterns are counted in candidates that"),
        ({"forests": "n", "alignments": "a"}, "alignments are those of hypotheses"),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        hopefear.tune("pro", refs="r", **options)


def test_too_few_sources_and_missing_patterns_are_errors(
    model: Path, lists: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "few").write_text("a\n")
    given: dict[str, Any] = {**lists, "tokenize": "none", "patterns": model}
    with pytest.raises(
        DataError, match=f"has 1 sentences, but there are candidates of {len(PAIRS)}"
    ):
        hopefear.tune("pro", **(given | {"source": tmp_path / "few"}))
    with pytest.raises(FormatError, match=r"has no features-\*.tsv"):
        hopefear.tune("pro", **(given | {"patterns": tmp_path}))
