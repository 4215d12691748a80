"""Runs: from settings and files to events, weights and a run directory."""

from hopefear.runs.load import Loaded, load_data
from hopefear.runs.loop import learn
from hopefear.runs.options import build_settings
from hopefear.runs.run import run
from hopefear.runs.settings import DataSettings, TuneSettings

__all__ = [
    "DataSettings",
    "Loaded",
    "TuneSettings",
    "build_settings",
    "learn",
    "load_data",
    "run",
]
