"""Scores of one or more systems, with confidence intervals and p-values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

from hopefear.errors import ConfigError, DataError
from hopefear.evaluation.buckets import length_buckets, word_buckets
from hopefear.evaluation.measured import Measured, Outputs
from hopefear.evaluation.randomization import Exchange
from hopefear.evaluation.results import Evaluation, SystemResult
from hopefear.evaluation.sentences import system_differences
from hopefear.metrics import References, TextMetric, metrics
from hopefear.settings import config

__all__ = ["choose_metrics", "evaluate_systems"]


def choose_metrics(
    names: Sequence[str], *, tokenize: str | None = None, lowercase: bool = False
) -> dict[str, TextMetric]:
    """Return the metrics with these names.

    Parameters
    ----------
    names : sequence of str
        Names in the registry `hopefear.metrics.metrics`, also several separated by commas.
    tokenize : str, optional
        The tokenizer of metrics that have one; an error if none has.
    lowercase : bool
        Ignore case.

    Examples
    --------
    >>> choose_metrics(["bleu"], tokenize="none")["bleu"].tokenize
    'none'
    """
    shared = {"tokenize": tokenize, "lowercase": lowercase or None}
    chosen: dict[str, TextMetric] = {}
    unused = {option for option, value in shared.items() if value is not None}
    for name in (part.strip() for given in names for part in given.split(",")):
        kind = cast(Any, metrics[name])
        if not hasattr(kind, "prepare"):
            usable = ", ".join(n for n in metrics if hasattr(metrics[n], "prepare"))
            raise ConfigError(
                f"metric '{name}' does not compare texts with references; use one of: {usable}"
            )
        known = {field.name for field in fields(kind)}
        options = {
            key: value for key, value in shared.items() if value is not None and key in known
        }
        unused -= options.keys()
        if "case_sensitive" in known:
            unused -= {"lowercase"}  # it ignores case by default
        chosen[name] = config.decode(kind, options, source=f"metric '{name}'")
    if unused:
        option, asked = sorted(unused)[0], ", ".join(names)
        raise ConfigError(f"none of the chosen metrics ({asked}) has the option '{option}'")
    return chosen


def evaluate_systems(
    systems: Outputs,
    references: References,
    metrics: Mapping[str, TextMetric],
    *,
    resamples: int = 1000,
    shuffles: int = 10_000,
    exchange: Exchange = "sentences",
    seed: int = 12345,
    differences: int = 0,
    buckets: bool = False,
    frequencies: Iterable[str] | None = None,
    threads: int = 0,
    tell: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Evaluation:
    """Score systems and compare each with the first.

    Parameters
    ----------
    systems : sequence of (name, replicas)
        The name of each system and the outputs of its optimizer replicas, which are one or more
        lists with a text for every sentence.
    references : References
        The references of the sentences.
    metrics : mapping
        The metrics by name; results have the same names.
    resamples : int
        The number of test sets of the bootstrap; 0 for none.
    shuffles : int
        The number of shuffles of approximate randomization; 0 for none.
    exchange : str
        What changes sides in a shuffle: all outputs for a sentence together, or each on its own.
    seed : int
        Seed of both.
    differences : int
        The number of sentences in which a system wins most, and loses most, against the first.
    buckets : bool
        Score sentences by their length and words by their frequency.
    frequencies : iterable of str, optional
        Sentences in which words are counted; by default the references.
    threads : int
        The number of threads; 0 for one per core. It does not change the result.
    tell : callable
        Progress callback, called with the system and metric, the number done and the total.

    Examples
    --------
    >>> from hopefear.metrics import Bleu
    >>> references = References([["the cat sat on the mat"], ["a dog barks at the moon"]])
    >>> good, bad = ["the cat sat on a mat", "a dog barks at the moon"], ["a cat", "dogs bark"]
    >>> found = evaluate_systems([("good", [good]), ("bad", [bad])], references, {"bleu": Bleu()})
    >>> [round(system.metrics["bleu"].score, 2) for system in found.systems]
    [77.82, 0.0]
    """
    counts = {"resamples": resamples, "shuffles": shuffles, "differences": differences}
    _check(systems, references, metrics, counts)
    found = Measured(systems, references, metrics, threads, tell)
    resampled = found.resampled(resamples, seed)
    shuffled = [found.shuffled_p(i, shuffles, seed, exchange) for i in range(len(systems))]
    return Evaluation(
        systems=[
            SystemResult(
                name=title,
                metrics={
                    name: found.result(name, i, resampled.get(name), shuffled[i].get(name))
                    for name in metrics
                },
                length_ratio=found.length_ratio(i),
            )
            for i, (title, _) in enumerate(systems)
        ],
        sentences=len(references),
        resamples=resamples,
        shuffles=shuffles,
        exchange=exchange,
        seed=seed,
        differences=[
            system_differences(found, i, differences) for i in range(1, len(systems)) if differences
        ],
        by_length=length_buckets(found) if buckets else (),
        by_frequency=word_buckets(found, frequencies) if buckets else (),
    )


def _check(
    systems: Outputs,
    references: References,
    metrics: Mapping[str, TextMetric],
    counts: Mapping[str, int],
) -> None:
    if not systems or not metrics:
        raise ConfigError("nothing to evaluate: give at least one system and one metric")
    for what, count in counts.items():
        if count < 0:
            raise ConfigError(f"{what} must be >= 0, got {count}")
    if counts["differences"] and len(systems) == 1:
        problem = "differences are those of two systems, but there is only one"
        raise ConfigError(problem, settings=("differences", "hyp"))
    for name, replicas in systems:
        if not replicas:
            raise DataError(f"{name} has no output")
        for number, texts in enumerate(replicas, 1):
            if len(texts) != len(references):
                which = f"replica {number} of {name}" if len(replicas) > 1 else name
                raise DataError(
                    f"{which} has {len(texts)} sentences, but the references "
                    f"({references.source or 'given'}) have {len(references)}"
                )
    if not len(references):
        raise DataError(f"{references.prefix}no sentences to evaluate")
