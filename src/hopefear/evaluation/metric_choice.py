"""Metrics by their names, with the options that several of them share."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, cast

from hopefear.errors import ConfigError
from hopefear.metrics import TextMetric, metrics
from hopefear.settings import config

__all__ = ["choose_metrics"]


def choose_metrics(
    names: Sequence[str], *, tokenize: str | None = None, lowercase: bool = False
) -> dict[str, TextMetric]:
    """Return the metrics with these names.

    Parameters
    ----------
    names : sequence of str
        Out of the registry `hopefear.metrics.metrics`.
    tokenize : str, optional
        For those that split texts into words themselves; an error if none does.
    lowercase : bool
        Ignore case, where that is not so in any case.

    Examples
    --------
    >>> choose_metrics(["bleu"], tokenize="none")["bleu"].tokenize
    'none'
    """
    shared = {"tokenize": tokenize, "lowercase": lowercase or None}
    chosen: dict[str, TextMetric] = {}
    unused = {option for option, value in shared.items() if value is not None}
    for name in names:
        kind = cast(Any, metrics[name])
        if not hasattr(kind, "prepare"):
            raise ConfigError(f"metric '{name}' does not compare texts with references")
        known = {field.name for field in fields(kind)}
        options = {
            key: value for key, value in shared.items() if value is not None and key in known
        }
        unused -= options.keys()
        if "case_sensitive" in known:
            unused -= {"lowercase"}  # it ignores case unless told otherwise
        chosen[name] = config.decode(kind, options, source=f"metric '{name}'")
    if unused:
        option, asked = sorted(unused)[0], ", ".join(names)
        raise ConfigError(f"the option '{option}' is for none of the chosen metrics: {asked}")
    return chosen
