"""Published ways to tune, under the names by which people know them, with the papers' settings.

The presets that are called annealed are our own: Chiang's learners with smaller and smaller steps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypedDict

from hopefear.errors import ConfigError
from hopefear.learners import (
    Arow,
    ForestMira,
    KBestMira,
    Learner,
    Mert,
    MinRisk,
    Mira,
    OnlineSgd,
    Oro,
    Perceptron,
    Pro,
    Rampion,
    Sgd,
    learners,
)
from hopefear.losses import Loss, Ramp1, Ramp2, Ramp3
from hopefear.registry import suggest
from hopefear.regularizers import L2, L2Start
from hopefear.search import Hope
from hopefear.settings import config
from hopefear.settings.toml_writer import format_table

__all__ = ["Preset", "describe_preset", "find_preset", "presets"]


# Gimpel and Smith decode T = 20 times and take T′ = 10 rounds each time. Where lists are given, all
# rounds are with them.
ROUNDS, ROUNDS_OF_A_LIST = 200, 10


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A learner with its settings, one line that says what it is, and where it starts.

    `start` has weights of features whose names may have wildcards; all others start at 0.
    `on_forests` takes the learner's place if there are forests in place of lists. `scale_features`
    is the run's setting of that name.
    """

    learner: Learner
    explanation: str
    start: Mapping[str, float] = field(default_factory=dict)
    on_forests: Learner | None = None
    scale_features: bool = False


def _gimpel(loss: Loss, what: str) -> Preset:
    """Subgradient descent with RAMPION's settings."""
    learner = Sgd(
        loss=loss,
        cost_scale=10.0,
        rate=0.0001,
        regularizer=L2Start(strength=1.0),
        averaged=False,
        epochs=ROUNDS,
    )
    return Preset(
        learner=learner,
        explanation=f"{what}, by subgradient descent",
        on_forests=replace(learner, epochs=ROUNDS_OF_A_LIST),
    )


# Chiang starts language models and phrase probabilities at 1, as our, Moses' and cdec's models name
# them, and all else at 0: with negative weights of these a learner would not recover (section 7).
PROBABILITIES = (
    "LM*",
    "LanguageModel*",
    "p_?_given_?",
    "TranslationModel0_0",
    "TranslationModel0_2",
    "PhraseModel_0",
    "PhraseModel_1",
)
CHIANG_START = MappingProxyType(dict.fromkeys(PROBABILITIES, 1.0))


def _chiang() -> Mapping[str, Preset]:
    """Return the rows of table 1, on one processor: 10 epochs, μ = −1, forest reranking."""
    found: dict[str, Preset] = {}

    def add(name: str, learner: Learner, what: str) -> None:
        found[f"chiang2012-{name}"] = Preset(learner=learner, explanation=what, start=CHIANG_START)

    add("mert-small", Mert(restarts=20), "MERT, 20 restarts, on lists merged over iterations")
    add("sgd-small", OnlineSgd(rate=0.02), "hope and fear by SGD, η = 0.02")
    add("risk-small", MinRisk(rate=0.05), "minimum risk under linear BLEU, η = 0.05")
    add("mira-small", Mira(rate=0.05), "MIRA with cutting planes on hope and fear, η = 0.05")
    add("sgd-large", OnlineSgd(rate=0.01), "SGD for many features, η = 0.01")
    add("mira-large", Mira(rate=0.01), "MIRA for many features, η = 0.01")
    arow = Arow(rate=1.0, confidence=0.01, feature_rates=dict.fromkeys(PROBABILITIES, 0.01))
    add("arow-large", arow, "AROW for many features, η₀ = 1, λ = 0.01; probabilities at 0.01")
    return found


class _Cooled(TypedDict):
    cooling: float
    average: Literal["late"]
    epochs: int


def _annealed() -> Mapping[str, Preset]:
    """Return the online learners as they did best for us: rates are in the features' own units."""
    cooled: _Cooled = {"cooling": 0.87, "average": "late", "epochs": 20}
    chosen: dict[str, tuple[Learner, str]] = {
        "perceptron": (
            Perceptron(rate=0.1, reference=Hope(mu=-0.3), constant_length=True, **cooled),
            "the perceptron, from the 1-best to the hope",
        ),
        "sgd": (OnlineSgd(rate=0.1, decay=0.99, **cooled), "hope and fear by SGD"),
        "mira": (Mira(rate=0.1, **cooled), "MIRA with cutting planes on hope and fear"),
        "arow": (Arow(rate=0.2, **cooled), "AROW on hope and fear"),
        "risk": (MinRisk(rate=0.1, decay=0.99, **cooled), "minimum risk under linear BLEU"),
    }
    return {
        f"annealed-{name}": Preset(
            learner=learner,
            explanation=f"{what}, annealed, on scaled features",
            start=CHIANG_START,
            scale_features=True,
        )
        for name, (learner, what) in chosen.items()
    }


def _watanabe() -> Mapping[str, Preset]:
    """Online rank optimization in batches of 16, 30 epochs, with and without line search."""
    oro = Oro(
        batch_size=16,
        max_oracles=0,
        l2=1e-5,
        rate=0.2,
        decay=0.85,
        epochs=30,
        line_search=False,
    )
    subgradient = replace(oro, update="subgradient")
    variants = {
        "mira": (replace(oro, update="mira", l2=100.0), "batch MIRA on pairs with corpus oracles"),
        "oro-hinge": (subgradient, "online rank optimization, hinge loss"),
        "oro-softmax": (
            replace(subgradient, loss="softmax"),
            "online rank optimization, softmax loss",
        ),
        "o-oro-hinge": (oro, "ORO with optimized updates, hinge loss"),
        "o-oro-softmax": (replace(oro, loss="softmax"), "ORO with optimized updates, softmax loss"),
    }
    found: dict[str, Preset] = {}
    for name, (learner, what) in variants.items():
        found[f"watanabe2012-{name}"] = Preset(learner=learner, explanation=what)
        found[f"watanabe2012-{name}-l"] = Preset(
            learner=replace(learner, line_search=True),
            explanation=f"{what}, with a line search after each epoch",
        )
    return found


RAMPION = Rampion(
    cost_scale=10.0, rate=0.0001, regularizer=L2Start(strength=1.0), passes=5, epochs=ROUNDS
)

presets: Mapping[str, Preset] = MappingProxyType(
    {
        "moses-mert": Preset(
            learner=Mert(restarts=20),
            explanation="minimum error rate training: line searches on the metric, 20 restarts",
        ),
        "moses-kbmira": Preset(
            learner=KBestMira(max_step=0.01, decay=0.999, line_search=0, epochs=60),
            explanation="k-best batch MIRA, 60 epochs, C = 0.01",
            on_forests=ForestMira(max_step=0.01, decay=0.999, line_search=0, epochs=60),
        ),
        "moses-pro": Preset(
            learner=Pro(
                samples=5000,
                kept=50,
                threshold=0.05,
                regularizer=L2(strength=1.0),
                interpolation=1.0,
                epochs=1,
            ),
            explanation="pairwise ranking by one logistic regression on sampled pairs",
        ),
        "gimpel2012-rampion": Preset(
            learner=RAMPION,
            explanation="ramp loss 3 (hope against fear) by the concave-convex procedure",
            on_forests=replace(RAMPION, epochs=ROUNDS_OF_A_LIST),
        ),
        "gimpel2012-mert": Preset(
            learner=Mert(restarts=20), explanation="the paper's first baseline: Moses' MERT"
        ),
        "gimpel2012-pro": Preset(
            learner=Pro(samples=5000, kept=50, threshold=0.05, interpolation=0.1, epochs=25),
            explanation="the paper's second baseline: PRO with Hopkins and May's settings",
        ),
        "gimpel2012-ramp1": _gimpel(Ramp1(), "ramp loss 1 (1-best against fear)"),
        "gimpel2012-ramp2": _gimpel(Ramp2(), "ramp loss 2 (hope against 1-best)"),
        "gimpel2012-soft-ramp1": _gimpel(Ramp1(soft=True), "soft ramp loss 1: Jensen risk bound"),
        "gimpel2012-soft-ramp2": _gimpel(Ramp2(soft=True), "soft ramp loss 2"),
        "gimpel2012-soft-ramp3": _gimpel(Ramp3(soft=True), "soft ramp loss 3"),
        "watanabe2012-mert": Preset(
            learner=Mert(restarts=4, random_directions=8),
            explanation="the paper's MERT: 4 restarts, 8 random directions",
        ),
        # Unlike the paper's classifier, which has a hinge loss, ours is logistic. The paper's λ of
        # 1e-5 is against the mean over some hundred thousand pairs, ours against their sum.
        "watanabe2012-pro": Preset(
            learner=Pro(
                pairs="oracle",
                max_oracles=0,
                interpolation=1.0,
                regularizer=L2(strength=1.0),
                epochs=1,
            ),
            explanation="PRO on all pairs with corpus oracles",
        ),
        **_watanabe(),
        **_chiang(),
        **_annealed(),
    }
)
"""Every preset by its name."""


def find_preset(name: str) -> Preset:
    """Return a preset, or a learner with our defaults as one."""
    if name in presets:
        return presets[name]
    if name in learners:
        summary = (learners[name].__doc__ or "").partition("\n")[0]
        return Preset(learner=learners[name](), explanation=summary)
    raise ConfigError(f"unknown preset '{name}'{suggest(name, [*presets, *learners])}")


def describe_preset(name: str) -> str:
    """Return the settings of a preset or a learner as TOML, as a file of settings may have them."""
    preset = find_preset(name)
    table = {
        "name": learners.name_of(type(preset.learner)),
        **config.encode(preset.learner),
    }
    tables: dict[str, object] = {"scale_features": True} if preset.scale_features else {}
    if preset.start:
        tables["start_patterns"] = dict(preset.start)
    return f"# {preset.explanation}\n" + format_table({**tables, "learner": table})
