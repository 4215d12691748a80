"""The settings of `hopefear simulate-cluster`."""

from pathlib import Path

from hopefear.settings import parse_size, setting, settings


@settings
class SimulateClusterSettings:
    """What is known of the learners and of the network between them."""

    runs: tuple[Path, ...] = setting(
        help="Runs of an online learner whose steps were measured; with different numbers of "
        "workers, what it takes to hear others is known, too.",
        argument=True,
        metavar="RUN",
    )
    workers: tuple[int, ...] = setting((20, 50, 1000), "Numbers of learners to estimate for.")
    compare: tuple[Path, ...] = setting(
        (), "Further runs, to show beside the estimates for them.", metavar="RUN"
    )
    sentences: int | None = setting(
        None, "Sentences to learn from.", least=1, shown="as in the first run"
    )
    processors: int | None = setting(
        None,
        "Processors that work at the same time.",
        least=1,
        shown="one for each learner",
    )
    bandwidth: int = setting(
        125_000_000,
        "Bytes a second between machines, as in 125M.",
        metavar="BYTES",
        parse=parse_size,
        least=1,
    )
    latency: float = setting(0.0005, "Seconds until a message begins to arrive.", least=0)
