"""The settings of `hopefear completion`."""

from typing import Literal

from hopefear.settings import setting, settings


@settings
class CompletionCommand:
    """For which shell."""

    shell: Literal["bash", "fish", "zsh"] = setting(
        help="bash, fish or zsh.", argument=True, metavar="SHELL"
    )
