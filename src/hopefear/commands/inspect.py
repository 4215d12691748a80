"""The settings of `hopefear inspect`."""

from collections.abc import Mapping
from pathlib import Path

from hopefear.commands.choices import (
    WITHOUT_RUN,
    formats_to_choose,
    metrics_to_choose,
    searches_to_choose,
    tokenizers_to_choose,
)
from hopefear.errors import ConfigError
from hopefear.settings import setting, settings


@settings
class InspectSettings:
    """Which sentence to look at, and how."""

    run: Path | None = setting(None, "The directory of a run.", argument=True, metavar="RUN")
    sentence: str | None = setting(
        None, "Number of the sentence, from 0, or its key.", short="s", metavar="SENTENCE"
    )
    most_interesting: bool = setting(
        False, "Find the sentence of the lists whose 1-best is furthest from its hope."
    )
    dev: bool = setting(False, "Look at the held-out data of the run.")
    weights: Path | Mapping[str, float] | None = setting(
        None, "A file of weights.", shown="those that the run learned"
    )
    out: Path | None = setting(
        None, "An .html or .svg file.", short="o", shown="clouds/N.html in RUN"
    )
    nbest: tuple[Path, ...] = setting((), "N-best lists.", group=WITHOUT_RUN)
    forests: Path | None = setting(None, "Forests instead of lists.", group=WITHOUT_RUN)
    refs: tuple[Path, ...] = setting((), "Reference translations.", group=WITHOUT_RUN)
    metric: str = setting(
        "bleu",
        "The metric that judges.",
        group=WITHOUT_RUN,
        metavar="NAME",
        complete=metrics_to_choose,
    )
    tokenize: str | None = setting(
        None,
        "Tokenizer of the metric, as in sacreBLEU.",
        group=WITHOUT_RUN,
        metavar="NAME",
        complete=tokenizers_to_choose,
    )
    lowercase: bool = setting(False, "Ignore case.", group=WITHOUT_RUN)
    format: str | None = setting(
        None,
        "Format of the lists or forests.",
        group=WITHOUT_RUN,
        shown="auto-detected",
        complete=lambda: formats_to_choose("nbest", "forest"),
    )
    listed: int = setting(100, "Number of the model's best to show.", least=1, group="Cloud")
    others: int = setting(200, "Number of others to draw at random.", least=0, group="Cloud")
    seed: int = setting(1, "Determines which others are drawn.", least=0, group="Cloud")
    search: str | None = setting(
        None,
        "How hope and fear are found in forests.",
        group="Cloud",
        metavar="NAME",
        shown="the learner's, or rerank",
        complete=searches_to_choose,
    )
    temperature: float | None = setting(
        None,
        "Temperature at which others are drawn from forests.",
        above=0,
        group="Cloud",
        shown="the spread of the best",
    )

    def check(self) -> None:
        """Require one way to choose a sentence."""
        if (self.sentence is None) != self.most_interesting:
            problem = "which sentence? Give its number or key, or look for the most interesting one"
            raise ConfigError(problem, settings=("sentence", "most_interesting"))
