"""A worker of a cluster: what it hears counts once, in the epoch that it belongs to."""

from types import SimpleNamespace
from typing import Any, cast

from hopefear.parallel.remote import Worker


def test_what_a_lost_worker_said_before_counts_once() -> None:
    worker, heard = Worker(), list[bytes]()
    worker._epoch, worker._walk = 1, cast(Any, SimpleNamespace(hear=heard.append))
    worker.hear(1, 2, 0, b"first")
    worker.hear(1, 2, 1, b"second")
    worker.hear(1, 2, 0, b"first, said again by the successor")
    worker.hear(1, 3, 0, b"of another worker")
    worker.hear(2, 2, 0, b"of the next epoch, in which this worker is not yet")
    assert heard == [b"first", b"second", b"of another worker"]


def test_a_worker_without_a_pass_has_no_result() -> None:
    assert Worker().result() is None
