"""File formats of other tools and our own: n-best lists, forests, weights and rules.

A format is a class that registers itself. This package imports all modules in its folders, so that
the registries are complete.
"""

from importlib import import_module
from pkgutil import walk_packages

from hopefear.formats.base import (
    ForestFormat,
    NBestFormat,
    WeightsFormat,
    WritableNBestFormat,
    forest_formats,
    nbest_formats,
    weights_formats,
)
from hopefear.formats.fields import read_keyed_lines
from hopefear.formats.files import open_output, read_lines
from hopefear.formats.forests import detect_forests, read_forests, write_forests
from hopefear.formats.forests.store import ForestStore, ForestWriter
from hopefear.formats.keyed import keyed_references
from hopefear.formats.nbest import SentenceKeys, detect_nbest, load_nbest, read_nbest, write_nbest
from hopefear.formats.rules import (
    RuleFormat,
    detect_rules,
    read_rules,
    read_segments,
    rule_formats,
    write_rules,
)
from hopefear.formats.texts import read_reference_lines
from hopefear.formats.weights import detect_weights, read_weights, write_weights

__all__ = [
    "ForestFormat",
    "ForestStore",
    "ForestWriter",
    "NBestFormat",
    "RuleFormat",
    "SentenceKeys",
    "WeightsFormat",
    "WritableNBestFormat",
    "detect_forests",
    "detect_nbest",
    "detect_rules",
    "detect_weights",
    "forest_formats",
    "keyed_references",
    "load_nbest",
    "nbest_formats",
    "open_output",
    "read_forests",
    "read_keyed_lines",
    "read_lines",
    "read_nbest",
    "read_reference_lines",
    "read_rules",
    "read_segments",
    "read_weights",
    "rule_formats",
    "weights_formats",
    "write_forests",
    "write_nbest",
    "write_rules",
    "write_weights",
]

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
