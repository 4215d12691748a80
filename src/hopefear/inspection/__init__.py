"""Looking at a sentence: the cloud of its derivations, with 1-best, hope and fear."""

from hopefear.inspection.cloud import (
    Chosen,
    Cloud,
    CloudPoint,
    FeatureDifference,
    read_cloud,
    write_cloud,
)
from hopefear.inspection.forest_cloud import forest_cloud
from hopefear.inspection.forest_source import inspect_forests
from hopefear.inspection.list_cloud import list_cloud
from hopefear.inspection.options import CloudOptions
from hopefear.inspection.source import inspect_lists, inspect_run

__all__ = [
    "Chosen",
    "Cloud",
    "CloudOptions",
    "CloudPoint",
    "FeatureDifference",
    "forest_cloud",
    "inspect_forests",
    "inspect_lists",
    "inspect_run",
    "list_cloud",
    "read_cloud",
    "write_cloud",
]
