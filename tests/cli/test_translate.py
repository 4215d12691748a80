"""`hopefear translate`."""

import shlex
import subprocess
from pathlib import Path

import pytest

from command_line import program
from hopefear.formats import load_nbest, read_forests
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import TrainSettings
from small_models import write_bitext


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("translate")
    source, target = write_bitext(folder, every=7)
    build(TrainSettings(source=source, target=target), folder / "model")
    return folder


def run(folder: Path, text: str | bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    data = text.encode() if isinstance(text, str) else text
    command = program(["translate", "model", *options])
    return subprocess.run(command, cwd=folder, input=data, capture_output=True, check=False)


def test_lines_go_in_and_come_out_in_order(folder: Path) -> None:
    done = run(folder, "velký pes vidí dům\n\nmuž\r\nvlak", "--threads", "2")
    assert done.stderr == b""
    assert done.stdout.decode() == "dog big sees house\n\nman\ntrain\n"


def test_each_line_is_answered_before_the_next_is_asked(folder: Path) -> None:
    command = program(["translate", "model"])
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line, answer in (("pes\n", b"dog\n"), ("muž\n", b"man\n")):
            process.stdin.write(line.encode())
            process.stdin.flush()
            assert process.stdout.readline() == answer
        process.stdin.close()
        assert process.wait() == 0


def test_nbest_lists_and_forests_are_those_that_tuning_reads(folder: Path, tmp_path: Path) -> None:
    options = ("--nbest", "5", "--forests", str(tmp_path / "forests"), "--pop-limit", "50")
    done = run(folder, "velký pes vidí dům\nmuž\n", *options)
    (tmp_path / "lists").write_bytes(done.stdout)
    lists = load_nbest(tmp_path / "lists")
    assert lists.text(0) == "dog big sees house"
    forests = dict(read_forests(tmp_path / "forests"))
    assert list(forests) == [0, 1]
    assert forests[0].count() > 5


def test_derivations_are_printed_as_trees(folder: Path) -> None:
    done = run(folder, "pes\n", "--show-derivation")
    assert done.stdout.decode() == "pes → dog\n\n"


def test_what_is_wrong_is_told_in_a_line(folder: Path) -> None:
    done = run(folder, b"pes\nmu\xff\n")
    assert done.returncode == 1
    assert done.stderr.startswith(b"hopefear: standard input:2: is not UTF-8 (byte 3")
    done = run(folder, "", "--nbest", "3", "--show-derivation")
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    done = run(folder, "", "--weights", "none")
    assert (done.returncode, done.stderr) == (
        1,
        b"hopefear: none: cannot be read: No such file or directory\n",
    )


BAD = b"pes\nmu\xff\xc3\xa9\nmu\xc5\xbe\n"


def test_lines_that_cannot_be_translated_are_skipped_or_copied(folder: Path) -> None:
    done = run(folder, BAD, "--on-error", "skip")
    assert (done.returncode, done.stdout) == (0, b"dog\n\nman\n")
    assert done.stderr == b"hopefear: sentence 2: is not UTF-8 (byte 3 of the line)\n"
    done = run(folder, BAD, "--on-error", "copy", "--threads", "2")
    assert (done.returncode, done.stdout) == (0, b"dog\nmu\xff\xc3\xa9\nman\n")


def test_a_line_that_is_too_long_is_not_kept_in_memory(folder: Path) -> None:
    text = b"pes\n" + b"muz " * 2_000_000 + b"\npes\n"
    done = run(folder, text)
    assert done.returncode == 1
    assert done.stderr.startswith(b"hopefear: standard input:2: the line is longer than 4 MiB")
    for choice in ("skip", "copy"):
        done = run(folder, text, "--on-error", choice)
        assert (done.returncode, done.stdout) == (0, b"dog\n\ndog\n")
        assert done.stderr.startswith(b"hopefear: sentence 2: the line is longer than 4 MiB")


@pytest.mark.unsanitized("sanitizers reserve terabytes of addresses")
def test_a_line_larger_than_the_memory_is_skipped(folder: Path, tmp_path: Path) -> None:
    with (tmp_path / "lines").open("wb") as lines:
        lines.truncate(800 << 20)  # zeros, without a newline among them
        lines.seek(0, 2)
        lines.write(b"\npes\n")
    command = program(["translate", "model", "--on-error", "skip", "--threads", "1"])
    limited = f"ulimit -v 700000; exec {shlex.join(command)}"
    with (tmp_path / "lines").open("rb") as lines:
        done = subprocess.run(["bash", "-c", limited], cwd=folder, stdin=lines, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"\ndog\n"), done.stderr


def test_words_that_lists_cannot_hold_do_not_end_the_lists(folder: Path) -> None:
    text = "pes\n|||\npes\n"
    done = run(folder, text, "--nbest", "1")
    assert done.returncode == 1
    assert b"cannot represent '|||'" in done.stderr
    done = run(folder, text, "--nbest", "1", "--on-error", "skip")
    assert [line.split(" ||| ")[:2] for line in done.stdout.decode().splitlines()] == [
        ["0", "dog"],
        ["2", "dog"],
    ]
    assert done.stderr.startswith(b"hopefear: sentence 2: the moses format cannot represent '|||'")
    done = run(folder, text, "--nbest", "1", "--on-error", "copy")
    assert (done.returncode, done.stdout) == (2, b"")
    done = run(folder, BAD, "--show-derivation", "--on-error", "skip")
    assert done.stdout.decode().count("\n\n") == 2


def test_long_lines_are_translated_in_parts(folder: Path, tmp_path: Path) -> None:
    line = "velký pes vidí dům . " * 10
    whole = "dog big sees house . " * 9 + "dog big sees house ."
    done = run(folder, f"{line}\npes\n", "--window", "9")
    assert (done.stderr, done.stdout.decode()) == (b"", f"{whole}\ndog\n")
    options = ("--nbest", "3", "--forests", str(tmp_path / "forests"))
    done = run(folder, f"{line}\npes\n", "--window", "9", *options)
    lists = [row.split(" ||| ") for row in done.stdout.decode().splitlines()]
    assert [row[0] for row in lists[:3]] == ["0"] * 3
    assert lists[0][1] == whole
    assert len({row[1] for row in lists[:3]}) == 3
    assert float(lists[0][3]) >= float(lists[1][3]) >= float(lists[2][3])
    assert list(dict(read_forests(tmp_path / "forests"))) == [0, 1]
