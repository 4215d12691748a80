"""The commands: what each does with its settings. Modules are loaded when a command needs them."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from hopefear import commands
from hopefear.cli.generate import SettingsCommand
from hopefear.errors import ConfigError, FormatError
from hopefear.limits import LONGEST_LINE

__all__ = ["COMMANDS", "make_command"]

Keywords = dict[str, Any]


def demo(own: commands.DemoCommand) -> None:
    """Train a translation system, tune it, and show what it does before and after."""
    from hopefear.cli.console import ProgressBar
    from hopefear.cli.tables import print_demo
    from hopefear.demo import choose_corpus, run_candidates_demo, run_demo

    seed, threads = own.seed, own.threads
    with ProgressBar() as bar:
        if own.candidates:
            result: Any = run_candidates_demo(
                own.output,
                sentences=own.sentences or 400,
                size=own.size or 50,
                seed=seed,
                threads=threads,
                tell=bar.show,
            )
        else:
            corpus = choose_corpus(own.corpus, bar.print, sentences=own.sentences or 300)
            bar.print(
                f"{corpus.title}: {len(corpus.train):,} pairs to train on, "
                f"{len(corpus.dev):,} to tune on, {len(corpus.test):,} to test on"
            )
            result = run_demo(
                own.output,
                corpus,
                size=own.size or 100,
                seed=seed,
                threads=threads,
                tell=bar.show,
            )
    print_demo(result)


def train(own: commands.TrainCommand, options: Keywords) -> None:
    """Build a translation model: align, extract rules, estimate a language model.

    A second run resumes where the first one was stopped, or does what other settings change.
    """
    import hopefear
    from hopefear.cli.console import ProgressBar
    from hopefear.cli.tables import stage_line

    with ProgressBar() as bar:
        model = hopefear.train(
            own.settings,
            out=own.out,
            set=own.set,
            progress=bar.show,
            on_stage=lambda stage: bar.print(stage_line(stage)),
            **options,
        )
    sys.stderr.write(f"{model!r}\n")


def translate(own: commands.TranslateCommand, options: Keywords) -> None:
    """Translate standard input, one sentence per line, to standard output."""
    import hopefear
    from hopefear.cli.console import ProgressBar
    from hopefear.formats.forests.store import ForestWriter
    from hopefear.formats.nbest.bars import MosesNBest
    from hopefear.settings.tree import keyword_options
    from hopefear.translation import DecoderOptions
    from hopefear.translation.translate import show_derivation

    with ExitStack() as stack:
        bar = stack.enter_context(ProgressBar())
        writer = None
        if own.forests is not None:
            own.forests.mkdir(parents=True, exist_ok=True)
            writer = stack.enter_context(ForestWriter.open(own.forests / "0.forests"))
        translations = hopefear.translate(
            own.model,
            _lines(strict=own.on_error == "stop"),
            weights=own.weights,
            nbest=own.nbest,
            forests=own.forests is not None,
            grammars=own.grammars,
            detokenize=own.detokenize,
            threads=own.threads,
            cluster=own.cluster,
            window=own.window,
            on_error=own.on_error,
            **keyword_options(DecoderOptions, options, "translate"),
        )
        for done, translation in enumerate(translations, 1):
            error, text = translation.error, f"{translation.text}\n"
            if own.nbest:
                lists = io.StringIO()
                try:
                    MosesNBest().write([] if error else [translation.segment], lists)
                except FormatError as problem:  # words that the format cannot hold
                    if own.on_error == "stop":
                        raise
                    error = f"sentence {done}: {problem}"
                text = "" if error else lists.getvalue()
            elif own.show_derivation:
                text = "\n" if error else f"{show_derivation(translation)}\n\n"
            if error is not None:
                bar.print(f"hopefear: {error}")
            sys.stdout.buffer.write(text.encode(errors="surrogateescape"))
            # Whoever reads gets each sentence as soon as it is there.
            sys.stdout.buffer.flush()
            if writer is not None and translation.forest is not None:
                writer.add(translation.number, translation.forest)
            bar.show("translating", done, 0, f"{done} sentences")


def _lines(*, strict: bool) -> Iterator[str]:
    """Read standard input line by line, as it comes; unless strict, with errors as surrogates."""
    for number, line in enumerate(_byte_lines(), 1):
        if strict and len(line) > LONGEST_LINE:
            problem = f"the line is longer than {LONGEST_LINE >> 20} MiB; split it"
            raise FormatError(f"standard input:{number}: {problem}")
        try:
            yield line.removesuffix(b"\r").decode(errors="strict" if strict else "surrogateescape")
        except UnicodeDecodeError as error:
            place = f"byte {error.start + 1} of the line: {error.reason}"
            raise FormatError(f"standard input:{number}: is not UTF-8 ({place})") from None


def _byte_lines() -> Iterator[bytes]:
    """Yield lines; of one that is too long, no more than shows that."""
    # Python's own buffer has a lock that an interrupted program could not take.
    pieces: list[bytes] = []
    size = 0
    descriptor = sys.stdin.fileno()
    while piece := os.read(descriptor, 1 << 16):
        *lines, rest = piece.split(b"\n")
        for line in lines:
            yield b"".join([*pieces, line])
            pieces, size = [], 0
        if rest and size <= LONGEST_LINE:
            pieces.append(rest)
            size += len(rest)
    if pieces:
        yield b"".join(pieces)


def tune(own: commands.TuneCommand, options: Keywords) -> None:
    """Learn weights from n-best lists, forests or a decoder, with references or scores."""
    import hopefear
    from hopefear.cli.console import TuningConsole

    if own.resume:
        cluster = options.pop("cluster", None)
        given = [f"--{name}".replace("_", "-").replace("--", "--") for name in options]
        given += ["--set"] if own.set else ["--force"] if own.force else []
        given += ["--grid"] if own.grid else []
        given += ["a learner"] if own.learner else []
        if given:
            raise ConfigError(f"--resume keeps the settings of {own.out}; omit {given[0]}")
        with TuningConsole(own.out, json=own.json) as console:
            hopefear.resume_tuning(
                own.out,
                cluster=cluster,
                report=own.report,
                progress=console.tell,
                on_event=console.show,
            )
        return
    learner = own.learner or _usual_learner(options)
    if learner is None and options.get("nbest"):
        learner = "auto"
    if learner is None:
        raise ConfigError("which learner? See 'hopefear presets', or resume a run with --resume")
    if own.grid:
        _tune_grid(learner, own, options)
        return
    with TuningConsole(own.out, json=own.json) as console:
        for event in hopefear.tune_events(
            learner,
            out=own.out,
            force=own.force,
            set=own.set,
            report=own.report,
            progress=console.tell,
            **options,
        ):
            console.show(event)


def _tune_grid(learner: str, own: commands.TuneCommand, options: Keywords) -> None:
    import hopefear
    from hopefear.cli.console import ProgressBar
    from hopefear.cli.tables import print_grid
    from hopefear.runs.grid import parse_grid

    with ProgressBar() as bar:
        found = hopefear.tune_grid(
            learner,
            grid=parse_grid(own.grid),
            out=own.out,
            jobs=own.jobs,
            force=own.force,
            set=own.set,
            progress=lambda what, done, total: bar.show(what, done, total, ""),
            **options,
        )
    print_grid(found)
    if own.report:
        hopefear.report([own.out])
    click.echo(f"weights: {own.out / 'weights.tsv'}")


def _usual_learner(options: Keywords) -> str | None:
    """Return what users of a decoder that is called by its name would take."""
    from hopefear.candidates.tools import USUAL_LEARNER, tool_of

    command = options.get("decoder", "")
    return USUAL_LEARNER if tool_of(command) is not None else None


def _chosen_run(typed: Mapping[str, str]) -> Mapping[str, object] | None:
    """Return the table of the settings that a learner or preset stands for."""
    if "learner" not in typed:
        return None
    from hopefear.runs.options import table_of

    return table_of(typed["learner"], typed.get("metric"))


def presets(own: commands.PresetsCommand) -> None:
    """List the published systems, or print the settings of one as TOML."""
    from hopefear.presets import load_presets
    from hopefear.runs.kinds import learns_from
    from hopefear.runs.options import learner_of, table_of
    from hopefear.settings.config import format_table

    if own.name is not None:
        table = format_table(table_of(own.name))
        preset = load_presets().get(own.name)
        if preset is not None:
            click.echo(f"# {preset.explanation}")
        kinds = learns_from(learner_of(own.name), {} if preset is None else preset.settings)
        click.echo(f"# learns from: {', '.join(kinds)}")
        click.echo(table, nl=False)
        return
    rows = [("preset", "learns from", "what it is")]
    for title, preset in load_presets().items():
        kinds = learns_from(learner_of(title), preset.settings)
        rows.append((title, ", ".join(kinds), preset.explanation))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for title, data, explanation in rows:
        click.echo(f"{title:{widths[0]}}  {data:{widths[1]}}  {explanation}")


def report(own: commands.ReportSettings) -> None:
    """Show what runs did as one HTML file that needs no network."""
    import hopefear
    from hopefear.reporting.page import format_bytes

    path = hopefear.report(**vars(own))
    if not own.watch:
        click.echo(f"report: {path} ({format_bytes(path.stat().st_size)})")


def reproduce(own: commands.ReproduceSettings) -> None:
    """Run the tables and figures of a paper on a corpus, and say which of its claims hold."""
    import hopefear
    from hopefear.cli.console import ProgressBar
    from hopefear.cli.reproductions import print_reproduction, row_line

    with ProgressBar() as bar:
        found = hopefear.reproduce(
            **vars(own), progress=bar.show, on_row=lambda outcome: bar.print(row_line(outcome))
        )
    print_reproduction(found)


def simulate_cluster(own: commands.SimulateClusterSettings) -> None:
    """Estimate what an epoch would take with more learners, from runs that were measured."""
    import hopefear
    from hopefear.cli.tables import print_estimates

    print_estimates(*hopefear.simulate_cluster(**vars(own)))


def inspect(own: commands.InspectSettings) -> None:
    """Show the 1-best, the hope and the fear of a sentence, and the cloud around them."""
    import hopefear
    from hopefear.cli.console import ProgressBar
    from hopefear.cli.tables import print_cloud
    from hopefear.reporting.clouds import write_picture
    from hopefear.reporting.inspecting import picture_path

    with ProgressBar() as bar:
        cloud = hopefear.inspect(**{**vars(own), "out": None}, progress=bar.show)
    target = picture_path(own.run, cloud.sentence) if own.out is None else own.out
    write_picture(target, cloud)
    print_cloud(cloud, target)


def rerank(own: commands.RerankCommand, options: Keywords) -> None:
    """Print the best candidate of each sentence; an empty line where there is none."""
    import hopefear
    from hopefear.candidates.reranking import ForestReranking, write_reranked
    from hopefear.cli.console import ProgressBar
    from hopefear.formats.files import check_other_file

    nbest = options.get("nbest", [])
    if own.nbest_out is not None:
        for path in nbest:
            check_other_file(Path(path), own.nbest_out)
    with ProgressBar() as bar:
        reranking = hopefear.rerank(**options, progress=bar.show)
        if own.nbest_out is not None:
            # Lists from forests are not in the format of the forests.
            format = own.to or (options.get("format") if nbest else None)
            write_reranked(own.nbest_out, reranking, format, Path(nbest[0]) if nbest else None)
            return
        if isinstance(reranking, ForestReranking):
            lines = [("", text) for text in reranking]
        else:
            lines = list(reranking.lines())
    for key, text in lines:
        label = f"{key} " if key and own.keys else ""
        sys.stdout.write(label + " ".join(text.split("\n")) + "\n")


def evaluate(own: commands.EvaluateCommand, options: Keywords) -> None:
    """Score systems against references and compare them, or show what candidates allow."""
    import hopefear
    from hopefear.cli.console import ProgressBar

    with ProgressBar() as bar:
        found = hopefear.evaluate(**options, progress=bar.show)
    if own.json:
        click.echo(json.dumps(found.table(), ensure_ascii=False, indent=2))
    elif own.markdown or own.latex:
        from hopefear.evaluation.tables import latex, markdown, tables

        write = latex if own.latex else markdown
        click.echo("\n\n".join(map(write, tables(found))))
    else:
        from hopefear.cli.tables import print_evaluation

        print_evaluation(found)


def convert(own: commands.ConvertSettings) -> None:
    """Convert n-best lists, weights or forests from one tool's format to another's."""
    import hopefear
    from hopefear.cli.console import ProgressBar

    with ProgressBar() as bar:
        hopefear.convert(
            own.source,
            own.target,
            to=own.to,
            from_=own.format,
            kind=own.kind,
            progress=bar.show,
        )


def completion(own: commands.CompletionCommand) -> None:
    """Print the script that makes a shell complete commands and options."""
    from click.shell_completion import get_completion_class

    from hopefear.cli.program import app

    kind = get_completion_class(own.shell)
    assert kind is not None  # Click knows these three
    click.echo(kind(app, {}, "hopefear", "_HOPEFEAR_COMPLETE").source())


COMMANDS: Mapping[str, Callable[..., None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        *(demo, train, translate, tune, presets, report, inspect, rerank, evaluate, convert),
        *(reproduce, simulate_cluster, completion),
    )
}
"""All commands, in the order in which help lists them."""

_OTHERS = {
    "evaluate": "hopefear.commands:EvaluateSettings",
    "rerank": "hopefear.commands:RerankSettings",
    "train": "hopefear.translation.training.settings:TrainSettings",
    "translate": "hopefear.translation:DecoderOptions",
    "tune": "hopefear.runs.settings:TuneSettings",
}


EXAMPLES: Mapping[str, Sequence[str]] = {
    "demo": ("hopefear demo --candidates",),
    "train": ("hopefear train -s train.de -t train.en -o model",),
    "translate": ("hopefear translate model --weights run < test.de > test.en",),
    "tune": (
        "hopefear tune --nbest dev.jsonl --refs dev.ref -o run",
        "hopefear tune mert --nbest dev.csv --columns text=mt --refs dev.ref -o run \\",
        "    --features +words,+agreement:chrf --dev-nbest held.csv --dev-refs held.ref",
        "hopefear tune mira --model model --source dev.de --refs dev.en -o run",
        "hopefear tune --resume -o run",
    ),
    "presets": ("hopefear presets", "hopefear presets moses-kbmira > mine.toml"),
    "report": (
        "hopefear report run",
        "hopefear report run1 run2 -o both.html",
        "hopefear report run --watch",
    ),
    "inspect": ("hopefear inspect run --sentence 17", "hopefear inspect run --most-interesting"),
    "rerank": ("hopefear rerank --nbest test.jsonl --weights run > best.txt",),
    "evaluate": (
        "hopefear evaluate --hyp base.txt --hyp best.txt --refs test.ref",
        "hopefear evaluate --hyp mert='mert.*.txt' --hyp pro='pro.*.txt' --refs test.ref --latex",
        "hopefear evaluate --hyp text.hyp --refs text --metric wer",
        "hopefear evaluate --nbest test.nbest.gz --weights run --refs test.ref",
    ),
    "convert": ("hopefear convert candidates.csv candidates.jsonl --to jsonl",),
    "reproduce": (
        "hopefear reproduce gimpel2012 --data corpus --quick -o gimpel",
        "hopefear reproduce chiang2012 --data corpus --table 1 -o chiang",
    ),
    "simulate-cluster": ("hopefear simulate-cluster run --workers 20 --workers 1000",),
    "completion": (
        "hopefear completion bash > ~/.local/share/bash-completion/completions/hopefear",
    ),
}
"""What people type, for the help of each command."""

TUNE_GROUPS = (
    *("Tuning data", "Metric", "Output", "Held-out data", "Learner", "Rhythm", "Stopping", "Run"),
    *("Decoder", "Strategy", "Discretization"),
)
"""The groups in the help of `tune`: first what everybody needs."""


def make_command(name: str) -> SettingsCommand:
    """Make a command from the declarations of its settings."""
    title = name.title().replace("-", "")
    own = f"{title}Command" if hasattr(commands, f"{title}Command") else f"{title}Settings"
    kinds = [f"hopefear.commands:{own}", *filter(None, [_OTHERS.get(name)])]
    if name != "tune":
        return SettingsCommand(name, COMMANDS[name], kinds, examples=EXAMPLES.get(name, ()))
    note = (
        "'hopefear tune LEARNER --help' also shows the settings of the learner and of the metric, "
        "and the defaults of a preset."
    )
    return SettingsCommand(
        name,
        COMMANDS[name],
        kinds,
        given=_chosen_run,
        note=note,
        examples=EXAMPLES[name],
        order=TUNE_GROUPS,
    )
