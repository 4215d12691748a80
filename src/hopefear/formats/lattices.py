"""Lattices as columns: for each state but the last the arcs that leave it.

The form of PLF and JLF: an arc has a word or none, features, and how many states it goes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hopefear.errors import FormatError
from hopefear.forest import Arc, Forest, lattice_forest
from hopefear.types import Vocabulary

__all__ = ["ColumnArc", "columns_forest", "forest_columns"]


@dataclass(frozen=True)
class ColumnArc:
    """An arc: what it says, what that is worth, and how many states further it ends."""

    words: tuple[str, ...] = ()
    features: dict[str, float] = field(default_factory=dict)
    distance: int = 1


def columns_forest(
    columns: Sequence[Sequence[ColumnArc]], words: Vocabulary, feature_names: Vocabulary
) -> Forest:
    """Return the forest whose derivations are the paths from the first state to the last."""
    end = len(columns)
    if not end:
        raise FormatError("the lattice is empty")
    arcs = []
    for state, column in enumerate(columns):
        for arc in column:
            if not 1 <= arc.distance <= end - state:
                raise FormatError(
                    f"state {state}: an arc of length {arc.distance} ends beyond the last state, "
                    f"{end}"
                    if arc.distance >= 1
                    else f"state {state}: an arc must go forward, not by {arc.distance}"
                )
            arcs.append(
                Arc(
                    source=state,
                    target=state + arc.distance,
                    words=arc.words,
                    features=arc.features,
                )
            )
    return lattice_forest(arcs, final={end: {}}, words=words, feature_names=feature_names)


def forest_columns(forest: Forest, format: str) -> list[list[ColumnArc]]:
    """Return a forest as a lattice; FormatError if it is none.

    It is one if every edge has at most one tail, to which it appends words. An arc of several
    words becomes several arcs, the first of which has the features.
    """
    arcs: dict[int, list[tuple[int, tuple[str, ...], dict[str, float]]]] = {}
    plain_start = _is_start(forest, 0)
    for edge in range(forest.edge_count):
        head, tails = forest.head(edge), forest.tails(edge).tolist()
        if not tails and plain_start and head == 0:
            continue
        target = forest.target(edge)
        words = target[1:] if tails and target[:1] == (0,) else target
        if len(tails) > 1 or any(isinstance(word, int) for word in words):
            raise FormatError(
                f"the {format} format has lattices only, but edge {edge} does not append its "
                "words to one tail"
            )
        # State 0 is the start, or node 0 if nothing else begins a path.
        source = 0 if not tails else tails[0] + (not plain_start)
        said = tuple(word for word in words if isinstance(word, str))
        arcs.setdefault(source, []).append((head + (not plain_start), said, forest.features(edge)))
    last = forest.root + (not plain_start)
    return _columns(arcs, _without_last(arcs, last))


Arcs = dict[int, list[tuple[int, tuple[str, ...], dict[str, float]]]]


def _is_start(forest: Forest, node: int) -> bool:
    """Whether a node stands for the beginning: one empty edge, and no other edge without tails."""
    leaves = [e for e in range(forest.edge_count) if not len(forest.tails(e))]
    return (
        leaves == list(forest.edges(node))
        and len(leaves) == 1
        and not forest.target(leaves[0])
        and not forest.features(leaves[0])
        and forest.node_count > 1
    )


def _without_last(arcs: Arcs, last: int) -> int:
    """Return the last state: the one before, if an empty arc from there is all that leads on."""
    into = [(state, arc) for state, leaving in arcs.items() for arc in leaving if arc[0] == last]
    if len(into) == 1 and into[0][0] == last - 1 and into[0][1][1:] == ((), {}) and last > 1:
        arcs.pop(last - 1, None)
        return last - 1
    return last


def _columns(arcs: Arcs, last: int) -> list[list[ColumnArc]]:
    """Put in states for arcs of several words, right before the states in which they end."""
    inner = [0] * (last + 1)  # how many states come in before each
    for leaving in arcs.values():
        for head, words, _ in leaving:
            inner[head] += max(0, len(words) - 1)
    place, places, free = 0, [], []
    for extra in inner:
        free.append(place)
        place += extra
        places.append(place)
        place += 1
    columns: list[list[ColumnArc]] = [[] for _ in range(places[last])]
    for source in sorted(arcs):
        for head, words, features in arcs[source]:
            at = places[source]
            for i, word in enumerate(words or [None]):
                final = i + 1 >= len(words)
                to = places[head] if final else free[head]
                free[head] += not final
                said = () if word is None else (word,)
                columns[at].append(ColumnArc(said, features if i == 0 else {}, to - at))
                at = to
    return columns
