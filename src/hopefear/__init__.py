"""hopefear learns the weights of linear models over structured outputs.

`fit` learns from candidates in memory. The commands are functions: `convert`, `evaluate`,
`inspect`, `report`, `reproduce`, `rerank`, `resume_tuning`, `simulate_cluster`, `train`,
`translate`, `tune`, `tune_grid`; `tune_events` and `resume_events` yield events while they learn.
All are loaded when they are first used, so that importing takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopefear.api import (
        TuneResult,
        convert,
        evaluate,
        inspect,
        report,
        reproduce,
        rerank,
        resume_events,
        resume_tuning,
        simulate_cluster,
        train,
        tune,
        tune_events,
    )
    from hopefear.errors import HopefearError, HopefearWarning
    from hopefear.fitting import Fitted, Reranker, fit
    from hopefear.runs.grid import tune_grid
    from hopefear.translation.model import Model
    from hopefear.translation.translate import translate
    from hopefear.types import Weights

__all__ = [
    "Fitted",
    "HopefearError",
    "HopefearWarning",
    "Model",
    "Reranker",
    "TuneResult",
    "Weights",
    "__version__",
    "convert",
    "evaluate",
    "fit",
    "inspect",
    "report",
    "reproduce",
    "rerank",
    "resume_events",
    "resume_tuning",
    "simulate_cluster",
    "train",
    "translate",
    "tune",
    "tune_events",
    "tune_grid",
]

__version__ = "0.1.0"

_HOMES = {
    "Fitted": "fitting",
    "HopefearError": "errors",
    "HopefearWarning": "errors",
    "Model": "translation.model",
    "Reranker": "fitting",
    "Weights": "types",
    "fit": "fitting",
    "translate": "translation.translate",
    "tune_grid": "runs.grid",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return import_module(f"{__name__}.api").signed(name)
