from pathlib import Path

import pytest

from hopefear.cli.program import run
from hopefear.demo import run_demo
from hopefear.events import RunFinished, read_log
from hopefear.formats import read_lines, read_weights


def test_the_demonstration_raises_bleu_on_held_out_sentences(tmp_path: Path) -> None:
    result = run_demo(tmp_path, sentences=100, size=20)
    for scores in result.scores.values():
        assert scores.start + 3 < scores.tuned < scores.oracle


def test_the_demonstration_leaves_what_it_made_and_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["demo", "-o", str(tmp_path), "--sentences", "30", "--size", "10"]) == 0
    printed = capsys.readouterr().out
    assert "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:exp" in printed
    assert len(read_lines(tmp_path / "test.out")) == 30
    *_, last = read_log(tmp_path / "events.jsonl")
    assert isinstance(last, RunFinished)
    assert read_weights(tmp_path / "weights.tsv") == last.weights


def test_the_demonstration_is_the_same_every_time(tmp_path: Path) -> None:
    first, second = (
        run_demo(tmp_path / name, sentences=20, size=10, threads=threads)
        for name, threads in (("a", 1), ("b", 2))
    )
    assert first.tuned == second.tuned
    for name in ("dev.nbest.gz", "test.ref", "weights.tsv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
