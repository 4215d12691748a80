"""A demonstration that needs nothing: it makes up candidates, tunes on some and tests on others."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hopefear.candidates import ListSet
from hopefear.candidates.reranking import Reranking
from hopefear.demo.corpus import Scores
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.events import EpochFinished, EventLog, RunFinished
from hopefear.formats import load_nbest, read_lines, write_nbest, write_weights
from hopefear.formats.files import open_output
from hopefear.learners import KBestMira
from hopefear.metrics import Bleu, References
from hopefear.parallel import Serial
from hopefear.runs.course import plan
from hopefear.runs.loop import About, learn
from hopefear.types import Weights

__all__ = ["CandidatesResult", "run_candidates_demo"]

Tell = Callable[[str, int, int], None]
"""Called with a stage, how much of it is done, and how much there is."""


@dataclass(frozen=True, kw_only=True)
class CandidatesResult:
    """What the demonstration found, and where it is."""

    directory: Path
    signature: str
    scores: dict[str, Scores]
    start: Weights
    tuned: Weights
    seconds: float


def run_candidates_demo(
    directory: str | Path,
    *,
    sentences: int = 400,
    size: int = 50,
    seed: int = 1,
    threads: int = 0,
    tell: Tell = lambda stage, done, total: None,
) -> CandidatesResult:
    """Write candidates and references, tune weights on one half and test them on the other.

    Parameters
    ----------
    directory : path
        Where everything goes; files of an earlier demonstration are replaced.
    sentences, size : int
        How many sentences each half has, and how many hypotheses each sentence.
    seed : int
        The same seed gives the same result.
    threads : int
        0 for one per core. The result does not depend on it.
    tell : callable
        Progress: called with a stage, how much of it is done and how much there is.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for i, name in enumerate(("dev", "test")):
        skip = i * sentences
        candidates = SyntheticCandidates(sentences=sentences, size=size, skip=skip, seed=seed)
        _write(directory / name, candidates, tell)
    write_weights(directory / "start.tsv", START, "tsv")

    metric = Bleu(tokenize="none")
    sets, signature = {}, ""
    for name in ("dev", "test"):
        lists = load_nbest(directory / f"{name}.nbest.gz")
        references = References([[line] for line in read_lines(directory / f"{name}.ref")])
        metric.prepare(references).set_statistics(lists, threads=threads)
        sets[name] = ListSet(nbest=lists, metric=metric, threads=threads)
        signature = metric.signature(references)

    finished = _tune(sets["dev"], directory / "events.jsonl", seed, tell)
    write_weights(directory / "weights.tsv", finished.weights, "tsv")
    for name, weights in (("start", START), ("out", finished.weights)):
        chosen = Reranking(lists=sets["test"].nbest, weights=weights, threads=threads)
        with open_output(directory / f"test.{name}") as out:
            out.writelines(f"{line}\n" for line in chosen)
    return CandidatesResult(
        directory=directory,
        signature=f"{metric.name}|{signature}",
        scores={name: _scores(data, finished.weights) for name, data in sets.items()},
        start=START,
        tuned=finished.weights,
        seconds=finished.seconds,
    )


def _write(target: Path, candidates: SyntheticCandidates, tell: Tell) -> None:
    """Write the lists as Moses would, and the references."""
    references, segments = [], []
    for done, (reference, segment) in enumerate(candidates, 1):
        references.append(reference)
        segments.append(segment)
        tell(f"{target.name} candidates", done, candidates.sentences)
    write_nbest(target.with_name(f"{target.name}.nbest.gz"), segments, "moses")
    with open_output(target.with_name(f"{target.name}.ref")) as out:
        out.writelines(f"{reference}\n" for reference in references)


def _tune(data: ListSet, log: Path, seed: int, tell: Tell) -> RunFinished:
    """Learn from one half; every event goes to the log."""
    learner = KBestMira()
    log.unlink(missing_ok=True)
    with EventLog(log) as events:
        course = plan(
            data,
            learner,
            learner.rhythm,
            Serial(),
            origin=START.vector(data.feature_names),
            seed=seed,
        )
        for event in learn(course, START, About(name="kbest-mira", seed=seed)):
            events.write(event)
            if isinstance(event, EpochFinished):
                tell("k-best MIRA", event.epoch, course.epochs)
            if isinstance(event, RunFinished):
                return event
    raise AssertionError("learn ends with RunFinished, or raises")


def _scores(data: ListSet, tuned: Weights) -> Scores:
    names = data.nbest.feature_names
    return Scores(
        start=data.score(START.vector(names)),
        tuned=data.score(tuned.vector(names)),
        oracle=data.oracle_score,
    )
