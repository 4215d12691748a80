"""Tables of features that were chosen from a bitext: fields separated by tabs."""

from collections.abc import Iterable, Iterator

from hopefear.formats.files import PathLike, open_output, open_source

__all__ = ["read_feature_table", "write_feature_table"]


def write_feature_table(rows: Iterable[tuple[str, ...]], path: PathLike) -> int:
    """Write rows, whole or not at all, and return their number; fields have no tabs."""
    count = 0
    with open_output(path) as file:
        for row in rows:
            file.write("\t".join(row) + "\n")
            count += 1
    return count


def read_feature_table(path: PathLike) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a file, plain or gzip.

    Raises
    ------
    FormatError
        If it cannot be read.
    """
    with open_source(path) as source:
        for _, line in source:
            yield tuple(line.split("\t"))
