"""Translation of texts: any number of sentences, in order, on all cores."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.forest import Derivation, Forest
from hopefear.formats.files import PathLike
from hopefear.formats.rules import InputSegment, parse_segment, read_rules
from hopefear.formats.weights import read_weights_and_format
from hopefear.threads import map_in_order
from hopefear.translation import Decoder, GrammarUse
from hopefear.translation.features.bins import run_bins
from hopefear.translation.model import Model, run_features, weights_for
from hopefear.types import Hypothesis, Segment, Weights

__all__ = ["Job", "Translation", "Translator", "show_derivation", "translate"]


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
    """

    number: int
    source: tuple[str, ...]
    derivations: list[Derivation]
    text: str
    forest: Forest | None = None

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
    **options
        Decoder settings to override, see `hopefear.translation.DecoderOptions`: ``pop_limit=1000``.

    Examples
    --------
    ``[t.text for t in hopefear.translate("model", ["ein Haus", "zwei Häuser"])]``
    """
    if nbest < 0:
        raise ConfigError(f"nbest must be >= 0, got {nbest}", settings=("nbest",))
    job = Job(
        model=model,
        weights=weights,
        nbest=nbest,
        forests=forests,
        grammars=grammars,
        detokenize=detokenize,
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
            decoder.meet(work.normalize(text).split())
        yield line


@dataclass(frozen=True, kw_only=True)
class Translator:
    """Translates one sentence."""

    decoder_of: Callable[[int, str], tuple[Decoder, str]]
    normalize: Callable[[str], str]
    finish: Callable[[str], str]
    nbest: int
    forests: bool

    def __call__(self, item: tuple[int, str]) -> Translation:
        """Return the translation of a line, given with its number."""
        number, line = item
        try:
            decoder, text = self.decoder_of(number, line)
            words = tuple(self.normalize(text).split())
            forest = decoder.forest(words) if self.nbest or self.forests else None
            if forest is None:
                derivations = [decoder.translate(words)]
            else:
                derivations = forest.kbest(decoder.weights, max(1, self.nbest), distinct=True)
        except DataError as error:
            raise type(error)(f"sentence {number + 1}: {error}") from error
        return Translation(
            number=number,
            source=words,
            derivations=derivations,
            text=self.finish(derivations[0].text),
            forest=forest if self.forests else None,
        )


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
        segment = parse_segment(line) if line.lstrip().startswith("<seg") else None
        path = _grammar_of(directory, number, segment)
        rules = GrammarUse(grammar=read_rules(path).build(str(path)))
        decoder = model.decoder(weights, further=[rules], **options)
        return decoder, line if segment is None else segment.source

    return own


def _grammar_of(directory: Path, number: int, segment: InputSegment | None) -> Path:
    """Return the rule table of a sentence, never one outside the directory."""
    if segment is not None and segment.grammar is not None:
        names = [segment.grammar]
        places = [directory / segment.grammar, Path(segment.grammar)]
    else:
        names = [f"{start}{number}{end}" for start in ("", "grammar.") for end in ("", ".gz")]
        places = [directory / name for name in names]
    for path in places:
        if path.is_file() and path.resolve().is_relative_to(directory.resolve()):
            return path
    raise FormatError(f"{directory}: no grammar for the sentence; expected {' or '.join(names)}")


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
