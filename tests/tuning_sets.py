"""Tuning sets of made-up candidates, for the tests of learners."""

from hopefear.learners import TuningSet
from hopefear.metrics import Bleu, References
from hopefear.nbest import NBestBuilder
from hopefear.synthetic import START, SyntheticCandidates
from hopefear.types import FloatArray


def synthetic_set(
    *, sentences: int = 25, size: int = 12, seed: int = 1, threads: int = 1
) -> TuningSet:
    builder, references = NBestBuilder(), []
    for name in START:
        builder.core.feature_names.add(name)
    candidates = SyntheticCandidates(sentences=sentences, size=size, seed=seed)
    for sentence, (text, segment) in enumerate(candidates):
        references.append([text])
        for hypothesis in segment.hypotheses:
            builder.add(sentence, hypothesis.text, hypothesis.features)
    nbest, metric = builder.finish(sentences), Bleu(tokenize="none")
    metric.prepare(References(references)).set_statistics(nbest)
    return TuningSet(nbest=nbest, metric=metric, threads=threads)


def start_vector(data: TuningSet) -> FloatArray:
    return START.vector(data.nbest.feature_names)
