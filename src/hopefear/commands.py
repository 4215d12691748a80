"""The settings of the commands, beside those of tuning runs and of models.

A class whose name ends in Settings is also what the Python function of that name takes; one that
ends in Command has what only the command line says.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from hopefear.errors import ConfigError
from hopefear.limits import WINDOW, OnError
from hopefear.settings import parse_size, setting, settings
from hopefear.settings.shared import columns_setting, ignore_setting

__all__ = [
    "CompletionCommand",
    "ConvertSettings",
    "DemoCommand",
    "EvaluateCommand",
    "EvaluateSettings",
    "InspectSettings",
    "PresetsCommand",
    "ReportSettings",
    "RerankCommand",
    "RerankSettings",
    "SimulateClusterSettings",
    "TrainCommand",
    "TranslateCommand",
    "TuneCommand",
]

OUTPUT = "Output"
WITHOUT_RUN = "Data, without a run"
SET = "Any setting by its dotted key; tables are written as in TOML."
THREADS = "Number of threads; no result depends on it."


def _metrics() -> list[str]:
    from hopefear.metrics import metrics

    return [name for name in metrics if hasattr(metrics[name], "prepare")]


def _tokenizers() -> list[str]:
    from hopefear.text.tokenizers import TokenizerName

    return list(get_args(TokenizerName))


def _searches() -> list[str]:
    from hopefear.search import searches

    return list(searches)


def _formats(*kinds: str) -> list[str]:
    from hopefear import formats

    return [name for kind in kinds for name in getattr(formats, f"{kind}_formats")]


def _systems() -> list[str]:
    from hopefear.learners import learners
    from hopefear.presets import load_presets

    return [*load_presets(), *learners]


@settings
class DemoCommand:
    """The settings of the demonstration."""

    output: Path = setting(Path("demo"), "Directory for all files.", short="o", metavar="DIR")
    corpus: Literal["auto", "verses", "generated"] = setting(
        "auto", "Latin verses, generated sentences, or verses if they can be downloaded."
    )
    candidates: bool = setting(False, "Only generate candidates, and tune on them.")
    sentences: int | None = setting(
        None, "Sentences to tune on, and to test on.", least=2, shown="300; with candidates 400"
    )
    size: int | None = setting(
        None, "Hypotheses for each sentence.", least=2, shown="100; with candidates 50"
    )
    seed: int = setting(1, "The same seed gives the same result.", least=0)
    threads: int = setting(0, THREADS, least=0, shown="one per core")


@settings
class TrainCommand:
    """What the command says beside the settings of a model."""

    settings: Path | None = setting(
        None, "A TOML file of settings.", argument=True, metavar="SETTINGS"
    )
    out: Path = setting(help="The model's directory.", short="o", metavar="MODEL", group=OUTPUT)
    set: tuple[str, ...] = setting((), SET, metavar="KEY=VALUE", group=OUTPUT)


@settings
class TranslateCommand:
    """What the command says beside the settings of the decoder."""

    model: Path = setting(help="The model's directory.", argument=True, metavar="MODEL")
    weights: Path | None = setting(
        None, "A run directory or a file of weights.", shown="the model's"
    )
    nbest: int = setting(0, "Print this many translations, as Moses' n-best lists.", least=0)
    forests: Path | None = setting(
        None, "Write the forests of all sentences to this directory.", metavar="DIR"
    )
    show_derivation: bool = setting(False, "Print rules, as a tree, instead of translations.")
    grammars: Path | None = setting(
        None, "A directory with a rule table for each sentence.", metavar="DIR"
    )
    detokenize: bool = setting(False, "Detokenize translations, if the model tokenizes.")
    threads: int = setting(0, THREADS, least=0, shown="one per core")
    cluster: str | None = setting(
        None,
        "Translate on a Ray cluster: HOST:PORT of its head, or 'local' to start one on this "
        "machine. All machines find the files on the same paths.",
        metavar="ADDRESS",
        shown="threads of this machine",
        complete=lambda: ("local",),
    )
    window: int = setting(
        WINDOW,
        "Translate longer lines in parts of at most this many words, in bounded memory; 0: as a "
        "whole.",
        least=0,
    )
    on_error: OnError = setting(
        "stop",
        "What to do with a line that cannot be translated, such as one that is not UTF-8: stop, "
        "skip it (write an empty line), or copy it.",
    )

    def check(self) -> None:
        """Refuse two kinds of output, and copies among lists or trees."""
        if self.nbest and self.show_derivation:
            problem = "n-best lists or derivations: choose one"
            raise ConfigError(problem, settings=("nbest", "show_derivation"))
        if self.on_error == "copy" and (self.nbest or self.show_derivation):
            problem = "a line can be copied among translations only; use --on-error skip"
            raise ConfigError(problem, settings=("on_error", "nbest", "show_derivation"))


@settings
class TuneCommand:
    """What the command says beside the settings of a run."""

    learner: str | None = setting(
        None,
        "A preset, a learner, or a TOML file of settings; see 'hopefear presets'.",
        argument=True,
        metavar="LEARNER",
        complete=_systems,
    )
    out: Path = setting(help="The run's directory.", short="o", metavar="RUN", group=OUTPUT)
    force: bool = setting(False, "Replace a run in RUN.", group=OUTPUT)
    resume: bool = setting(False, "Resume the run in RUN, which was stopped.", group=OUTPUT)
    report: bool = setting(True, "Write report.html into RUN.", group=OUTPUT)
    json: bool = setting(False, "Print the result as JSON.", group=OUTPUT)
    grid: tuple[str, ...] = setting(
        (),
        "Tune with each of several values of a setting, as in 'bits=4,6,8', and keep the best run "
        "on the held-out data; may be repeated. The same command again goes on where it stopped.",
        metavar="NAME=V1,V2",
        group=OUTPUT,
    )
    jobs: int = setting(
        1, "Runs of the grid at the same time, which share the threads.", least=1, group=OUTPUT
    )
    set: tuple[str, ...] = setting((), SET, metavar="KEY=VALUE", group=OUTPUT)

    def check(self) -> None:
        """Refuse several jobs for one run."""
        if self.jobs > 1 and not self.grid:
            raise ConfigError("only a grid has runs for several jobs", settings=("jobs", "grid"))


@settings
class PresetsCommand:
    """Which preset to print."""

    name: str | None = setting(
        None, "A preset or a learner to print.", argument=True, metavar="NAME", complete=_systems
    )


@settings
class ReportSettings:
    """What a report shows."""

    runs: tuple[Path, ...] = setting(help="Directories of runs.", argument=True, metavar="RUN")
    out: Path | None = setting(
        None,
        "The file to write.",
        short="o",
        shown="report.html in RUN, or here if there are several",
    )
    top: int = setting(30, "Number of features to show: those that moved most.", least=1)
    pictures: Path | None = setting(
        None, "Also write every picture as SVG into this directory.", metavar="DIR"
    )


@settings
class SimulateClusterSettings:
    """What is known of the learners and of the network between them."""

    runs: tuple[Path, ...] = setting(
        help="Runs of an online learner whose steps were measured; with different numbers of "
        "workers, what it takes to hear others is known, too.",
        argument=True,
        metavar="RUN",
    )
    workers: tuple[int, ...] = setting((20, 50, 1000), "Numbers of learners to estimate for.")
    compare: tuple[Path, ...] = setting(
        (), "Further runs, to show beside the estimates for them.", metavar="RUN"
    )
    sentences: int | None = setting(
        None, "Sentences to learn from.", least=1, shown="as in the first run"
    )
    processors: int | None = setting(
        None,
        "Processors that work at the same time.",
        least=1,
        shown="one for each learner",
    )
    bandwidth: int = setting(
        125_000_000,
        "Bytes a second between machines, as in 125M.",
        metavar="BYTES",
        parse=parse_size,
        least=1,
    )
    latency: float = setting(0.0005, "Seconds until a message begins to arrive.", least=0)


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
        "bleu", "The metric that judges.", group=WITHOUT_RUN, metavar="NAME", complete=_metrics
    )
    tokenize: str | None = setting(
        None,
        "Tokenizer of the metric, as in sacreBLEU.",
        group=WITHOUT_RUN,
        metavar="NAME",
        complete=_tokenizers,
    )
    lowercase: bool = setting(False, "Ignore case.", group=WITHOUT_RUN)
    format: str | None = setting(
        None,
        "Format of the lists or forests.",
        group=WITHOUT_RUN,
        shown="auto-detected",
        complete=lambda: _formats("nbest", "forest"),
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
        complete=_searches,
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
        complete=lambda: _formats("nbest", "forest"),
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
        ("bleu",), "How to score.", metavar="NAME", complete=_metrics, shown="bleu"
    )
    tokenize: str | None = setting(
        None,
        "Tokenizer, as in sacreBLEU, for metrics that have a choice.",
        complete=_tokenizers,
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


@settings
class ConvertSettings:
    """From which format to which."""

    source: Path = setting(help="A file, or '-'.", argument=True, metavar="IN")
    target: Path = setting(help="A file, or '-'.", argument=True, metavar="OUT")
    to: str = setting(
        help="Format to write.",
        metavar="FORMAT",
        complete=lambda: _formats("nbest", "weights", "forest"),
    )
    format: str | None = setting(
        None,
        "Format to read.",
        option="from",
        metavar="FORMAT",
        shown="auto-detected",
        complete=lambda: _formats("nbest", "weights", "forest"),
    )
    kind: Literal["forests", "nbest", "weights"] | None = setting(
        None, "What the file contains, where that is not clear."
    )


@settings
class CompletionCommand:
    """For which shell."""

    shell: Literal["bash", "fish", "zsh"] = setting(
        help="bash, fish or zsh.", argument=True, metavar="SHELL"
    )
