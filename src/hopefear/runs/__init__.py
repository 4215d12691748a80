"""Tuning: everything between files of candidates and learners."""

from hopefear.presets import Preset, presets
from hopefear.runs.data import LoadedSet, load_data
from hopefear.runs.loop import learn
from hopefear.runs.options import build_settings
from hopefear.runs.run import run
from hopefear.runs.settings import DataSettings, TuneSettings

__all__ = [
    "DataSettings",
    "LoadedSet",
    "Preset",
    "TuneSettings",
    "build_settings",
    "learn",
    "load_data",
    "presets",
    "run",
]
