import dataclasses
from pathlib import Path

import pytest

from hopefear.errors import FormatError
from hopefear.events import (
    CheckpointWritten,
    CrossValidated,
    EpochFinished,
    Event,
    EventLog,
    Noted,
    Progress,
    ReplicasFinished,
    RunFailed,
    RunFinished,
    RunResumed,
    RunStarted,
    Warned,
    events,
    from_json,
    read_log,
    to_json,
)
from hopefear.types import Weights

WEIGHTS = Weights({"lm": 5e-324, "tm=0 é": 0.1, "z": -0.0})
EXAMPLES: list[Event] = [
    RunStarted(
        name="a", version="1", metric="bleu", epochs=3, sentences=5, features=3, weights=WEIGHTS
    ),
    RunResumed(epoch=2, started="2026-01-01T00:00:00+00:00"),
    Progress(epoch=0, done=3, total=5, seconds=0.5),
    EpochFinished(epoch=1, metric="bleu", weights=WEIGHTS, seconds=1.25, tuning_score=0.1 + 0.2),
    CheckpointWritten(epoch=1, path="checkpoint/1"),
    Noted(message="auto: kbest-mira"),
    CrossValidated(metric="BLEU", folds=5, epoch=3, score=30.5, start_score=28.0, seconds=1.5),
    Warned(message='a "quoted" line\nand\u2028another'),
    RunFailed(message="no weights"),
    ReplicasFinished(metric="bleu", weights=WEIGHTS, replicas=3, chosen=2, dev_mean=0.1),
    RunFinished(
        metric="bleu", weights=WEIGHTS, epochs=3, best_epoch=2, seconds=9.0, dev_score=0.25
    ),
]


def test_every_kind_of_event_has_an_example_here() -> None:
    assert sorted(events.name_of(type(event)) for event in EXAMPLES) == list(events)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_an_event_reads_back_equal_from_one_line(event: Event) -> None:
    line = to_json(event)
    assert "\n" not in line
    assert from_json(line) == event


@pytest.mark.parametrize("field", ["epoch", "started"])
def test_events_cannot_be_changed(field: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(EXAMPLES[1], field, 3)


def test_a_log_appends_and_is_readable_while_open(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with EventLog(path) as log:
        log.write(EXAMPLES[0])
        assert list(read_log(path)) == EXAMPLES[:1]
    with EventLog(path) as log:
        for event in EXAMPLES[1:]:
            log.write(event)
    assert list(read_log(path)) == EXAMPLES


def test_half_a_line_left_by_a_kill_is_no_event_and_is_removed_on_appending(
    tmp_path: Path,
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(to_json(EXAMPLES[1]) + "\n" + to_json(EXAMPLES[2])[:10])
    assert list(read_log(path)) == EXAMPLES[1:2]
    with EventLog(path) as log:
        log.write(EXAMPLES[2])
    assert list(read_log(path)) == EXAMPLES[1:3]


@pytest.mark.parametrize("length", [1, 1 << 16, (1 << 16) + 1, 200_000])
@pytest.mark.parametrize("lines", [0, 1])
def test_half_a_line_may_be_long(tmp_path: Path, lines: int, length: int) -> None:
    path = tmp_path / "events.jsonl"
    whole = (to_json(EXAMPLES[1]) + "\n") * lines
    path.write_text(whole + "x" * length)
    EventLog(path).close()
    assert path.read_text() == whole


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("3", "expected an object with an 'event'"),
        ('{"event": "warn"}', r"unknown event 'warn'; did you mean 'warned'\?"),
        ('{"event": "warned", "mesage": "a"}', r"mesage: unknown key; did you mean 'message'\?"),
        ('{"event": "warned"}', "message: is missing"),
    ],
)
def test_a_broken_line_is_an_error_with_file_and_line(
    tmp_path: Path, line: str, message: str
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(to_json(EXAMPLES[1]) + "\n" + line + "\n")
    with pytest.raises(FormatError, match=f"events.jsonl:2: {message}"):
        list(read_log(path))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"\xff\xfe", "is not UTF-8"),
        (b'{"event": ' + b"1" * 5000 + b"}", "not JSON"),
        (b"[" * 200_000, "not JSON"),
    ],
)
def test_a_log_that_something_has_been_done_to_is_an_error_with_its_line(
    tmp_path: Path, line: bytes, problem: str
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(to_json(Warned(message="x")).encode() + b"\n" + line + b"\n")
    with pytest.raises(FormatError, match=rf"events\.jsonl:2: {problem}"):
        list(read_log(path))
