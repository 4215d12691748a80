"""What makes a tuning run on forests worthless, or its result doubtful; see `guards`."""

from collections.abc import Iterator

import numpy as np

from hopefear.errors import DataError
from hopefear.learners import ForestSet
from hopefear.runs.data import LoadedSet
from hopefear.runs.wording import count, feature_list, have, number_word, sentence_list

__all__ = ["check_forest_features", "check_forests"]


def check_forests(data: LoadedSet, forests: ForestSet) -> Iterator[str]:
    """Look for forests that teach nothing; give a warning for each kind of them."""
    role = data.role
    missing = [i for i, forest in enumerate(forests.forests) if forest is None]
    # Every node has an edge, and belongs to a derivation.
    single = [
        i
        for i, forest in enumerate(forests.forests)
        if forest is not None and forest.edge_count == forest.node_count
    ]
    if len(missing) + len(single) == forests.sentence_count:
        raise DataError(
            f"no forest of the {role} data has more than one derivation, so that there is nothing "
            "to choose"
        )
    if missing:
        yield (
            f"{count(len(missing), 'sentence')} of the {role} data {have(len(missing))} no "
            f"forest and {number_word(len(missing), 'is', 'are')} left out: "
            f"{sentence_list(data, missing)}"
        )
    if single:
        yield (
            f"{count(len(single), 'sentence')} of the {role} data {have(len(single))} one "
            f"derivation only, which teaches nothing: {sentence_list(data, single)}"
        )


def check_forest_features(data: LoadedSet, forests: ForestSet) -> Iterator[str]:
    """Look for features that cannot be learned."""
    names, present = forests.feature_names, forests.feature_counts > 0
    if not present.any():
        raise DataError(f"the edges of the {data.role} data have no features")
    constant = np.flatnonzero(present & (forests.feature_spread == 0))
    if len(constant) == np.count_nonzero(present):
        raise DataError(
            f"every feature of the {data.role} data has the same value in all derivations of a "
            f"sentence, so that no weight changes any choice: {feature_list(names, constant)}"
        )
    if len(constant):
        yield (
            "features with the same value in all derivations of a sentence cannot be learned; "
            f"their weights stay as they started: {feature_list(names, constant)}"
        )
