"""Numbers as people read them."""

__all__ = ["format_bytes", "format_seconds", "format_weight"]


def format_weight(weight: float) -> str:
    """Return a weight with four digits that matter.

    Examples
    --------
    >>> format_weight(-0.123456), format_weight(1234.5), format_weight(0.0)
    ('-0.1235', '1234', '0')
    """
    return f"{weight + 0.0:.4g}"


def format_seconds(seconds: float) -> str:
    """Return a time.

    Examples
    --------
    >>> format_seconds(0.0042), format_seconds(75.3), format_seconds(4000.0)
    ('0.004 s', '1 min 15 s', '1 h 6 min')
    """
    if seconds < 60:
        return f"{seconds:.3f} s" if seconds < 1 else f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def format_bytes(size: int) -> str:
    """Return the size of a file.

    Examples
    --------
    >>> format_bytes(900), format_bytes(48_300), format_bytes(4_912_000)
    ('900 bytes', '48.3 kB', '4.9 MB')
    """
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1e3:.1f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"
