"""What `hopefear evaluate` does: from files to the scores of systems and of candidates."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hopefear.commands.evaluate import EvaluateSettings
from hopefear.errors import ConfigError, HopefearWarning
from hopefear.evaluation import CandidateOracles, Evaluation, choose_metrics, evaluate_systems
from hopefear.formats.files import Tell
from hopefear.formats.systems import read_systems
from hopefear.formats.texts import stream_texts
from hopefear.metrics import References, TextMetric, check_tokenization
from hopefear.runs.oracles import oracles_of_files
from hopefear.runs.settings import DataSettings

__all__ = ["evaluate"]

Metrics = Mapping[str, TextMetric]


def evaluate(chosen: EvaluateSettings, tell: Tell) -> Evaluation:
    """Score systems and candidates; `tell` is called with what is done and how far it is."""
    metrics = _metrics(chosen)
    if chosen.hyp:
        found = _systems(chosen, metrics, tell)
    else:
        found = Evaluation(systems=(), sentences=0, resamples=0, shuffles=0, seed=chosen.seed)
    if not chosen.nbest and chosen.forests is None:
        return found
    oracles = _oracles(chosen, metrics, tell)
    return replace(found, oracles=oracles, sentences=oracles.sentences)


def _metrics(chosen: EvaluateSettings) -> Metrics:
    given: Any = chosen.metric
    if not isinstance(given, Mapping):
        return choose_metrics(given, tokenize=chosen.tokenize, lowercase=chosen.lowercase)
    if chosen.tokenize is not None or chosen.lowercase:
        raise ConfigError("tokenize and lowercase are for metrics given by name")
    return given


def _systems(chosen: EvaluateSettings, metrics: Metrics, tell: Tell) -> Evaluation:
    named, references = read_systems(chosen.hyp, chosen.refs)
    _check_tokenization(metrics, references)
    return evaluate_systems(
        named,
        references,
        metrics,
        resamples=chosen.resamples,
        shuffles=chosen.shuffles,
        exchange=chosen.exchange,
        seed=chosen.seed,
        differences=chosen.differences,
        buckets=chosen.buckets or chosen.frequencies is not None,
        frequencies=None if chosen.frequencies is None else stream_texts(chosen.frequencies),
        threads=chosen.threads,
        tell=tell,
    )


def _check_tokenization(metrics: Metrics, references: References) -> None:
    for name, metric in metrics.items():
        if message := check_tokenization(getattr(metric, "tokenize", None), references):
            warnings.warn(f"{name}: {message}", HopefearWarning, stacklevel=5)


def _oracles(chosen: EvaluateSettings, metrics: Metrics, tell: Tell) -> CandidateOracles:
    references = tuple(path for path in chosen.refs if isinstance(path, Path))
    if len(references) < len(chosen.refs):
        problem = "candidates in files are compared with references in files"
        raise ConfigError(problem, settings=("refs",))
    data = DataSettings(
        nbest=chosen.nbest,
        forests=chosen.forests,
        references=references,
        format=chosen.format,
        columns=chosen.columns,
        ignore=chosen.ignore,
    )
    return oracles_of_files(
        data, metrics, chosen.weights, size=chosen.size, threads=chosen.threads, tell=tell
    )
