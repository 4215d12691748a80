"""`hopefear evaluate` and the function behind it."""

import json
from pathlib import Path

import pytest

import hopefear as package
from command_line import Hopefear
from metric_corpora import read_wmt22


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("the cat sat on a mat .\na dog barked .\n")
    Path("b").write_text("the cat sat on the mat .\ndogs bark at it .\n")
    Path("r1").write_text("The cat sat on the mat .\nA dog barked .\n")
    Path("r2").write_text("A cat sat on the mat .\nThe dog barked .\n")
    return tmp_path


def test_json_holds_scores_and_signatures(hopefear: Hopefear) -> None:
    options = [
        "--hyp",
        "a",
        "--hyp",
        "b",
        "--refs",
        "r1",
        "--refs",
        "r2",
        "--metric",
        "bleu",
        "--json",
    ]
    found = json.loads(hopefear("evaluate", *options, "--tokenize", "none", "--lowercase").out)
    assert [system["name"] for system in found["systems"]] == ["a", "b"]
    first, second = (system["metrics"]["bleu"] for system in found["systems"])
    signature = "nrefs:2|case:lc|eff:no|tok:none|smooth:exp|version:"
    assert first["signature"].startswith(signature)
    assert first.keys() == {"score", "signature", "mean", "interval"}
    assert second.keys() == {*first.keys(), "p_value", "wins"}
    low, high = first["interval"]
    assert low <= first["score"] <= high


def test_the_table_has_a_row_for_each_system(hopefear: Hopefear) -> None:
    found = hopefear(
        "evaluate",
        "--hyp",
        "a",
        "--hyp",
        "b",
        "--refs",
        "r1",
        "--metric",
        "chrf",
        "--metric",
        "wer",
    )
    assert found.code == 0
    rows = [line.split() for line in found.out.splitlines()]
    assert [row[0] for row in rows if row and row[0] in "ab"] == ["a", "b", "a", "b"]
    assert "chrF2|nrefs:1|case:mixed" in found.out
    assert "WER|nrefs:1|case:mixed" in found.out
    assert "p and 'better in' are against a" in found.out


def test_names_are_not_cut_off_in_a_file(hopefear: Hopefear) -> None:
    long = "a" * 150
    Path(long).write_text(Path("a").read_text())
    assert long in hopefear("evaluate", "--hyp", long, "--refs", "r1").out


def test_texts_at_hand_are_evaluated_like_files() -> None:
    def lines(name: str) -> list[str]:
        return Path(name).read_text().splitlines()

    from_files = package.evaluate(hyp=["a", "b"], refs=["r1", "r2"], metric=["chrf"])
    at_hand = package.evaluate(
        hyp={"a": lines("a"), "b": lines("b")}, refs=[lines("r1"), lines("r2")], metric=["chrf"]
    )
    assert from_files == at_hand


def test_references_of_another_length_are_named_with_both_numbers(hopefear: Hopefear) -> None:
    Path("r3").write_text("one line\n")
    found = hopefear("evaluate", "--hyp", "a", "--refs", "r1", "--refs", "r3")
    assert (found.code, found.err) == (1, "hopefear: r1 has 2 sentences, but r3 has 1\n")
    found = hopefear("evaluate", "--hyp", "a", "--refs", "r3")
    message = "hopefear: a has 2 sentences, but the references (r3) have 1\n"
    assert (found.code, found.err) == (1, message)


def test_a_single_file_needs_no_list_in_python() -> None:
    assert package.evaluate(hyp="a", refs="r1", metric="bleu") == package.evaluate(
        hyp=["a"], refs=["r1"], metric=["bleu"]
    )


def test_real_systems_are_ranked_as_sacrebleu_ranks_them(
    shared_data: Path, hopefear: Hopefear
) -> None:
    hypotheses = [
        shared_data / f"wmt22-systems/de-en.hyp.{name}.en.gz" for name in ("PROMT", "LT22")
    ]
    references = [shared_data / f"wmt22-systems/de-en.ref.{name}.en.gz" for name in "AB"]
    options = [word for path in hypotheses for word in ("--hyp", str(path))]
    options += [word for path in references for word in ("--refs", str(path))]
    options += ["--json"]
    found = json.loads(hopefear("evaluate", *options).out)
    import sacrebleu

    for system, name in zip(found["systems"], ("PROMT", "LT22"), strict=True):
        texts, streams = read_wmt22(shared_data, "de-en", name)
        expected = sacrebleu.corpus_bleu(texts, streams).score
        assert system["metrics"]["bleu"]["score"] == pytest.approx(expected, rel=1e-9)
