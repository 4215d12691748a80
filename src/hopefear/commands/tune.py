"""The settings of `hopefear tune`."""

from pathlib import Path

from hopefear.commands.choices import OUTPUT, RUN, SET, systems_to_choose
from hopefear.errors import ConfigError
from hopefear.settings import setting, settings


@settings
class TuneCommand:
    """What the command says beside the settings of a run."""

    learner: str | None = setting(
        None,
        "A preset, a learner, or a TOML file of settings; see 'hopefear presets'.",
        argument=True,
        metavar="LEARNER",
        complete=systems_to_choose,
    )
    out: Path = setting(help="The run's directory.", short="o", metavar="RUN", group=OUTPUT)
    force: bool = setting(False, "Replace a run in RUN.", group=OUTPUT)
    resume: bool = setting(False, "Resume the run in RUN, which was stopped.", group=OUTPUT)
    report: bool = setting(True, "Write report.html into RUN.", group=OUTPUT)
    json: bool = setting(False, "Print the result as JSON.", group=OUTPUT)
    grid: tuple[str, ...] = setting(
        (),
        "Tune with each of several values of a setting, as in 'bits=4,6,8', and keep the best run "
        "on the held-out data; may be repeated. The same command again goes on where it stopped.",
        metavar="NAME=V1,V2",
        group=RUN,
    )
    jobs: int = setting(
        1, "Runs of the grid at the same time, which share the threads.", least=1, group=RUN
    )
    set: tuple[str, ...] = setting((), SET, metavar="KEY=VALUE", group=RUN)

    def check(self) -> None:
        """Refuse several jobs for one run."""
        if self.jobs > 1 and not self.grid:
            raise ConfigError("only a grid has runs for several jobs", settings=("jobs", "grid"))
