"""`hopefear evaluate` and the function behind it."""

import json
from pathlib import Path

import pytest

import hopefear as package
from command_line import Hopefear
from hopefear.errors import ConfigError
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
    assert first.keys() == {"score", "signature", "deviation", "mean", "interval"}
    compared = {"difference", "p_randomization", "p_bootstrap", "wins"}
    assert second.keys() == {*first.keys(), *compared}
    assert found["systems"][0]["length_ratio"] == 1.0
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
    assert [row[:2] for row in rows if row[:1] in (["chrF2"], ["WER"], ["length"])] == [
        ["chrF2", "a"],
        ["WER", "a"],
        ["length", "a"],
    ]
    assert sum(row[:1] == ["b"] for row in rows) == 4  # and in the table of WER's parts
    assert "chrF2|nrefs:1|case:mixed" in found.out
    assert "WER|nrefs:1|case:mixed" in found.out
    assert "Δ and p are against a" in found.out


def test_replicas_are_named_with_their_system_or_match_a_pattern(hopefear: Hopefear) -> None:
    Path("b.1").write_text(Path("a").read_text())
    Path("b.2").write_text(Path("b").read_text())
    options = ["--refs", "r1", "--metric", "chrf,ter", "--json"]
    listed, repeated, matching = (
        json.loads(hopefear("evaluate", "--hyp", "a", *systems, *options).out)
        for systems in (
            ["--hyp", "both=b.1,b.2"],
            ["--hyp", "both=b.1", "--hyp", "both=b.2"],
            ["--hyp", "both=b.*"],
        )
    )
    assert listed == repeated == matching
    systems = ["--hyp", "a", "--hyp", "both=b.1,b.2", "--refs", "r1"]
    strict = hopefear("evaluate", *systems).out
    assert "10000 shuffles of the sentences" in strict
    assert "as MultEval does" not in strict
    assert "as MultEval does" in hopefear("evaluate", *systems, "--exchange", "outputs").out
    assert [system["name"] for system in listed["systems"]] == ["a", "both"]
    both = listed["systems"][1]["metrics"]["chrf"]
    assert both["score"] == pytest.approx(sum(both["replicas"]) / 2)
    assert both["optimizer_deviation"] == pytest.approx(
        abs(both["replicas"][0] - both["replicas"][1]) / 2**0.5
    )
    assert listed["systems"][0]["metrics"]["chrf"]["score"] == both["replicas"][0]
    in_python = package.evaluate(
        hyp={"a": [Path("a")], "both": [Path("b.1"), Path("b.2")]},
        refs="r1",
        metric=["chrf", "ter"],
    )
    assert in_python.table() == listed
    texts = [Path(name).read_text().splitlines() for name in ("a", "b.1", "b.2")]
    at_hand = package.evaluate(
        hyp={"a": texts[0], "both": texts[1:]}, refs="r1", metric=["chrf", "ter"]
    )
    assert at_hand == in_python


def test_a_file_whose_name_has_an_equals_sign_is_a_file(hopefear: Hopefear) -> None:
    Path("rate=0.1").write_text(Path("a").read_text())
    found = json.loads(hopefear("evaluate", "--hyp", "rate=0.1", "--refs", "r1", "--json").out)
    assert found["systems"][0]["name"] == "rate=0.1"


@pytest.mark.parametrize("given", ["=a", "name=", "name=a,"])
def test_a_system_without_name_or_file_is_refused(hopefear: Hopefear, given: str) -> None:
    found = hopefear("evaluate", "--hyp", given, "--refs", "r1")
    assert found.code == 2
    assert "NAME=FILE,FILE" in found.err
    assert given in found.err


def test_a_file_given_twice_is_told(hopefear: Hopefear) -> None:
    for systems in (["--hyp", "a", "--hyp", "a"], ["--hyp", "s=a,b,a"]):
        found = hopefear("evaluate", *systems, "--refs", "r1")
        assert (found.code, "'a' is given twice" in found.err) == (2, True)


def test_names_that_look_like_markup_are_printed_as_they_are(hopefear: Hopefear) -> None:
    options = ["--hyp", "a", "--hyp", "[bold]x=b", "--refs", "r1", "--differences", "1"]
    assert "largest wins of [bold]x against a" in hopefear("evaluate", *options).out


def test_replicas_are_texts_or_lists_of_texts_not_both() -> None:
    with pytest.raises(ConfigError, match="got both"):
        package.evaluate(hyp={"a": ["text", ["text"]]}, refs=[["text"]])


def test_tables_are_also_markdown_and_latex(hopefear: Hopefear) -> None:
    options = ["--hyp", "a", "--hyp", "b_%=b", "--refs", "r1", "--metric", "bleu"]
    rows = hopefear("evaluate", *options, "--markdown").out.splitlines()
    assert rows[0].startswith("| metric | system | score | ±test | 95 % interval | Δ |")
    assert rows[2].startswith("| BLEU | a | ")
    assert rows[3].startswith("|  | b\\_% | ")
    tex = hopefear("evaluate", *options, "--latex").out
    assert tex.startswith("\\begin{tabular}{llrrrrrr}\n\\toprule\nmetric & system & score & $\\pm$")
    assert " & b\\_\\% & " in tex
    found = hopefear("evaluate", *options, "--latex", "--json")
    assert (found.code, "--json" in found.err) == (2, True)


def test_what_looks_like_markup_is_escaped_in_markdown_and_latex(hopefear: Hopefear) -> None:
    Path("marked").write_text("*the* <unk> [cat](x) &apos;s $5$\n" * 2)
    options = ["--hyp", "a", "--hyp", "a|b<c>=marked", "--refs", "r1", "--metric", "ter"]
    options += ["--differences", "1"]
    page = hopefear("evaluate", *options, "--markdown").out
    assert "a\\|b&lt;c>" in page
    assert "\\*the\\* &lt;unk> \\[cat\\](x) &amp;apos;s \\$5\\$ |" in page
    tex = hopefear("evaluate", *options, "--latex").out
    assert "a\\textbar{}b\\textless{}c\\textgreater{}" in tex
    assert "\\begin{tabular}{llrp{0.5\\linewidth}}" in tex
    printed = hopefear("evaluate", *options).out
    assert "\nTER: lower is better\n" in printed


def test_wins_and_losses_and_buckets_are_printed(hopefear: Hopefear) -> None:
    options = ["--hyp", "a", "--hyp", "b", "--refs", "r1", "--metric", "chrf"]
    options += ["--differences", "1", "--frequencies", "r2"]
    printed = hopefear("evaluate", *options).out
    for title in ("score by the length", "F1 of words", "largest wins of b", "largest losses of b"):
        assert title in printed
    found = json.loads(hopefear("evaluate", *options, "--json").out)
    assert found["differences"][0]["wins"][0]["text"] == "the cat sat on the mat ."
    assert [bucket["label"] for bucket in found["by_frequency"]] == ["1", "2"]
    assert found == json.loads(
        json.dumps(
            package.evaluate(
                hyp=["a", "b"],
                refs="r1",
                metric="chrf",
                differences=1,
                frequencies=Path("r2").read_text().splitlines(),
            ).table()
        )
    )
    assert "F1 of words" in hopefear("evaluate", *options, "--markdown").out
    assert not package.evaluate(hyp=["a", "b"], refs="r1").by_frequency


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
