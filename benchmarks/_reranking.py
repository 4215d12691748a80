"""Data sets for reranking: candidates with features, references, and a metric.

Some are made of corpora that are not part of the project (HOPEFEAR_SHARED names their folder).
Lists of other systems can be added as folders with ``dev.nbest``, ``test.nbest``, ``dev.e*`` and
``test.e*``.
"""

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.candidates import ListSet
from hopefear.candidates.table import Columns
from hopefear.candidates.tabulate import tabulate
from hopefear.demo.synthetic import SyntheticCandidates
from hopefear.formats import read_forests, read_lines, read_nbest
from hopefear.metrics import Bleu, Chrf, Column, Metric, References, Ter, Wer
from hopefear.runs.given import given_data, load_given
from hopefear.types import Weights

SHARED = Path(os.environ.get("HOPEFEAR_SHARED", Path(__file__).parents[2] / "shared")) / "data"
SENTENCES, SIZE = 400, 30

Records = list[list[dict[str, Any]]]


@dataclass(frozen=True)
class DataSet:
    """Candidates of some sentences, with what a metric counted of each."""

    name: str
    lists: ListSet

    @property
    def features(self) -> int:
        """How many features differ within lists."""
        return int(np.count_nonzero(self.lists.feature_spread))

    def split(self, seed: int) -> tuple[ListSet, ListSet]:
        """Return two random halves: to learn from, and to test on."""
        count = self.lists.sentence_count
        order = np.random.default_rng(seed).permutation(count)
        half = count // 2
        return self.lists.subset(order[:half].tolist()), self.lists.subset(order[half:].tolist())


def _made(name: str, records: Records, references: Any, metric: Metric) -> DataSet:
    given = given_data(tabulate(records), references)
    lists = load_given(given, metric, threads=1).candidates
    assert isinstance(lists, ListSet)
    return DataSet(name, lists)


def _read(path: Path, sentences: int) -> Records:
    found: Records = [[] for _ in range(sentences)]
    for segment in read_nbest(path):
        number = int(segment.sentence)
        if number < sentences:
            found[number] += [{"text": h.text, **h.features} for h in segment.hypotheses]
    return found


def _shortened(records: Records, size: int = SIZE) -> Records:
    """Keep every n-th candidate, so that the bad ones stay."""
    return [found[:: max(1, len(found) // size)][:size] for found in records]


def moses() -> tuple[Records, list[list[str]]]:
    """Return lists of Moses, Czech to English captions, with eight features."""
    folder = SHARED / "multi30k-cs-en"
    references = [[line] for line in read_lines(folder / "val.en.gz")][:SENTENCES]
    lists = _read(folder / "peers" / "val.nbest.moses.gz", SENTENCES)
    return _shortened(lists), references


def mixed_scales(records: Records) -> Records:
    """Multiply the features by different powers of ten."""
    names = sorted({name for found in records for one in found for name in one} - {"text"})
    factor = {name: 10.0 ** (i % 5 - 2) for i, name in enumerate(names)}
    return [
        [{k: v if k == "text" else v * factor[k] for k, v in one.items()} for one in found]
        for found in records
    ]


def with_ngrams(records: Records, order: int = 2) -> Records:
    """Add an indicator for each n-gram of the words."""
    return [
        [
            one
            | {
                f"has {' '.join(w[i : i + n])}": 1.0
                for n in range(2, order + 1)
                for i in range(len(w) + 1 - n)
            }
            for one in found
            for w in [["<s>", *one["text"].split(), "</s>"]]
        ]
        for found in records
    ]


def systems(pair: str) -> tuple[Records, list[list[str]]]:
    """Return the systems of WMT22, with their names, lengths and agreement as features."""
    folder = SHARED / "wmt22-systems"
    texts = {
        path.name.split(".")[2]: list(read_lines(path))[:SENTENCES]
        for path in sorted(folder.glob(f"{pair}.hyp.*.en.gz"))
    }
    references = [list(read_lines(folder / f"{pair}.ref.{one}.en.gz"))[:SENTENCES] for one in "AB"]
    agreement = {}
    for name, own in texts.items():
        others = [texts[other] for other in texts if other != name]
        metric = Chrf()
        prepared = metric.prepare(References(list(map(list, zip(*others, strict=True)))))
        agreement[name] = metric.gains(prepared.statistics(own))
    records = [
        [
            {
                "text": own[i],
                f"is_{name}": 1.0,
                "agreement": float(agreement[name][i]),
                "words": float(len(own[i].split())),
                "characters": float(len(own[i])),
            }
            for name, own in texts.items()
        ]
        for i in range(SENTENCES)
    ]
    return records, list(map(list, zip(*references, strict=True)))


def quality_estimates(records: Records, references: list[list[str]]) -> Records:
    """Add a score of each candidate, and two noisy estimates of it, as COMET and a model are."""
    random = np.random.default_rng(1)
    metric = Chrf()
    rows = [(one["text"], i) for i, found in enumerate(records) for one in found]
    prepared = metric.prepare(References(references))
    numbers = np.array([i for _, i in rows], dtype=np.int64)
    gains = iter(metric.gains(prepared.statistics([text for text, _ in rows], numbers)).tolist())
    found = []
    for candidates in records:
        scored = []
        for one in candidates:
            score = next(gains)
            estimate = score + 0.1 * random.standard_normal()
            logprob = 60 * (score - 1) - one["words"] + 10 * random.standard_normal()
            scored.append(one | {"score": score, "estimate": estimate, "logprob": logprob})
        found.append(scored)
    return found


def recognized() -> tuple[Records, list[list[str]]]:
    """Return lists out of a recognizer's lattices: its scores, a bigram model, and words."""
    folder = SHARED / "fisher-callhome-es-en"
    model = _bigrams(read_lines(folder / "train.oracle.es.gz"))
    transcripts = list(read_lines(folder / "dev.oracle.es.gz"))
    records: Records = []
    references = []
    for sentence, forest in read_forests(folder / "dev.plf.gz", "plf"):
        if len(records) == SENTENCES:
            break
        weights = Weights(dict.fromkeys(forest.feature_names, 1.0))
        found = forest.kbest(weights, SIZE, distinct=True)
        if len(found) < 5 or sentence >= len(transcripts):
            continue
        references.append([transcripts[sentence]])
        records.append(
            [
                {
                    "text": one.text,
                    "acoustic": one.score,
                    "lm": model(one.text.split()),
                    "words": float(len(one.text.split())),
                }
                for one in found
            ]
        )
    return records, references


def _bigrams(lines: Sequence[str] | Iterator[str]) -> Callable[[list[str]], float]:
    """Return a model of words, given the word before, smoothed by their frequencies."""
    pairs: Counter[tuple[str, str]] = Counter()
    words: Counter[str] = Counter()
    for line in lines:
        found = ["<s>", *line.split(), "</s>"]
        words.update(found)
        pairs.update(pairwise(found))
    total = sum(words.values())

    def probability(before: str, word: str) -> float:
        return (pairs[before, word] + 2 * (words[word] + 1) / (total + 1e4)) / (words[before] + 2)

    def score(text: list[str]) -> float:
        padded = ["<s>", *text, "</s>"]
        found = pairwise(padded)
        return sum(math.log(probability(before, word)) for before, word in found)

    return score


def synthetic() -> tuple[Records, list[list[str]]]:
    """Return the made-up candidates of the demonstration, with five features."""
    records, references = [], []
    for reference, segment in SyntheticCandidates(sentences=SENTENCES, size=SIZE, skip=0, seed=3):
        references.append([reference])
        records.append([{"text": h.text, **h.features} for h in segment.hypotheses])
    return records, references


def folder_lists(folder: Path) -> tuple[Records, list[list[str]]]:
    """Return the tuning and the test lists of a system, one after the other."""
    records: Records = []
    references: list[list[str]] = []
    for name in ("dev", "test"):
        streams = [
            list(read_lines(path))
            for path in sorted(folder.glob(f"{name}.e*"))
            if path.suffix != ".all"
        ]
        found = list(map(list, zip(*streams, strict=True)))
        records += _read(folder / f"{name}.nbest", len(found))
        references += found
    return _shortened(records[:SENTENCES]), references[:SENTENCES]


def made_up() -> Iterator[DataSet]:
    """Make the data sets that need nothing."""
    words = Bleu(tokenize="none")
    records, references = synthetic()
    yield _made("made up", records, references, words)
    yield _made("made up, scales 0.01 to 100", mixed_scales(records), references, words)


def data_sets(folders: Sequence[Path] = ()) -> Iterator[DataSet]:
    """Make the data sets, one after the other."""
    words = Bleu(tokenize="none")
    yield from made_up()
    if SHARED.is_dir():
        yield from shared_sets()
    for folder in folders:
        yield _made(f"{folder.name}, our decoder", *folder_lists(folder), words)


def shared_sets() -> Iterator[DataSet]:
    """Make the data sets of the shared corpora."""
    words = Bleu(tokenize="none")
    records, references = moses()
    yield _made("Moses", records, references, words)
    yield _made("Moses, 120 sentences", records[:120], references[:120], words)
    yield _made("Moses, scales 0.01 to 100", mixed_scales(records), references, words)
    yield _made("Moses, TER", records, references, Ter())
    yield _made("Moses and bigrams", with_ngrams(records), references, words)
    yield _made("speech, WER", *recognized(), Wer())
    records, references = systems("de-en")
    yield _made("WMT22 de-en", records, references, Bleu())
    scored = quality_estimates(records, references)
    yield _scored("WMT22 de-en, column", scored, "score")
    records, references = systems("zh-en")
    yield _made("WMT22 zh-en, chrF", records, references, Chrf())
    yield _made("WMT22 zh-en and n-grams", with_ngrams(records, 3), references, Bleu())
    yield _made("WMT22 zh-en and longer n-grams", with_ngrams(records, 4), references, Bleu())


def _scored(name: str, records: Records, column: str) -> DataSet:
    given = given_data(tabulate(records, Columns(score=column)), None)
    lists = load_given(given, Column(label=column), threads=1).candidates
    assert isinstance(lists, ListSet)
    return DataSet(name, lists)
