"""What data a run was started with, in a few digits, so that it goes on with the same alone.

A fingerprint finds what was changed by mistake; it is no protection against intent.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hopefear.candidates import ForestSet, ListSet
from hopefear.candidates.values import checksum
from hopefear.errors import DataError
from hopefear.runs.settings import TuneSettings
from hopefear.types import FloatArray, Weights

__all__ = [
    "Fingerprints",
    "check_same_data",
    "fingerprint_candidates",
    "fingerprint_file",
    "fingerprint_numbers",
    "fingerprint_texts",
    "fingerprint_weights",
]

Fingerprints = Mapping[str, str]
"""Of what a setting names, such as ``tuning.nbest``."""

DIGITS = 16  # of four bits each


def fingerprint_candidates(data: ListSet | ForestSet) -> str:
    """Return a fingerprint of n-best lists with what a metric counted, or of forests."""
    names = [list(data.feature_names)]
    if isinstance(data, ForestSet):
        # All have the same words.
        names.append(next(list(f.words) for f in data.forests if f is not None))
    return f"{checksum(data):0{DIGITS}x}-{fingerprint_texts(names)}"


def fingerprint_texts(texts: Iterable[Sequence[str]]) -> str:
    """Return a fingerprint of sentences, each with one or more texts."""
    digest = hashlib.blake2b(digest_size=DIGITS // 2)
    for sentence in texts:
        digest.update("\n".join(sentence).encode() + b"\n\n")
    return digest.hexdigest()


def fingerprint_numbers(values: FloatArray) -> str:
    """Return a fingerprint of an array."""
    return hashlib.blake2b(values.tobytes(), digest_size=DIGITS // 2).hexdigest()


def fingerprint_weights(weights: Weights) -> str:
    """Return a fingerprint of weights."""
    return fingerprint_texts([[f"{name} {value!r}"] for name, value in weights.items()])


def fingerprint_file(path: Path) -> str:
    """Return a fingerprint of a file; of anything else, of its name."""
    if not path.is_file():
        return fingerprint_texts([[str(path)]])
    digest = hashlib.blake2b(digest_size=DIGITS // 2)
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def check_same_data(
    run: Path, settings: TuneSettings, before: Fingerprints, now: Fingerprints
) -> None:
    """Refuse data that is not what a run was started with."""
    for setting, fingerprint in now.items():
        if before.get(setting, fingerprint) != fingerprint:
            raise DataError(
                f"{run}: cannot go on: {setting} ({_files(settings, setting)}) is not what the run "
                "was started with; put back what was there, or begin again"
            )


def _files(settings: TuneSettings, setting: str) -> str:
    value: object = settings
    for name in setting.split("."):
        value = getattr(value, name)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
