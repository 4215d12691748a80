"""All readers, as functions of a file's bytes that may only succeed or raise HopefearError.

What was read is used as a program would use it: numbers must be finite, forests have a best
derivation, grammars translate. Where a family has several formats, the first byte of the input is
the number of one. Where checksums would refuse nearly every change, what lies behind them is
fuzzed, too.
"""

import io
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, cast

import numpy as np

from hopefear.candidates import ListSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.events import read_log
from hopefear.forest import Forest
from hopefear.formats import (
    ForestStore,
    forest_formats,
    load_nbest,
    nbest_formats,
    read_forests,
    read_nbest,
    read_rules,
    read_segments,
    read_weights,
    rule_formats,
    weights_formats,
)
from hopefear.formats.forests.store import ForestDecoder
from hopefear.formats.nbest import SentenceKeys
from hopefear.formats.texts import read_references
from hopefear.grammar import Grammar
from hopefear.learners import AnyLearner, learners
from hopefear.metrics import Bleu, References
from hopefear.nbest import NBestBuilder
from hopefear.parallel import Serial
from hopefear.parallel.codec import unpack
from hopefear.reporting import read_run, report_html
from hopefear.runs.checkpoint import CheckpointFile
from hopefear.runs.course import Course, plan
from hopefear.runs.options import build_settings
from hopefear.runs.sentences import SENTENCES_FILE
from hopefear.settings import config
from hopefear.translation import Decoder
from hopefear.translation.features.bins import read_bins
from hopefear.translation.language_model import load_language_model, perplexity
from hopefear.translation.model import ModelSettings
from hopefear.types import Vocabulary, Weights

__all__ = ["FORMATS", "PARTS", "READERS", "RUN", "SEPARATOR", "course_of", "read_any"]

# Formats that need an option, or are directories of these files; an input has one after the other.
OPTIONS = {"flat": "flat:size=2", "nemo": "nemo:beam_size=2", "generate": "generate:size=2"}
PARTS = {
    "espnet": ("1best_recog/text", "1best_recog/score", "2best_recog/text", "2best_recog/score"),
    "kaldi": ("words_text", "acwt", "lmwt.nolm", "lmwt.lmonly"),
}
SEPARATOR = b"\0\0"
RUN = ("events.jsonl", "clouds/0.json", SENTENCES_FILE, "run.json")
FORMATS: dict[str, Sequence[str]] = {
    "lists": tuple(nbest_formats),
    "forests": tuple(forest_formats),
    "weights": tuple(weights_formats),
    "rules": tuple(rule_formats),
    "checkpoint": ("kbest-mira", "mert", "oro", "pro", "rampion", "sgd", "structured-svm"),
}


def _chosen(family: str, data: bytes, path: Path) -> str:
    """Write what follows the first byte; return the format that this byte chooses."""
    names = FORMATS[family]
    path.write_bytes(data[1:])
    return names[data[0] % len(names)] if data else names[0]


def _finite(values: Iterable[float]) -> None:
    array = np.asarray(list(values), dtype=np.float64)
    assert np.isfinite(array).all(), "a number that is not finite was read in silence"


def read_lists(data: bytes, path: Path) -> None:
    """Read n-best lists in two ways: as a stream, and into memory."""
    name = _chosen("lists", data, path)
    if name in PARTS:
        folder = path.with_suffix(".d")
        for part, content in zip(PARTS[name], data[1:].split(SEPARATOR), strict=False):
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            (folder / part).write_bytes(content)
        path = folder
    format = OPTIONS.get(name, name)
    for segment in read_nbest(path, format):
        for hypothesis in segment.hypotheses:
            _finite(hypothesis.features.values())
    load_nbest(path, format, keys=SentenceKeys())


def read_detected(data: bytes, path: Path) -> None:
    """Read n-best lists whose format is not told."""
    path.write_bytes(data)
    load_nbest(path, keys=SentenceKeys())


def _use(forest: Forest) -> None:
    _finite(forest.core.values)
    forest.kbest(np.full(len(forest.feature_names), 0.5), 3)


def read_text_forests(data: bytes, path: Path) -> None:
    """Read forests and lattices of other programs."""
    name = _chosen("forests", data, path)
    if name == "moses-hypergraph":  # a directory with a file of each sentence
        path = path.with_suffix(".d")
        path.mkdir(exist_ok=True)
        (path / "0").write_bytes(data[1:])
    for _, forest in read_forests(path, name):
        _use(forest)


def read_store(data: bytes, path: Path) -> None:
    """Open a store and read all its forests."""
    path.write_bytes(data)
    with ForestStore.open(path) as store:
        for sentence in store:
            _use(store[sentence])


def read_stored(data: bytes, path: Path) -> None:
    """Decode what a store's checksums protect: the vocabularies, then a forest."""
    parts = data.split(b"\xff\xfe\xff", 2)
    if len(parts) == 3:
        _use(ForestDecoder(parts[0], parts[1], Vocabulary(), Vocabulary()).decode(parts[2]))


def read_weights_file(data: bytes, path: Path) -> None:
    """Read weights."""
    name = _chosen("weights", data, path)
    _finite(read_weights(path, name).values())


def read_rule_table(data: bytes, path: Path) -> None:
    """Read rules, look at each, and translate with them."""
    name = _chosen("rules", data, path)
    _translate(read_rules(path, name).build())


def _translate(grammar: Grammar) -> None:
    for rule in islice(grammar, 100):
        _finite(rule.features.values())
    words = list(islice(grammar.source_words, 4))
    weights = Weights(dict.fromkeys(grammar.features, 0.5))
    Decoder(grammar, {}, weights).kbest(words, 3)


def read_grammar(data: bytes, path: Path) -> None:
    """Open a grammar without looking at its checksums, so that every byte counts."""
    path.write_bytes(data)
    _translate(Grammar(path, verify=False))


def read_language_model(data: bytes, path: Path) -> None:
    """Load an ARPA text and score with it; a KenLM binary is trusted."""
    if not data.startswith(b"mmap lm"):
        path.write_bytes(data)
        found = perplexity(load_language_model(path), ["a b c", "b a"])
        assert not np.isnan(found.with_unknown)  # a probability may be 0, as 10 ** -inf


def read_tune_settings(data: bytes, path: Path) -> None:
    """Read the settings of a run, and write them again."""
    toml = path.with_suffix(".toml")
    toml.write_bytes(data)
    config.dumps(build_settings(toml, {}))


def read_model_settings(data: bytes, path: Path) -> None:
    """Read a model.toml."""
    path.write_bytes(data)
    config.load(ModelSettings, path)


def read_tables(data: bytes, path: Path) -> None:
    """Read references, cdec's segments and bins."""
    path.write_bytes(data[1:])
    kind = data[0] % 3 if data else 0
    if kind == 0:
        references = read_references([path])
        Bleu(tokenize="none").prepare(references).statistics(["a b"] * len(references))
    elif kind == 1:
        list(read_segments(path))
    else:
        for bins in read_bins(path).values():
            _finite([*bins.lowest, *bins.highest, *bins.mean])


def read_run_directory(data: bytes, path: Path) -> None:
    """Make the report of a run: its log, a cloud, its sentences, and where it was started."""
    run = path.with_suffix(".run")
    (run / "clouds").mkdir(parents=True, exist_ok=True)
    for name, content in zip_longest(RUN, data.split(SEPARATOR, len(RUN) - 1), fillvalue=b""):
        (run / str(name)).write_bytes(content)
    report_html([read_run(run)]).encode()


def read_events(data: bytes, path: Path) -> None:
    """Read a log of events."""
    path.write_bytes(data)
    list(read_log(path))


@cache
def _tuning_set() -> ListSet:
    builder, references = NBestBuilder(), []
    for name in START:
        builder.feature_names.add(name)
    for sentence, (text, segment) in enumerate(SyntheticCandidates(sentences=4, size=4, seed=1)):
        references.append([text])
        for hypothesis in segment.hypotheses:
            builder.add(sentence, hypothesis.text, hypothesis.features)
    nbest, metric = builder.finish(4), Bleu(tokenize="none")
    metric.prepare(References(references)).set_statistics(nbest)
    return ListSet(nbest=nbest, metric=metric)


@cache
def course_of(name: str) -> Course:
    """Return a small course of a learner, whose checkpoints are read."""
    data = _tuning_set()
    learner: AnyLearner = learners[name]()
    origin = START.vector(data.feature_names)
    return plan(data, learner, learner.rhythm, Serial(), origin=origin, seed=1)


def read_checkpoint(data: bytes, path: Path) -> None:
    """Resume from a checkpoint, and learn an epoch: from a file, or from arrays made a file."""
    course = course_of(_chosen("checkpoint", data, path))
    npz = path.with_suffix(".npz")
    if data[1:3] != b"PK":
        packed = io.BytesIO()
        np.savez(packed, **cast(Any, unpack(data[1:])))
        npz.write_bytes(packed.getvalue())
    else:
        path.replace(npz)
    first = START.vector(course.data.feature_names)
    position = CheckpointFile(npz).load(first, course)
    course.epoch(position.state, 1, lambda done, total: None)


READERS: dict[str, Callable[[bytes, Path], None]] = {
    "lists": read_lists,
    "detected": read_detected,
    "forests": read_text_forests,
    "store": read_store,
    "stored": read_stored,
    "weights": read_weights_file,
    "rules": read_rule_table,
    "grammar": read_grammar,
    "arpa": read_language_model,
    "settings": read_tune_settings,
    "model": read_model_settings,
    "tables": read_tables,
    "events": read_events,
    "run": read_run_directory,
    "checkpoint": read_checkpoint,
}


def read_any(data: bytes, path: Path) -> None:
    """Let the first byte choose the reader: one process for a short look at all of them."""
    if data:
        READERS[list(READERS)[data[0] % len(READERS)]](data[1:], path)
