"""Feature templates: the cost of decoding with more features than the small model's."""

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks._bitext import new_sentences, train_model
from hopefear import Model
from hopefear.grammar import Rule
from hopefear.translation import Decoder
from hopefear.translation.features import Template

SENTENCES = 60


def one_more(rule: Rule) -> Mapping[str, float]:
    """Return the feature of a minimal template in Python."""
    return {"length": float(len(rule.target))}


def seconds(decoder: Decoder, sentences: Sequence[Sequence[str]]) -> float:
    """Return the CPU time of decoding all sentences on one thread."""
    start = time.process_time()
    for words in sentences:
        decoder.forest(words)
    return time.process_time() - start


def measured(model: Model, sentences: Sequence[Sequence[str]], *more: Template) -> list[float]:
    """Return the CPU times of the first pass over the sentences and of later ones."""
    decoder = model.decoder()
    if more:
        decoder = Decoder(
            model.grammars, model.language_models, model.weights, templates=list(more)
        )
    first = seconds(decoder, sentences)
    return [first, min(seconds(decoder, sentences) for _ in range(3))]


def run() -> list[tuple[str, str]]:
    """Return the times of models with more and more features."""
    sentences = [source.split() for source, _ in new_sentences(SENTENCES)]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        plain: list[float] = []
        for features in (["small"], ["large"], ["patterns"], ["large", "patterns"]):
            model = train_model(Path(name), features)
            times = measured(model, sentences)
            plain = plain or times
            ratios = [own / small for own, small in zip(times, plain, strict=True)]
            rows.append(
                (
                    f"{' + '.join(features)}: forests, rules new / cached",
                    f"{ratios[0]:.2f} / {ratios[1]:.2f} times small",
                )
            )
        times = measured(model, sentences, one_more)
        ratios = [own / small for own, small in zip(times, plain, strict=True)]
        rows.append(
            (
                "one feature from Python: forests, rules new / cached",
                f"{ratios[0]:.2f} / {ratios[1]:.2f} times small",
            )
        )
    return rows
