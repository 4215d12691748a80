import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.errors import ConfigError
from hopefear.registry import Registry
from hopefear.settings import config, setting, settings
from hopefear.settings.config import parse_assignment
from hopefear.types import Weights


class Learner:
    """What a registry chooses from."""


learners: Registry[Learner] = Registry("learner")


@learners.register("mira")
@settings
class Mira(Learner):
    max_step: float = setting(0.01, "The largest step.", above=0)


@learners.register("averaged")
@dataclass(frozen=True, kw_only=True)
class Averaged(Learner):
    learner: Annotated[Learner, learners] = field(default_factory=Mira)


@dataclass(frozen=True, kw_only=True)
class Data:
    nbest: tuple[Path, ...] = ()
    limit: int | None = None


@dataclass(frozen=True, kw_only=True)
class Run:
    name: str
    epochs: int = 10
    decay: float = 0.999
    shuffle: bool = True
    rhythm: Literal["online", "batch"] = "online"
    seed: int | str = 1
    data: Data = field(default_factory=Data)
    parts: tuple[Data, ...] = ()
    learner: Annotated[Learner, learners] = field(default_factory=Mira)
    second: Annotated[Learner, learners] | None = None
    steps: tuple[Annotated[Learner, learners], ...] = ()
    start: Weights = field(default_factory=Weights)
    limits: Mapping[str, float] = field(default_factory=dict)
    named: Mapping[str, Annotated[Learner, learners]] = field(default_factory=dict)


def test_a_file_sets_what_it_names_and_leaves_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text("""
        name = "trial"
        decay = 1
        [data]
        nbest = ["a.nbest", "b.nbest"]
        [learner]
        name = "averaged"
        [learner.learner]
        name = "mira"
        max_step = 0.5
        [start]
        lm = 1
        "tm_0" = 0.2
        [[steps]]
        name = "mira"
    """)
    assert config.load(Run, path) == Run(
        name="trial",
        decay=1.0,
        data=Data(nbest=(Path("a.nbest"), Path("b.nbest"))),
        learner=Averaged(learner=Mira(max_step=0.5)),
        start=Weights({"lm": 1.0, "tm_0": 0.2}),
        steps=(Mira(),),
    )


def test_a_choice_may_be_given_by_its_name_alone() -> None:
    assert config.loads(Run, 'name = "a"\nlearner = "averaged"').learner == Averaged()


def test_numbers_out_of_arrays_are_numbers() -> None:
    table = {"name": "a", "epochs": np.int64(3), "decay": np.float32(0.5), "seed": np.int32(2)}
    run = config.decode(Run, table | {"start": {"lm": np.float64(0.25)}})
    assert run == Run(name="a", epochs=3, decay=0.5, seed=2, start=Weights({"lm": 0.25}))
    assert [type(value) for value in (run.epochs, run.decay, run.seed)] == [int, float, int]


def test_a_single_path_will_do_where_there_may_be_several() -> None:
    assert config.loads(Run, "name = 'a'\ndata.nbest = 'b'").data.nbest == (Path("b"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("epoch = 3", r"epoch: unknown key; did you mean 'epochs'\? Known: data, "),
        ("data.limt = 3", r"data.limt: unknown key; did you mean 'limit'\? Known: limit, nbest"),
        ("limit = 3", r"limit: unknown key; did you mean 'data.limit'\?$"),
        ("reading.limit = 3", r"reading: unknown key; did you mean 'data.limit'\?$"),
        (
            "[learner]\nname = 'mira'\nepochs = 3",
            r"learner.epochs: unknown key of the learner 'mira'; did you mean 'epochs'\?$",
        ),
        ("learner.name = 'miira'", r"learner.name: unknown learner 'miira'; did you mean 'mira'"),
        ("learner = 3", "learner: expected a learner's name or table, got 3"),
        ("learner.max_step = 1.0", "learner.name: must name a learner; known: averaged, mira"),
        (
            "[learner]\nname = 'mira'\nmaxstep = 1.0",
            r"learner.maxstep: unknown key of the learner 'mira'; did you mean 'max_step'\?",
        ),
        (
            "[learner]\nname = 'mira'\nmax_step = -0.5",
            r"learner.max_step must be a finite number > 0, got -0.5",
        ),
        ("epochs = true", "epochs: expected a whole number, got True"),
        ("epochs = 1.0", "epochs: expected a whole number, got 1.0"),
        ("decay = '1'", "decay: expected a number, got '1'"),
        ("decay = 1" + 400 * "0", "decay: 10*0 is too large"),
        ("shuffle = 1", "shuffle: expected true or false, got 1"),
        ("name = 1", "name: expected text, got 1"),
        ("rhythm = 'onlin'", r"rhythm: unknown value 'onlin'; did you mean 'online'\?"),
        ("seed = 1.5", "seed: expected a whole number or text, got 1.5"),
        ("data = 3", "data: expected a table, got 3"),
        ("data.nbest = 3", "data.nbest: expected an array, got 3"),
        ("parts = 'a'", "parts: expected an array, got 'a'"),
        ("data.nbest = ['a', 3]", r"data.nbest\[1\]: expected the name of a file, got 3"),
        ("start.lm = 'a'", "start.lm: expected a number, got 'a'"),
        ("start.lm = nan", "start: the weight of feature 'lm' is nan"),
        (
            "parts = [{limit = 1}, {limit = 'x'}]",
            r"parts\[1\].limit: expected a whole number, got 'x'",
        ),
    ],
)
def test_what_does_not_fit_is_an_error_with_file_and_dotted_key(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^run.toml: {message}"):
        config.loads(Run, text, source="run.toml")


def test_a_key_without_default_must_be_given() -> None:
    with pytest.raises(ConfigError, match=r"^run.toml: name: is missing and has no default"):
        config.loads(Run, "", source="run.toml")


def test_broken_toml_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text("name = 'a'\nepochs = \n")
    with pytest.raises(ConfigError, match=r"run.toml: .*line 2"):
        config.load(Run, path)


@pytest.mark.parametrize("value", ["1" * 5000, "[" * 100_000])
def test_toml_that_python_gives_up_on_is_an_error_too(tmp_path: Path, value: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(f"seed = {value}\n")
    with pytest.raises(ConfigError, match=r"run\.toml: "):
        config.load(Run, path)
    with pytest.raises(ConfigError, match="configuration: "):
        config.loads(Run, path.read_text())
    assert parse_assignment(f"seed={value}") == ("seed", value)


def test_a_missing_file_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing.toml: cannot be read"):
        config.load(Run, tmp_path / "nothing.toml")


def test_the_dump_has_every_default() -> None:
    text = config.dumps(Run(name="a"))
    for line in ("epochs = 10", "decay = 0.999", "shuffle = true", 'rhythm = "online"'):
        assert line in text.splitlines()
    assert '[learner]\nname = "mira"\nmax_step = 0.01\n' in text


any_text = st.text(st.characters(exclude_categories=["Cs"]))
numbers = st.floats(allow_nan=False)
datas = st.builds(
    Data,
    nbest=st.lists(any_text.map(Path)).map(tuple),
    limit=st.none() | st.integers(),
)
steps = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
simple = st.builds(Mira, max_step=steps)
chosen = simple | st.builds(Averaged, learner=simple)


@given(
    st.builds(
        Run,
        name=any_text,
        epochs=st.integers(),
        decay=numbers,
        shuffle=st.booleans(),
        rhythm=st.sampled_from(["online", "batch"]),
        seed=st.integers() | any_text,
        data=datas,
        parts=st.lists(datas, max_size=3).map(tuple),
        learner=chosen,
        second=st.none() | chosen,
        steps=st.lists(chosen, max_size=3).map(tuple),
        start=st.dictionaries(any_text, st.floats(allow_nan=False, allow_infinity=False)).map(
            Weights
        ),
        limits=st.dictionaries(any_text, numbers),
        named=st.dictionaries(any_text, chosen, max_size=2),
    )
)
def test_a_dumped_configuration_reads_back_equal(run: Run) -> None:
    assert config.loads(Run, config.dumps(run)) == run


def test_what_toml_cannot_say_is_an_error_when_dumping() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Odd:
        limit: int | None = 3
        value: object = 1

    with pytest.raises(ConfigError, match=r"Odd.limit is None, which cannot be written"):
        config.dumps(Odd(limit=None))
    with pytest.raises(ConfigError, match=r"cannot be written as TOML: .*complex"):
        config.dumps(Odd(value=1j))
    with pytest.raises(ConfigError, match="surrogates not allowed"):
        config.dumps(Odd(value="\ud800"))
    with pytest.raises(ConfigError, match="3 is not a dataclass"):
        config.dumps(3)


def test_not_a_number_is_written_and_read() -> None:
    assert math.isnan(config.loads(Run, config.dumps(Run(name="a", decay=math.nan))).decay)
