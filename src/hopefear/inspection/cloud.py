"""The cloud of a sentence: its candidates by model score and by what the metric says of them.

Chiang (2012), Hope and fear for discriminative training of SMT, JMLR 13, figure 1.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopefear.errors import ConfigError, FormatError, file_error_reason
from hopefear.formats.fields import parse_json
from hopefear.formats.files import open_output
from hopefear.settings import config

__all__ = ["Chosen", "Cloud", "CloudPoint", "FeatureDifference", "read_cloud", "write_cloud"]


@dataclass(frozen=True, kw_only=True)
class CloudPoint:
    """A derivation or hypothesis: its text, its model score w · h and its sentence-level score."""

    text: str
    score: float
    worth: float


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The 1-best, the hope or the fear.

    Parameters
    ----------
    point : CloudPoint
        Its text and scores.
    gain : float
        B, the gain by the metric within a document. The hope has the largest w · h + B, the fear
        the largest w · h − B.
    features : mapping
        The feature vector h.
    statistics : tuple of float
        The sufficient statistics of the metric.
    tree : tuple of str
        The derivation, one line per edge; empty for a hypothesis of a list.
    """

    point: CloudPoint
    gain: float
    features: Mapping[str, float]
    statistics: tuple[float, ...] = ()
    tree: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FeatureDifference:
    """A feature whose values differ, and its share of w · (h(hope) − h(fear))."""

    name: str
    weight: float
    best: float
    hope: float
    fear: float

    @property
    def share(self) -> float:
        """The term of this feature in the dot product."""
        return self.weight * (self.hope - self.fear)


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """A sentence under given weights.

    Parameters
    ----------
    sentence : str
        Its number, counted from 0, or its key.
    metric, worth : str
        The name of the metric, and the name of the sentence-level score on the x axis.
    search : str
        How hope and fear were found.
    references : tuple of str
        The reference translations.
    size : str
        The number of derivations or hypotheses, in words.
    listed : tuple of CloudPoint
        The candidates with the highest model scores.
    others : tuple of CloudPoint
        A random sample of the other candidates.
    best, hope, fear : Chosen
        The 1-best, the hope and the fear.
    listed_hope, listed_fear : CloudPoint, optional
        The hope and the fear within `listed`, if the search also looked elsewhere.
    weights : mapping
        The weights of the features of `best`, `hope` and `fear`.
    """

    sentence: str
    metric: str
    worth: str
    search: str
    references: tuple[str, ...]
    size: str
    listed: tuple[CloudPoint, ...]
    others: tuple[CloudPoint, ...]
    best: Chosen
    hope: Chosen
    fear: Chosen
    listed_hope: CloudPoint | None = None
    listed_fear: CloudPoint | None = None
    weights: Mapping[str, float]

    @property
    def chosen(self) -> dict[str, Chosen]:
        """The 1-best, the hope and the fear, by name."""
        return {"1-best": self.best, "hope": self.hope, "fear": self.fear}

    def differences(self, limit: int = 20) -> list[FeatureDifference]:
        """Return the features whose values differ, those with the largest shares first."""
        chosen = (self.best.features, self.hope.features, self.fear.features)
        names = dict.fromkeys(name for features in chosen for name in features)
        found = []
        for name in names:
            best, hope, fear = (features.get(name, 0.0) for features in chosen)
            weight = self.weights.get(name, 0.0)
            if hope != fear or best != hope:
                found.append(
                    FeatureDifference(name=name, weight=weight, best=best, hope=hope, fear=fear)
                )
        found.sort(key=lambda item: (-abs(item.share), -abs(item.hope - item.fear)))
        return found[:limit]


def write_cloud(path: Path, cloud: Cloud) -> None:
    """Write a cloud as JSON."""
    with open_output(path) as out:
        json.dump(config.encode(cloud), out, ensure_ascii=False, allow_nan=False, indent=1)
        out.write("\n")


def read_cloud(path: Path) -> Cloud:
    """Read a cloud that `write_cloud` wrote; raise FormatError if the file is not one."""
    try:
        table: Any = parse_json(path.read_text(encoding="utf-8"), str(path), 1)
        cloud = config.decode(Cloud, table, source=str(path))
        dimensions = {len(chosen.statistics) for chosen in cloud.chosen.values()}
        if len(dimensions) > 1 or not cloud.listed:
            raise FormatError(f"{path}: its candidates do not fit together")
        return cloud
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {file_error_reason(error)}") from error
    except ConfigError as error:
        raise FormatError(str(error)) from error
    except ValueError as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error
