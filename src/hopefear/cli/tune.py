"""`hopefear tune`."""

from pathlib import Path
from typing import Annotated

import typer

from hopefear.cli.options import Debug, Format, MemoryLimit
from hopefear.settings import parse_size

__all__ = ["register", "tune"]

_WITH_RESUME = {"debug", "out", "report", "resume"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tune)


def tune(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="RUN", help="The run's directory.")],
    learner: Annotated[
        str | None,
        typer.Argument(metavar="LEARNER", help="A preset, a learner, or a TOML file of settings."),
    ] = None,
    nbest: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="N-best lists, of any format.")
    ] = None,
    forests: Annotated[
        Path | None, typer.Option(help="Forests in place of lists: a file or a directory.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="Sentences to translate, in place of lists.")
    ] = None,
    refs: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="One or more references.")
    ] = None,
    scores: Annotated[
        Path | None, typer.Option(help="A number for each hypothesis, in place of references.")
    ] = None,
    score_feature: Annotated[
        str | None, typer.Option(help="The feature that is the score, in place of references.")
    ] = None,
    format: Format = None,
    keyed_refs: Annotated[
        bool | None, typer.Option("--keyed-refs", help="References begin with sentence keys.")
    ] = None,
    sentences: Annotated[
        int | None, typer.Option(help="How many there are, if the last ones have no list.")
    ] = None,
    dev_nbest: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="Held-out n-best lists.")
    ] = None,
    dev_forests: Annotated[Path | None, typer.Option(help="Or held-out forests.")] = None,
    dev_source: Annotated[
        Path | None, typer.Option(help="Held-out sentences to translate.")
    ] = None,
    dev_refs: Annotated[
        list[Path] | None, typer.Option(metavar="FILE...", help="Their references.")
    ] = None,
    dev_scores: Annotated[
        Path | None, typer.Option(help="Or a number for each held-out hypothesis.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="The model that translates the source.")
    ] = None,
    decoder: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="Or a command that does, with {weights}, {size}, ..."),
    ] = None,
    decoder_format: Annotated[
        str | None, typer.Option(help="Of the weights that it reads: tsv, cdec, moses, ... [tsv]")
    ] = None,
    parses: Annotated[
        Path | None, typer.Option(help="A directory of parses for several runs. [the run's own]")
    ] = None,
    pop_limit: Annotated[
        int | None, typer.Option(help="How much the model's decoder searches. [the model's]")
    ] = None,
    list_size: Annotated[
        int | None, typer.Option(help="Translations in a list of a decoder. [100]")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(help="How often lists are made, at most. [20]")
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME...", help="Those that there should be; others are errors."),
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="bleu, chrf, chrf++, ter, wer. [bleu, or the scores]")
    ] = None,
    tokenize: Annotated[
        str | None, typer.Option(help="13a, none, intl, char, zh, ...: as in sacreBLEU.")
    ] = None,
    lowercase: Annotated[bool | None, typer.Option("--lowercase", help="Ignore case.")] = None,
    start: Annotated[
        str | None,
        typer.Option(
            help="A file of weights, or as in 'lm=0.5 words=-1', or 'inferred' from the lists' "
            "total scores, or 'ones'. [inferred if possible, else ones]"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same weights. [1]")] = None,
    threads: Annotated[
        int | None, typer.Option(help="No result depends on it. [one per core]")
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(help="Runs with different seeds: mean and deviation. [1]")
    ] = None,
    average: Annotated[
        bool | None, typer.Option("--average", help="Take the mean of the replicas' weights.")
    ] = None,
    scale_features: Annotated[
        bool | None,
        typer.Option("--scale-features/--no-scale-features", help="Learn at unit spread."),
    ] = None,
    memory_limit: MemoryLimit = "",
    weights_format: Annotated[
        str | None, typer.Option(help="Of the final weights, beside TSV. [that of the lists]")
    ] = None,
    moses_ini: Annotated[
        Path | None, typer.Option(help="Put the final weights into a copy of this moses.ini.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE...", help="As in learner.epochs=5."),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Write report.html into RUN.")
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace a run in RUN.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in RUN, which was stopped.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Learn weights from n-best lists, forests or a decoder, with references or scores."""
    import hopefear
    from hopefear.cli.tuning_console import TuningConsole
    from hopefear.errors import ConfigError

    if resume:
        _check_alone(context, out)
        with TuningConsole(out) as console:
            for event in hopefear.resume_tuning(out, report=report, tell=console.tell):
                console.show(event)
        return
    if learner is None:
        raise ConfigError("which learner? See 'hopefear presets', or go on with --resume")
    with TuningConsole(out) as console:
        for event in hopefear.tune(
            learner,
            out=out,
            force=force,
            nbest=nbest or (),
            forests=forests,
            source=source,
            refs=refs or (),
            scores=scores,
            score_feature=score_feature,
            format=format,
            keyed_refs=keyed_refs,
            sentences=sentences,
            dev_nbest=dev_nbest or (),
            dev_forests=dev_forests,
            dev_source=dev_source,
            dev_refs=dev_refs or (),
            dev_scores=dev_scores,
            model=model,
            decoder=decoder,
            decoder_format=decoder_format,
            parses=parses,
            pop_limit=pop_limit,
            list_size=list_size,
            iterations=iterations,
            features=features or (),
            metric=metric,
            tokenize=tokenize,
            lowercase=lowercase,
            start=start,
            seed=seed,
            threads=threads,
            replicas=replicas,
            average=average,
            scale_features=scale_features,
            memory_limit=parse_size(memory_limit) if memory_limit else None,
            weights_format=weights_format,
            moses_ini=moses_ini,
            set=set_ or (),
            report=report,
            tell=console.tell,
        ):
            console.show(event)


def _check_alone(context: typer.Context, out: Path) -> None:
    """Refuse what is asked for beside a run to go on with, which has its settings."""
    from hopefear.errors import ConfigError

    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        given = source is not None and source.name == "COMMANDLINE"
        if given and parameter.name not in _WITH_RESUME:
            shown = parameter.opts[0] if parameter.opts[0].startswith("-") else "a learner"
            raise ConfigError(f"--resume goes on with the settings of {out}; {shown} is too much")
