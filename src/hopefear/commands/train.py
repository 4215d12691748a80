"""The settings of `hopefear train`."""

from pathlib import Path

from hopefear.commands.choices import OUTPUT, SET
from hopefear.settings import setting, settings


@settings
class TrainCommand:
    """What the command says beside the settings of a model."""

    settings: Path | None = setting(
        None, "A TOML file of settings.", argument=True, metavar="SETTINGS"
    )
    out: Path = setting(help="The model's directory.", short="o", metavar="MODEL", group=OUTPUT)
    set: tuple[str, ...] = setting((), SET, metavar="KEY=VALUE", group=OUTPUT)
