"""Files, compressed or broken."""

import bz2
import gzip
import io
import json
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hopefear.errors import FormatError, HopefearError
from hopefear.formats import (
    files,
    load_nbest,
    nbest_formats,
    read_forests,
    read_lines,
    read_nbest,
    read_segments,
    read_weights,
)
from hopefear.formats.base import Format, choose_format, weights_formats
from hopefear.formats.files import Source, open_output, open_source
from hopefear.formats.rules import read_rules
from hopefear.formats.texts import read_feature_table, read_references
from hopefear.registry import Registry
from hopefear.types import Segment, Weights

LINES = ["a\u2028b", "", "c\x0bd\x0ce\x1cf\x85g", "\rh", "i\rj"]


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "plain": bytes,
}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("name", ["text", "text.gz"])
def test_only_newlines_end_lines_and_compression_is_detected_from_content(
    tmp_path: Path, name: str, packer: str
) -> None:
    content = "\n".join(LINES).encode() + b"\n"
    path = tmp_path / name
    path.write_bytes(PACKERS[packer](content))
    assert read_lines(path) == LINES


def test_a_text_may_begin_almost_like_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("BZh9 is how bzip2 begins\n")
    assert read_lines(path) == ["BZh9 is how bzip2 begins"]


def test_a_file_compressed_by_zstd_is_an_error_that_names_zstd(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"\x28\xb5\x2f\xfd\x04\x00")
    with pytest.raises(FormatError, match="text: zstd compression is not supported"):
        read_lines(path)


def test_a_carriage_return_before_the_newline_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\r\nb\r\r\nc\r")
    assert read_lines(path) == ["a", "b\r", "c"]


def test_a_byte_order_mark_is_not_part_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffa\n\ufeffb\n".encode())
    assert read_lines(path) == ["a", "\ufeffb"]


def test_concatenated_gzip_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"a\nb") + gzip.compress(b"c\n"))
    assert read_lines(path) == ["a", "bc"]


def test_bytes_that_are_not_utf8_are_an_error_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\xff\n")
    with pytest.raises(FormatError, match=r"text:2: not UTF-8: .* at byte 2 of the line"):
        read_lines(path)


@pytest.mark.parametrize("cut", [1, 4, 8, 9, 1000])
@pytest.mark.parametrize("packer", ["gzip", "bzip2", "xz"])
def test_a_truncated_compressed_file_is_an_error(tmp_path: Path, packer: str, cut: int) -> None:
    whole = PACKERS[packer]("\n".join(map(str, range(30000))).encode())
    (tmp_path / "text").write_bytes(whole[:-cut])
    with pytest.raises(FormatError, match="text: the compressed data is corrupt"):
        read_lines(tmp_path / "text")


@pytest.mark.parametrize("packer", ["gzip", "bzip2", "xz"])
def test_a_corrupt_compressed_file_is_an_error(tmp_path: Path, packer: str) -> None:
    whole = bytearray(PACKERS[packer]("\n".join(map(str, range(30000))).encode()))
    whole[len(whole) // 2] ^= 255
    (tmp_path / "text").write_bytes(whole)
    with pytest.raises(FormatError, match="text: the compressed data is corrupt"):
        read_lines(tmp_path / "text")


BOMBS: dict[str, Callable[[Path], object]] = {
    "text": read_lines,
    "lists": lambda path: load_nbest(path, "moses"),
    "lists, streamed": lambda path: list(read_nbest(path, "moses")),
    "records": lambda path: load_nbest(path, "records"),
    "weights": lambda path: read_weights(path, "tsv"),
    "rules": lambda path: read_rules(path, "moses"),
    "forests": lambda path: list(read_forests(path, "travatar-forest")),
    "forests in a directory": lambda path: list(read_forests(path.parent, "moses-hypergraph")),
    "segments": lambda path: list(read_segments(path)),
    "references": lambda path: read_references([path]),
    "feature table": lambda path: list(read_feature_table(path)),
}


@pytest.mark.parametrize("packer", ["gzip", "bzip2", "xz"])
@pytest.mark.parametrize("reader", BOMBS)
def test_what_grows_without_measure_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, packer: str
) -> None:
    monkeypatch.setattr(files, "ANY_GROWTH", 1 << 20)
    (tmp_path / "0").write_bytes(PACKERS[packer](b" " * (1 << 23)))
    with pytest.raises(FormatError, match="becomes more than 100 times as large"):
        BOMBS[reader](tmp_path / "0")


def test_a_small_file_may_become_as_large_as_it_likes(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(gzip.compress(b"a" * 50_000_000))
    assert len(read_lines(tmp_path / "text")[0]) == 50_000_000


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nothing: cannot be read: No such file"):
        read_lines(tmp_path / "nothing")


def test_a_directory_has_no_lines(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="expected a file, found a directory"):
        read_lines(tmp_path)


def test_looking_at_the_first_lines_consumes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("".join(f"{i}\n" for i in range(100000)))
    with open_source(path) as source:
        assert source.head(3) == ["0", "1", "2"]
        assert [line for _, line in source] == [str(i) for i in range(100000)]


@pytest.mark.parametrize(
    ("content", "head"),
    [(b"", []), (b"a", ["a"]), (b"a\n", ["a"]), (b"a\nb", ["a"]), (b"a\r\nb\n", ["a", "b"])],
)
def test_the_first_lines_are_complete_lines_if_there_are_any(
    tmp_path: Path, content: bytes, head: list[str]
) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    with open_source(path) as source:
        assert source.head() == head


@pytest.mark.parametrize("compress", [False, True])
def test_standard_input_is_read_like_a_file(
    monkeypatch: pytest.MonkeyPatch, compress: bool
) -> None:
    content = gzip.compress(b"a\nb\n") if compress else b"a\nb\n"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    with open_source("-") as source:
        assert source.head() == ["a", "b"]
        assert list(source) == [(1, "a"), (2, "b")]
        assert str(source.error(2, "wrong")) == "standard input:2: wrong"


def test_standard_output_is_written_and_left_open(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    with open_output("-") as out:
        out.write("é\n")
    with open_output("-") as out:
        out.write("b\n")
    assert capfdbinary.readouterr().out == "é\nb\n".encode()


def test_a_file_appears_only_when_complete(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("old")

    def interrupted() -> None:
        with open_output(path) as out:
            out.write("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    with open_output(path) as out:
        out.write("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert [file.name for file in tmp_path.iterdir()] == ["text"]


def test_a_missing_folder_is_an_error_that_names_the_target(tmp_path: Path) -> None:
    def write() -> None:
        with open_output(tmp_path / "nowhere" / "text") as out:
            out.write("new")

    with pytest.raises(FormatError, match=r"nowhere/text: cannot be written: No such file"):
        write()


def test_compressed_output_is_the_same_bytes_every_time(tmp_path: Path) -> None:
    contents = []
    for name in ("a.gz", "b.gz"):
        with open_output(tmp_path / name) as out:
            out.write("text\n")
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]
    assert gzip.decompress(contents[0]) == b"text\n"


def test_a_device_is_written_and_not_replaced() -> None:
    with open_output("/dev/null") as out:
        out.write("text")
    assert Path("/dev/null").is_char_device()


def test_text_that_cannot_be_encoded_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    def write() -> None:
        with open_output(tmp_path / "text") as out:
            out.write("\ud800")

    with pytest.raises(FormatError, match="text: cannot be written as UTF-8: surrogates"):
        write()
    assert list(tmp_path.iterdir()) == []


FRAGMENTS = [
    *(b"0", b"1", b"-1", b"1e999", b"nan", b"99999999999", b"a", b"lm", b"lm_0", b"=", b"= ", b":"),
    *(
        b" ",
        b"\t",
        b"\n",
        b"\r\n",
        b"|||",
        b" ||| ",
        b"#",
        b";",
        b"\xff",
        b"\0",
        "é\u2028".encode(),
    ),
    *(b"[weight]", b"[weight-file]", b"[weight_vals]", b"{", b"}", b'"', b'"sentence": 0', b","),
    *(
        b'"text": ""',
        b'"features": {',
        b'"translations": [',
        b'"scores": [[',
        b"]",
        b"sentence\ttext",
    ),
    *(
        b"H-0\t",
        b"P-0\t",
        b"D-0\t",
        b"S-0\t",
        b"-0.5\t",
        b"tensor(",
        b")",
        b"weights-file = ",
        b".",
    ),
]


contents = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(b"".join) | st.binary()


compressed = contents.map(gzip.compress) | contents.map(lambda content: b"\x1f\x8b" + content)


OPTIONS = {"nemo": "nemo:beam_size=1", "flat": "flat:size=1"}


def check_that_it_names(path: Path, error: HopefearError) -> None:
    assert path.name in str(error)


@pytest.mark.parametrize("name", list(nbest_formats))
@given(content=contents | compressed)
def test_any_bytes_are_hypotheses_or_an_error_that_names_the_file(
    tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / f"{name}.broken"
    path.write_bytes(content)
    format = OPTIONS.get(name, name)
    try:
        segments = list(read_nbest(path, format))
    except FormatError as error:
        check_that_it_names(path, error)
    else:
        assert all(isinstance(segment, Segment) for segment in segments)
        assert all(segment.hypotheses for segment in segments if name != "sockeye")


@pytest.mark.parametrize("name", list(weights_formats))
@given(content=contents | compressed)
def test_any_bytes_are_weights_or_an_error_that_names_the_file(
    tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / f"{name}.broken"
    path.write_bytes(content)
    try:
        weights = read_weights(path, name)
    except FormatError as error:
        check_that_it_names(path, error)
    else:
        assert isinstance(weights, Weights)


@given(content=contents | compressed)
@example(b"0 ||| a ||| 1 2")
def test_recognizing_any_bytes_gives_lists_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.broken"
    path.write_bytes(content)
    try:
        loaded = load_nbest(path)
    except HopefearError as error:
        check_that_it_names(path, error)
    else:
        assert len(loaded) >= 0


class Yes:
    """A format that takes everything for its own."""

    def sniff(self, source: Source) -> bool:
        return True


def test_a_file_that_fits_two_formats_is_an_error_that_names_them(tmp_path: Path) -> None:
    formats: Registry[Format] = Registry("test format")
    formats.register("one")(Yes)
    formats.register("two")(type("Also", (Yes,), {}))
    formats.register("zero")(type("No", (), {"sniff": lambda self, source: False}))
    (tmp_path / "f").write_text("text\n")
    message = r"f: fits several formats; choose one of: one, two$"
    with open_source(tmp_path / "f") as source, pytest.raises(FormatError, match=message):
        choose_format(source, formats, None)


def test_a_line_without_end_is_an_error_before_memory_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    (tmp_path / "f").write_bytes(b"a\n" + 2000 * b"b")
    with pytest.raises(FormatError, match="f:2: the line is longer than 1000 bytes"):
        read_lines(tmp_path / "f")


@pytest.mark.durable
def test_what_replaces_a_file_is_on_the_disk_before_and_its_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    sync, rename = os.fsync, Path.replace

    def synced(number: int) -> None:
        told.append(str(Path(f"/proc/self/fd/{number}").readlink()))
        sync(number)

    def renamed(self: Path, target: Path) -> Path:
        told.append("rename")
        return rename(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    with open_output(tmp_path / "some.tsv") as out:
        out.write("x")
    assert [Path(name).suffix or name for name in told] == [".part", "rename", str(tmp_path)]


@pytest.mark.parametrize("name", ["a\nb", "a\tb", ""])
def test_a_feature_that_no_file_of_weights_could_name_is_refused_where_it_is_read(
    tmp_path: Path, name: str
) -> None:
    file = tmp_path / "weights.json"
    file.write_text(json.dumps({name: 1.0}))
    with pytest.raises(FormatError, match=r"weights.json: the name of the feature .*; rename it"):
        read_weights(file)
    file.write_text(json.dumps({"sentence": 0, "text": "x", "features": {name: 1.0}}))
    with pytest.raises(FormatError, match=r"weights.json:1: the name of the feature"):
        list(read_nbest(file, "jsonl"))


@pytest.mark.parametrize("line", ["a " + "[X] ||| " * 50_000, '\\"' * 100_000, "[X] " * 100_000])
def test_long_lines_are_looked_at_once_to_tell_their_format(tmp_path: Path, line: str) -> None:
    """What tries all places of bars or quotation marks takes hours for these."""
    (tmp_path / "line").write_text(line + "\n")
    readers: list[Callable[[Path], object]] = [read_rules, read_weights]
    for read in readers:
        with pytest.raises(FormatError, match=r"is not recognized|expected"):
            read(tmp_path / "line")


def test_utf_16_is_told_from_other_damage(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("0 ||| a ||| x= 1\n", encoding="utf-16")
    with pytest.raises(FormatError, match="n: the file is in UTF-16, not in UTF-8; convert it"):
        read_lines(tmp_path / "n")
