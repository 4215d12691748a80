"""The demo: train a translation system on a bitext, tune it, and compare."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopefear.api import inspect, report, tune
from hopefear.demo.corpus import Corpus, Scores
from hopefear.formats import open_output
from hopefear.metrics import Bleu, References, evaluate
from hopefear.translation.model import Model
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import AlignmentSettings, TrainSettings
from hopefear.translation.translate import translate
from hopefear.types import Weights

__all__ = ["DemoResult", "Example", "run_demo"]

Tell = Callable[[str, int, int], None]

LOOKED_AT = (0, 1)  # sentences whose hope and fear the report shows


@dataclass(frozen=True, kw_only=True)
class Example:
    """A sentence with its translations before and after tuning."""

    source: str
    start: str
    tuned: str
    reference: str


@dataclass(frozen=True, kw_only=True)
class DemoResult:
    """The result of the demo, and its files."""

    directory: Path
    signature: str
    scores: dict[str, Scores]
    start: Weights
    tuned: Weights
    examples: list[Example]
    report: Path
    seconds: float


def run_demo(
    directory: str | Path,
    corpus: Corpus,
    *,
    decodings: int = 3,
    size: int = 100,
    seed: int = 1,
    threads: int = 0,
    tell: Tell = lambda stage, done, total: None,
) -> DemoResult:
    """Train a model, tune its weights with k-best MIRA, and translate before and after.

    Parameters
    ----------
    directory
        Where everything goes: texts, the model, the run, translations.
    corpus
        What to learn from.
    decodings
        How often lists are made, and weights learned from all of them.
    size
        Different translations in the list of a sentence.
    seed
        The same seed gives the same result.
    threads
        0 for one per core. The result does not depend on it.
    tell
        Progress: called with a stage, how much of it is done and how much there is.
    """
    began = time.monotonic()
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    corpus.write(folder)
    model = _train(folder, threads, tell)
    result = tune(
        "kbest-mira",
        model=model.path,
        source=folder / "dev.source",
        refs=folder / "dev.target",
        out=folder / "run",
        force=True,
        decodings=decodings,
        list_size=size,
        tokenize="none",
        seed=seed,
        threads=threads,
        progress=tell,
    )
    for sentence in LOOKED_AT:
        inspect(folder / "run", sentence=sentence, progress=tell)
    tuned = result.weights
    texts = {
        (part, name): _translate(folder, model, part, name, weights, threads, tell)
        for part in ("dev", "test")
        for name, weights in (("start", model.weights), ("tuned", tuned))
    }
    metric = Bleu(tokenize="none")
    references = {p: References([[e] for _, e in getattr(corpus, p)]) for p in ("dev", "test")}

    def score(part: str, name: str) -> float:
        return evaluate(metric, texts[part, name], references[part]).value

    return DemoResult(
        directory=folder,
        signature=f"{metric.name}|{metric.signature(references['test'])}",
        scores={
            part: Scores(start=score(part, "start"), tuned=score(part, "tuned"))
            for part in references
        },
        start=model.weights,
        tuned=tuned,
        examples=_examples(corpus, texts["test", "start"], texts["test", "tuned"]),
        report=report(folder / "run", out=folder / "report.html"),
        seconds=time.monotonic() - began,
    )


def _train(folder: Path, threads: int, tell: Tell) -> Model:
    """Train on the whole bitext, but keep only rules that the demo can use."""
    settings = TrainSettings(
        source=folder / "train.source",
        target=folder / "train.target",
        inputs=(folder / "dev.source", folder / "test.source"),
        alignment=AlignmentSettings(aligner="diagonal"),
        threads=threads,
    )
    return build(settings, folder / "model", tell=tell)


def _translate(
    folder: Path,
    model: Model,
    part: str,
    name: str,
    weights: Weights,
    threads: int,
    tell: Tell,
) -> list[str]:
    """Translate a part and write the translations."""
    lines = (folder / f"{part}.source").read_text(encoding="utf-8").splitlines()
    texts = []
    for translation in translate(model, lines, weights=weights, threads=threads):
        texts.append(translation.text)
        tell(f"translating {part}", len(texts), len(lines))
    with open_output(folder / f"{part}.{name}") as out:
        out.writelines(f"{text}\n" for text in texts)
    return texts


def _examples(corpus: Corpus, start: Sequence[str], tuned: Sequence[str]) -> list[Example]:
    """Return a few short sentences whose translation changed."""
    changed = [
        Example(source=source, start=before, tuned=after, reference=reference)
        for (source, reference), before, after in zip(corpus.test, start, tuned, strict=True)
        if before != after and len(source.split()) <= 15
    ]
    return changed[:3]
