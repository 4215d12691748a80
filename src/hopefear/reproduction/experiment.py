"""One row: tune it, translate the test set with every replica, and keep what came out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hopefear.errors import FormatError
from hopefear.events import EpochFinished, RunFinished, RunStarted, read_log
from hopefear.formats.files import Tell, open_output, read_lines, tell_nobody
from hopefear.metrics import References, TextMetric
from hopefear.reproduction.corpus import Corpus
from hopefear.reproduction.outcomes import Outcome, ReplicaOutcome
from hopefear.reproduction.paper import Row
from hopefear.runs.batch import run_once
from hopefear.runs.grid import tune_grid
from hopefear.runs.options import build_settings
from hopefear.runs.settings import TuneSettings
from hopefear.settings.tree import keyword_options
from hopefear.translation.features.bins import run_bins
from hopefear.translation.model import Model, run_features
from hopefear.translation.translate import translate

__all__ = ["Experiment", "Scale"]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much of a paper's settings to keep: the most of each; None for all.

    `choices` is the most values to try of a setting that is chosen on held-out data. `replicas` are
    those of each row that draws random numbers, also of curves, which are one run each otherwise.
    """

    replicas: int | None = None
    decodings: int | None = None
    epochs: int | None = None
    list_size: int | None = None
    choices: int | None = None

    def options(self, settings: TuneSettings, own: Sequence[str] = ()) -> list[str]:
        """Return what scales the settings down, as in ``rhythm.epochs=10``, but for a row's own."""
        rhythm = settings.rhythm
        limits = [("rhythm.epochs", rhythm.epochs, self.epochs)]
        if settings.lists_are_made:
            limits += [("rhythm.list_size", rhythm.list_size, self.list_size)]
            if rhythm.lists != "block":
                limits += [("rhythm.decodings", rhythm.decodings, self.decodings)]
        varied = {option.split("=")[0] for option in own}
        return [
            f"{key}={most}"
            for key, value, most in limits
            if most and value > most and key not in varied
        ]

    def values(self, values: Sequence[object]) -> list[object]:
        """Return some of the values of a setting, evenly spaced."""
        if self.choices is None or len(values) <= self.choices:
            return list(values)
        last = len(values) - 1
        return [values[round(i * last / max(1, self.choices - 1))] for i in range(self.choices)]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A row and what it is run with.

    Attributes
    ----------
    row : Row
    model : Path
        The directory of the model.
    corpus : Corpus
    out : Path
        The directory of the reproduction.
    scale : Scale
    seed, threads : int
    """

    row: Row
    model: Path
    corpus: Corpus
    out: Path
    scale: Scale
    seed: int
    threads: int

    def __call__(self, tell: Tell = tell_nobody) -> Outcome:
        """Return what comes out, or what came out before."""
        chosen = self._chosen(tell)
        settings = self.settings([f"{key}={value}" for key, value in chosen.items()])
        run = self.out / "runs" / self.row.name
        whole = run_once(settings, run, tell=tell)
        names = [f"replica-{k + 1}" for k in range(settings.replicas)]
        logs = [run / name for name in names] if settings.replicas > 1 else [run]
        references = References.from_streams(
            [read_lines(path) for path in self.corpus.test.references]
        )
        metric = cast(TextMetric, settings.metric)  # the papers' metric is BLEU
        prepared = metric.prepare(references)
        replicas, seconds, features = [], 0.0, 0
        for number, log in enumerate(logs, 1):
            events = list(read_log(log / "events.jsonl"))
            started = [event for event in events if isinstance(event, RunStarted)]
            finished = [event for event in events if isinstance(event, RunFinished)]
            if not started or not finished:
                problem = "does not say how the run began and ended"
                raise FormatError(
                    f"{log / 'events.jsonl'}: {problem}; remove {run} to run it again"
                )
            epochs = {event.epoch: event for event in events if isinstance(event, EpochFinished)}
            tell(f"{self.row.name}: translating", number, len(logs))
            texts = self._translated(run, log, finished[-1].weights)
            replicas.append(
                ReplicaOutcome(
                    tuning=finished[-1].tuning_score or 0.0,
                    dev=finished[-1].dev_score or 0.0,
                    tuning_curve=[event.tuning_score or 0.0 for event in epochs.values()],
                    dev_curve=[event.dev_score or 0.0 for event in epochs.values()],
                    weights=finished[-1].weights,
                    statistics=prepared.statistics(texts, threads=self.threads),
                )
            )
            seconds += finished[-1].seconds
            features = max(features, started[-1].features)
        return Outcome(
            row=self.row,
            run=run,
            weights=whole.weights,
            metric=metric,
            replicas=replicas,
            features=features,
            seconds=seconds,
            chosen=chosen,
        )

    def settings(self, chosen: Sequence[str] = ()) -> TuneSettings:
        """Return the settings of the run, with what was chosen on held-out data."""
        options = keyword_options(TuneSettings, self._keywords(), "reproduce")
        own = [*self.row.options, *chosen]
        return build_settings(
            self.row.preset, options, assignments=[*own, *self._scaled(options, own)]
        )

    def _scaled(self, options: Mapping[str, object], own: Sequence[str]) -> list[str]:
        settings = build_settings(self.row.preset, options, assignments=own)
        return self.scale.options(settings, own)

    def _keywords(self, replicas: int | None = None) -> dict[str, Any]:
        corpus = self.corpus
        wanted = self.scale.replicas if self.row.random else None
        return {
            "model": self.model,
            "parses": self.out / "parses" / self.row.model,
            "source": corpus.tuning.source,
            "refs": corpus.tuning.references,
            "dev_source": corpus.dev.source,
            "dev_refs": corpus.dev.references,
            "metric__tokenize": "none",
            "replicas": replicas or wanted or self.row.replicas,
            "seed": self.seed,
            "threads": self.threads,
        }

    def _chosen(self, tell: Tell) -> Mapping[str, str]:
        """Choose some settings on held-out data, by one replica each."""
        if not self.row.choose:
            return {}
        values = {key: self.scale.values(some) for key, some in self.row.choose.items()}
        first = [*self.row.options, *(f"{key}={some[0]}" for key, some in values.items())]
        options = keyword_options(TuneSettings, self._keywords(1), "reproduce")
        found = tune_grid(
            self.row.preset,
            grid=values,
            out=self.out / "choices" / self.row.name,
            set=[*self.row.options, *self._scaled(options, first)],
            progress=tell,
            **self._keywords(1),
        )
        return found.best.values

    def _translated(self, run: Path, log: Path, weights: Mapping[str, float]) -> list[str]:
        """Return the translations of the test set, from a file if they were made before."""
        file = log / "test.txt"
        if file.is_file():
            return read_lines(file)
        model = Model(self.model).with_features(run_features(run), run_bins(run))
        lines = read_lines(self.corpus.test.source)
        texts = [one.text for one in translate(model, lines, weights=weights, threads=self.threads)]
        with open_output(file) as stream:
            stream.writelines(f"{text}\n" for text in texts)
        return texts
