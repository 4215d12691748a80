"""Ray clusters of several nodes on this machine, and what can happen to them."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from hopefear.cluster.connection import load_ray, set_environment

NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "node_ip_address": "127.0.0.1"}

WORKERS = (b"ray::Worker", b"ray::RemoteTranslator", b"ray::Runner")

# By default it takes Ray half a minute to find out that a node is gone.
HEALTH = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 3000,
    "health_check_failure_threshold": 3,
}


class Nodes:
    """A head, on which drivers run, and further nodes."""

    def __init__(self, further: int) -> None:
        from ray.cluster_utils import Cluster

        head = NODE | {"include_dashboard": False, "_system_config": HEALTH}
        self.cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(further):
            self.join()

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def join(self) -> None:
        """Let a node join."""
        self.cluster.add_node(**NODE)

    def kill_node(self) -> None:
        """Kill a node and everything on it, but not the head."""
        self.cluster.remove_node(self.cluster.list_all_nodes()[-1], allow_graceful=False)

    def workers(self) -> list[int]:
        """Return the processes that work for somebody."""
        raylets = {
            process.process.pid
            for node in self.cluster.list_all_nodes()
            for process in node.all_processes["raylet"]
        }
        found = []
        for entry in Path("/proc").iterdir():
            try:
                title = (entry / "cmdline").read_bytes()
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue  # no process, or one that has just ended
            if parent in raylets and title.startswith(WORKERS):
                found.append(int(entry.name))
        return sorted(found)

    def kill_worker(self, random: Random) -> bool:
        """Kill one of the workers, if there is one; return whether there was."""
        found = self.workers()
        if found:
            os.kill(random.choice(found), signal.SIGKILL)
        return bool(found)


@contextmanager
def nodes(further: int = 1) -> Iterator[Nodes]:
    """Start a cluster, and end it."""
    set_environment("local")
    ray = load_ray()
    started = Nodes(further)
    try:
        yield started
    finally:
        ray.shutdown()
        started.cluster.shutdown()
