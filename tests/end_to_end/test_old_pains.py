"""Known problems of older tuners do not occur here, from files to weights."""

from dataclasses import replace
from pathlib import Path

import pytest

from candidate_files import CandidateFiles, write_candidates
from command_line import Hopefear
from hopefear.events import RunFailed, RunStarted, read_log
from hopefear.formats import read_nbest, read_weights, weights_formats, write_nbest, write_weights
from hopefear.types import Hypothesis, Segment, Weights

FAST = {"mert": ["learner.restarts=2"], "kbest-mira": ["rhythm.epochs=10"], "pro": []}


@pytest.fixture
def hopefear(capsys: pytest.CaptureFixture[str]) -> Hopefear:
    return Hopefear(capsys)


@pytest.fixture
def files(tmp_path: Path) -> CandidateFiles:
    return write_candidates(tmp_path, sentences=30, size=20)


def options(files: CandidateFiles, out: Path, *more: str) -> list[str | Path]:
    lists: list[str | Path] = ["--nbest", files.nbest, "--refs", files.refs, "--tokenize", "none"]
    return [*lists, "-o", out, *more]


def test_weights_that_collapse_to_zero_are_an_error(
    files: CandidateFiles, hopefear: Hopefear, tmp_path: Path
) -> None:
    crushing = 'learner.regularizer={name="l1", strength=1e9}'
    found = hopefear("tune", "pro", *options(files, tmp_path / "run", "--set", crushing))
    assert found.code == 1
    assert "all weights became zero" in found.err
    assert not (tmp_path / "run" / "weights.tsv").exists()
    assert isinstance(list(read_log(tmp_path / "run" / "events.jsonl"))[-1], RunFailed)


def test_weights_that_do_not_change_are_an_error(
    files: CandidateFiles, hopefear: Hopefear, tmp_path: Path
) -> None:
    frozen = [f"learner.fixed={sorted(files.segments[0].hypotheses[0].features)}"]
    found = hopefear("tune", "mert", *options(files, tmp_path / "run", "--set", *frozen))
    assert found.code == 1
    assert "the learner (mert) did not change the weights" in found.err
    assert not (tmp_path / "run" / "weights.tsv").exists()


@pytest.mark.parametrize("learner", sorted(FAST))
def test_empty_hypotheses_in_every_list_do_not_ruin_a_run(
    learner: str, hopefear: Hopefear, tmp_path: Path
) -> None:
    def change(sentence: int, index: int, hypothesis: Hypothesis) -> Hypothesis:
        if index:
            return hypothesis
        return Hypothesis(text="", features=dict.fromkeys(hypothesis.features, 0.0))

    files = write_candidates(tmp_path, sentences=30, size=20, change=change)
    run = tmp_path / "run"
    more = ["--start", "words=1", *(word for s in FAST[learner] for word in ("--set", s))]
    found = hopefear("tune", learner, *options(files, run, *more))
    assert found.code == 0
    assert "30 hypotheses of the tuning data are empty" in found.err
    best = hopefear("rerank", "--nbest", files.nbest, "--weights", run).out.split("\n")
    assert sum(line == "" for line in best[:-1]) <= 2
    before, after = scores(run)
    assert after > before


def scores(run: Path) -> tuple[float, float]:
    """Return BLEU at the start and at the end."""
    log = list(read_log(run / "events.jsonl"))
    started = next(event for event in log if isinstance(event, RunStarted))
    last = [score for event in log if (score := getattr(event, "tuning_score", None)) is not None]
    assert started.tuning_score is not None
    return started.tuning_score, last[-1]


@pytest.mark.parametrize("format", list(weights_formats))
def test_weights_have_all_their_digits_in_every_format(format: str, tmp_path: Path) -> None:
    digits = Weights({"a": 0.1 + 0.2, "b": -1 / 3, "c_1": 1.2345678901234567e-7, "d": 1e300 / 7})
    write_weights(tmp_path / "weights", digits, format)
    assert dict(read_weights(tmp_path / "weights", format)) == dict(digits)


def test_the_same_seed_gives_the_same_bytes_and_is_recorded(
    files: CandidateFiles, hopefear: Hopefear, tmp_path: Path
) -> None:
    weights = {}
    for name, more in {
        "default": [],
        "again": ["--threads", "1"],
        "one": ["--seed", "1"],
        "two": ["--seed", "2"],
    }.items():
        assert hopefear("tune", "pro", *options(files, tmp_path / name, *more)).code == 0
        weights[name] = (tmp_path / name / "weights.tsv").read_bytes()
    assert weights["default"] == weights["again"] == weights["one"] != weights["two"]
    assert "seed = 1" in (tmp_path / "default" / "config.toml").read_text()


def test_every_failure_is_explained_in_one_line(
    files: CandidateFiles, hopefear: Hopefear, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    (tmp_path / "file").write_text("")
    broken = tmp_path / "broken"
    broken.write_text(files.nbest.read_text().replace("lm= ", "lm= nan ", 1))
    short = tmp_path / "short"
    short.write_text("a reference\n")
    commands: dict[str, tuple[int, list[str | Path]]] = {
        "unknown preset or learner 'foo'": (2, ["foo", *options(files, run)]),
        "'nan' is not finite": (2, ["pro", *options(files, run, "--start", "lm=nan")]),
        "'lm' occurs twice": (2, ["pro", *options(files, run, "--start", "lm=1 lm=2")]),
        "'words' has no name": (2, ["pro", *options(files, run, "--start", "lm=1 words")]),
        "broken:1: ": (1, ["pro", "--nbest", broken, "--refs", files.refs, "-o", run]),
        "has references for 1": (1, ["pro", "--nbest", files.nbest, "--refs", short, "-o", run]),
        "nothere: cannot be read": (1, ["pro", *options(files, run), "--refs", "nothere"]),
        "file is not a directory": (2, ["pro", *options(files, tmp_path / "file" / "run")]),
        "exists and is not a directory": (2, ["pro", *options(files, tmp_path / "file")]),
        "unknown key of the learner 'pro'; did you mean 'samples'": (
            2,
            ["pro", *options(files, run, "--set", "learner.sample=1")],
        ),
        "mixing: unknown key; did you mean 'rhythm.line_search'?": (
            2,
            ["kbest-mira", *options(files, run, "--set", "mixing.line_search=true")],
        ),
        "unknown key of the strategy 'mixing'; did you mean 'rhythm.line_search'?": (
            2,
            [
                "kbest-mira",
                *options(files, run, "--strategy", "mixing"),
                *("--set", "strategy.line_search=true"),
            ],
        ),
    }
    for message, (code, arguments) in commands.items():
        found = hopefear("tune", *arguments)
        assert (found.code, found.out) == (code, "")
        assert found.err.startswith("hopefear: ")
        assert found.err.count("\n") == 1
        assert message in found.err
        assert not run.exists()


def test_lists_larger_than_the_memory_limit_give_the_same_weights(
    files: CandidateFiles, hopefear: Hopefear, tmp_path: Path
) -> None:
    for name, limit in (("all", "0"), ("little", "1K")):
        arguments = options(files, tmp_path / name, "--memory-limit", limit)
        assert hopefear("tune", "kbest-mira", *arguments, "--set", "rhythm.epochs=5").code == 0
    weights = [(tmp_path / name / "weights.tsv").read_bytes() for name in ("all", "little")]
    assert weights[0] == weights[1]


@pytest.mark.parametrize("format", ["moses", "cdec", "jsonl"])
def test_feature_names_do_not_decide_which_features_are_sparse(
    format: str, files: CandidateFiles, hopefear: Hopefear, tmp_path: Path
) -> None:
    """In Moses, an underscore in its name makes a feature sparse."""

    def renamed(name: str, segments: list[Segment]) -> Path:
        names = {"lm": f"lm{name}", "tm": f"tm{name}a", "rare": f"rare{name}"}
        changed = [
            replace(
                segment,
                hypotheses=tuple(
                    replace(h, features={names.get(n, n): v for n, v in h.features.items()})
                    for h in segment.hypotheses
                ),
            )
            for segment in segments
        ]
        write_nbest(tmp_path / f"nbest{name}", changed, format)
        return tmp_path / f"nbest{name}"

    segments = []
    for segment in read_nbest(files.nbest):
        first, *others = segment.hypotheses
        rare = replace(first, features={**first.features, "rare": 1.0})
        segments.append(replace(segment, hypotheses=(rare, *others)))
    values = []
    for name in ("", "_x_"):
        lists = renamed(name, segments)
        run = tmp_path / f"run{name}"
        arguments = options(replace(files, nbest=lists), run, "--start", "ones")
        found = hopefear("tune", "kbest-mira", *arguments, "--set", "rhythm.epochs=5")
        assert found.code == 0
        values.append(list(read_weights(run / "weights.tsv").values()))
    assert values[0] == values[1]
    assert len(values[0]) == 6


def test_all_hypotheses_of_long_lists_count(
    files: CandidateFiles, hopefear: Hopefear, tmp_path: Path
) -> None:
    """Moses' kbmira keeps sixteen hypotheses per list."""
    assert hopefear("tune", "pro", *options(files, tmp_path / "run")).code == 0
    log = read_log(tmp_path / "run" / "events.jsonl")
    started = next(event for event in log if isinstance(event, RunStarted))
    written = {(s.sentence, h.text, str(h.features)) for s in files.segments for h in s.hypotheses}
    assert started.hypotheses == len(written) > 16 * 30
