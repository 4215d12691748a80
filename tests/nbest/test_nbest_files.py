"""Real n-best lists, against a reader that splits lines in Python."""

import gzip
from pathlib import Path

import pytest

from hopefear.nbest import BarLayout, NBest, NBestBuilder

FILES = [
    "nbest-moses/europarl100.nbest.gz",
    "nbest-moses/it-en-5sent-14runs-3refs/run1.nbest.gz",
    "multi30k-cs-en/peers/val.nbest.moses.gz",
]


def read(content: bytes) -> NBest:
    builder = NBestBuilder()
    builder.parse([content], BarLayout(), "list")
    return builder.finish()


def split(line: str) -> tuple[int, str, list[float]]:
    sentence, text, features, *_ = line.split("|||")
    numbers = [float(token) for token in features.split() if token[-1] not in "=:"]
    return int(sentence), text.strip(), numbers


@pytest.mark.parametrize("file", FILES)
def test_a_moses_list_reads_as_its_lines_say(shared_data: Path, file: str) -> None:
    content = gzip.decompress((shared_data / file).read_bytes())
    expected = list(dict.fromkeys(map(str, map(split, content.decode().splitlines()))))
    lists = read(content)
    found = [
        str((sentence, lists.text(row), lists.feature_values(row).tolist()))
        for sentence in range(lists.sentence_count)
        for row in lists.rows(sentence)
    ]
    assert found == expected


def test_a_moses_list_takes_at_most_half_as_much_again_as_its_numbers(shared_data: Path) -> None:
    lists = read(gzip.decompress((shared_data / FILES[2]).read_bytes()))
    assert len(lists) == 115_696
    assert lists.nbytes <= 1.5 * len(lists) * 8 * 8


def test_runs_are_merged_without_what_they_repeat(shared_data: Path) -> None:
    folder = shared_data / "nbest-moses/it-en-5sent-14runs-3refs"
    runs = [gzip.decompress((folder / f"run{i}.nbest.gz").read_bytes()) for i in range(1, 15)]
    lines = [split(line) for run in runs for line in run.decode().splitlines()]
    expected = sorted(dict.fromkeys((s, t, tuple(n)) for s, t, n in lines), key=lambda x: x[0])
    builder = NBestBuilder()
    for run in runs:
        builder.merge(read(run))
    lists = builder.finish()
    assert 0 < len(expected) < len(lines)
    assert [(lists.text(row), tuple(lists.feature_values(row))) for row in range(len(lists))] == [
        (text, numbers) for _, text, numbers in expected
    ]
