"""Features derived from texts, compared with a few lines of Python."""

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopefear
from command_line import Hopefear
from hopefear.candidates.derived import DERIVED, derive_features, derived_names
from hopefear.errors import ConfigError
from hopefear.metrics import Bleu, Chrf, ChrfPlusPlus, References
from hopefear.nbest import NBest, NBestBuilder
from hopefear.types import FloatArray

WORDS = ["a", "house", "house.", "(big", "the", "straße", "the,", "aa", "é", "."]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
LISTS = st.lists(st.lists(TEXTS, max_size=12), min_size=1, max_size=3)


def make_lists(lists: list[list[str]]) -> NBest:
    builder = NBestBuilder()
    for sentence, texts in enumerate(lists):
        for place, text in enumerate(texts):
            builder.add(sentence, text, {"place": float(place)})
    return builder.finish(len(lists))


def column(lists: NBest, name: str, sources: list[str] | None = None) -> FloatArray:
    derived = derive_features(lists, [name], sources or [], threads=1)
    return derived.column(derived.feature_names.add(f"+{name}"), 1)


def separated(text: str) -> str:
    """Separate punctuation as chrF++ does."""
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in ".,":
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] == "(":
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return " ".join(words)


def expected(lists: list[list[str]], metric: Bleu | Chrf) -> list[float]:
    """Return the mean gain against each other text, one pair after the other."""
    found = []
    for texts in lists:
        for i, text in enumerate(texts):
            others = texts[:i] + texts[i + 1 :]
            gains = [
                metric.gains(metric.prepare(References([[other]])).statistics([text]))[0]
                for other in others
            ]
            found.append(float(np.mean(gains)) if gains else 0.0)
    return found


@given(LISTS)
def test_agreement_is_the_mean_chrf_against_the_others(lists: list[list[str]]) -> None:
    nbest = make_lists(lists)
    assert column(nbest, "agreement:chrf") == pytest.approx(expected(lists, Chrf()))
    assert column(nbest, "agreement:chrf++") == pytest.approx(expected(lists, ChrfPlusPlus()))


@given(LISTS)
def test_agreement_is_the_mean_sentence_bleu_against_the_others(lists: list[list[str]]) -> None:
    words = [[separated(text) for text in texts] for texts in lists]
    found = column(make_lists(lists), "agreement:bleu")
    assert found == pytest.approx(expected(words, Bleu(tokenize="none")))


def test_agreement_counts_rare_and_frequent_ngrams_of_large_lists() -> None:
    random.seed(5)
    common = ["the", "old", "house", "stands", "beside", "the", "river"]
    texts = [
        " ".join(random.choice(WORDS) if random.random() < rate else word for word in common)
        for rate in (0.05, 0.3, 0.9)
        for _ in range(30)
    ]
    found = column(make_lists([texts]), "agreement:chrf")
    assert found == pytest.approx(expected([texts], Chrf()))


def test_agreement_does_not_depend_on_the_number_of_threads() -> None:
    lists = make_lists([[f"{a} {b} c" for a in WORDS for b in WORDS]] * 5)
    one = derive_features(lists, ["agreement:chrf"], threads=1).feature_arrays()[2]
    three = derive_features(lists, ["agreement:chrf"], threads=3).feature_arrays()[2]
    assert one.tobytes() == three.tobytes()


@given(LISTS, st.lists(TEXTS, min_size=3, max_size=3))
def test_features_of_texts_are_counts_of_their_words(
    lists: list[list[str]], sources: list[str]
) -> None:
    nbest = make_lists(lists)
    rows = [(sources[s], text) for s, texts in enumerate(lists) for text in texts]
    assert column(nbest, "words").tolist() == [len(text.split()) for _, text in rows]
    assert column(nbest, "characters").tolist() == [len(text) for _, text in rows]
    assert column(nbest, "rank").tolist() == [i for texts in lists for i in range(len(texts))]
    ratios = [len(text) / max(1, len(source)) for source, text in rows]
    assert column(nbest, "length-ratio", sources) == pytest.approx(ratios)
    copied = []
    repeated = []
    for source, text in rows:
        words = text.split()
        common = (Counter(words) & Counter(source.split())).total()
        copied.append(common / max(1, len(words)))
        pairs = list(pairwise(words))
        repeated.append(1 - len(set(pairs)) / len(pairs) if pairs else 0.0)
    assert column(nbest, "copy", sources) == pytest.approx(copied)
    assert column(nbest, "repetition") == pytest.approx(repeated)


def test_features_that_candidates_have_already_stay() -> None:
    builder = NBestBuilder()
    builder.add(0, "a house", {"+words": 7.0})
    assert derive_features(builder.finish(), ["words"]).features_of(0) == {"+words": 7.0}


def test_an_unknown_name_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match=r"'\+wrods'.*did you mean 'words'"):
        derived_names(["+wrods"])


def test_features_of_the_source_need_one_for_each_sentence() -> None:
    with pytest.raises(ConfigError, match="found 1 of 2"):
        derive_features(make_lists([["a"], ["b"]]), ["copy"], ["x"])


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    lines, refs, sources = [], [], []
    for sentence in range(30):
        good = f"the {WORDS[sentence % 5]} is number {sentence}"
        texts = [good, good + " indeed", f"a {sentence} x", "never mind the rest of it all"]
        random.Random(sentence).shuffle(texts)
        for text in texts:
            score = random.Random(f"{sentence}{text}").random()
            lines.append(f"{sentence} ||| {text} ||| lm= {score} ||| {score}")
        refs.append(good)
        sources.append(f"das {WORDS[sentence % 5]} {sentence}")
    paths = {name: str(tmp_path / name) for name in ("nbest", "refs", "source", "run")}
    for name, content in (("nbest", lines), ("refs", refs), ("source", sources)):
        Path(paths[name]).write_text("".join(f"{line}\n" for line in content))
    return paths


def test_a_run_derives_features_and_reranking_derives_them_again(files: dict[str, str]) -> None:
    features = "+words,+length-ratio,+agreement:chrf"
    found = hopefear.tune(
        "mert",
        nbest=[files["nbest"]],
        refs=[files["refs"]],
        source=files["source"],
        tokenize="none",
        features=[features],
        out=files["run"],
        report=False,
    )
    assert set(found.weights.names) == {"lm", "+words", "+length-ratio", "+agreement:chrf"}
    best = list(
        hopefear.rerank(nbest=[files["nbest"]], weights=files["run"], source=files["source"])
    )
    metric = Bleu(tokenize="none")
    references = References([[line] for line in Path(files["refs"]).read_text().splitlines()])
    score = metric.score(metric.prepare(references).statistics(best).sum(axis=0)[None, :])
    assert score[0] == pytest.approx(found.tuning_score)


def test_inspecting_a_run_derives_its_features(files: dict[str, str]) -> None:
    hopefear.tune(
        "mert",
        nbest=[files["nbest"]],
        refs=[files["refs"]],
        tokenize="none",
        features=["+words"],
        out=files["run"],
        report=False,
    )
    cloud = hopefear.inspect(files["run"], sentence=3)
    assert "+words" in cloud.best.features


def test_a_source_that_nothing_needs_is_refused(files: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="source"):
        hopefear.rerank(nbest=[files["nbest"]], weights={"lm": 1.0}, source=files["source"])


def test_the_command_line_takes_derived_features(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    cli = Hopefear(capsys)
    data = ["--nbest", files["nbest"], "--refs", files["refs"], "-o", files["run"]]
    ended = cli("tune", "mert", *data, "--features", "+words,+cop")
    assert ended.code == 2
    assert "did you mean 'copy'" in ended.err
    ended = cli("tune", "mert", *data, "--features", "+copy")
    assert ended.code == 2
    assert "--source" in ended.err


def test_every_derived_feature_is_described() -> None:
    page = (Path(__file__).parents[2] / "docs" / "features.md").read_text()
    assert [name for name in DERIVED if f"`+{name}`" not in page] == []
