"""The settings of `hopefear evaluate`."""

from collections.abc import Mapping
from pathlib import Path

from hopefear.commands.choices import OUTPUT, THREADS, metrics_to_choose, tokenizers_to_choose
from hopefear.settings import setting, settings


@settings
class EvaluateSettings:
    """How systems are scored."""

    hyp: tuple[Path | tuple[str, ...], ...] | Mapping[str, tuple[str, ...]] = setting(
        help="The output of a system, one sentence per line; the first is the baseline."
    )
    refs: tuple[Path | tuple[str, ...], ...] = setting(
        help="Reference translations, one sentence per line."
    )
    metric: tuple[str, ...] | Mapping[str, object] = setting(
        ("bleu",), "How to score.", metavar="NAME", complete=metrics_to_choose, shown="bleu"
    )
    tokenize: str | None = setting(
        None,
        "Tokenizer, as in sacreBLEU, for metrics that have a choice.",
        complete=tokenizers_to_choose,
        metavar="NAME",
    )
    lowercase: bool = setting(False, "Ignore case.")
    resamples: int = setting(
        1000, "Test sets drawn for the paired bootstrap; 0 for scores alone.", least=0
    )
    seed: int = setting(12345, "Determines which test sets are drawn.", least=0)
    threads: int = setting(0, THREADS, least=0, shown="one per core")


@settings
class EvaluateCommand:
    """How scores are printed."""

    json: bool = setting(False, "Print JSON.", group=OUTPUT)
