"""Reports while a run goes on."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from hopefear.events import Event, EventLog
from hopefear.fitting import reported as module
from hopefear.fitting.reported import reported
from hopefear.types import Weights
from run_directories import events_of_a_run, write_run

EVENTS = events_of_a_run([Weights({"lm": w}) for w in (1.0, 0.5, 0.75)], scores=[31.0, 32.0])


def logged(run: Path) -> Iterator[Event]:
    for event in EVENTS:
        with EventLog(run / "events.jsonl") as log:
            log.write(event)
        yield event


def test_a_run_has_a_report_while_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run", [])
    monkeypatch.setattr(module, "INTERVAL", 0.0)
    monkeypatch.setattr(module, "SHARE", 1e9)
    seen = []
    for _ in reported(logged(run), run):
        file = run / "report.html"
        seen.append(file.read_text(encoding="utf-8") if file.exists() else "")
    assert seen[0] == ""
    assert "1 of 9 epochs are done" in seen[1]
    assert "2 of 9 epochs are done" in seen[2]
    assert "epochs are done" not in (run / "report.html").read_text(encoding="utf-8")


def test_reports_take_little_of_the_time_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, now, written = write_run(tmp_path / "run", []), 0.0, []

    def write(directory: Path, *, durable: bool = True) -> None:
        nonlocal now
        written.append(now)
        now += 2.0

    def epochs() -> Iterator[Event]:
        nonlocal now
        for _ in range(1000):
            now += 1.0
            yield EVENTS[1]

    monkeypatch.setattr(module, "_write", write)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    list(reported(epochs(), run))
    assert written[0] == 5.0
    assert written[1] >= 5.0 + 2.0 + 200.0
    assert len(written) == 6  # the last one at the end


def test_large_logs_are_not_read_while_a_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run", [])
    monkeypatch.setattr(module, "INTERVAL", 0.0)
    monkeypatch.setattr(module, "LARGEST", 10)
    for _ in reported(logged(run), run):
        assert not (run / "report.html").exists()
    assert (run / "report.html").exists()


def test_a_report_that_cannot_be_written_does_not_end_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run", [])
    monkeypatch.setattr(module, "INTERVAL", 0.0)
    real, calls = module._write, 0

    def write(directory: Path, *, durable: bool = True) -> None:
        nonlocal calls
        calls += 1
        if not durable:
            raise OSError("no room")
        real(directory)

    monkeypatch.setattr(module, "_write", write)
    assert list(reported(logged(run), run)) == EVENTS
    assert calls > 1
