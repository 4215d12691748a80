"""An epoch of online learning beside plain decoding of the same sentences, parsing included.

Parses are made once and cached, as in a run; the time to make them does not count. On Multi30k
where the shared corpora are, on made-up sentences elsewhere. Times are CPU times of one thread, the
shortest of several tries, and those of an epoch are given as ratios to plain decoding.
"""

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.decoder import shared_data
from benchmarks.features import corpus
from hopefear import Model, train
from hopefear.decoders import DecodedSet, Parses, write_parses
from hopefear.formats import read_lines
from hopefear.formats.store import ForestStore
from hopefear.learners import Arow, Mira, OnlineSgd
from hopefear.learners.online.base import OnlineLearner
from hopefear.metrics import Bleu, References
from hopefear.types import FloatArray, Vocabulary

TRIES = 3
LEARNERS: dict[str, OnlineLearner] = {
    "SGD": OnlineSgd(),
    "MIRA": Mira(),
    "AROW": Arow(feature_rates={"LM*": 0.01, "p_*": 0.01}),
}


def made_up(folder: Path) -> tuple[Model, list[str], list[str]]:
    """Return a model, and sentences with their references."""
    pairs, others = corpus(4000, 1), corpus(300, 2)
    for i, side in enumerate("fe"):
        (folder / side).write_text("".join(f"{pair[i]}\n" for pair in pairs))
    model = train(
        out=folder / "model",
        source=folder / "f",
        target=folder / "e",
        aligner="diagonal",
        lm_order=3,
    )
    return model, [source for source, _ in others], [target for _, target in others]


def multi30k(data: Path, folder: Path) -> tuple[Model, list[str], list[str]]:
    """Return the same for Czech and English."""
    model = train(
        out=folder / "model",
        source=data / "train.cs.gz",
        target=data / "train.en.gz",
        alignments=data / "peers/train.eflomal-gdfa.align.gz",
        inputs=[data / "val.cs.gz"],
    )
    return model, list(read_lines(data / "val.cs.gz")), list(read_lines(data / "val.en.gz"))


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time that something takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def prepared(
    model: Model, sentences: list[list[str]], references: list[str], path: Path
) -> tuple[DecodedSet, FloatArray]:
    """Return sentences with cached parses, all of them in memory, and the model's weights."""
    decoder = model.decoder()
    write_parses(path, decoder, sentences, threads=1)
    names = Vocabulary()
    for name in (*model.weights, *decoder.feature_names.texts()):
        names.add(name)
    rescorer = decoder.rescorer()
    parses = Parses(ForestStore.open(path, feature_names=names), rescorer)
    texts = References([[text] for text in references])
    data = DecodedSet(parses, rescorer, texts, Bleu(tokenize="none"), threads=1)
    for number in range(len(sentences)):
        parses[number]
    return data, model.weights.vector(names)


def run() -> list[tuple[str, str]]:
    """Measure decoding, rescoring and learning in turn."""
    shared = shared_data() / "multi30k-cs-en"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, sources, references = (
            multi30k(shared, folder) if shared.is_dir() else made_up(folder)
        )
        sentences = [source.split() for source in sources]
        data, weights = prepared(model, sentences, references, folder / "parses.forests")
        decoder = model.decoder()

        def learn(learner: OnlineLearner) -> None:
            learner.epoch(data, learner.init(data, weights), (1, 0), lambda done, total: None)

        works: dict[str, Callable[[], object]] = {
            "plain decoding": lambda: list(decoder.translate_all(sentences, threads=1)),
            "cached parses to forests": lambda: [
                data.forest(i, weights) for i in range(len(sentences))
            ],
        }
        works |= {f"an epoch of {name}": partial(learn, one) for name, one in LEARNERS.items()}
        # In turn, so that a busy moment of the machine meets all of them.
        times = [{what: seconds(work) for what, work in works.items()} for _ in range(TRIES)]
    best = {what: min(one[what] for one in times) for what in works}
    plain = best.pop("plain decoding")
    return [
        ("plain decoding", f"{len(sentences)} sentences, {len(sentences) / plain:.0f} a second"),
        *((what, f"{spent / plain:.2f} times plain decoding") for what, spent in best.items()),
    ]
