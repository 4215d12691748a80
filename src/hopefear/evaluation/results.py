"""What an evaluation found, and the same as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from hopefear.evaluation.bootstrap import Interval
from hopefear.evaluation.randomization import Exchange

__all__ = [
    "AgainstFirst",
    "Bucket",
    "CandidateOracles",
    "Evaluation",
    "MetricOracles",
    "MetricResult",
    "OracleScores",
    "SentenceDifference",
    "SystemDifferences",
    "SystemResult",
]


@dataclass(frozen=True, kw_only=True)
class AgainstFirst:
    """A system against the first one, by one metric.

    `p_randomization` and `p_bootstrap` are how probable a difference at least this large is if the
    systems are equally good, by approximate randomization and by the bootstrap. `wins` is the share
    of resampled test sets on which the system is better.
    """

    difference: float
    p_randomization: float | None = None
    p_bootstrap: float | None = None
    wins: float | None = None


@dataclass(frozen=True, kw_only=True)
class MetricResult:
    """One system's score under one metric; `title` is the printed name of the metric.

    The score is the mean of those of the `replicas`. `deviation` is that of the test set, s_sel: of
    the scores on resampled test sets. `optimizer_deviation` is s_test: of the replicas. `parts` is
    what an error rate is made of: insertions, deletions and substitutions.
    """

    score: float
    title: str
    signature: str
    replicas: Sequence[float]
    optimizer_deviation: float | None = None
    deviation: float | None = None
    interval: Interval | None = None
    against_first: AgainstFirst | None = None
    parts: Mapping[str, float] | None = None
    higher_is_better: bool = True

    def table(self) -> dict[str, object]:
        """Return the numbers as plain values, for JSON."""
        table: dict[str, object] = {"score": self.score, "signature": self.signature}
        if len(self.replicas) > 1:
            table["replicas"] = list(self.replicas)
            table["optimizer_deviation"] = self.optimizer_deviation
        if self.parts is not None:
            table["parts"] = dict(self.parts)
        if self.interval is not None:
            table["deviation"] = self.deviation
            table["mean"] = self.interval.mean
            table["interval"] = [self.interval.low, self.interval.high]
        if self.against_first is not None:
            table |= {k: v for k, v in vars(self.against_first).items() if v is not None}
        return table


@dataclass(frozen=True, kw_only=True)
class SystemResult:
    """One system's scores, by the names of the metrics.

    `length_ratio` is the number of its words, divided by those of the references.
    """

    name: str
    metrics: Mapping[str, MetricResult]
    length_ratio: float

    def table(self) -> dict[str, object]:
        """Return the numbers as plain values, for JSON."""
        metrics = {name: result.table() for name, result in self.metrics.items()}
        return {"name": self.name, "length_ratio": self.length_ratio, "metrics": metrics}


@dataclass(frozen=True, kw_only=True)
class SentenceDifference:
    """A sentence with the outputs of two systems; `difference` is positive if the second is better.

    Sentences are counted from 0.
    """

    sentence: int
    difference: float
    score: float
    first_score: float
    text: str
    first_text: str
    references: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class SystemDifferences:
    """Where a system wins most and loses most against the first one, by sentence scores."""

    system: str
    first: str
    metric: str
    wins: Sequence[SentenceDifference]
    losses: Sequence[SentenceDifference]

    def table(self) -> dict[str, object]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """A part of the test set: `count` sentences, or words of the references.

    `scores` has a number for each system, the mean of its replicas: for sentences by metric, for
    words `f1`, `precision` and `recall`, from 0 to 100.
    """

    label: str
    count: int
    scores: Mapping[str, Sequence[float]]

    def table(self) -> dict[str, object]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class OracleScores:
    """The best and the worst score that the first `size` candidates of each sentence allow.

    `size` is None for all derivations of forests, of which the worst is not known.
    """

    size: int | None
    best: float
    worst: float | None = None


@dataclass(frozen=True, kw_only=True)
class MetricOracles:
    """The oracle scores of candidates by one metric; `first` is the score of the first ones."""

    title: str
    signature: str
    first: float | None = None
    rows: Sequence[OracleScores]


@dataclass(frozen=True, kw_only=True)
class CandidateOracles:
    """What could be chosen from candidates, by the names of the metrics.

    `ordered` says whether weights put the candidates in order; otherwise they are as listed.
    """

    files: str
    sentences: int
    ordered: bool
    metrics: Mapping[str, MetricOracles]

    def table(self) -> dict[str, object]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The scores of all systems; the first one is the baseline of the others.

    Where they were asked for: `differences` are the sentences in which each of the other systems
    wins and loses most, `by_length` the scores by the length of sentences, and `by_frequency`
    those of words by their frequency; `oracles` are the scores that n-best lists or forests allow.
    """

    systems: Sequence[SystemResult]
    sentences: int
    resamples: int
    shuffles: int
    exchange: Exchange = "sentences"
    seed: int
    differences: Sequence[SystemDifferences] = ()
    by_length: Sequence[Bucket] = ()
    by_frequency: Sequence[Bucket] = ()
    oracles: CandidateOracles | None = None

    def table(self) -> dict[str, object]:
        """Return everything as plain values, for JSON."""
        table: dict[str, object] = {
            "systems": [system.table() for system in self.systems],
            "sentences": self.sentences,
            "resamples": self.resamples,
            "shuffles": self.shuffles,
            "exchange": self.exchange,
            "seed": self.seed,
        }
        for name in ("differences", "by_length", "by_frequency"):
            if parts := getattr(self, name):
                table[name] = [part.table() for part in parts]
        if self.oracles is not None:
            table["oracles"] = self.oracles.table()
        return table
