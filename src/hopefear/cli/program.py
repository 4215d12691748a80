"""Running a command: what it raises becomes a message and an exit code.

Exit codes: 0 done; 1 the data, or what was learned from it, is at fault; 2 the command line or a
configuration is; 130 interrupted; 128 + N ended by signal N; 141 the reader of the output is gone.
"""

import io
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TextIO, cast

import click

from hopefear import __version__
from hopefear.cli.commands import COMMANDS, make_command
from hopefear.cli.generate import SettingsCommand, common_options
from hopefear.errors import (
    ConfigError,
    HopefearError,
    HopefearWarning,
    OptionError,
    describe_file_error,
)

__all__ = ["InterruptedRunError", "app", "run"]


NO_MEMORY = (
    "there is not enough memory. What helps: fewer threads (--threads 1), shorter or fewer inputs, "
    "and for lists --memory-limit, for training --memory"
)


class InterruptedRunError(Exception):
    """The user stopped a command; the message says how to resume it."""

    def __init__(self, message: str, code: int = 130) -> None:
        super().__init__(message)
        self.code = code


class _Program(click.Group):
    """The commands, each made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return make_command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, (run.__doc__ or "").split("\n")[0]) for name, run in COMMANDS.items()]
            )
        formatter.write_paragraph()
        formatter.write_text("'hopefear COMMAND --help' shows the options of a command.")


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"hopefear {__version__}")
        context.exit()


app = _Program(
    "hopefear",
    help="Learn the weights of linear models over translations, and use them.",
    params=[
        click.Option(
            ["--version", "-V"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Show the version and exit.",
        ),
        *common_options(),
    ],
    callback=lambda: None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    words, state = list(arguments) or ["--help"], dict[str, bool]()
    if words[0] == "help":
        words = [*words[1:], "--help"]
    try:
        with _whole_output():
            return _invoke(words, state)
    except BrokenPipeError:
        _drop_output()
        return 141
    except (KeyboardInterrupt, click.Abort, InterruptedRunError) as stop:
        return _fail(str(stop) or "interrupted", getattr(stop, "code", 130))
    except click.ClickException as error:
        return _fail(error.format_message(), error.exit_code)
    except (HopefearError, OSError, MemoryError) as error:
        if state.get("debug"):
            traceback.print_exc()
        return _fail(_told(error, words), 2 if isinstance(error, ConfigError) else 1)
    except SystemError as error:
        # NumPy forgets in places to say that there was no memory.
        if not re.search("without (setting an exception|exception set)", str(error)):
            raise
        if state.get("debug"):
            traceback.print_exc()
        return _fail(f"a library failed without a reason; probably {NO_MEMORY}", 1)


class _Whole(io.RawIOBase):
    """Writes again what the system did not take at once; with PYTHONUNBUFFERED, Python drops it."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()

    def write(self, data: Any) -> int:
        left = memoryview(data)
        while left:
            left = left[self._raw.write(left) or 0 :]
        return len(data)


@lru_cache(maxsize=1)  # Click never forgets a stream that it has written to
def _whole(raw: io.RawIOBase, encoding: str, errors: str | None) -> TextIO:
    return io.TextIOWrapper(cast(Any, _Whole(raw)), encoding, errors, write_through=True)


@contextmanager
def _whole_output() -> Iterator[None]:
    """See to it that all output is written, or an error raised."""
    before, raw = sys.stdout, getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        sys.stdout = _whole(raw, before.encoding, before.errors)
    try:
        yield
    finally:
        sys.stdout = before


def _told(error: HopefearError | OSError | MemoryError, words: list[str]) -> str:
    """Return what the user is told about an error."""
    if isinstance(error, HopefearError):
        return explain(error, words)
    return _describe(error) if isinstance(error, OSError) else NO_MEMORY


def _invoke(words: list[str], state: dict[str, bool]) -> int:
    """Run a command; what it raises is the caller's."""
    if "_HOPEFEAR_COMPLETE" in os.environ:  # a shell asks what may come next
        app.main(words, prog_name="hopefear")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", HopefearWarning)
            warnings.showwarning = _show_warning
            with app.make_context("hopefear", words, obj=state) as context:
                app.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    finally:
        sys.stdout.flush()
    return 0


def explain(error: HopefearError, arguments: Sequence[str]) -> str:
    """Return the message of an error, with the options that set what it is about.

    Examples
    --------
    >>> explain(ConfigError("the seed is odd", settings=("seed",)), ["evaluate"])
    'the seed is odd (--seed)'
    """
    name = next((word for word in arguments if not word.startswith("-")), "")
    command = make_command(name) if name in COMMANDS else None
    known = command.option_names() if isinstance(command, SettingsCommand) else {}
    if isinstance(error, OptionError):  # of an object that was made of the options themselves
        return f"{known.get(error.field, error.field)}{error.problem}"
    options = [known[name] for name in error.settings if name in known]
    if not options:
        return str(error)
    # Further lines are an example.
    problem, newline, example = str(error).partition("\n")
    return f"{problem} ({', '.join(dict.fromkeys(options))}){newline}{example}"


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
    sys.stderr.write(f"hopefear: {message}\n")
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
