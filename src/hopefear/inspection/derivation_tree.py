"""A derivation as lines of text, with guides that show what is part of what."""

from collections.abc import Sequence

from hopefear.forest import Derivation

__all__ = ["derivation_tree", "draw_guides"]


def derivation_tree(derivation: Derivation) -> tuple[str, ...]:
    """Return a line for each edge: its target side, and the source words that it covers.

    Edges at the top that only put parts one after the other, as glue rules do, are left out: their
    parts stand below each other.
    """
    depths, texts = [], []
    above: list[bool] = []  # of each edge on the way to this one, whether it is left out
    for edge, line in zip(derivation.edges.tolist(), derivation.show().split("\n"), strict=True):
        text = line.lstrip(" ")
        depth = (len(line) - len(text)) // 2
        del above[depth:]
        left_out = all(above) and _only_joins(derivation, edge)
        if not left_out:
            depths.append(depth - sum(above))
            texts.append(text.partition(": ")[2])  # without the edge's number
        above.append(left_out)
    guides = draw_guides(depths)
    return tuple(f"{guide}{text}" for guide, text in zip(guides, texts, strict=True))


def _only_joins(derivation: Derivation, edge: int) -> bool:
    """Tell whether the target side of an edge is its tails in their order, and no word."""
    forest = derivation.forest
    begin, end = forest.target_begin[edge : edge + 2]
    symbols: list[int] = forest.targets[begin:end].tolist()
    return symbols == [~tail for tail in range(len(symbols))]


def draw_guides(depths: Sequence[int]) -> list[str]:
    """Return what stands before each line of a tree whose lines have these depths, in pre-order.

    Examples
    --------
    >>> draw_guides([0, 1, 2, 1])
    ['', '├─', '│ └─', '└─']
    """
    guides: list[str] = []
    open_below: list[bool] = []  # at each depth, whether a later line hangs there
    for depth in reversed(depths):
        del open_below[depth:]
        open_below += [False] * (depth - len(open_below))
        if not depth:
            guides.append("")
            continue
        before = "".join("│ " if more else "  " for more in open_below[: depth - 1])
        guides.append(before + ("├─" if open_below[depth - 1] else "└─"))
        open_below[depth - 1] = True
    return guides[::-1]
