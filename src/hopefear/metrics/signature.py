"""Signatures: what a score depends on, as ``key:value`` pairs joined by ``|``, version last.

The form is sacreBLEU's, so that a score can be compared with one from there.
"""

from functools import cache

from hopefear.metrics.references import References

__all__ = ["format_signature", "sacrebleu_version"]


@cache
def sacrebleu_version() -> str:
    """Return the version of the sacreBLEU that is installed, without loading it."""
    from importlib.metadata import version  # 2 MB that most uses of a metric do without

    return version("sacrebleu")


def format_signature(references: References, version: str, **options: object) -> str:
    """Put a signature together; True and False are written as yes and no, None is left out.

    Examples
    --------
    >>> format_signature(References([["a"]]), "2.6.0", case="mixed", eff=False, order=None)
    'nrefs:1|case:mixed|eff:no|version:2.6.0'
    """
    counts = references.counts
    items = {"nrefs": counts.pop() if len(counts) == 1 else "var", **options, "version": version}
    words = {True: "yes", False: "no"}
    return "|".join(
        f"{key}:{words[value] if isinstance(value, bool) else value}"
        for key, value in items.items()
        if value is not None
    )
