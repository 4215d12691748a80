"""A run that was stopped goes on with the data that it was started with, and with no other."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from candidate_files import write_candidates
from hopefear import resume_events as resume_tuning
from hopefear import tune_events as tune
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.errors import DataError, FormatError
from hopefear.events import EpochFinished, RunFinished
from hopefear.formats import write_forests
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import TrainSettings
from small_models import sentence_pairs, write_bitext
from stand_in_decoder import STAND_IN
from tuning_sets import FOREST_START, garbled_forests


def lists(folder: Path) -> dict[str, Any]:
    write_candidates(folder)
    write_candidates(folder, "dev", seed=9)
    (folder / "start.tsv").write_text("".join(f"{n}\t{v!r}\n" for n, v in START.items()))
    return {
        "learner": "kbest-mira",
        "nbest": folder / "tune.nbest",
        "refs": folder / "tune.refs",
        "dev_nbest": folder / "dev.nbest",
        "dev_refs": folder / "dev.refs",
        "start": folder / "start.tsv",
        "tokenize": "none",
    }


def scored(folder: Path) -> dict[str, Any]:
    files = write_candidates(folder)
    count = sum(len(segment.hypotheses) for segment in files.segments)
    (folder / "scores").write_text("".join(f"{i % 7}\n" for i in range(count)))
    return {"learner": "kbest-mira", "nbest": files.nbest, "scores": folder / "scores"}


def forests(folder: Path) -> dict[str, Any]:
    made, references = garbled_forests(sentences=10)
    write_forests(folder / "tune.forests", enumerate(made))
    (folder / "tune.refs").write_text("".join(f"{text}\n" for (text,) in references))
    return {
        "learner": "forest-mira",
        "forests": folder / "tune.forests",
        "refs": folder / "tune.refs",
        "start": dict(FOREST_START),
    }


def model(folder: Path) -> dict[str, Any]:
    source, target = write_bitext(folder, every=7)
    build(TrainSettings(source=source, target=target), folder / "model")
    pairs = sentence_pairs()[3::60]
    (folder / "tune.f").write_text("".join(f"{f}\n" for f, _ in pairs))
    (folder / "tune.refs").write_text("".join(f"{e}\n" for _, e in pairs))
    return {
        "learner": "mira",
        "model": folder / "model",
        "source": folder / "tune.f",
        "refs": folder / "tune.refs",
        "start": "LM0=-0.3 p_e_given_f=-0.5 p_f_given_e=-0.5 WordPenalty=0.3",
    }


def command(folder: Path) -> dict[str, Any]:
    script, candidates = folder / "decode.py", folder / "candidates.jsonl"
    script.write_text(STAND_IN)
    made = list(SyntheticCandidates(sentences=20, size=15, seed=1))
    lines = [json.dumps([(h.text, dict(h.features)) for h in s.hypotheses]) for _, s in made]
    candidates.write_text("\n".join(lines))
    (folder / "tune.refs").write_text("".join(f"{text}\n" for text, _ in made))
    (folder / "tune.f").write_text("x y\n" * 20)
    return {
        "learner": "kbest-mira",
        "decoder": f"{sys.executable} {script} {{weights}} {{size}} {{threads}} {candidates}",
        "source": folder / "tune.f",
        "refs": folder / "tune.refs",
        "start": dict(START),
        "list_size": 4,
        "decodings": 6,
        "tokenize": "none",
    }


def change_a_text(path: Path) -> None:
    first, *rest = path.read_text().splitlines(keepends=True)
    words = first.split()
    path.write_text(" ".join([*words[1:], words[0]]) + "\n" + "".join(rest))


def change_a_value(path: Path) -> None:
    text = path.read_text()
    place = text.index("lm= ") + len("lm= ")
    end = text.index(" ", place)
    path.write_text(f"{text[:place]}{float(text[place:end]) + 1e-6!r}{text[end:]}")


def change_a_weight(path: Path) -> None:
    path.write_text(path.read_text().replace("lm\t", "lm\t1"))


def change_a_score(path: Path) -> None:
    path.write_text(path.read_text().replace("6", "7", 1))


def write_other_forests(path: Path) -> None:
    made, _ = garbled_forests(sentences=10, seed=1)
    other, _ = garbled_forests(sentences=10, seed=3)
    write_forests(path, enumerate([*made[:9], other[9]]))


Case = tuple[Callable[[Path], dict[str, Any]], str, str, Callable[[Path], None]]
CASES: dict[str, Case] = {
    "lists": (lists, "tune.nbest", "tuning.nbest", change_a_value),
    "references": (lists, "tune.refs", "tuning.references", change_a_text),
    "dev lists": (lists, "dev.nbest", "dev.nbest", change_a_value),
    "dev references": (lists, "dev.refs", "dev.references", change_a_text),
    "start": (lists, "start.tsv", "start_file", change_a_weight),
    "scores": (scored, "scores", "tuning.scores", change_a_score),
    "forests": (forests, "tune.forests", "tuning.forests", write_other_forests),
    "references of forests": (forests, "tune.refs", "tuning.references", change_a_text),
    "source": (model, "tune.f", "tuning.source", change_a_text),
    "references of a model": (model, "tune.refs", "tuning.references", change_a_text),
    "source of a command": (command, "tune.f", "tuning.source", change_a_text),
    "references of a command": (command, "tune.refs", "tuning.references", change_a_text),
}


def stopped(options: dict[str, Any], out: Path) -> None:
    chosen = {"set": ["rhythm.epochs=4"]} | options
    for event in tune(chosen.pop("learner"), out=out, **chosen):
        if isinstance(event, EpochFinished) and event.epoch == 2:
            return


@pytest.mark.parametrize("name", CASES)
def test_changed_data_is_refused_and_named(name: str, tmp_path: Path) -> None:
    make, file, setting, change = CASES[name]
    stopped(make(tmp_path), tmp_path / "run")
    before = (tmp_path / file).read_bytes()
    change(tmp_path / file)
    assert (tmp_path / file).read_bytes() != before
    log = (tmp_path / "run" / "events.jsonl").read_bytes()
    with pytest.raises(DataError) as caught:
        list(resume_tuning(tmp_path / "run"))
    assert f"run: cannot go on: {setting} ({tmp_path / file}) is not what" in str(caught.value)
    assert (tmp_path / "run" / "events.jsonl").read_bytes() == log
    (tmp_path / file).write_bytes(before)
    *_, finished = resume_tuning(tmp_path / "run")
    assert isinstance(finished, RunFinished)


def test_data_written_anew_in_another_way_is_the_same(tmp_path: Path) -> None:
    stopped(lists(tmp_path), tmp_path / "run")
    file = tmp_path / "tune.nbest"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    *_, finished = resume_tuning(tmp_path / "run")
    assert isinstance(finished, RunFinished)


def test_a_run_that_knows_nothing_of_its_data_goes_on(tmp_path: Path) -> None:
    stopped(lists(tmp_path), tmp_path / "run")
    (tmp_path / "run" / "run.json").unlink()
    *_, finished = resume_tuning(tmp_path / "run")
    assert isinstance(finished, RunFinished)


def test_a_run_that_was_killed_while_it_read_its_data_knows_them_when_it_goes_on(
    tmp_path: Path,
) -> None:
    stopped(lists(tmp_path), tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "checkpoint")
    (tmp_path / "run" / "events.jsonl").unlink()
    file = tmp_path / "run" / "run.json"
    known = json.loads(file.read_text())
    file.write_text(json.dumps(known | {"data": {}}))
    list(resume_tuning(tmp_path / "run"))
    assert json.loads(file.read_text()) == known


def test_a_broken_file_of_fingerprints_is_named(tmp_path: Path) -> None:
    stopped(lists(tmp_path), tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    file.write_text(json.dumps({"folder": str(Path.cwd()), "data": [1]}))
    with pytest.raises(FormatError, match=r"run\.json: does not say what data the run has"):
        list(resume_tuning(tmp_path / "run"))
