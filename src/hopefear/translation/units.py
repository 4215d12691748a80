"""Weights of other tools for a model of ours: the same features under other names, in other units.

Our language models are natural logarithms, a word counts -1 and an unknown word 1. cdec and Joshua
have logarithms to the base 10 and count -log10(e) for a word; Moses and Joshua count -100 for an
unknown word. So ``WordPenalty 1`` means another thing in a file of theirs than in one of ours.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from hopefear.errors import DataError
from hopefear.translation.uses import ModelNames
from hopefear.types import Weights

__all__ = ["Tool", "own_units"]

Tool = Literal["moses", "cdec", "joshua"]

LOG10 = 1.0 / math.log(10.0)  # log10(x) = LOG10 ln(x)
UNKNOWN = -100.0

# Names that only one tool has; a model of ours may have taken them over from a rule table.
_TELLING: Mapping[Tool, str] = {
    "moses": r"UnknownWordPenalty0",
    "cdec": r"LanguageModel|PassThrough(_\d+)?",
    "joshua": r"lm_\d+|OOVPenalty",
}


def own_units(
    weights: Mapping[str, float],
    names: ModelNames,
    language_models: Sequence[str],
    *,
    known: frozenset[str] = frozenset(),
    format: str = "tsv",
) -> Weights:
    """Return weights in terms of a model's own features, whatever tool they are from.

    Parameters
    ----------
    weights
        The weights.
    names
        Names of the decoder's own features.
    language_models
        Names of the features of the language models.
    known
        All features of the model.
    format
        The format of the file that the weights are from.

    Raises
    ------
    DataError
        If weights are of two tools, or if it cannot be told whose units they have.

    Examples
    --------
    >>> of_cdec = {"LanguageModel": 1.0, "WordPenalty": -1.0, "PassThrough": -0.5, "p": 0.2}
    >>> own_units(of_cdec, ModelNames(), ["LM0"])
    Weights(LM0=0.43429448190325176, WordPenalty=-0.43429448190325176, UnknownWord=-0.5, p=0.2)
    """
    telling = [name for name in weights if name not in known]
    tools: set[Tool] = {
        tool
        for tool, pattern in _TELLING.items()
        if format == tool != "cdec" or any(re.fullmatch(pattern, name) for name in telling)
    }
    if len(tools) > 1:
        raise DataError(
            f"the weights have features of {' and of '.join(sorted(tools))}, which use other "
            "units: give the weights of one tool"
        )
    if not tools:
        own = {*language_models, names.unknown_word}
        if format == "cdec" and names.word_penalty in weights and own.isdisjoint(weights):
            raise DataError(
                f"the units of the weight of '{names.word_penalty}' are not known: a word counts "
                "-1 here, and -0.434 in cdec and Joshua, and no other name tells whose weights "
                "these are; if they are in our units, write them as NAME, tab, VALUE"
            )
        return Weights(weights)
    (tool,) = tools
    renamed = {
        name: (ours, unit)
        for name, (ours, unit) in _renamed(tool, names, language_models).items()
        if ours  # without a name there is no such feature
    }
    found: dict[str, float] = {}
    for name, value in weights.items():
        ours, unit = renamed.get(name, (name, 1.0))
        if ours != name and ours in weights:
            raise DataError(f"the weights have '{name}' of {tool} and '{ours}', which is the same")
        found[ours] = unit * value
    return Weights(found)


def _renamed(
    tool: Tool, names: ModelNames, language_models: Sequence[str]
) -> dict[str, tuple[str, float]]:
    """Return our names of a tool's features, and what one of its units is in ours."""
    if tool == "moses":
        return {"UnknownWordPenalty0": (names.unknown_word, UNKNOWN)}
    renamed = {"WordPenalty": (names.word_penalty, LOG10)}
    if tool == "cdec":
        labels = ["LanguageModel"]
        renamed["PassThrough"] = (names.unknown_word, 1.0)
    else:
        labels = [f"lm_{i}" for i in range(len(language_models))]
        renamed["OOVPenalty"] = (names.unknown_word, UNKNOWN)
    for label, name in zip(labels, language_models, strict=False):
        renamed[label] = (name, LOG10)
    return renamed
