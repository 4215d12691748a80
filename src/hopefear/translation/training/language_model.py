"""Language models from text: interpolated modified Kneser-Ney smoothing, as KenLM's lmplz does it.

Chen and Goodman (1998), An empirical study of smoothing techniques for language modeling.
Heafield et al. (2013), Scalable modified Kneser-Ney language model estimation, ACL.
"""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from hopefear import _core
from hopefear._core import EstimationSummary, OrderSummary
from hopefear.errors import OptionError
from hopefear.formats.files import PathLike, open_binary_output, open_source, replacing
from hopefear.settings import setting, settings
from hopefear.translation.language_model import uncompressed_model
from hopefear.translation.training.progress import Progress

__all__ = [
    "EstimationSummary",
    "KneserNey",
    "OrderSummary",
    "Progress",
    "Structure",
    "write_kenlm_binary",
]

# KenLM's data structures: a hash table, which is fastest, and a trie, which is smallest.
Structure = Literal["probing", "trie"]


@settings
class KneserNey:
    r"""Interpolated modified Kneser-Ney smoothing.

    p(w | h) = (a(hw) - D(a(hw))) / Σₓ a(hx) + γ(h) p(w | h'), where h' is the context h without its
    first word; below the words is the uniform distribution over the vocabulary and <unk>. a is the
    adjusted count: for the longest n-grams and those that begin with <s> how often they occur, for
    others how many words precede them.

    Examples
    --------
    >>> import tempfile
    >>> from hopefear.translation.language_model import load_language_model
    >>> directory = tempfile.TemporaryDirectory()
    >>> text, arpa = Path(directory.name, "text"), Path(directory.name, "text.arpa")
    >>> _ = text.write_text("hope and fear\nfear and hope\nhope\n")
    >>> summary = KneserNey(order=2, discount_fallback=(0.5, 1, 1.5)).estimate(text, arpa)
    >>> summary.sentences, summary.tokens, [order.ngrams for order in summary.orders]
    (3, 7, [6, 8])
    >>> load_language_model(arpa).order
    2
    >>> directory.cleanup()
    """

    order: int = setting(
        5,
        "Length of the longest n-grams; KenLM loads models of order 2 or more.",
        least=1,
        most=6,
        group="Language model",
        option="lm-order",
    )
    prune: tuple[int, ...] = setting(
        (),
        "Counts, one per order: n-grams of that order are dropped if they occur this often or "
        "less. 0, 0, 1 drops trigrams and longer n-grams that occur once. The first count must be "
        "0, counts must not decrease, and the last one holds for all higher orders.",
        group="Language model",
    )
    discount_fallback: tuple[float, ...] | None = setting(
        None,
        "D₁, D₂ and D₃₊ for orders whose discounts cannot be estimated because the text is tiny or "
        "repetitive (lmplz: 0.5, 1, 1.5); by default that is an error.",
        group="Language model",
    )
    special_words: Literal["refuse", "skip"] = setting(
        "refuse",
        "Treatment of the words <s>, </s>, <unk> and <UNK> in texts: refuse the text, or skip the "
        "words.",
        group="Language model",
    )
    memory: int = setting(
        1 << 30,
        "Working memory; n-grams that do not fit are sorted in temporary files. The vocabulary, "
        "about 50 bytes a word, must fit.",
        least=1 << 20,
        group="Run",
        metavar="BYTES",
    )
    temporary_directory: str = setting(
        "", "Directory for temporary files; by default the system's.", group="Run"
    )

    def check(self) -> None:
        """Require what the estimator in the core accepts."""
        if any(type(threshold) is not int or threshold < 0 for threshold in self.prune):
            raise OptionError(self, "prune", f" must be whole numbers >= 0, got {self.prune!r}")
        if self.discount_fallback is not None and len(self.discount_fallback) != 3:
            got = self.discount_fallback
            raise OptionError(self, "discount_fallback", f" must be three numbers, got {got!r}")
        self._estimator()

    def estimate(
        self,
        texts: PathLike | Sequence[PathLike],
        arpa: PathLike,
        *,
        progress: Progress | None = None,
    ) -> EstimationSummary:
        """Estimate a model and write it as an ARPA file.

        Parameters
        ----------
        texts
            One file or several, gzipped or not (``-`` is standard input). A line is a sentence, an
            empty one too; words are separated by spaces and tabs. Words are bytes: nothing is
            normalized, and what is not UTF-8 stays as it is. A byte order mark at the beginning of
            a file is dropped.
        arpa
            The model, written whole or not at all; gzipped if its name ends in ``.gz``. N-grams
            come by their last word, then the one before, and so on, words in order of their first
            appearance, as lmplz writes them.
        progress
            Called now and then with a stage ("counting", "adjusting counts", "estimating"), how
            much of it is done and of how much (0 if that is not known).

        Returns
        -------
        EstimationSummary
            What was read, and the number of n-grams and the discounts of each order.
        """

        def tell(stage: str, done: int, total: int) -> None:
            # Always called, so that the user can interrupt the core.
            if progress is not None:
                progress(stage, done, total)

        core = self._estimator()
        _count(core, [texts] if isinstance(texts, str | Path) else texts, tell)
        if Path(arpa).suffix != ".gz":
            with replacing(arpa) as temporary:
                return core.write_arpa(str(temporary), tell)
        with tempfile.TemporaryFile(dir=self.temporary_directory or None) as plain:
            summary = core.write_arpa(f"/proc/self/fd/{plain.fileno()}", tell)
            with open_binary_output(arpa) as packed:
                shutil.copyfileobj(plain, packed, 1 << 20)
        return summary

    def _estimator(self) -> _core.LanguageModelEstimator:
        fallback = self.discount_fallback
        return _core.LanguageModelEstimator(
            order=self.order,
            prune=list(self.prune),
            discount_fallback=None if fallback is None else list(map(float, fallback)),
            skip_special_words=self.special_words == "skip",
            memory=self.memory,
            directory=self.temporary_directory or tempfile.gettempdir(),
        )


def _count(core: _core.LanguageModelEstimator, texts: Sequence[PathLike], tell: Progress) -> None:
    files = [Path(text) for text in texts]
    total = sum(file.stat().st_size for file in files) if all(map(Path.is_file, files)) else 0
    done = 0
    for text in texts:
        with open_source(text) as source:
            core.begin_file(source.name)
            for piece in source.pieces():
                core.add(piece)
                tell("counting", done + source.bytes_read, total)
            core.end_file()
            done += source.bytes_read


def write_kenlm_binary(
    arpa: PathLike,
    path: PathLike,
    *,
    structure: Structure = "probing",
    memory: int = 1 << 30,
    temporary_directory: str = "",
) -> None:
    """Write an ARPA file as KenLM's binary, by KenLM's own code.

    Parameters
    ----------
    arpa
        An ARPA file of order 2 to 6, gzipped or not.
    path
        The binary, written whole or not at all.
    structure
        ``probing`` is fastest, ``trie`` is smallest.
    memory
        Bytes for sorting when a trie is built; the model itself takes its own size in memory.
    temporary_directory
        Where files for that are made; the system's by default.
    """
    directory = temporary_directory or tempfile.gettempdir()
    with uncompressed_model(arpa, directory) as plain, replacing(path) as temporary:
        _core.write_kenlm_binary(
            plain, str(temporary), structure=structure, memory=memory, directory=directory
        )
