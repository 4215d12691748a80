"""The settings of `hopefear presets`."""

from hopefear.commands.choices import systems_to_choose
from hopefear.settings import setting, settings


@settings
class PresetsCommand:
    """Which preset to print."""

    name: str | None = setting(
        None,
        "A preset or a learner to print.",
        argument=True,
        metavar="NAME",
        complete=systems_to_choose,
    )
