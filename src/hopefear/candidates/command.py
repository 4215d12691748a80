"""Any decoder, by the command that runs it: weights in, n-best lists out.

The command is run as it is, without a shell. What it writes to standard output is read while it
runs, unless it is told to write the lists to a file.
"""

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Self, cast

import numpy as np

from hopefear._core import thread_count
from hopefear.candidates.base import Aside, HasLists, Translations
from hopefear.candidates.calls import Call, plain_source, source_parts
from hopefear.candidates.lists import ListSet
from hopefear.candidates.tools import TOOLS, tool_of
from hopefear.candidates.values import describe_large_value
from hopefear.errors import ConfigError, DataError, DecoderError
from hopefear.formats import SentenceKeys, weights_formats, write_weights
from hopefear.formats.nbest import add_nbest
from hopefear.formats.weights import TEMPLATES, detect_weights, is_configuration
from hopefear.metrics import References, TextMetric
from hopefear.nbest import NBestBuilder
from hopefear.registry import suggest
from hopefear.settings import setting, settings
from hopefear.types import FloatArray, Vocabulary, Weights

__all__ = ["CommandDecoder", "CommandSet"]

PLACES = ("weights", "size", "threads", "nbest", "source")


@settings
class CommandDecoder:
    """A command that translates a corpus and lists the best translations.

    The places in the command are filled in: ``{weights}``, a file; ``{size}``, the number of
    translations to list for each sentence; ``{threads}``; ``{nbest}``, a file for the lists
    (standard output without it); ``{source}``, the sentences (standard input without it). Quotes
    work as in a shell, and nothing else does.
    """

    command: str = setting(
        help="External decoder: moses, cdec or joshua with --config, or any command with "
        "{weights}, {size}, {threads}, {nbest}, {source}.",
        option="decoder",
        metavar="COMMAND",
        complete=lambda: TOOLS,
    )
    config: Path | None = setting(
        None,
        "The configuration of moses, cdec or joshua: moses.ini, cdec.ini, joshua.config.",
        option="config",
    )
    weights_format: str | None = setting(
        None,
        "Format of the weights that it reads; 'hopefear convert' knows the same.",
        option="decoder-format",
        shown="tsv, or that of a moses.ini or joshua.config to start from",
        complete=lambda: weights_formats,
    )
    template: Path | None = setting(
        None,
        "A moses.ini or joshua.config into which the weights are put.",
        shown="the one to start from",
    )
    nbest_format: str | None = setting(None, "Format of the lists.", shown="auto-detected")
    split: bool = setting(
        False,
        'With --threads N, run N copies, each on a part of the sentences as <seg id="0">...</seg>: '
        "for cdec, which has no threads.",
        shown="for cdec",
    )

    def check(self) -> None:
        """Refuse a command that cannot work."""
        names = re.findall(r"\{(\w*)\}", self.command)
        for name in names:
            if name not in PLACES:
                raise ConfigError(f"command: unknown place '{{{name}}}'{suggest(name, PLACES)}")
        if not self._words():
            raise ConfigError("command: is empty")
        by_name = tool_of(self.command) is not None and self.config is not None
        if not by_name and "weights" not in names:
            raise ConfigError(
                "command: has no place for the weights: {weights}; only one of "
                f"{', '.join(TOOLS)}, with its configuration, needs none",
                settings=("decoder.config",),
            )
        if not by_name and self.config is not None:
            raise ConfigError(
                f"config: is for a decoder that is called by its name, one of {', '.join(TOOLS)}; "
                f"the command has places of its own: '{self.command}'",
                settings=("decoder.config", "decoder.command"),
            )
        format = self.weights_format
        if format is not None and format not in weights_formats:
            known = suggest(format, weights_formats)
            raise ConfigError(f"weights_format: unknown format '{format}'{known}")
        if self.split and any(name in ("nbest", "source") for name in names):
            problem = "split: needs sentences by standard input, and lists by standard output"
            raise ConfigError(problem, settings=("decoder.split", "decoder.command"))
        if by_name:
            return
        if self.template is not None and format not in TEMPLATES:
            raise ConfigError(
                f"weights_format: a template needs one of the formats {', '.join(TEMPLATES)}, got "
                f"'{format or 'tsv'}'"
            )

    def complete(self, start: Path | None) -> "CommandDecoder":
        """Return the decoder with all that follows from its name, or from where the run starts.

        Parameters
        ----------
        start : Path, optional
            The start weights: a moses.ini or joshua.config is the template for all others.
        """
        if (tool := tool_of(self.command)) is not None:
            config = cast(Path, self.config)
            return CommandDecoder(
                command=tool.command(self.command, config),
                weights_format=self.weights_format or tool.weights,
                template=self.template or (config if tool.in_config else None),
                nbest_format=self.nbest_format or tool.nbest,
                split=self.split or tool.split,
            )
        if start is None or self.weights_format is not None or str(start) == "-":
            return self
        format = detect_weights(start)
        return (
            replace(self, weights_format=format, template=start)
            if format in TEMPLATES and is_configuration(start)
            else self
        )

    def _words(self) -> list[str]:
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise ConfigError(f"command: {error}: {self.command}") from None

    def run(
        self,
        weights: Weights,
        size: int,
        builder: NBestBuilder,
        folder: Path,
        *,
        source: Path | None = None,
        threads: int = 0,
    ) -> None:
        """Translate, and add the lists to a builder while they are written; see `started`."""
        with self.started(weights, size, folder, source=source, threads=threads) as calls:
            self.read(calls, builder)

    @contextmanager
    def started(
        self,
        weights: Weights,
        size: int,
        folder: Path,
        *,
        source: Path | None = None,
        threads: int = 0,
        unread: bool = False,
    ) -> Iterator[Sequence[Call]]:
        """Start to translate; what goes on at the end is ended.

        Parameters
        ----------
        weights : Weights
            Written to a file in the folder.
        size : int
            How many translations of each sentence.
        folder : Path
            For the files of this run: weights, lists, and ``decoder.log``, its standard error.
        source : Path, optional
            The sentences, if the command does not name them itself.
        threads : int
            What ``{threads}`` stands for; 0 for one per core.
        unread : bool
            Whether nobody reads the lists for now: then they go to a file.

        Raises
        ------
        DecoderError
            If the command cannot be run.
        """
        if source is None and "{source}" in self.command:
            raise ConfigError("command: has a place for the source, but there is none")
        folder.mkdir(parents=True, exist_ok=True)
        format = self.weights_format or "tsv"
        file = folder / (TEMPLATES[format] if self.template else f"weights.{format}")
        write_weights(file, weights, format, template=self.template)
        places = {
            "weights": str(file.resolve()),
            "size": str(size),
            "threads": str(thread_count(threads)),
            "nbest": str((folder / "nbest").resolve()),
            "source": "" if source is None else str(source.resolve()),
        }
        given = [Path(os.devnull)]
        if source is not None and self.split and threads > 1:
            given = source_parts(source, folder, threads)
        elif source is not None and "{source}" not in self.command:
            given = [plain_source(source, folder)]
        words = [_filled(word, places) for word in self._words()]
        lists = Path(places["nbest"]) if "{nbest}" in self.command else None
        with ExitStack() as stack:
            calls = []
            for number, part in enumerate(given):
                # Of several that run at once the first is read, and the others wait in files.
                output = folder / f"output.{number}" if unread or number else None
                log = folder / (f"decoder.{number}.log" if number else "decoder.log")
                call = Call(words, source=part, log=log, output=output, lists=lists)
                calls.append(stack.enter_context(call))
            yield calls

    def read(self, calls: Sequence[Call], builder: NBestBuilder) -> None:
        """Add the lists to a builder; raise DecoderError, with its last lines, if it fails."""
        keys = SentenceKeys()
        for call in calls:
            call.read(lambda opened: add_nbest(opened, self.nbest_format, builder, keys))


def _filled(word: str, places: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: places[match[1]], word)


_Key = frozenset[tuple[str, float]]


def _key(weights: Weights) -> _Key:
    """Return what tells weights from others: a decoder does not see a weight of 0."""
    return frozenset((name, value) for name, value in weights.items() if value != 0.0)


class CommandSet(HasLists, Aside):
    """A corpus that a command translates.

    Nothing is translated twice: the lists under the start weights and under the last ones are kept,
    and of all others the first translations.

    Parameters
    ----------
    decoder : CommandDecoder
        The command.
    references : References
        One or more for each sentence.
    metric : TextMetric
        Judges the translations.
    start : Weights
        The first weights: what features there are is seen from the lists under them.
    size : int
        Translations of a list.
    folder : Path
        For the files of the decoder.
    source : Path, optional
        The sentences, if the command does not name them itself.
    feature_names : Vocabulary, optional
        Names to share with other data.
    threads : int
        How many to use, also by the decoder; 0 means one per core.
    held_out : bool
        Whether nothing is learned from the lists, so that their features need no names.
    """

    description: ClassVar[str] = "the lists of a decoder's command"
    scale_matters: ClassVar[bool] = True

    def __init__(
        self,
        decoder: CommandDecoder,
        references: References,
        metric: TextMetric,
        *,
        start: Weights,
        size: int,
        folder: Path,
        source: Path | None = None,
        feature_names: Vocabulary | None = None,
        threads: int = 0,
        held_out: bool = False,
    ) -> None:
        self.metric, self.threads, self._held_out = metric, threads, held_out
        self._decoder, self._references = decoder, references
        self._prepared = metric.prepare(references)
        self._size, self._folder, self._source = size, folder, source
        self._sentences: Sequence[int] | None = None  # all of them
        self._words = Vocabulary()
        self._names = Vocabulary() if feature_names is None else feature_names
        for name in start:
            self._names.add(name)
        self._first: dict[_Key, Translations] = {}  # the first ones of each list
        self._begun: dict[_Key, ExitStack] = {}  # a decoder whose lists were not asked for yet
        self._calls: Sequence[Call] = ()
        self._start = self._last = _key(start)
        self._at_start = self._lists = self._translate(start)

    @property
    def feature_names(self) -> Vocabulary:
        """The names of the features; there may be more with every translation."""
        return self._names

    @property
    def listed_features(self) -> list[str]:
        """The features of the last lists."""
        nbest = self._lists.nbest
        present = nbest.count_features().hypotheses
        return [name for name, count in zip(nbest.feature_names, present, strict=False) if count]

    @property
    def sentence_count(self) -> int:
        """The number of sentences."""
        return len(self._references)

    @property
    def hypothesis_count(self) -> int:
        """The number of hypotheses listed last."""
        return len(self._lists.nbest)

    @property
    def feature_spread(self) -> FloatArray:
        """How much each feature varies within the lists."""
        return self._lists.feature_spread

    def chosen(self, weights: FloatArray) -> FloatArray:
        """Return the summed statistics of the first translation of each list."""
        if self._sentences is not None:
            return self._part(self._listed(weights)).first
        key = _key(self._named(weights))
        if key in self._first:
            return np.asarray(self._first[key].statistics.sum(axis=0))
        return self._listed(weights).first

    def translations(self, weights: FloatArray) -> Translations | None:
        """Return the first translation of each list, if the decoder has made it."""
        return self._first.get(_key(self._named(weights)))

    def subset(self, sentences: Sequence[int]) -> Self:
        """Return the lists of these sentences; the command still translates all of them."""
        part = copy(self)
        part._sentences = tuple(sentences)
        return part

    def kbest_lists(self, weights: FloatArray, k: int) -> ListSet:
        """Return the decoder's lists."""
        return self._part(self._listed(weights))

    def _part(self, lists: ListSet) -> ListSet:
        return lists if self._sentences is None else lists.subset(self._sentences)

    def _named(self, weights: FloatArray) -> Weights:
        return Weights.from_arrays([self._names[i] for i in range(len(weights))], weights)

    def _listed(self, weights: FloatArray) -> ListSet:
        asked = self._named(weights)
        if (key := _key(asked)) == self._start:
            self._last, self._lists = key, self._at_start
        elif key != self._last:
            self._last, self._lists = key, self._translate(asked)
        return self._lists

    def begin(self, weights: FloatArray) -> None:
        """Start the decoder; its lists are read when they are asked for."""
        asked = self._named(weights)
        if (key := _key(asked)) in self._first:
            return
        self.cancel()
        self._begun[key] = stack = ExitStack()
        self._calls = stack.enter_context(self._started(asked, unread=True))

    def cancel(self) -> None:
        """End a decoder whose lists nobody will ask for."""
        while self._begun:
            self._begun.popitem()[1].close()

    def _started(
        self, weights: Weights, *, unread: bool = False
    ) -> AbstractContextManager[Sequence[Call]]:
        return self._decoder.started(
            weights,
            self._size,
            self._folder,
            source=self._source,
            threads=self.threads,
            unread=unread,
        )

    def _translate(self, weights: Weights) -> ListSet:
        names = Vocabulary() if self._held_out else self._names
        builder = NBestBuilder(self._words, names)
        if (begun := self._begun.pop(_key(weights), None)) is not None:
            with begun:
                self._decoder.read(self._calls, builder)
        else:
            self.cancel()
            with self._started(weights) as calls:
                self._decoder.read(calls, builder)
        lists = self._judged(builder)
        if not len(lists.nbest):
            raise DecoderError(f"the decoder listed no translations: {self._decoder.command}")
        if message := describe_large_value(lists.nbest):
            raise DataError(f"the decoder's lists: {message}")
        self._first[_key(weights)] = lists.first_translations
        return lists

    def _judged(self, builder: NBestBuilder) -> ListSet:
        lists = builder.finish(self.sentence_count)
        if lists.sentence_count > self.sentence_count:
            raise DataError(
                f"the decoder listed translations of sentence {lists.sentence_count - 1}, but "
                f"there are references for {self.sentence_count} sentences"
            )
        self._prepared.set_statistics(lists, threads=self.threads)
        return ListSet(nbest=lists, metric=self.metric, threads=self.threads)
