"""`hopefear demo`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hopefear.cli.options import Debug

if TYPE_CHECKING:
    from hopefear.cli.progress_bar import ProgressBar
    from hopefear.demo.candidates import CandidatesResult
    from hopefear.demo.corpus import Scores
    from hopefear.demo.translation import DemoResult
    from hopefear.types import Weights

__all__ = ["demo", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    directory: Annotated[Path, typer.Option("--output", "-o", help="Where the files go.")] = Path(
        "demo"
    ),
    corpus: Annotated[
        Literal["auto", "verses", "generated"],
        typer.Option(help="Latin verses, made-up sentences, or verses if they can be had."),
    ] = "auto",
    candidates: Annotated[
        bool, typer.Option("--candidates", help="Only make up candidates, and tune on them.")
    ] = False,
    sentences: Annotated[
        int | None, typer.Option(min=2, help="To tune on, and to test on. [300; candidates: 400]")
    ] = None,
    size: Annotated[
        int | None, typer.Option(min=2, help="Hypotheses a sentence. [100; candidates: 50]")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 1,
    threads: Annotated[int, typer.Option(min=0, help="0 for one per core.")] = 0,
    debug: Debug = False,
) -> None:
    """Train a translation system, tune it, and show what it does before and after."""
    from hopefear.cli.progress_bar import ProgressBar

    with ProgressBar() as bar:
        if candidates:
            from hopefear.demo import run_candidates_demo

            result: CandidatesResult | DemoResult = run_candidates_demo(
                directory,
                sentences=sentences or 400,
                size=size or 50,
                seed=seed,
                threads=threads,
                tell=bar.show,
            )
        else:
            result = _translation(bar, directory, corpus, sentences, size, seed, threads)
    _print_scores(result.scores, result.signature)
    if not candidates:
        _print_examples(result)
    _print_weights(result.start, result.tuned)
    report = getattr(result, "report", None)
    if report is not None:
        print_line(f"report: {report}")
    print_line(f"{result.seconds:.0f} s; everything is in {result.directory}/")


def _translation(
    bar: "ProgressBar",
    directory: Path,
    corpus: str,
    sentences: int | None,
    size: int | None,
    seed: int,
    threads: int,
) -> "DemoResult":
    from hopefear.demo import choose_corpus, run_demo

    chosen = choose_corpus(corpus, bar.print, sentences=sentences or 300)
    counts = f"{len(chosen.train):,} pairs to train on, {len(chosen.dev):,} to tune on"
    bar.print(f"{chosen.title}: {counts}, {len(chosen.test):,} to test on")
    return run_demo(directory, chosen, size=size or 100, seed=seed, threads=threads, tell=bar.show)


def _print_scores(scores: "Mapping[str, Scores]", signature: str) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="BLEU", title_justify="left")
    for column in ("", *scores):
        table.add_column(column, justify="right" if column else "left")
    for row in ("start", "tuned", "oracle"):
        figures = [getattr(one, row) for one in scores.values()]
        if None not in figures:
            table.add_row(row, *(f"{figure:.2f}" for figure in figures))
    print_line(table)
    print_line(signature)


def _print_examples(result: "CandidatesResult | DemoResult") -> None:
    for example in getattr(result, "examples", []):
        print_line("")
        for name in ("source", "start", "tuned", "reference"):
            print_line(Text(f"{name:>9}  {getattr(example, name)}"))


def _print_weights(start: "Weights", tuned: "Weights") -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="weights", title_justify="left")
    for column in ("", "start", "tuned"):
        table.add_column(column, justify="right" if column else "left")
    scale = start.norm(1) / tuned.norm(1) if tuned.norm(1) else 1.0
    for name, value in tuned.items():
        table.add_row(name, f"{start.get(name, 0.0):.4f}", f"{scale * value:.4f}")
    print_line(table)


def print_line(line: object) -> None:
    """Print to standard output, as wide as it is."""
    from hopefear.cli.tables import output

    output().print(line)
