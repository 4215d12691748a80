"""Estimation of language models: interpolated modified Kneser-Ney smoothing, as in KenLM's lmplz.

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
from hopefear.formats.files import (
    PathLike,
    Tell,
    open_binary_output,
    open_source,
    replacing,
    tell_nobody,
)
from hopefear.settings import parse_size, setting, settings
from hopefear.translation.language_model import MAX_GROWTH, check_header, uncompressed_model

__all__ = [
    "EstimationSummary",
    "KneserNey",
    "OrderSummary",
    "Structure",
    "write_kenlm_binary",
]

# KenLM's data structures: a hash table, the fastest, and a trie, the smallest.
Structure = Literal["probing", "trie"]


@settings
class KneserNey:
    r"""Interpolated modified Kneser-Ney smoothing.

    p(w | h) = (a(hw) - D(a(hw))) / Σₓ a(hx) + γ(h) p(w | h'), where h' is the context h without its
    first word; unigrams are interpolated with the uniform distribution over the vocabulary and
    <unk>. a is the adjusted count: the number of occurrences of the longest n-grams and of those
    that start with <s>, the number of different preceding words for all others.

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
        parse=parse_size,
        metavar="BYTES",
    )
    temporary_directory: str = setting(
        "", "Directory for temporary files.", shown="the system's", group="Run"
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
        counts: Sequence[Path] = (),
        tell: Tell = tell_nobody,
    ) -> EstimationSummary:
        """Estimate a model and write it as an ARPA file.

        Parameters
        ----------
        texts
            One file or several, gzipped or not (``-`` for standard input). Every line is a
            sentence, even an empty one; spaces and tabs separate words. Words are bytes: nothing is
            normalized, and bytes that are not UTF-8 stay as they are. A byte order mark at the
            start of a file is dropped.
        arpa
            The model, written completely or not at all; gzipped if its name ends in ``.gz``.
            N-grams are sorted as in lmplz: by their last word, then the one before, and so on,
            words by first occurrence.
        counts
            What `count` has written for all sentences of these texts, if others counted them.
        tell
            Progress callback, called with a stage ("counting", "adjusting counts", "estimating"),
            the amount done, and the total (0 if unknown).

        Returns
        -------
        EstimationSummary
            The size of the text, and the number of n-grams and the discounts of each order.
        """
        core = self._estimator()
        if counts:
            core.count_only(0, 0, of=1)
        _read(core, [texts] if isinstance(texts, str | Path) else texts, tell)
        for path in counts:
            core.add_counts(str(path))
        if Path(arpa).suffix != ".gz":
            with replacing(arpa) as temporary:
                return core.write_arpa(str(temporary), tell)
        with tempfile.TemporaryFile(dir=self.temporary_directory or None) as plain:
            summary = core.write_arpa(f"/proc/self/fd/{plain.fileno()}", tell)
            with open_binary_output(arpa) as packed:
                shutil.copyfileobj(plain, packed, 1 << 20)
        return summary

    def count(
        self, texts: Sequence[PathLike], path: Path, begin: int, end: int, *, of: int
    ) -> None:
        """Count the n-grams of some sentences, for `estimate` to take from a file.

        Parameters
        ----------
        texts
            All that the model is estimated from.
        path
            The file.
        begin, end, of
            The sentences: those whose number, from 0, has a remainder from `begin` up to `end` when
            it is divided by `of`.
        """
        core = self._estimator()
        core.count_only(begin, end, of=of)
        _read(core, texts, tell_nobody)
        with replacing(path, durable=False) as temporary:
            core.write_counts(str(temporary))

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


def _read(core: _core.LanguageModelEstimator, texts: Sequence[PathLike], tell: Tell) -> None:
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
    max_growth: int = MAX_GROWTH,
) -> None:
    """Convert an ARPA file to a KenLM binary, with KenLM's own code.

    Parameters
    ----------
    arpa
        An ARPA file of order 2 to 6, gzipped or not.
    path
        The binary, written completely or not at all.
    structure
        ``probing`` is the fastest, ``trie`` the smallest.
    memory
        Bytes for sorting a trie; the model itself takes its own size in addition.
    temporary_directory
        Directory for temporary files; by default the system's.
    max_growth
        How many times as large a gzipped file may become when it is decompressed.
    """
    directory = temporary_directory or tempfile.gettempdir()
    unpacked = uncompressed_model(arpa, directory, max_growth=max_growth)
    with unpacked as plain, replacing(path) as temporary:
        check_header(plain, str(arpa))
        _core.write_kenlm_binary(
            plain, str(temporary), structure=structure, memory=memory, directory=directory
        )
