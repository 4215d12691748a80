"""External decoders: a stand-in that a command runs."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from hopefear.candidates import CommandDecoder, CommandSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.errors import ConfigError, DataError, DecoderError, FormatError
from hopefear.formats import write_nbest
from hopefear.metrics import Bleu, References
from hopefear.nbest import NBestBuilder
from hopefear.types import Weights
from stand_in_decoder import STAND_IN

FAILING = (
    "import sys; print('0 ||| a ||| f= 1 ||| '); sys.stderr.write('no grammar\\n'); sys.exit(3)"
)


@pytest.fixture
def stand_in(tmp_path: Path) -> CommandDecoder:
    """A decoder of made-up candidates."""
    script, candidates = tmp_path / "decode.py", tmp_path / "my candidates.jsonl"
    script.write_text(STAND_IN)
    lines = [
        json.dumps([(h.text, dict(h.features)) for h in segment.hypotheses])
        for _, segment in SyntheticCandidates(sentences=10, size=8, seed=1)
    ]
    candidates.write_text("\n".join(lines))
    return CommandDecoder(
        command=f"'{sys.executable}' {script} {{weights}} {{size}} {{threads}} '{candidates}'"
    )


def references() -> References:
    texts = [[text] for text, _ in SyntheticCandidates(sentences=10, size=8, seed=1)]
    return References(texts)


def command_set(decoder: CommandDecoder, folder: Path, *, size: int = 3) -> CommandSet:
    return CommandSet(
        decoder, references(), Bleu(tokenize="none"), start=START, size=size, folder=folder
    )


def test_lists_are_those_of_the_decoder_under_the_weights(
    stand_in: CommandDecoder, tmp_path: Path
) -> None:
    data = command_set(stand_in, tmp_path / "work")
    other = Weights({name: -value for name, value in START.items()})
    for weights in (START, other):
        lists = data.kbest_lists(weights.vector(data.feature_names), 3).nbest
        for number, (_, segment) in enumerate(SyntheticCandidates(sentences=10, size=8, seed=1)):
            ranked = sorted(segment.hypotheses, key=lambda h: -weights.dot(h.features))
            expected = list(dict.fromkeys(h.text for h in ranked[:3]))
            rows = lists.rows(number)
            assert [lists.text(row) for row in rows][: len(expected)] == expected
            assert lists.features_of(rows[0]) == pytest.approx(dict(ranked[0].features))


def test_the_score_is_that_of_the_first_translations(
    stand_in: CommandDecoder, tmp_path: Path
) -> None:
    data = command_set(stand_in, tmp_path / "work")
    best = [
        max(segment.hypotheses, key=lambda h: START.dot(h.features)).text
        for _, segment in SyntheticCandidates(sentences=10, size=8, seed=1)
    ]
    statistics = Bleu(tokenize="none").prepare(references()).statistics(best).sum(axis=0)
    np.testing.assert_array_equal(data.chosen(START.vector(data.feature_names)), statistics)


def test_the_same_weights_are_translated_once(stand_in: CommandDecoder, tmp_path: Path) -> None:
    data = command_set(stand_in, tmp_path / "work")
    (tmp_path / "decode.py").unlink()
    w = START.vector(data.feature_names)
    assert data.score(w) > 0
    assert len(data.kbest_lists(w, 3).nbest) > 10
    with pytest.raises(DecoderError):
        data.score(2 * w)


def test_lists_may_come_in_a_file_and_sentences_by_standard_input(tmp_path: Path) -> None:
    script, source = tmp_path / "decode.py", tmp_path / "source"
    script.write_text(
        "import sys\n"
        "out = open(sys.argv[1], 'w')\n"
        "for number, line in enumerate(sys.stdin):\n"
        "    print(f'{number} ||| {line.strip()} ||| f= 1 ||| 0', file=out)\n"
        "print('much talk' * 100000)\n"
    )
    source.write_text("a b\nc\n")
    decoder = CommandDecoder(command=f"{sys.executable} {script} {{nbest}} {{weights}}")
    builder = NBestBuilder()
    decoder.run(Weights({"f": 1.0}), 1, builder, tmp_path / "work", source=source)
    lists = builder.finish()
    assert [lists.text(row) for row in range(2)] == ["a b", "c"]


def test_a_failure_shows_the_command_its_exit_code_and_what_it_wrote(tmp_path: Path) -> None:
    script = tmp_path / "fail.py"
    script.write_text(FAILING)
    decoder = CommandDecoder(command=f"{sys.executable} {script} {{weights}}")
    with pytest.raises(DecoderError) as failure:
        decoder.run(START, 1, NBestBuilder(), tmp_path / "work")
    message = str(failure.value)
    assert "failed with exit code 3" in message
    assert f"{script} {tmp_path / 'work' / 'weights.tsv'}" in message
    assert message.endswith("  no grammar")


def test_a_decoder_that_is_killed_is_a_failure(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text("import os; os.kill(os.getpid(), 9)")
    decoder = CommandDecoder(command=f"{sys.executable} {script} {{weights}}")
    with pytest.raises(DecoderError, match="was ended by signal 9"):
        decoder.run(START, 1, NBestBuilder(), tmp_path / "work")


def test_a_place_for_the_source_needs_one(tmp_path: Path) -> None:
    decoder = CommandDecoder(command="moses {weights} {source}")
    with pytest.raises(ConfigError, match="has a place for the source, but there is none"):
        decoder.run(START, 1, NBestBuilder(), tmp_path / "work")


def test_a_command_that_is_not_there_is_named(tmp_path: Path) -> None:
    decoder = CommandDecoder(command="no-such-decoder {weights}")
    with pytest.raises(DecoderError, match="no-such-decoder: cannot be run: No such file"):
        decoder.run(START, 1, NBestBuilder(), tmp_path / "work")


def test_lists_that_are_none_are_refused_with_the_line(tmp_path: Path) -> None:
    script = tmp_path / "odd.py"
    script.write_text("print('0 ||| a ||| f= 1 ||| 0')\nprint('0 ||| a ||| f= x ||| 0')\n")
    decoder = CommandDecoder(command=f"{sys.executable} {script} {{weights}}", nbest_format="moses")
    with pytest.raises(FormatError, match=":2: "):
        decoder.run(START, 1, NBestBuilder(), tmp_path / "work")


def test_nothing_is_given_to_a_shell(tmp_path: Path) -> None:
    script = tmp_path / "echo.py"
    script.write_text("import sys\nprint('0 |||', sys.argv[2], '||| f= 1 ||| 0')")
    decoder = CommandDecoder(
        command=f"{sys.executable} {script} {{weights}} $HOME;touch&&*", nbest_format="moses"
    )
    builder = NBestBuilder()
    decoder.run(START, 1, builder, tmp_path / "work")
    assert builder.finish().text(0) == "$HOME;touch&&*"


def test_translations_of_too_many_sentences_are_refused(tmp_path: Path) -> None:
    script, lists = tmp_path / "cat.py", tmp_path / "lists"
    write_nbest(lists, [s for _, s in SyntheticCandidates(sentences=12, size=3, seed=1)], "moses")
    script.write_text("import sys\nsys.stdout.write(open(sys.argv[2]).read())")
    decoder = CommandDecoder(command=f"{sys.executable} {script} {{weights}} {lists}")
    with pytest.raises(DataError, match="of sentence 11, but there are references for 10"):
        command_set(decoder, tmp_path / "work")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("moses -f moses.ini", "has no place for the weights"),
        ("moses {weight}", "unknown place '{weight}'; did you mean 'weights'"),
        ("moses 'a {weights}", "No closing quotation"),
    ],
)
def test_bad_commands_are_refused(command: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CommandDecoder(command=command)
