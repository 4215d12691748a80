"""Reports that are served while runs go on: to this machine alone, one page, and nothing else."""

import http.client
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import hopefear
from hopefear.errors import ConfigError, DataError
from hopefear.events import EventLog
from hopefear.formats.lock import FolderLock, is_in_use
from hopefear.reporting import read_run, report_html, watching
from hopefear.reporting.watching import ReportServer
from hopefear.types import Weights
from run_directories import events_of_a_run, write_run

WEIGHTS = [Weights({"lm": 1.0}), Weights({"lm": 0.5}), Weights({"lm": 0.75})]
EVENTS = events_of_a_run(WEIGHTS, scores=[31.0, 32.0])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", EVENTS[:2])


@pytest.fixture
def server(run: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReportServer]:
    monkeypatch.setattr(watching, "FRESH", 0.0)
    monkeypatch.setattr(watching, "REST", 0)
    with ReportServer([run]) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: ReportServer, path: str = "/", *, method: str = "GET", **headers: str
) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def test_nothing_is_said_of_a_browser_that_goes_away(
    server: ReportServer, capsys: pytest.CaptureFixture[str]
) -> None:
    left = socket.create_connection(("127.0.0.1", server.server_port), timeout=10)
    left.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    left.sendall(b"GET / HT")
    time.sleep(0.2)
    left.close()  # with a reset
    time.sleep(0.2)
    assert ask(server).status == 200
    assert capsys.readouterr().err == ""


def test_the_page_is_sent_once_and_again_when_the_run_has_gone_on(
    server: ReportServer, run: Path
) -> None:
    first = ask(server)
    tag = first.headers["ETag"]
    assert first.status == 200
    known = ask(server, If_None_Match=tag)
    assert (known.status, known.headers["ETag"]) == (304, tag)
    with EventLog(run / "events.jsonl") as log:
        for event in EVENTS[2:]:
            log.write(event)
    assert ask(server, If_None_Match=tag).status == 200


def test_only_the_page_is_served_and_only_by_its_own_name(server: ReportServer) -> None:
    for path in ("/run", "/../", "/events.jsonl", "/?x"):
        assert ask(server, path).status == 404
    for host in ("evil.example", f"evil.example:{server.server_port}", "127.0.0.1"):
        assert ask(server, Host=host).status == 403
    for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS"):
        assert ask(server, method=method).status == 501
    assert server.server_address[0] == "127.0.0.1"


def test_a_run_that_breaks_leaves_the_last_page(server: ReportServer, run: Path) -> None:
    tag = ask(server).headers["ETag"]
    (run / "events.jsonl").write_text("nonsense\n")
    assert ask(server).headers["ETag"] == tag


def test_what_cannot_be_served_is_an_error_at_once(run: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        ReportServer([tmp_path / "nothing"])
    with ReportServer([run]) as first, pytest.raises(ConfigError, match=r"port \d+ cannot be"):
        ReportServer([run], port=first.server_port)
    with pytest.raises(ConfigError, match="port 70000 cannot be"):
        ReportServer([run], port=70000)


def test_the_function_serves_until_it_is_interrupted(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: ReportServer, *args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ReportServer, "serve_forever", interrupt)
    assert hopefear.report(run, watch=True) == run / "report.html"
    assert capsys.readouterr().out.startswith("report: http://127.0.0.1:")


def test_a_run_is_running_while_a_process_has_its_directory(run: Path) -> None:
    assert read_run(run).failure == "was stopped: 1 of 9 epochs are done"
    with FolderLock(run):
        assert is_in_use(run)
        record = read_run(run)
        assert record.failure == "is running: 1 of 9 epochs are done"
        assert '<li class="running"><strong>run</strong> is running' in report_html([record])
    assert '<li class="failed"><strong>run</strong> was stopped' in report_html([read_run(run)])
    assert not is_in_use(run)
    (run / ".lock").write_text('{"process": 999999999, "host": "' + "x" * 2000)
    assert not is_in_use(run)
    (run / ".lock").write_text('{"process": 1, "host": "elsewhere"}')
    assert is_in_use(run)


def test_a_page_that_takes_long_to_make_is_made_less_often(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def slow(*args: Any, **options: Any) -> str:
        nonlocal now
        now += 10.0
        return str(now)

    monkeypatch.setattr(watching, "report_html", slow)
    monkeypatch.setattr(watching, "time", SimpleNamespace(monotonic=lambda: now))
    with ReportServer([run]) as server:
        assert server.page()[1] == b"10.0"
        (run / "config.toml").write_text("changed = true")
        now = 49.0
        assert server.page()[1] == b"10.0"
        now = 51.0
        assert server.page()[1] == b"61.0"
