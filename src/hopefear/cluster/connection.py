"""The connection to a Ray cluster: one that runs, or one that is started here."""

import importlib
import os
import secrets
import socket
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from hopefear.errors import ClusterError, ConfigError, import_extra

__all__ = ["LOCAL", "connected", "load_ray", "set_environment"]

LOCAL = "local"  # the address that starts a cluster on this machine
ANSWERS_WITHIN = 10.0  # seconds
OBJECT_STORE = 256 << 20  # bytes on this machine; Ray moves what does not fit to the disk


def load_ray() -> ModuleType:
    """Import Ray, which is an extra.

    Raises
    ------
    ConfigError
        If it is not installed.
    """
    return import_extra("ray", "cluster", "a cluster", settings=("cluster",))


@contextmanager
def connected(address: str, *, threads: int = 0) -> Iterator[None]:
    """Connect to a cluster, and leave it in the end.

    A process that is connected already, because its user called ``ray.init``, stays so.

    Parameters
    ----------
    address : str
        ``HOST:PORT`` of the head; or "local" for a cluster that is started here, listens to nobody
        but this machine, and ends with the block.
    threads : int
        How many processors of this machine a local cluster uses; 0 for all.

    Raises
    ------
    ClusterError
        If there is no cluster, or it does not let us in.
    """
    place = _place(address)
    set_environment(address)
    ray = load_ray()
    if ray.is_initialized():
        yield
        return
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if place is None:
            ray.init(
                address=LOCAL,  # else it would join any cluster that runs on this machine
                num_cpus=threads or len(os.sched_getaffinity(0)),
                include_dashboard=False,
                object_store_memory=OBJECT_STORE,
                _node_ip_address="127.0.0.1",
                **quiet,
            )
        else:
            _knock(*place)
            # A wrong token is refused here; `init` would try it again and again.
            importlib.import_module("ray._raylet").GcsClient(address=address)
            ray.init(address=address, **quiet)
    except (ray.exceptions.RayError, OSError, RuntimeError, ValueError) as error:
        raise ClusterError(
            f"cannot join the Ray cluster at {address}: {_short(error)}", settings=("cluster",)
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def set_environment(address: str) -> None:
    """Set what Ray reads when it is loaded; what the user has set stays."""
    if "ray" in sys.modules:
        return
    environment = os.environ
    environment.setdefault("RAY_AUTH_MODE", "token")
    environment.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray prints news of its nodes on standard output, which may be a translation.
    environment.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", "^")
    environment.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address == LOCAL:
        # Without this Ray takes the address of a network card even if it is told 127.0.0.1.
        environment.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        if environment["RAY_AUTH_MODE"] == "token" and not _has_token():
            environment["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    elif environment["RAY_AUTH_MODE"] == "token" and not _has_token():
        raise ClusterError(
            f"no token for the Ray cluster at {address}: copy the file ~/.ray/auth_token of its "
            "head, or set RAY_AUTH_TOKEN_PATH; 'ray get-auth-token --generate' makes a token",
            settings=("cluster",),
        )


def _has_token() -> bool:
    given = os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH")
    return bool(given) or (Path.home() / ".ray" / "auth_token").exists()


def _place(address: str) -> tuple[str, int] | None:
    """Return host and port; None for a cluster that is to be started here."""
    if address == LOCAL:
        return None
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ConfigError(
            f"cluster: expected HOST:PORT or '{LOCAL}', got '{address}'", settings=("cluster",)
        )
    return host.strip("[]"), int(port)


def _knock(host: str, port: int) -> None:
    """Find out at once whether anybody listens: Ray itself would try for many minutes."""
    try:
        socket.create_connection((host, port), ANSWERS_WITHIN).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(
            f"no Ray cluster answers at {host}:{port}: {error}; 'ray start --head' starts one",
            settings=("cluster",),
        ) from error


def _short(error: BaseException) -> str:
    return textwrap.shorten(str(error), 400) or type(error).__name__
