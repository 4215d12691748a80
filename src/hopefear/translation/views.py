"""Rule features in another form: probabilities, logarithms, counts, or left out.

Clark, Dyer and Lavie (2014), Locally non-linear learning for statistical machine translation, TACL,
section 6: what is lost without the logarithm, and what counts can do in place of probabilities.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from fnmatch import fnmatchcase

from hopefear.errors import ConfigError
from hopefear.translation.uses import FeatureUse, FeatureViewName, GrammarUse, ModelNames

__all__ = ["viewed"]

_LABELS = ("goal", "pass_through")


def viewed(
    grammars: Sequence[GrammarUse], names: ModelNames, views: Mapping[str, FeatureViewName]
) -> tuple[tuple[GrammarUse, ...], ModelNames]:
    """Return grammars and names of which some features have another view.

    Parameters
    ----------
    grammars
        The grammars of a model.
    names
        The names of the decoder's own features, which can only be left out.
    views
        Views by names of features, with wildcards; the last pattern that matches a feature decides.

    Raises
    ------
    ConfigError
        If a pattern matches no feature, unless it only leaves features out.
    """
    own = [f.name for f in fields(names) if f.name not in _LABELS]
    changes = {name: view for name in own if (view := _view(getattr(names, name), views))}
    if wrong := [name for name, view in changes.items() if view != "none"]:
        feature = getattr(names, wrong[0])
        raise ConfigError(
            f"views: '{feature}' is the decoder's own feature: its only view is none, not "
            f"{changes[wrong[0]]}",
            settings=("views",),
        )
    known = {feature for use in grammars for feature in use.grammar.features}
    for pattern, view in views.items():
        if view != "none" and not any(fnmatchcase(name, pattern) for name in known):
            raise ConfigError(
                f"views: no feature of the grammars matches '{pattern}'; they have "
                f"{', '.join(sorted(known)) or 'none'}",
                settings=("views",),
            )
    return tuple(_use(use, views) for use in grammars), replace(names, **dict.fromkeys(changes, ""))


def _view(name: str, views: Mapping[str, FeatureViewName]) -> FeatureViewName | None:
    found = [view for pattern, view in views.items() if fnmatchcase(name, pattern)]
    return found[-1] if found else None


def _use(use: GrammarUse, views: Mapping[str, FeatureViewName]) -> GrammarUse:
    changed = {name: view for name in use.grammar.features if (view := _view(name, views))}
    kept = [feature for feature in use.features if feature.of not in changed]
    new = [FeatureUse(of=name, view=view) for name, view in changed.items()]
    return replace(use, features=(*kept, *new))
