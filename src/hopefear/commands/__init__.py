"""The settings of the commands, beside those of tuning runs and of models.

A class whose name ends in Settings is also what the Python function of that name takes; one that
ends in Command has what only the command line says.
"""

from hopefear.commands.completion import CompletionCommand
from hopefear.commands.convert import ConvertSettings
from hopefear.commands.demo import DemoCommand
from hopefear.commands.evaluate import EvaluateCommand, EvaluateSettings
from hopefear.commands.inspect import InspectSettings
from hopefear.commands.presets import PresetsCommand
from hopefear.commands.report import ReportSettings
from hopefear.commands.reproduce import ReproduceSettings
from hopefear.commands.rerank import RerankCommand, RerankSettings
from hopefear.commands.simulate_cluster import SimulateClusterSettings
from hopefear.commands.train import TrainCommand
from hopefear.commands.translate import TranslateCommand
from hopefear.commands.tune import TuneCommand

__all__ = [
    "CompletionCommand",
    "ConvertSettings",
    "DemoCommand",
    "EvaluateCommand",
    "EvaluateSettings",
    "InspectSettings",
    "PresetsCommand",
    "ReportSettings",
    "ReproduceSettings",
    "RerankCommand",
    "RerankSettings",
    "SimulateClusterSettings",
    "TrainCommand",
    "TranslateCommand",
    "TuneCommand",
]
