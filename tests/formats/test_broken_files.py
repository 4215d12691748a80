"""Whatever a file contains, reading it gives values or an error that names it, and no crash."""

import gzip
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hopefear.errors import FormatError, HopefearError
from hopefear.formats import files, load_nbest, nbest_formats, read_lines, read_nbest, read_weights
from hopefear.formats.base import Format, choose_format, weights_formats
from hopefear.formats.files import Source, open_source
from hopefear.registry import Registry
from hopefear.types import Segment, Weights

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
