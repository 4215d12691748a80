"""Clouds: the candidates of one sentence, with its 1-best, hope and fear.

`cloud.py` is the result and its file, `build.py` makes it from a list or a forest, `sources.py`
finds the sentence in a run or in files. Only the first is loaded here: reports need no more.
"""

from hopefear.inspection.cloud import (
    Chosen,
    Cloud,
    CloudPoint,
    FeatureDifference,
    read_cloud,
    write_cloud,
)

__all__ = ["Chosen", "Cloud", "CloudPoint", "FeatureDifference", "read_cloud", "write_cloud"]
