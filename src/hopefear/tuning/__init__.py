"""Tuning: everything between files of candidates and learners."""

from hopefear.tuning.data import LoadedSet, load_data
from hopefear.tuning.loop import learn
from hopefear.tuning.options import build_settings
from hopefear.tuning.presets import Preset, presets
from hopefear.tuning.run import run
from hopefear.tuning.settings import DataSettings, TuneSettings

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
