"""Sizes of memory as people write them."""

import re

from hopefear.errors import ConfigError

__all__ = ["parse_size"]

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(text: str) -> int:
    """Return the number of bytes.

    Examples
    --------
    >>> parse_size("1.5G"), parse_size("0")
    (1610612736, 0)
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMGT]?)i?B?", text, re.ASCII)
    if not found:
        raise ConfigError(f"'{text}' is not a size; write bytes, or as in 500M or 2G")
    return int(float(found[1]) * _UNITS[found[2]])
