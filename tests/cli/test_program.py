"""What all commands have in common: options, errors and exit codes."""

import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import pytest

import hopefear as package
from command_line import Hopefear, completed, program
from hopefear.errors import ConfigError, HopefearWarning
from hopefear.settings import parse_size


def test_the_version_is_that_of_the_installed_package(hopefear: Hopefear) -> None:
    assert hopefear("--version").out == f"hopefear {version('hopefear')}\n"
    assert hopefear("-V").out == hopefear("--version").out
    assert package.__version__ == version("hopefear")


def test_without_arguments_help_is_printed(hopefear: Hopefear) -> None:
    bare, asked, spelled = hopefear(), hopefear("--help"), hopefear("help")
    assert (bare.code, bare.err) == (0, "")
    assert bare.out == asked.out == spelled.out
    assert hopefear("help", "evaluate").out == hopefear("evaluate", "-h").out


def test_an_option_takes_several_values_by_being_repeated(hopefear: Hopefear) -> None:
    found = hopefear("evaluate", "--hyp", "a", "b", "--refs", "c")
    assert found.code == 2
    assert "To give --hyp several values, repeat it: --hyp A --hyp B." in found.err
    assert "repeat it" not in hopefear("evaluate", "b", "--hyp", "a", "--refs", "c").err


def test_a_misspelled_option_is_one_line_and_exit_code_2(hopefear: Hopefear) -> None:
    found = hopefear("evaluate", "--hyp", "a", "--reffs", "b")
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("hopefear: No such option '--reffs'")
    assert found.err.count("\n") == 1


def test_a_missing_option_is_one_line_and_exit_code_2(hopefear: Hopefear) -> None:
    found = hopefear("evaluate", "--hyp", "a")
    assert (found.code, found.err) == (2, "hopefear: Missing option '--refs'.\n")


def test_an_unknown_command_is_one_line_and_exit_code_2(hopefear: Hopefear) -> None:
    found = hopefear("evaluat")
    assert found.code == 2
    assert found.err.startswith("hopefear: No such command 'evaluat'")
    assert found.err.count("\n") == 1


def test_a_file_that_is_not_there_is_one_line_and_exit_code_1(hopefear: Hopefear) -> None:
    found = hopefear("evaluate", "--hyp", "no-such-file", "--refs", "neither")
    message = "hopefear: no-such-file: cannot be read: No such file or directory\n"
    assert (found.code, found.err) == (1, message)


@pytest.mark.parametrize("arguments", [["--debug", "evaluate"], ["evaluate", "--debug"]])
def test_debug_shows_where_it_failed(hopefear: Hopefear, arguments: list[str]) -> None:
    found = hopefear(*arguments, "--hyp", "no-such-file", "--refs", "neither")
    assert found.err.startswith("Traceback")
    assert found.err.endswith("No such file or directory\n")


def test_an_interrupt_is_a_short_message_and_exit_code_130(
    hopefear: Hopefear, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(package, "evaluate", interrupted, raising=False)
    found = hopefear("evaluate", "--hyp", "a", "--refs", "b")
    assert (found.code, found.err) == (130, "hopefear: interrupted\n")


def test_too_little_memory_is_one_line_that_says_what_helps(
    hopefear: Hopefear, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(package, "evaluate", exhausted, raising=False)
    found = hopefear("evaluate", "--hyp", "h", "--refs", "r")
    assert found.code == 1
    assert found.err.count("\n") == 1
    assert "--threads 1" in found.err


@pytest.mark.parametrize(
    "problem",
    [
        "<built-in function dot> returned NULL without setting an exception",
        "error return without exception set",
    ],
)
def test_a_library_that_forgets_to_say_why_it_failed_is_one_line(
    hopefear: Hopefear, monkeypatch: pytest.MonkeyPatch, problem: str
) -> None:
    def failing(**_: object) -> None:
        raise SystemError(problem)

    monkeypatch.setattr(package, "evaluate", failing, raising=False)
    found = hopefear("evaluate", "--hyp", "h", "--refs", "r")
    assert found.code == 1
    assert "failed without a reason; probably there is not enough memory" in found.err
    assert found.err.count("\n") == 1
    problem = "something else"
    with pytest.raises(SystemError, match=problem):
        hopefear("evaluate", "--hyp", "h", "--refs", "r")


INTERRUPTED = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "hopefear.cli.program":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from hopefear.cli import main
main()
"""


def test_an_interrupt_while_the_program_starts_shows_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, "--version"], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Interrupts are ignored where tests run in the background, and programs inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_signal_ends_the_program_with_exit_code_130(tmp_path: Path) -> None:
    arguments = ["evaluate", "--hyp", "-", "--refs", "-"]
    with subprocess.Popen(
        program(arguments),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # Once it has read more than a pipe holds, the program is past its start.
        process.stdin.write(b"a\n" * 200_000)
        process.stdin.flush()
        for _ in range(20):
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
                break
        else:
            process.kill()
        assert process.stderr.read() == b"hopefear: interrupted\n"
        assert process.wait() == 130


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    lists = tmp_path / "lists.tsv"
    rows = (f"{i}\tsentence {i}\t1\n" for i in range(20_000))
    lists.write_text("sentence\ttext\tlm\n" + "".join(rows))
    (tmp_path / "weights").write_text("lm\t1.0\n")
    arguments = ["rerank", "--nbest", "lists.tsv", "--weights", "weights"]
    with subprocess.Popen(
        program(arguments), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"sentence 0\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_a_warning_is_one_line(hopefear: Hopefear, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(*_: object, **__: object) -> None:
        warnings.warn("mind the gap", HopefearWarning, stacklevel=2)

    monkeypatch.setattr(package, "convert", warn, raising=False)
    found = hopefear("convert", "a", "b", "--to", "tsv")
    assert (found.code, found.err) == (0, "hopefear: warning: mind the gap\n")


def test_the_program_runs_on_its_own(tmp_path: Path) -> None:
    found = completed(["--help"], tmp_path)
    assert found.code == 0
    assert "evaluate" in found.out


def test_sizes_are_bytes_or_have_a_unit() -> None:
    assert [parse_size(text) for text in ("0", "7", "2K", "1.5MiB", "3GB")] == [
        *[0, 7, 2048, 3 << 19, 3 << 30]
    ]
    with pytest.raises(ConfigError, match="'2 gigs' is not a size"):
        parse_size("2 gigs")
