"""The commands as Python functions.

Each takes the settings of its command as keyword arguments: an option ``--dev-refs`` is called
``dev_refs``, and a dotted one, ``--learner.max-step``, is ``learner__max_step``, or
``learner={"max_step": 0.1}``. They are checked against the same declarations.
"""

from importlib import import_module

from hopefear.api.others import (
    convert,
    evaluate,
    inspect,
    report,
    reproduce,
    rerank,
    simulate_cluster,
    train,
)
from hopefear.api.tuning import TuneResult, resume_events, resume_tuning, tune, tune_events
from hopefear.settings.tree import signature

__all__ = [
    "TuneResult",
    "convert",
    "evaluate",
    "inspect",
    "report",
    "reproduce",
    "rerank",
    "resume_events",
    "resume_tuning",
    "simulate_cluster",
    "train",
    "tune",
    "tune_events",
]

_SETTINGS = {
    **dict.fromkeys(
        ("convert", "evaluate", "inspect", "report", "reproduce", "rerank", "simulate_cluster"),
        "hopefear.commands",
    ),
    "train": "hopefear.translation.training.settings",
    "tune": "hopefear.runs.settings",
    "tune_events": "hopefear.runs.settings",
}


def signed(name: str) -> object:
    """Return a function with the signature that its settings give it, for help() and editors."""
    function = globals()[name]
    if name in _SETTINGS and not hasattr(function, "__signature__"):
        title = name.removesuffix("_events").title().replace("_", "")
        kind = getattr(import_module(_SETTINGS[name]), f"{title}Settings")
        function.__signature__ = signature(kind, function)
    return function
