"""An epoch of online learning beside plain decoding of the same sentences, parsing included.

Parses are made once and cached, as in a run; the time to make them does not count. On Multi30k
where the shared corpora are, on made-up sentences elsewhere. Times are CPU times of one thread.
Each sentence is decoded plainly just before an epoch turns to it, so that a busy moment of the
machine meets both.
"""

import tempfile
import time
from pathlib import Path

from benchmarks._bitext import new_sentences, train_model
from benchmarks._course import course_of, epochs_of
from benchmarks.decoder import shared_data
from hopefear import Model, train
from hopefear.candidates import DecodedSet, Parses, write_parses
from hopefear.forest import Forest
from hopefear.formats import read_lines
from hopefear.formats.forests.store import ForestStore
from hopefear.learners import Arow, Mira, OnlineSgd
from hopefear.learners.online import OnlineLearner
from hopefear.metrics import Bleu, References
from hopefear.translation import Decoder, ForestRescorer
from hopefear.types import FloatArray, Vocabulary

TRIES = 2
LEARNERS: dict[str, OnlineLearner] = {
    "SGD": OnlineSgd(),
    "MIRA": Mira(),
    "AROW": Arow(feature_rates={"LM*": 0.01, "p_*": 0.01}),
}


def made_up(folder: Path) -> tuple[Model, list[str], list[str]]:
    """Return a model, and sentences with their references."""
    pairs = new_sentences(300)
    sources, references = [source for source, _ in pairs], [target for _, target in pairs]
    return train_model(folder), sources, references


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


class DecodedBeside(DecodedSet):
    """Decodes every sentence plainly, too, and remembers how long that and rescoring took."""

    decoder: Decoder
    sources: list[list[str]]
    plain = rescoring = 0.0

    def forest(self, sentence: int, weights: FloatArray) -> Forest | None:
        """Return the forest of a sentence."""
        start = time.process_time()
        self.decoder.translate(self.sources[sentence])
        decoded = time.process_time()
        forest = super().forest(sentence, weights)
        self.plain += decoded - start
        self.rescoring += time.process_time() - decoded
        return forest


def parsed(
    model: Model, decoder: Decoder, sentences: list[list[str]], path: Path
) -> tuple[Parses, ForestRescorer, FloatArray]:
    """Return parses, all of them in memory, what rescores them, and the model's weights."""
    write_parses(path, decoder, sentences, threads=1)
    names = Vocabulary()
    for name in (*model.weights, *decoder.feature_names):
        names.add(name)
    rescorer = decoder.rescorer()
    parses = Parses(ForestStore.open(path, feature_names=names), rescorer)
    for number in range(len(sentences)):
        parses[number]
    return parses, rescorer, model.weights.vector(names)


def prepared(
    model: Model, sentences: list[list[str]], references: list[str], path: Path
) -> tuple[DecodedBeside, FloatArray]:
    """Return sentences with cached parses, and the model's weights."""
    decoder = model.decoder()
    parses, rescorer, weights = parsed(model, decoder, sentences, path)
    texts = References([[text] for text in references])
    data = DecodedBeside(parses, rescorer, texts, Bleu(tokenize="none"), threads=1)
    data.decoder, data.sources = decoder, sentences
    for words in sentences:
        decoder.translate(words)  # rules that were met before are found in a cache
    return data, weights


def measured(learner: OnlineLearner, data: DecodedBeside, weights: FloatArray) -> str:
    """Return what an epoch costs, as a ratio to plain decoding."""
    data.plain = data.rescoring = spent = 0.0
    for _ in range(TRIES):
        course = course_of(learner, data, weights, epochs=1)
        state = course.start(weights)
        start = time.process_time()
        epochs_of(course, state)
        spent += time.process_time() - start
    spent -= data.plain
    rescoring = data.rescoring / data.plain
    return f"{spent / data.plain:.2f} times plain decoding ({rescoring:.2f} for rescoring)"


def run() -> list[tuple[str, str]]:
    """Measure an epoch of each learner."""
    shared = shared_data() / "multi30k-cs-en"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, sources, references = (
            multi30k(shared, folder) if shared.is_dir() else made_up(folder)
        )
        sentences = [source.split() for source in sources]
        data, weights = prepared(model, sentences, references, folder / "parses.forests")
        rows = [
            (f"an epoch of {what}", measured(learner, data, weights))
            for what, learner in LEARNERS.items()
        ]
    return [("sentences", f"{len(sentences)}"), *rows]
