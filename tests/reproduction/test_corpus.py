"""The corpus of a reproduction: which files are which, and what is taken of them."""

import gzip
from pathlib import Path

import pytest

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.reproduction.corpus import CorpusChoice, Sizes, prepare_corpus


def write(folder: Path, **sizes: int) -> Path:
    """Write sets in two languages, each line with the name of its set and its number."""
    folder.mkdir(exist_ok=True)
    for name, size in sizes.items():
        for language in ("cs", "en"):
            lines = [f"{language} {name} {number}\n" for number in range(size)]
            (folder / f"{name}.{language}").write_text("".join(lines), encoding="utf-8")
    return folder


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_a_corpus_with_three_sets_holds_out_every_third_tuning_sentence(tmp_path: Path) -> None:
    data = write(tmp_path / "data", train=5, val=6, test2016=4)
    corpus = prepare_corpus(CorpusChoice(directory=data), Sizes(), tmp_path / "out")
    assert lines(corpus.train.source) == [f"cs train {i}" for i in range(5)]
    assert lines(corpus.tuning.source) == [f"cs val {i}" for i in (0, 1, 3, 4)]
    assert lines(corpus.dev.references[0]) == ["en val 2", "en val 5"]
    assert lines(corpus.test.source) == [f"cs test2016 {i}" for i in range(4)]
    assert corpus.description == ("data, cs to en: 5 train, 4 tuning, 2 dev, 4 test sentences")


def test_a_set_of_its_own_is_held_out_if_there_is_one(tmp_path: Path) -> None:
    data = write(tmp_path / "data", train=5, tune=6, dev=3, test=4)
    corpus = prepare_corpus(CorpusChoice(directory=data), Sizes(), tmp_path / "out")
    assert lines(corpus.tuning.source) == [f"cs tune {i}" for i in range(6)]
    assert lines(corpus.dev.source) == [f"cs dev {i}" for i in range(3)]


def test_sizes_take_evenly_spaced_sentences(tmp_path: Path) -> None:
    data = write(tmp_path / "data", train=5, tune=7, dev=3, test=4)
    sizes = Sizes(tuning=3, test=2)
    corpus = prepare_corpus(CorpusChoice(directory=data), sizes, tmp_path / "out")
    assert lines(corpus.tuning.source) == ["cs tune 0", "cs tune 3", "cs tune 6"]
    assert lines(corpus.test.references[0]) == ["en test 0", "en test 3"]


def test_several_references_may_be_compressed_and_chosen(tmp_path: Path) -> None:
    data = write(tmp_path / "data", train=3, dev=3, test=2)
    for name, size in (("train", 3), ("dev", 3), ("test", 2)):
        (data / f"{name}.en").unlink()
        for version in ("bbe", "web"):
            text = "".join(f"{version} {name} {number}\n" for number in range(size))
            (data / f"{name}.en.{version}.gz").write_bytes(gzip.compress(text.encode()))
    every = prepare_corpus(CorpusChoice(directory=data), Sizes(), tmp_path / "all")
    assert [lines(path)[0] for path in every.test.references] == ["bbe test 0", "web test 0"]
    assert lines(every.train.references[0])[0] == "bbe train 0"
    choice = CorpusChoice(directory=data, references=("web",))
    web = prepare_corpus(choice, Sizes(), tmp_path / "web")
    assert [lines(path)[0] for path in web.test.references] == ["web test 0"]
    assert lines(web.train.references[0])[0] == "web train 0"
    choice = CorpusChoice(directory=data, references=("kjv",))
    with pytest.raises(DataError, match=r"has no file train\.en\.kjv"):
        prepare_corpus(choice, Sizes(), tmp_path / "kjv")


def test_files_may_end_in_txt(tmp_path: Path) -> None:
    data = write(tmp_path / "data", train=3, dev=3, test=2)
    for file in list(data.iterdir()):
        file.rename(f"{file}.txt")
    packed = gzip.compress((data / "test.en.txt").read_bytes())
    (data / "test.en.txt").unlink()
    (data / "test.en.txt.gz").write_bytes(packed)
    corpus = prepare_corpus(CorpusChoice(directory=data), Sizes(), tmp_path / "out")
    assert lines(corpus.test.references[0]) == ["en test 0", "en test 1"]
    assert "cs to en" in corpus.description


def test_languages_are_asked_for_where_names_do_not_tell(tmp_path: Path) -> None:
    data = write(tmp_path / "data", train=3, dev=3, test=2)
    for name in ("train", "dev", "test"):
        (data / f"{name}.cs").rename(data / f"{name}.oracle.es")
        (data / f"{name}.asr.es").write_bytes((data / f"{name}.oracle.es").read_bytes())
    with pytest.raises(ConfigError, match=r"asr\.es, en, oracle\.es; say which"):
        prepare_corpus(CorpusChoice(directory=data), Sizes(), tmp_path / "out")
    choice = CorpusChoice(directory=data, source="oracle.es")
    corpus = prepare_corpus(choice, Sizes(), tmp_path / "out")
    assert lines(corpus.test.source)[0] == "cs test 0"


def test_a_corpus_that_is_there_is_used_again_and_another_refused(tmp_path: Path) -> None:
    data, out = write(tmp_path / "data", train=3, dev=6, test=4), tmp_path / "out"
    prepare_corpus(CorpusChoice(directory=data), Sizes(), out)
    before = (out / "test.source").stat().st_mtime_ns
    again = prepare_corpus(CorpusChoice(directory=data), Sizes(), out)
    assert again.test.source.stat().st_mtime_ns == before
    assert "4 test" in again.description
    with pytest.raises(ConfigError, match="holds another corpus, or other sizes"):
        prepare_corpus(CorpusChoice(directory=data), Sizes(test=2), out)


def test_a_damaged_description_is_an_error(tmp_path: Path) -> None:
    data, out = write(tmp_path / "data", train=3, dev=6, test=4), tmp_path / "out"
    prepare_corpus(CorpusChoice(directory=data), Sizes(), out)
    for damaged in ("{", "[]", "[" * 9000, '{"sentences": 1}', '{"sentences": {"train": "3"}}'):
        (out / "corpus.json").write_text(damaged, encoding="utf-8")
        with pytest.raises(FormatError, match=r"corpus\.json: is damaged"):
            prepare_corpus(CorpusChoice(directory=data), Sizes(), out)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a directory"):
        prepare_corpus(CorpusChoice(directory=tmp_path / "none"), Sizes(), tmp_path / "out")
    data = write(tmp_path / "data", dev=3)
    with pytest.raises(DataError, match=r"no training texts; expected files such as train\.cs\.gz"):
        prepare_corpus(CorpusChoice(directory=data), Sizes(), tmp_path / "out")
    write(data, train=3)
    with pytest.raises(DataError, match=r"has dev beside train; .* test on, such as test\.cs"):
        prepare_corpus(CorpusChoice(directory=data), Sizes(), tmp_path / "out")
    write(data, test=3)
    (data / "test.en").write_text("one\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"test\.en: has 1 lines, but test\.cs has 3"):
        prepare_corpus(CorpusChoice(directory=data), Sizes(), tmp_path / "out")
