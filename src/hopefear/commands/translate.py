"""The settings of `hopefear translate`."""

from pathlib import Path

from hopefear.commands.choices import THREADS
from hopefear.errors import ConfigError
from hopefear.limits import WINDOW, OnError
from hopefear.settings import setting, settings


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
