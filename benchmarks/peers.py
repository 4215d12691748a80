"""Whole tuning loops around our own translation system, beside those of Moses and cdec.

Needs the shared corpora, which include the figures of both. All learn from Multi30k's 1,014
sentences of val and translate test2016. Moses started from the same alignments and language model
as we do, with the same start weights; cdec had alignments, a language model and a start of its own.
A peer has one seed, we have three.
"""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

from benchmarks.decoder import shared_data
from hopefear import train, tune
from hopefear.formats import read_lines
from hopefear.metrics import Bleu, References, evaluate
from hopefear.types import Weights

SEEDS = (1, 2, 3)
ROUNDS = 6  # of decoding, or epochs


@dataclass(frozen=True)
class Loop:
    """A preset, the peer's loop that is most like it, and the peer's BLEU on val and test2016."""

    preset: str
    peer: str
    tuning: float
    test: float
    online: bool = False


LOOPS = (
    Loop("moses-mert", "Moses MERT", 36.74, 38.69),
    Loop("watanabe2012-mert", "cdec forest MERT", 35.77, 37.69),
    Loop("moses-kbmira", "Moses k-best MIRA", 36.73, 39.10),
    Loop("chiang2012-mira-small", "Moses forest MIRA", 36.23, 38.61, online=True),
    Loop("chiang2012-mira-2008", "cdec MIRA", 35.01, 38.20, online=True),
    Loop("moses-pro", "Moses PRO", 35.57, 38.03),
    Loop("gimpel2012-pro", "cdec PRO", 34.86, 37.29),
    Loop("gimpel2012-rampion", "cdec RAMPION", 35.22, 38.22),
    Loop("chiang2012-risk-small", "cdec minimum risk", 35.65, 37.89, online=True),
)


class Corpus:
    """The sets of Multi30k, and the model that was trained on them."""

    def __init__(self, data: Path, folder: Path) -> None:
        self.sources = [data / "val.cs.gz", data / "test2016.cs.gz"]
        self.references = [data / "val.en.gz", data / "test2016.en.gz"]
        self.model = train(
            out=folder / "model",
            source=data / "train.cs.gz",
            target=data / "train.en.gz",
            alignments=data / "peers/train.eflomal-gdfa.align.gz",
            inputs=self.sources,
        )

    def scores(self, weights: Weights) -> list[float]:
        """Return the BLEU of translations of val and test2016 under weights."""
        decoder, scores = self.model.decoder(weights), []
        for source, target in zip(self.sources, self.references, strict=True):
            found = decoder.translate_all([line.split() for line in read_lines(source)])
            references = References([[line] for line in read_lines(target)])
            texts = [" ".join(best.words) for best in found]
            scores.append(evaluate(Bleu(tokenize="none"), texts, references).value)
        return scores

    def tuned(self, loop: Loop, seed: int) -> list[float]:
        """Learn weights on val, and return the BLEU of both sets under them."""
        found = tune(
            loop.preset,
            model=self.model.path,
            source=self.sources[0],
            refs=[self.references[0]],
            tokenize="none",
            seed=seed,
            set=[f"rhythm.{'epochs' if loop.online else 'decodings'}={ROUNDS}"],
        )
        return self.scores(found.weights)


def row(corpus: Corpus, loop: Loop) -> tuple[str, str]:
    """Return the scores of a preset over seeds beside those of the peer."""
    start = time.process_time()
    tuning, test = zip(*(corpus.tuned(loop, seed) for seed in SEEDS), strict=True)
    spent = (time.process_time() - start) / len(SEEDS)
    own = f"{mean(tuning):.2f} / {mean(test):.2f} ± {stdev(test):.2f}, {spent:.0f} CPU s a run"
    return loop.preset, f"{own}; {loop.peer} {loop.tuning:.2f} / {loop.test:.2f}"


def run() -> list[tuple[str, str]]:
    """Return a row for each loop."""
    data = shared_data() / "multi30k-cs-en"
    if not data.is_dir():
        return [
            ("multi30k-cs-en", "not found; set HOPEFEAR_SHARED to the folder that contains data/")
        ]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(data, Path(folder))
        tuning, test = corpus.scores(corpus.model.weights)
        first = f"{tuning:.2f} / {test:.2f}; Moses 35.05 / 36.75, cdec 31.05 / 33.85"
        return [("start: val / test2016", first), *(row(corpus, loop) for loop in LOOPS)]
