"""The forest store gives back what was written, in little space, and survives broken files."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from benchmarks._hiero import HieroForests, forest_json
from hypothesis import example, given
from hypothesis import strategies as st

import strategies
from hopefear import _core
from hopefear.errors import ConfigError, DataError, ForestError, FormatError
from hopefear.forest import Forest, ForestBuilder, nbest_forest
from hopefear.formats.forests import detect_forests, read_forests, write_forests
from hopefear.formats.forests.store import (
    END_MAGIC,
    FOOTER_SIZE,
    INDEX_ROW,
    TABLE,
    ForestDecoder,
    ForestEncoder,
    ForestStore,
    ForestWriter,
)
from hopefear.types import Hypothesis, Vocabulary

ARRAYS = (
    *("edge_begin", "heads", "tails", "tail_begin", "target_begin", "value_begin"),
    *("source_begin", "covered"),
)


def assert_same(a: Forest, b: Forest) -> None:
    """The same nodes, edges and values, bit for bit, and the same words and names."""
    for name in ARRAYS:
        assert np.array_equal(getattr(a.core, name), getattr(b.core, name)), name
    assert a.core.values.tobytes() == b.core.values.tobytes()
    for edge in range(a.edge_count):
        assert a.target(edge) == b.target(edge)
        assert list(a.features(edge)) == list(b.features(edge))


def through_bytes(forest: Forest) -> Forest:
    encoder = ForestEncoder()
    encoded = encoder.encode(forest)
    return ForestDecoder(*encoder.vocabularies(), Vocabulary(), Vocabulary()).decode(encoded)


@pytest.fixture(scope="module")
def forests() -> list[Forest]:
    corpus = HieroForests(seed=1)
    return [corpus.forest(length) for length in (3, 6, 9)]


@pytest.fixture
def shard(tmp_path: Path, forests: list[Forest]) -> Path:
    path = tmp_path / "dev.forests"
    ForestStore.write(path, enumerate(forests))
    return path


@given(forest=strategies.forests())
def test_a_forest_goes_through_bytes_unchanged(forest: Forest) -> None:
    assert_same(forest, through_bytes(forest))


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.decimals(-1000, 1000, places=4).map(float),
    st.integers(-(2**60), 2**60).map(float),
    st.sampled_from([0.0, -0.0, 1.0, 5e-324, 1.7976931348623157e308, 1e22, 1e23, 0.1]),
)


@given(values=st.lists(numbers, min_size=1, max_size=40), repeats=st.integers(1, 3))
def test_values_are_stored_exactly(values: list[float], repeats: int) -> None:
    hypotheses = [Hypothesis(text="x", features={"f": value}) for value in values * repeats]
    assert_same(nbest_forest(hypotheses), through_bytes(nbest_forest(hypotheses)))


def test_edges_of_one_rule_may_have_different_features() -> None:
    builder = ForestBuilder()
    builder.set_root(builder.add_node())
    for i in range(100):
        features = {"rule": 2.0 if i == 70 else 1.0, "edge": i / 10}
        builder.add_edge(0, target=["same", "words"], features=features)
    assert_same(builder.build(), through_bytes(builder.build()))


def test_a_store_gives_back_its_forests_by_sentence(shard: Path, forests: list[Forest]) -> None:
    with ForestStore.open(shard) as store:
        assert list(store) == [0, 1, 2]
        assert len(store) == 3
        for sentence in (2, 0, 1):
            assert_same(store[sentence], forests[sentence])
        assert store[0].words is store[1].words is store.words
        assert 3 not in store
        with pytest.raises(KeyError):
            store[3]


def test_several_shards_are_one_store(tmp_path: Path, forests: list[Forest]) -> None:
    ForestStore.write(tmp_path / "b.forests", [(0, forests[0]), (4, forests[1])])
    ForestStore.write(tmp_path / "a.forests", [(2, forests[2])])
    (tmp_path / "notes.txt").write_text("not a shard")
    for opened in (tmp_path, [tmp_path / "a.forests", tmp_path / "b.forests"]):
        with ForestStore.open(opened) as store:
            assert list(store) == [0, 2, 4]
            read = [named(store[sentence]) for sentence in store]
            assert read == [named(forests[i]) for i in (0, 2, 1)]
            assert store[0].feature_names is store[2].feature_names


def named(forest: Forest) -> list[object]:
    """What does not depend on the order of the vocabularies."""
    edges = range(forest.edge_count)
    return [(forest.head(e), forest.target(e), sorted(forest.features(e).items())) for e in edges]


def test_a_store_can_share_the_vocabularies_of_other_forests(
    shard: Path, forests: list[Forest]
) -> None:
    words, names = forests[0].words, forests[0].feature_names
    with ForestStore.open(shard, words=words, feature_names=names) as store:
        assert store[0].words is words
        assert np.array_equal(store[0].core.targets, forests[0].core.targets)
        assert np.array_equal(store[0].core.feature_ids(0), forests[0].core.feature_ids(0))


def test_a_store_is_a_tenth_of_the_size_of_json(tmp_path: Path) -> None:
    corpus = HieroForests(seed=2)
    forests = [corpus.forest(length) for length in (5, 8, 12, 15)]
    path = tmp_path / "dev.forests"
    ForestStore.write(path, enumerate(forests))
    text = sum(len(forest_json(forest)) for forest in forests)
    assert path.stat().st_size * 10 <= text


def test_threads_can_read_at_the_same_time(tmp_path: Path, forests: list[Forest]) -> None:
    path = tmp_path / "dev.forests"
    ForestStore.write(path, ((i, forests[i % 3]) for i in range(60)))
    with ForestStore.open(path) as store, ThreadPoolExecutor(4) as pool:
        for sentence, forest in enumerate(pool.map(store.__getitem__, store)):
            assert_same(forest, forests[sentence % 3])


def test_a_store_without_forests_is_a_store(tmp_path: Path) -> None:
    ForestStore.write(tmp_path / "none.forests", [])
    assert len(ForestStore.open(tmp_path)) == 0


def test_the_same_forests_give_the_same_bytes(shard: Path, forests: list[Forest]) -> None:
    before = shard.read_bytes()
    ForestStore.write(shard, enumerate(forests))
    assert shard.read_bytes() == before


def test_a_sentence_has_one_forest(tmp_path: Path, forests: list[Forest]) -> None:
    path = tmp_path / "dev.forests"
    with pytest.raises(DataError, match="sentence 5 already has a forest"):
        ForestStore.write(path, [(5, forests[0]), (5, forests[1])])
    with pytest.raises(DataError, match=r"sentence number must be from 0 .*, got -1"):
        ForestStore.write(path, [(-1, forests[0])])
    assert list(tmp_path.iterdir()) == []


def test_a_sentence_that_is_in_two_shards_is_an_error(
    tmp_path: Path, forests: list[Forest]
) -> None:
    for name in "ab":
        ForestStore.write(tmp_path / f"{name}.forests", [(7, forests[0])])
    with pytest.raises(FormatError, match=r"b\.forests: sentence 7 is also in .*a\.forests"):
        ForestStore.open(tmp_path)


def test_a_writer_that_fails_leaves_the_old_file_as_it_was(
    shard: Path, forests: list[Forest]
) -> None:
    before = shard.read_bytes()

    def failing() -> Iterator[tuple[int, Forest]]:
        yield 0, forests[0]
        raise RuntimeError("the decoder stopped")

    with pytest.raises(RuntimeError, match="the decoder stopped"):
        ForestStore.write(shard, failing())
    assert shard.read_bytes() == before
    assert list(shard.parent.iterdir()) == [shard]


KILLED = """
import os, sys
from hopefear.forest import ForestBuilder
from hopefear.formats.forests.store import ForestWriter
builder = ForestBuilder()
builder.set_root(builder.add_node())
builder.add_edge(0, target=["word"])
with ForestWriter.open(sys.argv[1]) as writer:
    for sentence in range(1000):
        writer.add(sentence, builder.build())
    os._exit(9)
"""


def test_a_writer_that_is_killed_leaves_nothing_that_can_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "dev.forests"
    assert subprocess.run([sys.executable, "-c", KILLED, path], check=False).returncode == 9
    assert not path.exists()
    with pytest.raises(FormatError, match="no files of a forest store"):
        ForestStore.open(tmp_path)


def test_a_file_that_is_truncated_in_use_is_an_error(shard: Path) -> None:
    with ForestStore.open(shard) as store:
        os.truncate(shard, 0)
        with pytest.raises(FormatError, match="truncated while it was in use"):
            store[min(store)]


def test_a_file_that_ends_early_is_an_error(shard: Path) -> None:
    content = shard.read_bytes()
    for size in [0, 1, 15, 16, 100, *range(200, len(content), 997), len(content) - 1]:
        shard.write_bytes(content[:size])
        with pytest.raises(FormatError, match=r"dev\.forests: "):
            ForestStore.open(shard)


def test_any_changed_byte_is_an_error(shard: Path) -> None:
    content = shard.read_bytes()
    places = [*range(0, len(content), 101), *range(len(content) - 110, len(content))]
    for place in places:
        broken = bytearray(content)
        broken[place] ^= 0x20
        shard.write_bytes(broken)
        with pytest.raises(FormatError, match=r"dev\.forests: "), ForestStore.open(shard) as store:
            list(store.values())


@pytest.mark.parametrize("sentence", [-1, 10**8, 2**62])
def test_an_invalid_sentence_number_is_an_error(shard: Path, sentence: int) -> None:
    content = shard.read_bytes()
    table = list(TABLE.unpack(content[-FOOTER_SIZE:][: TABLE.size]))
    place, stored = table[8:10]
    index = np.frombuffer(zlib.decompress(content[place : place + stored]), dtype=INDEX_ROW).copy()
    index["sentence"][-1] = sentence
    packed = zlib.compress(index.tobytes())
    table[9:12] = len(packed), index.nbytes, zlib.crc32(packed)
    footer = TABLE.pack(*table)
    end = struct.pack("<I", zlib.crc32(footer)) + END_MAGIC
    shard.write_bytes(content[:place] + packed + footer + end)
    with pytest.raises(FormatError, match=rf"the index is corrupt: .*{sentence}"):
        ForestStore.open(shard)


def test_a_store_of_another_version_is_an_error(shard: Path) -> None:
    content = bytearray(shard.read_bytes())
    content[8:12] = struct.pack("<I", 2)
    content[12:16] = struct.pack("<I", zlib.crc32(content[:12]))
    shard.write_bytes(content)
    with pytest.raises(FormatError, match="forest store of version 2"):
        ForestStore.open(shard)


def test_a_file_that_is_missing_or_not_a_store_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.forests"
    with pytest.raises(FormatError, match=r"x\.forests: cannot be read: No such file"):
        ForestStore.open(path)
    path.write_bytes(b"text\n" * 100)
    with pytest.raises(FormatError, match=r"x\.forests: not a forest store"):
        ForestStore.open(path)


@pytest.mark.parametrize("level", [0, 10])
def test_an_invalid_compression_level_is_an_error(tmp_path: Path, level: int) -> None:
    with pytest.raises(ConfigError, match=f"must be from 1 to 9, got {level}"):
        ForestStore.write(tmp_path / "x.forests", [], level=level)


@pytest.mark.parametrize("name", ["-", "x.forests.gz"])
def test_a_store_is_a_plain_file(name: str) -> None:
    with (
        pytest.raises(ConfigError, match="a forest store must be a file"),
        ForestWriter.open(name),
    ):
        pass


def test_a_store_is_one_of_the_formats_of_forests(shard: Path, forests: list[Forest]) -> None:
    assert detect_forests(shard) == detect_forests(shard.parent) == "hopefear"
    copy = shard.with_name("copy.forests")
    write_forests(copy, read_forests(shard))
    assert copy.read_bytes() == shard.read_bytes()
    for sentence, forest in read_forests(copy):
        assert_same(forest, forests[sentence])


small = nbest_forest(
    [
        Hypothesis(text="a b", features={"f": 0.5, "g": -1.0}),
        Hypothesis(text="c", features={"f": 0.25}),
    ]
)


@given(data=st.data(), forest=st.one_of(st.just(small), strategies.forests()))
def test_changed_bytes_are_a_forest_or_an_error(data: st.DataObject, forest: Forest) -> None:
    encoder = ForestEncoder()
    broken = bytearray(encoder.encode(forest))
    decoder = ForestDecoder(*encoder.vocabularies(), Vocabulary(), Vocabulary())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(broken) - 1))
        broken[place] = data.draw(st.one_of(st.integers(0, 255), st.sampled_from([0, 127, 255])))
    end = data.draw(st.one_of(st.just(len(broken)), st.integers(0, len(broken))))
    try:
        read = decoder.decode(bytes(broken[:end]))
    except (FormatError, ForestError):
        return
    assert read.edge_count >= 1  # changed, but a forest


@given(content=st.binary(max_size=60))
def test_any_bytes_are_a_forest_or_an_error(content: bytes) -> None:
    ids = np.arange(3, dtype=np.int32)
    words = Vocabulary()
    for word in "abc":
        words.add(word)
    try:
        _core.decode_forest(content, words, words, ids, ids)
    except (FormatError, ForestError):
        return


@given(content=st.binary(max_size=40))
@example(content=b"\x01\x02\xff\xfe")
def test_any_bytes_are_a_vocabulary_or_an_error(content: bytes) -> None:
    vocabulary = Vocabulary()
    try:
        ids = _core.decode_vocabulary(content, vocabulary)
    except FormatError:
        return
    texts = list(vocabulary)
    assert [texts[i].encode() in content for i in ids] == [True] * len(ids)


def test_a_few_bytes_cannot_allocate_much_memory(tmp_path: Path) -> None:
    # One rule of 30,000 words, used by 30,000 edges: 900 million words.
    builder = ForestBuilder()
    builder.set_root(builder.add_node())
    builder.add_edge(0, target=["w"] * 30_000)
    encoder = ForestEncoder()
    encoded = encoder.encode(builder.build())
    decoder = ForestDecoder(*encoder.vocabularies(), Vocabulary(), Vocabulary())
    # words, features and patterns come first; then one node, with one edge (1), from -1, over 0.
    node = encoded.index(b"\x01\x01\x01\x00")
    many = b"\x01\xb0\xea\x01" + encoded[node + 2 :]
    with pytest.raises(FormatError, match=r"more than .* words and feature values, from"):
        decoder.decode(encoded[:node] + many + b"\x01" * 30_000)


def test_closing_a_store_closes_its_files(shard: Path) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("no /proc here")
    before = len(list(descriptors.iterdir()))
    with ForestStore.open(shard) as store:
        forest = store[0]
    assert len(list(descriptors.iterdir())) == before
    assert forest.count() > 0


def test_a_store_is_read_where_the_system_gives_less_than_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.forests"
    forest = nbest_forest([Hypothesis(text="a b", features={"f": 1.0})])
    ForestStore.write(path, [(0, forest)])
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda file, size, place: pread(file, (size + 1) // 2, place))
    with ForestStore.open(path) as store:
        assert_same(store[0], forest)


def test_a_store_can_be_written_to_a_pipe(tmp_path: Path, forests: list[Forest]) -> None:
    ForestStore.write(tmp_path / "file.forests", enumerate(forests[:3]))
    pipe = tmp_path / "pipe.forests"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        received = pool.submit(pipe.read_bytes)
        ForestStore.write(pipe, enumerate(forests[:3]))
        assert received.result() == (tmp_path / "file.forests").read_bytes()
