"""Running a command: what it raises becomes one line and an exit code.

Exit codes: 0 done; 1 the data, or what was learned from it, is at fault; 2 the command line or a
configuration is; 130 interrupted; 141 the reader of the output went away.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import TextIO

import typer

from hopefear import __version__
from hopefear.cli import (
    convert,
    demo,
    evaluate,
    inspect,
    presets,
    report,
    rerank,
    train,
    translate,
    tune,
)
from hopefear.cli.interruption import InterruptedRunError
from hopefear.cli.options import Debug, command_of, spread
from hopefear.cli.setting_names import explain
from hopefear.errors import ConfigError, HopefearError, HopefearWarning, describe_file_error

__all__ = ["app", "main", "run"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (demo, train, translate, tune, presets, report, inspect, rerank, evaluate, convert):
    _command.register(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hopefear {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", is_eager=True, callback=_show_version),
    debug: Debug = False,
) -> None:
    """Learn the weights of linear models over translations, and use them."""


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    state: dict[str, bool] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", HopefearWarning)
            warnings.showwarning = _show_warning
            code = app(spread(arguments), prog_name="hopefear", standalone_mode=False, obj=state)
        sys.stdout.flush()
        # Typer itself turns an interrupt into this code.
        return _fail("interrupted", 130) if code == 130 else int(code or 0)
    except (BrokenPipeError, SystemExit):  # the latter is what Typer makes of the former
        _drop_output()
        return 141
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", 130)
    except InterruptedRunError as stop:
        return _fail(str(stop), 130)
    except typer.TyperException as error:
        return _fail(error.format_message(), error.exit_code)
    except (HopefearError, OSError) as error:
        if state.get("debug"):
            traceback.print_exc()
        if isinstance(error, OSError):
            return _fail(_describe(error), 1)
        message = explain(error, command_of(arguments))
        return _fail(message, 2 if isinstance(error, ConfigError) else 1)


def _describe(error: OSError) -> str:
    """Put an error of the system into a sentence; files that we write are named in it."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    return describe_file_error(error, nameless="standard output")


def _drop_output() -> None:
    """Let the interpreter, which flushes standard output once more at its end, not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split("\n"))
    sys.stderr.write(f"hopefear: {line}\n")
    return code


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    sys.stderr.write(f"hopefear: warning: {message}\n")
