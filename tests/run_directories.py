"""Directories of runs as `hopefear tune` leaves them, with any events."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

from hopefear.events import EpochFinished, Event, EventLog, RunFinished, RunStarted
from hopefear.metrics import Bleu, References
from hopefear.runs.sentences import SENTENCES_FILE
from hopefear.types import Weights

__all__ = ["epoch", "events_of_a_run", "write_run", "write_sentence_lines"]

SETTINGS = """seed = 7

[learner]
name = "sgd"
"""


def started(weights: Weights, *, replica: int | None = None) -> RunStarted:
    return RunStarted(
        name="sgd",
        version="0.1.0",
        metric="BLEU",
        epochs=9,
        sentences=12,
        features=len(weights),
        weights=weights,
        started="2026-01-01T00:00:00+00:00",
        signature="nrefs:1",
        seed=7,
        replica=replica,
        hypotheses=120,
        tuning_score=30.0,
        dev_score=28.0,
        tuning_oracle=60.0,
        dev_oracle=61.0,
    )


def epoch(number: int, weights: Weights, *, score: float) -> EpochFinished:
    return EpochFinished(
        epoch=number,
        metric="BLEU",
        weights=weights,
        seconds=0.25,
        tuning_score=score,
        dev_score=score - 2,
    )


def events_of_a_run(
    weights: Sequence[Weights], *, scores: Sequence[float], replica: int | None = None
) -> list[Event]:
    """Return the events of a run with these weights, the start first, and scores of its epochs."""
    epochs = [
        epoch(number, w, score=score)
        for number, (w, score) in enumerate(zip(weights[1:], scores, strict=True), 1)
    ]
    best = max(range(len(scores)), key=scores.__getitem__)
    finished = RunFinished(
        metric="BLEU",
        weights=weights[best + 1],
        epochs=len(epochs),
        best_epoch=best + 1,
        seconds=2.0,
        reason="all epochs done",
        tuning_score=scores[best],
        dev_score=scores[best] - 2,
    )
    return [started(weights[0], replica=replica), *epochs, finished]


def write_run(path: Path, events: Sequence[Event], *, settings: str = SETTINGS) -> Path:
    """Write a run's settings and log."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "config.toml").write_text(settings, encoding="utf-8")
    with EventLog(path / "events.jsonl") as log:
        for event in events:
            log.write(event)
    return path


def write_sentence_lines(
    run: Path, texts: Sequence[tuple[str, str, str]], *, replicas: int = 0
) -> Path:
    """Write start, result and reference of each sentence; all replicas have the result."""
    prepared = Bleu(tokenize="none").prepare(References([[reference] for _, _, reference in texts]))
    start, result = (prepared.statistics([text[i] for text in texts]).tolist() for i in (0, 1))
    lines: list[dict[str, object]] = [
        {"role": "dev", "metric": {"name": "bleu", "tokenize": "none"}, "replicas": replicas}
    ]
    for number, (before, after, reference) in enumerate(texts):
        lines.append(
            {
                "name": str(number),
                "references": [reference],
                "start": before,
                "result": after,
                "statistics": [start[number], *[result[number]] * (1 + replicas)],
            }
        )
    with gzip.open(run / SENTENCES_FILE, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)
    return run
