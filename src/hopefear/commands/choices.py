"""What several commands offer: names to choose from, and words of their help."""

from typing import get_args

OUTPUT, RUN = "Output", "Run"
WITHOUT_RUN = "Data, without a run"
SET = "Any setting by its dotted key; tables are written as in TOML."
THREADS = "Number of threads; no result depends on it."


def metrics_to_choose() -> list[str]:
    """Metrics that score whole documents."""
    from hopefear.metrics import metrics

    return [name for name in metrics if hasattr(metrics[name], "prepare")]


def tokenizers_to_choose() -> list[str]:
    """Tokenizers of the metrics."""
    from hopefear.text.tokenizers import TokenizerName

    return list(get_args(TokenizerName))


def searches_to_choose() -> list[str]:
    """Ways to find hope and fear."""
    from hopefear.search import searches

    return list(searches)


def formats_to_choose(*kinds: str) -> list[str]:
    """List the formats of files of these kinds."""
    from hopefear import formats

    return [name for kind in kinds for name in getattr(formats, f"{kind}_formats")]


def systems_to_choose() -> list[str]:
    """Presets and learners."""
    from hopefear.learners import learners
    from hopefear.presets import load_presets

    return [*load_presets(), *learners]
