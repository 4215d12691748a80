"""Reproduce a paper on a corpus: train what it needs, run its rows, and judge its claims."""

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

import hopefear
from hopefear.commands import ReproduceSettings
from hopefear.errors import ConfigError
from hopefear.formats.files import Tell, remove_litter, tell_nobody
from hopefear.formats.lock import FolderLock
from hopefear.reporting.page import format_seconds
from hopefear.reproduction.chiang2012 import CHIANG_2012
from hopefear.reproduction.clark2014 import CLARK_2014
from hopefear.reproduction.corpus import Corpus, CorpusChoice, Sizes, check_choice, prepare_corpus
from hopefear.reproduction.experiment import Experiment, Scale
from hopefear.reproduction.gimpel2012 import GIMPEL_2012
from hopefear.reproduction.outcomes import Outcome, Outcomes
from hopefear.reproduction.pages import Judged, write_json, write_page
from hopefear.reproduction.paper import Paper, Training
from hopefear.reproduction.watanabe2012 import WATANABE_2012
from hopefear.runs.batch import carried_out
from hopefear.threads import thread_count
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import build_train_settings

__all__ = ["Reproduction", "papers", "reproduce"]

papers: dict[str, Paper] = {
    paper.name: paper for paper in (CHIANG_2012, GIMPEL_2012, CLARK_2014, WATANABE_2012)
}

WHOLE = (Sizes(), Scale())
# Half an hour on two processors.
QUICK = (
    Sizes(train=10_000, tuning=200, dev=150, test=1000),
    Scale(decodings=10, epochs=10, list_size=100, choices=2),
)


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """What came out of a reproduction.

    Attributes
    ----------
    paper : Paper
        What was reproduced of it.
    outcomes : Outcomes
        The scores of their rows, and of the curves of figures.
    judged : sequence of Judged
        The claims for which all rows are there.
    page, json : Path
        Where all of it is written.
    seconds : float
        The time of all runs, those of earlier calls included.
    """

    paper: Paper
    outcomes: Outcomes
    judged: Sequence[Judged]
    page: Path
    json: Path
    seconds: float


def reproduce(
    settings: ReproduceSettings,
    *,
    tell: Tell = tell_nobody,
    on_row: Callable[[Outcome], None] = lambda outcome: None,
) -> Reproduction:
    """Reproduce a paper; what its directory has already is not done again."""
    paper = _asked_for(settings)
    choice = CorpusChoice(
        directory=settings.data,
        source=settings.source_language,
        target=settings.target_language,
        references=settings.references,
    )
    check_choice(choice)
    with FolderLock(settings.out):
        remove_litter(settings.out)
        return _reproduce(settings, paper, choice, tell, on_row)


def _reproduce(
    settings: ReproduceSettings,
    paper: Paper,
    choice: CorpusChoice,
    tell: Tell,
    on_row: Callable[[Outcome], None],
) -> Reproduction:
    out, threads, rows = settings.out, settings.threads, paper.rows()
    sizes, scale = QUICK if settings.quick else WHOLE
    sizes = replace(sizes, tuning=settings.sentences or sizes.tuning)
    scale = replace(
        scale,
        replicas=settings.replicas or scale.replicas,
        decodings=settings.epochs or scale.decodings,
        epochs=settings.epochs or scale.epochs,
    )
    corpus = prepare_corpus(choice, sizes, out / "corpus")
    models = {
        training: _model(training, corpus, out, threads, tell)
        for training in dict.fromkeys(row.model for row in rows)
    }
    at_once = settings.jobs or thread_count(threads)
    each = 1 if at_once > 1 or settings.cluster is not None else threads
    experiments = [
        Experiment(
            row=row,
            model=models[row.model],
            corpus=corpus,
            out=out,
            scale=scale,
            seed=settings.seed,
            threads=each,
        )
        for row in rows
    ]
    found: dict[str, Outcome] = {}
    for outcome in carried_out(
        experiments, cluster=settings.cluster, processes=at_once, tell=tell, what="rows"
    ):
        found[outcome.row.name] = outcome
        on_row(outcome)
    outcomes = Outcomes(found)
    judged = [
        Judged(claim=claim, verdict=claim.judge(outcomes))
        for claim in paper.claims
        if all(row in outcomes for row in claim.rows)
    ]
    seconds = sum(outcome.seconds for outcome in found.values())
    facts = _facts(settings, corpus, scale, seconds=seconds, at_once=at_once)
    return Reproduction(
        paper=paper,
        outcomes=outcomes,
        judged=judged,
        page=write_page(out, paper, outcomes, judged, facts),
        json=write_json(out, paper, outcomes, judged, facts),
        seconds=seconds,
    )


def _asked_for(settings: ReproduceSettings) -> Paper:
    """Return what is wanted of a paper."""
    paper = papers[settings.paper]
    if settings.table is not None:
        if settings.table not in (known := [one.number for one in paper.tables]):
            problem = f"{paper.name} has no table '{settings.table}'; it has {', '.join(known)}"
            raise ConfigError(problem, settings=("table",))
        paper = paper.table(settings.table)
    if settings.claim:
        for text in settings.claim:
            if not paper.claiming([text]).claims:
                claims = "".join(f"\n- {one.text}" for one in paper.claims)
                problem = f"no claim of {paper.name} has '{text}' in it; it claims{claims}"
                raise ConfigError(problem, settings=("claim",))
        paper = paper.claiming(settings.claim)
    return paper


def _model(training: Training, corpus: Corpus, out: Path, threads: int, tell: Tell) -> Path:
    """Train a model, unless it is there."""
    options: dict[str, object] = {
        "source": corpus.train.source,
        "target": corpus.train.references[0],
        "inputs": tuple(one.source for one in (corpus.tuning, corpus.dev, corpus.test)),
        "threads": threads,
    }
    if training != "small":
        options["templates"] = (training,)
    path = out / "models" / training
    build(build_train_settings(None, options, ()), path, tell=tell, finished=lambda stage: None)
    return path


def _facts(
    settings: ReproduceSettings, corpus: Corpus, scale: Scale, *, seconds: float, at_once: int
) -> dict[str, str]:
    limits = ", ".join(
        f"{value} {key.replace('list_size', 'hypotheses in a list')}"
        for key, value in vars(scale).items()
        if value is not None and key != "replicas"
    )
    how = f"scaled down: at most {limits}" if limits else "the paper's"
    rows = "one row" if at_once == 1 else f"{at_once} rows"
    return {
        "command": _command(settings),
        "corpus": corpus.description,
        "settings": how if scale.replicas is None else f"{how}; replicas: {scale.replicas}",
        "program": f"hopefear {hopefear.__version__}, Python {platform.python_version()}",
        "machine": f"{os.cpu_count()} processors, {platform.machine()}",
        "time": f"{format_seconds(seconds)} of learning, {rows} at a time",
    }


def _command(settings: ReproduceSettings) -> str:
    """Return what to type for this page; threads and the like change nothing."""
    words = ["hopefear reproduce", settings.paper, f"--data {quote(settings.data.resolve().name)}"]
    named = ("source_language", "target_language", "table", "sentences", "epochs", "replicas")
    for name in named:
        if (value := getattr(settings, name)) is not None:
            words.append(f"--{name.replace('_', '-')} {quote(str(value))}")
    words += [f"--claim {quote(text)}" for text in settings.claim]
    words += [f"--references {quote(name)}" for name in settings.references]
    words += ["--quick"] if settings.quick else []
    words += [f"--seed {settings.seed}"] if settings.seed != 1 else []
    return f"`{' '.join(words)} -o {quote(settings.out.resolve().name)}`"
