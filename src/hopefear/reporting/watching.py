"""A report in a browser while its runs go on: served on this machine alone, and kept up to date.

The server answers one request: GET of the page. A script in the page asks again every few seconds;
as long as nothing has changed, the answer is 304 without content.
"""

import hashlib
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

from hopefear.errors import ConfigError, HopefearError, describe_file_error
from hopefear.formats.files import PathLike
from hopefear.formats.lock import LOCK_FILE
from hopefear.reporting.report import read_given_runs, report_html
from hopefear.runs.sentences import SENTENCES_FILE

__all__ = ["ReportServer", "watch_report"]

ADDRESS = "127.0.0.1"
FRESH = 1.0  # seconds in which a page is not made again, at least
REST = 4  # times what making a page took, before it is made again
LOGS = ("events.jsonl", "replica-*/events.jsonl")
FILES = ("config.toml", *LOGS, SENTENCES_FILE, "clouds/*.json", LOCK_FILE)


def watch_report(
    run_directories: Sequence[PathLike],
    *,
    port: int = 0,
    top: int = 30,
    sentences: int = 100,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve the report of runs until Ctrl-C is pressed.

    Parameters
    ----------
    run_directories, top, sentences
        As for `write_report`.
    port : int
        The port to listen at; 0 for any that is free.
    ready : callable
        Called with the address of the page.
    """
    with ReportServer(run_directories, port=port, top=top, sentences=sentences) as server:
        ready(server.url)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


class ReportServer(ThreadingHTTPServer):
    """Serves one page to this machine."""

    daemon_threads = True

    def __init__(
        self,
        run_directories: Sequence[PathLike],
        *,
        port: int = 0,
        top: int = 30,
        sentences: int = 100,
    ) -> None:
        self._runs, self._top, self._sentences = list(run_directories), top, sentences
        self._lock, self._next = Lock(), 0.0
        self._version, self._page = "", b""
        self.page()  # what is wrong with the runs is an error at once
        try:
            super().__init__((ADDRESS, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = describe_file_error(error) if isinstance(error, OSError) else str(error)
            raise ConfigError(
                f"port {port} cannot be listened at: {reason}; name another, or 0 for any",
                settings=("port",),
            ) from error

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that goes away in the middle of an answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def page(self) -> tuple[str, bytes]:
        """Return the version of the page and the page, made again if the runs have changed."""
        with self._lock:
            version = self._state()
            now = time.monotonic()
            if version != self._version and now >= self._next:
                # A run that begins anew, or ends at this moment, is whole a little later.
                bearable = (HopefearError, OSError) if self._page else ()
                with suppress(*bearable):
                    runs = read_given_runs(self._runs)
                    text = report_html(
                        runs, top=self._top, sentences=self._sentences, version=version
                    )
                    self._version, self._page = version, text.encode()
                ended = time.monotonic()
                self._next = ended + max(FRESH, REST * (ended - now))
            return self._version, self._page

    def _state(self) -> str:
        """Return what changes whenever a file of the runs does."""
        digest = hashlib.sha256()
        for run in map(Path, self._runs):
            for file in (file for pattern in FILES for file in sorted(run.glob(pattern))):
                with suppress(FileNotFoundError):
                    found = file.stat()
                    digest.update(f"{file} {found.st_mtime_ns} {found.st_size}\n".encode())
        return digest.hexdigest()[:16]


class _Handler(BaseHTTPRequestHandler):
    server: ReportServer
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        """Answer with the page, or with nothing if it is known."""
        # Another site must not read the page by a name of its own for this machine.
        port = self.server.server_port
        if self.headers.get("Host") not in (f"{ADDRESS}:{port}", f"localhost:{port}"):
            return self._answer(HTTPStatus.FORBIDDEN)
        if self.path != "/":
            return self._answer(HTTPStatus.NOT_FOUND)
        version, page = self.server.page()
        tag = f'"{version}"'
        if self.headers.get("If-None-Match") == tag:
            return self._answer(HTTPStatus.NOT_MODIFIED, tag=tag)
        return self._answer(HTTPStatus.OK, page, tag=tag)

    def _answer(self, status: HTTPStatus, page: bytes = b"", *, tag: str = "") -> None:
        self.send_response(status)
        if tag:
            self.send_header("ETag", tag)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(page)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal is the user's."""
