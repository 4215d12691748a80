"""hopefear learns the weights of linear models over structured outputs.

What the commands do, as functions: `convert`, `evaluate`, `inspect`, `report`, `rerank`,
`resume_tuning`, `train`, `translate`, `tune`. They are loaded when they are first used, so that
importing takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopefear.errors import HopefearError, HopefearWarning
    from hopefear.interface import convert, evaluate, report, rerank, resume_tuning, tune
    from hopefear.reporting.inspecting import inspect
    from hopefear.system import train
    from hopefear.translation.model import Model
    from hopefear.translation.translate import translate
    from hopefear.types import Weights

__all__ = [
    "HopefearError",
    "HopefearWarning",
    "Model",
    "Weights",
    "__version__",
    "convert",
    "evaluate",
    "inspect",
    "report",
    "rerank",
    "resume_tuning",
    "train",
    "translate",
    "tune",
]

__version__ = "0.1.0"

_HOMES = {
    "HopefearError": "errors",
    "HopefearWarning": "errors",
    "Model": "translation.model",
    "Weights": "types",
    "inspect": "reporting.inspecting",
    "train": "system",
    "translate": "translation.translate",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'interface')}"), name)
