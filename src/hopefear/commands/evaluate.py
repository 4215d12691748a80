"""The settings of `hopefear evaluate`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from hopefear.commands.choices import (
    OUTPUT,
    THREADS,
    formats_to_choose,
    metrics_to_choose,
    tokenizers_to_choose,
)
from hopefear.errors import ConfigError
from hopefear.settings import setting, settings
from hopefear.settings.shared import columns_setting, ignore_setting

PARTS, ORACLES = "Sentences and words", "Oracles of candidates"


@settings
class EvaluateSettings:
    """How systems are scored."""

    hyp: (
        tuple[Path | tuple[str, ...], ...] | Mapping[str, tuple[str | Path | tuple[str, ...], ...]]
    ) = setting(
        (),
        "The output of a system, one sentence per line; the first is the baseline. "
        "NAME=FILE,FILE names a system and gives the outputs of its optimizer replicas; "
        "NAME='out.*.txt' does so by a pattern.",
        metavar="[NAME=]FILE",
    )
    refs: tuple[Path | tuple[str, ...], ...] = setting(
        help="Reference translations, one sentence per line."
    )
    metric: tuple[str, ...] | Mapping[str, object] = setting(
        ("bleu", "chrf", "ter"),
        "How to score; several names may be separated by commas.",
        metavar="NAME",
        complete=metrics_to_choose,
        shown="bleu,chrf,ter",
    )
    tokenize: str | None = setting(
        None,
        "Tokenizer, as in sacreBLEU, for metrics that have a choice.",
        complete=tokenizers_to_choose,
        metavar="NAME",
    )
    lowercase: bool = setting(False, "Ignore case.")
    resamples: int = setting(
        1000, "Test sets drawn for the paired bootstrap; 0 for no bootstrap.", least=0
    )
    shuffles: int = setting(
        10_000, "Shuffles of approximate randomization; 0 for no randomization.", least=0
    )
    exchange: Literal["sentences", "outputs"] = setting(
        "sentences",
        "What changes sides in a shuffle: the outputs of all replicas for a sentence together, or "
        "each output on its own, as in MultEval, which takes replicas for independent.",
    )
    seed: int = setting(12345, "Determines the test sets and the shuffles.", least=0)
    differences: int = setting(
        0,
        "Also show this many sentences in which a system wins most, and in which it loses most, "
        "against the first one, by the first metric.",
        least=0,
        group=PARTS,
    )
    buckets: bool = setting(
        False, "Also score sentences by their length and words by their frequency.", group=PARTS
    )
    frequencies: Path | tuple[str, ...] | None = setting(
        None,
        "A text, such as that of the training data, in which the words are counted for buckets.",
        shown="the references",
        group=PARTS,
    )
    nbest: tuple[Path, ...] = setting(
        (), "N-best lists: show the best and the worst that could be chosen.", group=ORACLES
    )
    forests: Path | None = setting(
        None, "Forests instead of lists: a file or a directory.", group=ORACLES
    )
    weights: Path | Mapping[str, float] | None = setting(
        None,
        "A run directory or a file of weights, which order the candidates.",
        shown="the order of the lists",
        group=ORACLES,
    )
    format: str | None = setting(
        None,
        "Format of the lists or forests.",
        shown="auto-detected",
        complete=lambda: formats_to_choose("nbest", "forest"),
        group=ORACLES,
    )
    columns: tuple[str, ...] = columns_setting(ORACLES)
    ignore: tuple[str, ...] = ignore_setting(ORACLES)
    size: int = setting(
        100, "Translations listed from each forest, if weights are given.", least=1, group=ORACLES
    )
    threads: int = setting(0, THREADS, least=0, shown="one per core")

    def check(self) -> None:
        """Require something to evaluate, and one kind of candidates."""
        if not self.hyp and not self.nbest and self.forests is None:
            problem = "nothing to evaluate: give outputs, n-best lists or forests"
            raise ConfigError(problem, settings=("hyp", "nbest", "forests"))
        if self.nbest and self.forests is not None:
            problem = "n-best lists or forests: choose one"
            raise ConfigError(problem, settings=("nbest", "forests"))
        needs = {
            ("hyp",): ("differences", "buckets", "frequencies"),
            ("nbest", "forests"): ("weights", "format", "columns", "ignore"),
        }
        for needed, names in needs.items():
            given = [name for name in names if getattr(self, name)]
            if given and not any(getattr(self, name) for name in needed):
                problem = f"{given[0]} is for {' or '.join(needed)}, which is not given"
                raise ConfigError(problem, settings=(given[0], *needed))


@settings
class EvaluateCommand:
    """How scores are printed."""

    json: bool = setting(False, "Print JSON.", group=OUTPUT)
    markdown: bool = setting(False, "Print tables in Markdown.", group=OUTPUT)
    latex: bool = setting(
        False, "Print tables in LaTeX, which need the package booktabs.", group=OUTPUT
    )

    def check(self) -> None:
        """Refuse two kinds of output."""
        chosen = [name for name in ("json", "markdown", "latex") if getattr(self, name)]
        if len(chosen) > 1:
            raise ConfigError("choose one kind of output", settings=tuple(chosen))
