"""Online learners in the loop: what their epochs tell."""

from hopefear.candidates import ForestSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.events import EpochFinished, RunFinished, RunStarted
from hopefear.forest import nbest_forest
from hopefear.learners import Mira
from hopefear.metrics import Bleu, References
from hopefear.rhythm import Rhythm
from hopefear.runs.loop import About, learn
from hopefear.types import Vocabulary
from tuning_sets import course_of


def forest_set(names: Vocabulary, *, seed: int) -> ForestSet:
    words, made, references = Vocabulary(), [], []
    for text, segment in SyntheticCandidates(sentences=15, size=10, seed=seed):
        references.append([text])
        made.append(nbest_forest(segment.hypotheses, words=words, feature_names=names))
    return ForestSet(made, References(references), Bleu(tokenize="none"), threads=1)


def test_an_epoch_tells_how_learning_goes() -> None:
    data = forest_set(Vocabulary(), seed=1)
    first = START.vector(data.feature_names)
    course = course_of(Mira(rate=0.05), data, first, rhythm=Rhythm(epochs=3))
    told = list(learn(course, START, About(name="mira")))
    started, *epochs, finished = told
    assert isinstance(started, RunStarted)
    assert isinstance(finished, RunFinished)
    assert len(epochs) == 3
    for epoch in epochs:
        assert isinstance(epoch, EpochFinished)
        assert epoch.updates is not None
        assert epoch.working_set is not None
        assert epoch.working_set * 15 >= epoch.updates
        assert epoch.sentences_per_second is not None
        assert epoch.sentences_per_second > 0
        assert epoch.length_ratio is not None
        assert 0.5 < epoch.length_ratio < 1.5
        # Without held-out data the weights themselves are measured.
        assert epoch.tuning_score == data.score(epoch.weights.vector(data.feature_names))


def test_with_held_out_data_the_tuning_score_is_that_of_the_translations_on_the_way() -> None:
    names = Vocabulary()
    data, dev = forest_set(names, seed=1), forest_set(names, seed=2)
    first = START.vector(names)
    course = course_of(Mira(rate=0.05), data, first)
    told = learn(course, START, About(name="mira"), dev=dev)
    next(told)
    found = course.epoch(course.start(first), 0, lambda done, total: None)
    assert found is not None
    figures = found[1]
    assert figures is not None
    epoch = next(told)
    assert isinstance(epoch, EpochFinished)
    assert epoch.tuning_score == data.metric.score(figures.statistics)
    statistics = dev.chosen(epoch.weights.vector(names))
    assert epoch.dev_score == dev.metric.score(statistics)
    assert epoch.length_ratio == Bleu(tokenize="none").length_ratio(statistics)


def test_a_learner_of_scaled_features_tells_the_same() -> None:
    data = forest_set(Vocabulary(), seed=1)
    first = START.vector(data.feature_names)
    course = course_of(Mira(rate=0.05), data, first, scaled=True)
    found = course.epoch(course.start(first), 0, lambda done, total: None)
    assert found is not None
    figures = found[1]
    assert figures is not None
    assert figures.sentences == data.sentence_count
