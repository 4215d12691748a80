"""`hopefear train`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.cli.options import Debug
from hopefear.settings import parse_size

if TYPE_CHECKING:
    from hopefear.translation.training.stages import Stage

__all__ = ["register", "train"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(train)


def train(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="MODEL", help="The model's directory.")
    ],
    settings: Annotated[
        Path | None, typer.Argument(metavar="[SETTINGS]", help="A TOML file of settings.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--source", "-s", help="One side of the bitext.")
    ] = None,
    target: Annotated[Path | None, typer.Option("--target", "-t", help="The other side.")] = None,
    alignments: Annotated[
        Path | None, typer.Option(help="Word alignments, as in '0-0 1-2'. [found by an aligner]")
    ] = None,
    aligner: Annotated[
        str | None, typer.Option(help="diagonal, eflomal, auto. [eflomal if installed]")
    ] = None,
    symmetrization: Annotated[
        str | None, typer.Option(help="Of both directions. [grow-diag-final-and]")
    ] = None,
    tokenize: Annotated[str | None, typer.Option(help="none, sacremoses. [none]")] = None,
    lowercase: Annotated[bool | None, typer.Option("--lowercase", help="Lowercase all.")] = None,
    source_language: Annotated[
        str | None, typer.Option(help="For the tokenizer, as in 'de'. [en]")
    ] = None,
    target_language: Annotated[str | None, typer.Option(help="The same. [en]")] = None,
    for_: Annotated[
        list[Path] | None,
        typer.Option("--for", metavar="FILE...", help="Take only rules that match these inputs."),
    ] = None,
    rules: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE...", help="Rule tables of Moses, cdec or Joshua."),
    ] = None,
    rules_format: Annotated[
        str | None, typer.Option(help="moses, cdec, joshua, with options. [told]")
    ] = None,
    glue: Annotated[
        Path | None, typer.Option(help="A table of glue rules. [the usual ones]")
    ] = None,
    lm: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="ARPA files or KenLM binaries.")
    ] = None,
    lm_text: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE...", help="Further texts to estimate a language model from."),
    ] = None,
    lm_order: Annotated[
        int | None, typer.Option(help="Of the model that is estimated, 2 to 6. [5]")
    ] = None,
    keep_arpa: Annotated[
        bool | None, typer.Option("--keep-arpa", help="Keep it as an ARPA file, too.")
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME...", help="small, large, patterns, or your own. [small]"),
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="Weights for the model. [sensible ones]")
    ] = None,
    memory: Annotated[
        str, typer.Option(metavar="BYTES", help="That each stage may work in, as in '2G'.")
    ] = "",
    threads: Annotated[
        int | None, typer.Option(help="No result depends on it. [one per core]")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE...", help="As in extraction.tight=false."),
    ] = None,
    debug: Debug = False,
) -> None:
    """Make a translation model: align, extract rules, estimate a language model.

    A second run goes on where the first one was stopped, or does what other options change.
    """
    import hopefear
    from hopefear.cli.progress_bar import ProgressBar

    with ProgressBar() as bar:
        model = hopefear.train(
            settings,
            out=out,
            source=source,
            target=target,
            alignments=alignments,
            aligner=aligner,
            symmetrization=symmetrization,
            tokenize=tokenize,
            lowercase=lowercase,
            source_language=source_language,
            target_language=target_language,
            inputs=for_ or (),
            rules=rules or (),
            rules_format=rules_format,
            glue=glue,
            lm=lm or (),
            lm_texts=lm_text or (),
            lm_order=lm_order,
            keep_arpa=keep_arpa,
            features=features or (),
            weights=weights,
            memory=parse_size(memory) if memory else None,
            threads=threads,
            set=set_ or (),
            tell=bar.show,
            finished=lambda stage: bar.print(_line(stage)),
        )
    sys.stderr.write(f"{model!r}\n")


def _line(stage: "Stage") -> str:
    figures = ", ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}"
        for name, value in stage.figures.items()
    )
    when = "done before" if stage.reused else f"{stage.seconds:.1f} s"
    return f"{stage.name}: {figures} ({when})"
