"""Translation of texts: any number of sentences, in order, on all cores."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.forest import Derivation, Forest
from hopefear.formats.files import PathLike
from hopefear.formats.rules import InputSegment, parse_segment, read_rules
from hopefear.formats.weights import read_weights_and_format
from hopefear.limits import LONGEST_LINE, WINDOW, OnError
from hopefear.threads import map_in_order
from hopefear.translation import Decoder, GrammarUse
from hopefear.translation.features.bins import run_bins
from hopefear.translation.model import Model, run_features, weights_for
from hopefear.translation.windows import check_line, join, windows
from hopefear.types import Hypothesis, Segment, Weights

__all__ = ["Job", "Translation", "Translator", "show_derivation", "translate"]

PART_LIST = 100  # translations of a part, in the forest of a line that is too long for one chart


@dataclass(frozen=True, kw_only=True)
class Translation:
    """The translation of a sentence.

    Attributes
    ----------
    number : int
        Number of the sentence, from 0.
    source : tuple of str
        The words of the sentence after normalization.
    derivations : list of Derivation
        The requested number of derivations, the best first.
    text : str
        The best translation.
    forest : Forest, optional
        The derivations that survived cube pruning, if requested.
    error : str, optional
        Why there is no translation, if `on_error` is not "stop". There are no derivations then, and
        the text is empty or the line itself.
    """

    number: int
    source: tuple[str, ...]
    derivations: list[Derivation]
    text: str
    forest: Forest | None = None
    error: str | None = None

    @property
    def best(self) -> Derivation:
        """The best derivation."""
        return self.derivations[0]

    @property
    def segment(self) -> Segment:
        """All derivations as an n-best list."""
        return Segment(
            sentence=self.number,
            hypotheses=tuple(
                Hypothesis(text=one.text, features=one.features, score=one.score)
                for one in self.derivations
            ),
        )


def translate(
    model: PathLike | Model,
    lines: Iterable[str],
    *,
    weights: PathLike | Mapping[str, float] | None = None,
    nbest: int = 0,
    forests: bool = False,
    grammars: PathLike | None = None,
    detokenize: bool = False,
    threads: int = 0,
    cluster: str | None = None,
    window: int = WINDOW,
    on_error: OnError = "stop",
    **options: object,
) -> Iterator[Translation]:
    """Translate sentences, in order.

    Sentences are read lazily, so there may be any number of them.

    Parameters
    ----------
    model
        A model, or its directory.
    lines
        Sentences; they are tokenized and lowercased as the model's training data was.
    weights
        A run directory, a file of weights, or the weights, to use instead of the model's.
    nbest
        Number of different translations of each sentence; 0: the best one.
    forests
        Whether to return the forest of each sentence.
    grammars
        A directory with a rule table for each sentence, used in addition to the model's grammars.
        The table of sentence N is ``N``, ``N.gz``, ``grammar.N`` or ``grammar.N.gz``, or the one
        that the line names, as in ``<seg grammar="FILE">words</seg>``.
    detokenize
        Whether to detokenize translations if the model was trained with tokenization.
    threads
        Number of threads, 0: one per core. The result does not depend on it.
    cluster
        Translate on a Ray cluster: ``HOST:PORT`` of its head, or "local" to start one on this
        machine. All machines find the model, and files of weights and rules, on the same paths.
    window
        Lines of more words are translated in parts of at most this many words, so that they take
        bounded memory; 0: as a whole. Their forests have the best translations of each part.
    on_error
        What to do with a line that cannot be translated, such as one that is not UTF-8 or longer
        than 4 MiB: "stop" raises DataError, "skip" gives it an empty translation, and "copy" the
        line itself, unless it is too long. A model that cannot be read always is an error.
    **options
        Decoder settings to override, see `hopefear.translation.DecoderOptions`: ``pop_limit=1000``.

    Examples
    --------
    ``[t.text for t in hopefear.translate("model", ["ein Haus", "zwei Häuser"])]``
    """
    if nbest < 0:
        raise ConfigError(f"nbest must be >= 0, got {nbest}", settings=("nbest",))
    if window < 0:
        raise ConfigError(f"window must be >= 0, got {window}", settings=("window",))
    if on_error not in get_args(OnError):
        known = ", ".join(get_args(OnError))
        raise ConfigError(f"on_error must be one of {known}, got '{on_error}'")
    job = Job(
        model=model,
        weights=weights,
        nbest=nbest,
        forests=forests,
        grammars=grammars,
        detokenize=detokenize,
        window=window,
        on_error=on_error,
        options=options,
    )
    if cluster is not None:
        from hopefear.translation.remote import translate_remotely

        return translate_remotely(job.absolute(), lines, cluster)
    work = job.translator()
    if grammars is None and threads != 1:
        lines = _met(work, lines)
    return map_in_order(work, enumerate(lines), threads=threads)


@dataclass(frozen=True, kw_only=True)
class Job:
    """What sentences are translated with; see `translate`."""

    model: PathLike | Model
    weights: PathLike | Mapping[str, float] | None
    nbest: int
    forests: bool
    grammars: PathLike | None
    detokenize: bool
    window: int
    on_error: OnError
    options: dict[str, Any]

    def translator(self) -> "Translator":
        """Load the model, and what else is needed."""
        model, weights, grammars = self.model, self.weights, self.grammars
        loaded = model if isinstance(model, Model) else Model(model)
        if isinstance(weights, str | Path):
            loaded = loaded.with_features(run_features(weights), run_bins(weights))
        chosen: Weights | None = None
        if weights is not None:
            given, format = read_weights_and_format(weights)
            chosen = weights_for(loaded, given, format=format, further=grammars is not None)
        normalization = loaded.settings.normalization
        return Translator(
            decoder_of=_decoders(loaded, chosen, grammars, self.options),
            normalize=normalization.source(),
            finish=normalization.detokenize() if self.detokenize else str,
            nbest=self.nbest,
            forests=self.forests,
            window=self.window,
            on_error=self.on_error,
        )

    def absolute(self) -> "Job":
        """Return the same with paths that are the same on all machines."""
        if isinstance(self.model, Model):
            problem = "a cluster needs the directory of the model, not the model in memory"
            raise ConfigError(problem, settings=("cluster",))
        weights = self.weights
        return replace(
            self,
            model=Path(self.model).absolute(),
            weights=Path(weights).absolute() if isinstance(weights, str | Path) else weights,
            grammars=None if self.grammars is None else Path(self.grammars).absolute(),
        )


def _met(work: "Translator", lines: Iterable[str]) -> Iterator[str]:
    """Yield lines after the decoder has numbered the features of their sentences."""
    for line in lines:
        decoder, text = work.decoder_of(0, line)
        if decoder.numbers_features:
            with suppress(DataError):  # raised again when the line is translated
                check_line(line)
                for words in windows(work.normalize(text).split(), work.window):
                    decoder.meet(words)
        yield line


@dataclass(frozen=True, kw_only=True)
class Translator:
    """Translates one sentence."""

    decoder_of: Callable[[int, str], tuple[Decoder, str]]
    normalize: Callable[[str], str]
    finish: Callable[[str], str]
    nbest: int
    forests: bool
    window: int
    on_error: OnError

    def __call__(self, item: tuple[int, str]) -> Translation:
        """Return the translation of a line, given with its number."""
        number, line = item
        try:
            return self._translate(number, line)
        except DataError as error:
            problem = f"sentence {number + 1}: {error}"
            # A file that breaks its format is not the line's fault.
            if self.on_error == "stop" or isinstance(error, FormatError):
                raise type(error)(problem) from error
        copied = line if self.on_error == "copy" and len(line) <= LONGEST_LINE else ""
        return Translation(number=number, source=(), derivations=[], text=copied, error=problem)

    def _translate(self, number: int, line: str) -> Translation:
        check_line(line)
        decoder, text = self.decoder_of(number, line)
        words = tuple(self.normalize(text).split())
        parts = list(windows(words, self.window))
        forest = None
        if len(parts) > 1:
            forest = join([(len(part), self._best(decoder, part)) for part in parts])
        elif self.nbest or self.forests:
            forest = decoder.forest(words)
        if forest is None:
            derivations = [decoder.translate(words)]
        else:
            derivations = forest.kbest(decoder.weights, max(1, self.nbest), distinct=True)
        return Translation(
            number=number,
            source=words,
            derivations=derivations,
            text=self.finish(derivations[0].text),
            forest=forest if self.forests else None,
        )

    def _best(self, decoder: Decoder, words: Sequence[str]) -> list[Derivation]:
        """Return the derivations of a part of a line that derivations of the line consist of."""
        if not self.nbest and not self.forests:
            return [decoder.translate(words)]
        return decoder.kbest(words, max(PART_LIST, self.nbest))


def _decoders(
    model: Model, weights: Weights | None, grammars: PathLike | None, options: dict[str, Any]
) -> Callable[[int, str], tuple[Decoder, str]]:
    """Return a function from a line to its decoder and text; `grammars` give each its own."""
    if grammars is None:
        decoder = model.decoder(weights, **options)
        return lambda number, line: (decoder, line)
    directory = Path(grammars)
    if not directory.is_dir():
        raise FormatError(f"{grammars}: no such directory of grammars")

    def own(number: int, line: str) -> tuple[Decoder, str]:
        segment = _segment(line) if line.lstrip().startswith("<seg") else None
        path = _grammar_of(directory, number, segment)
        rules = GrammarUse(grammar=read_rules(path).build(str(path)))
        decoder = model.decoder(weights, further=[rules], **options)
        return decoder, line if segment is None else segment.source

    return own


def _segment(line: str) -> InputSegment:
    try:
        return parse_segment(line)
    except FormatError as error:
        raise DataError(str(error)) from error  # the line's fault, not a file's


def _grammar_of(directory: Path, number: int, segment: InputSegment | None) -> Path:
    """Return the rule table of a sentence, never one outside the directory."""
    kind: type[DataError] = FormatError
    if segment is not None and segment.grammar is not None:
        kind, names = DataError, [segment.grammar]
        places = [directory / segment.grammar, Path(segment.grammar)]
    else:
        names = [f"{start}{number}{end}" for start in ("", "grammar.") for end in ("", ".gz")]
        places = [directory / name for name in names]
    for path in places:
        with suppress(OSError):  # the name is too long
            if path.is_file() and path.resolve().is_relative_to(directory.resolve()):
                return path
    raise kind(f"{directory}: no grammar for the sentence; expected {' or '.join(names)}")


def show_derivation(translation: Translation) -> str:
    """Return the best derivation as text: a line per rule, indented below the rule that uses it.

    Nonterminals are [0], [1], ... on both sides. Rules that only concatenate nonterminals in order,
    such as glue rules, are omitted.
    """
    forest = Forest(translation.best.forest)
    lines: list[str] = []
    # Edges are in pre-order: those below one tail precede those below the next.
    depths = [0]
    for edge in translation.best.edges.tolist():
        depth, tails = depths.pop(), forest.tails(edge).tolist()
        source = _source_side(forest, forest.head(edge), tails, translation.source)
        target = " ".join(s if isinstance(s, str) else f"[{s}]" for s in forest.target(edge))
        if source == target == " ".join(f"[{slot}]" for slot in range(len(tails))):
            depth -= 1
        else:
            lines.append(f"{'  ' * depth}{source} → {target}".rstrip())
        depths += [depth + 1] * len(tails)
    return "\n".join(lines)


def _source_side(forest: Forest, head: int, tails: list[int], words: tuple[str, ...]) -> str:
    begin = forest.source_begin(head) or 0
    end = begin + forest.covered(head)
    side: list[str] = []
    at = begin
    for slot, tail in enumerate(tails):
        first = forest.source_begin(tail) or 0
        side += [*words[at:first], f"[{slot}]"]
        at = first + forest.covered(tail)
    return " ".join([*side, *words[at:end]])
