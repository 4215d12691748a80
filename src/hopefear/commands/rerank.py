"""The settings of `hopefear rerank`."""

from collections.abc import Mapping
from pathlib import Path

from hopefear.commands.choices import OUTPUT, THREADS, formats_to_choose
from hopefear.errors import ConfigError
from hopefear.settings import parse_size, setting, settings
from hopefear.settings.shared import columns_setting, ignore_setting


@settings
class RerankSettings:
    """How candidates are reranked."""

    nbest: tuple[Path, ...] = setting((), "N-best lists in any supported format.")
    forests: Path | None = setting(None, "Forests instead of lists: a file or a directory.")
    weights: Path | Mapping[str, float] = setting(help="A run directory or a file of weights.")
    format: str | None = setting(
        None,
        "Format of the lists or forests, with options as in 'nemo:beam_size=8'.",
        shown="auto-detected",
        complete=lambda: formats_to_choose("nbest", "forest"),
    )
    columns: tuple[str, ...] = columns_setting()
    ignore: tuple[str, ...] = ignore_setting()
    sentences: int = setting(
        0, "Least number of sentences; those without candidates have empty lines.", least=0
    )
    patterns: Path | None = setting(
        None,
        "Features of words to count in lists or forests: a model that 'hopefear train --features "
        "patterns' made, or its file features-patterns.tsv.",
    )
    source: Path | None = setting(
        None, "The sentences that the candidates translate, for --patterns, +length-ratio, +copy."
    )
    alignments: Path | None = setting(
        None, "Word alignments of the hypotheses for --patterns, in the order of the lists."
    )
    size: int = setting(100, "Translations listed from each forest.", least=1)
    threads: int = setting(0, THREADS, least=0, shown="one per core")
    memory_limit: int = setting(
        0,
        "Keep lists beyond this size in a temporary file, as in 2G; 0 for no limit.",
        metavar="BYTES",
        parse=parse_size,
        least=0,
    )

    def check(self) -> None:
        """Require one kind of candidates."""
        if (self.forests is None) == (not self.nbest):
            problem = "give either n-best lists or forests to rerank"
            raise ConfigError(problem, settings=("nbest", "forests"))
        if self.patterns is not None and self.source is None:
            problem = "patterns need the source that is translated"
            raise ConfigError(problem, settings=("source", "patterns"))
        if self.alignments is not None and self.patterns is None:
            raise ConfigError("alignments are for patterns", settings=("alignments", "patterns"))
        if self.alignments is not None and self.forests is not None:
            problem = "alignments are those of hypotheses in n-best lists"
            raise ConfigError(problem, settings=("alignments", "nbest"))
        if self.forests is not None and self.memory_limit:
            problem = "memory_limit is for lists; forests are read one after the other"
            raise ConfigError(problem, settings=("memory_limit",))


@settings
class RerankCommand:
    """Where reranked lists go."""

    nbest_out: Path | None = setting(
        None,
        "Write the lists, with the best hypothesis first, to this file, or '-'.",
        group=OUTPUT,
    )
    to: str | None = setting(
        None,
        "Format of --nbest-out.",
        group=OUTPUT,
        metavar="FORMAT",
        shown="that of the first list, or moses",
    )
    keys: bool = setting(
        True,
        "Begin each line with the key of its sentence, such as the id of an utterance, where "
        "sentences have keys.",
        group=OUTPUT,
    )

    def check(self) -> None:
        """Require a file to write if a format is given."""
        if self.to is not None and self.nbest_out is None:
            problem = "--to is the format of the lists that --nbest-out writes; give both"
            raise ConfigError(problem, settings=("to", "nbest_out"))
