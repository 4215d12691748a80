"""Online learners in the loop: what their epochs tell."""

from hopefear.candidates import ForestSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.events import EpochFinished, RunFinished, RunStarted
from hopefear.forest import nbest_forest
from hopefear.learners import Mira, Scaled
from hopefear.metrics import Bleu, References
from hopefear.runs.loop import learn
from hopefear.types import Vocabulary
from tuning_sets import next_state


def forest_set(names: Vocabulary, *, seed: int) -> ForestSet:
    words, made, references = Vocabulary(), [], []
    for text, segment in SyntheticCandidates(sentences=15, size=10, seed=seed):
        references.append([text])
        made.append(nbest_forest(segment.hypotheses, words=words, feature_names=names))
    return ForestSet(made, References(references), Bleu(tokenize="none"), threads=1)


def test_an_epoch_tells_how_learning_goes() -> None:
    data = forest_set(Vocabulary(), seed=1)
    told = list(learn(data, Mira(rate=0.05, epochs=3), start=START, name="mira"))
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
    learner = Mira(rate=0.05, epochs=1)
    told = list(learn(data, learner, start=START, name="mira", dev=dev))
    state = learner.start(data, START.vector(names), START.vector(names))
    state = next_state(learner, data, state, (1, 0))
    figures = learner.figures(state)
    assert figures is not None
    epoch = told[1]
    assert isinstance(epoch, EpochFinished)
    assert epoch.tuning_score == data.metric.score(figures.statistics)
    statistics = dev.chosen(epoch.weights.vector(names))
    assert epoch.dev_score == dev.metric.score(statistics)
    assert epoch.length_ratio == Bleu(tokenize="none").length_ratio(statistics)


def test_a_scaled_learner_tells_what_the_one_within_tells() -> None:
    data = forest_set(Vocabulary(), seed=1)
    learner = Scaled(learner=Mira(rate=0.05))
    state = learner.start(data, START.vector(data.feature_names), START.vector(data.feature_names))
    assert learner.figures(state) is None
    state = next_state(learner, data, state, (1, 0))
    assert learner.figures(state) is not None
