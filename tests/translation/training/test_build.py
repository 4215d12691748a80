"""Training builds models in stages and runs each stage once."""

import gzip
import math
from dataclasses import replace
from pathlib import Path

import pytest

from hopefear import Model, train
from hopefear.errors import ConfigError, DataError, FormatError, HopefearWarning, OptionError
from hopefear.formats import read_lines, write_rules
from hopefear.grammar import Grammar
from hopefear.text.normalization import Normalization
from hopefear.translation import FeatureUse
from hopefear.translation.training.align import read_alignments, write_alignments
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import (
    AlignmentSettings,
    LanguageModelSettings,
    RuleSettings,
    TrainSettings,
)
from hopefear.translation.training.stages import Stage
from small_models import write_bitext


@pytest.fixture
def settings(tmp_path: Path) -> TrainSettings:
    source, target = write_bitext(tmp_path, every=7)
    return TrainSettings(
        source=source, target=target, alignment=AlignmentSettings(aligner="diagonal")
    )


def done(settings: TrainSettings, out: Path) -> dict[str, bool]:
    """Build a model, and return for each stage whether it ran."""
    stages: list[Stage] = []
    build(settings, out, finished=stages.append)
    return {stage.name: not stage.reused for stage in stages}


def with_order(settings: TrainSettings, order: int) -> TrainSettings:
    estimation = replace(settings.language_model.estimation, order=order)
    return replace(settings, language_model=LanguageModelSettings(estimation=estimation))


def test_finished_stages_are_skipped(settings: TrainSettings, tmp_path: Path) -> None:
    out = tmp_path / "model"
    assert done(settings, out) == {"align": True, "extract": True, "lm0": True}
    assert done(settings, out) == {"align": False, "extract": False, "lm0": False}
    assert done(with_order(settings, 3), out) == {"align": False, "extract": False, "lm0": True}
    assert Model(out).language_models["LM0"].order == 3


def test_other_resources_do_not_repeat_a_stage(settings: TrainSettings, tmp_path: Path) -> None:
    done(settings, tmp_path / "model")
    other = replace(settings, memory=1 << 21, threads=1, temporary_directory=str(tmp_path))
    assert not any(done(other, tmp_path / "model").values())


def test_the_model_does_not_depend_on_memory_or_threads(
    settings: TrainSettings, tmp_path: Path
) -> None:
    done(settings, tmp_path / "a")
    done(replace(settings, memory=1 << 20, threads=3), tmp_path / "b")
    for name in ("grammar.bin", "lm0.kenlm", "alignments.gz", "weights.tsv", "model.toml"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_changed_input_repeats_its_stages(settings: TrainSettings, tmp_path: Path) -> None:
    done(settings, tmp_path / "model")
    assert settings.source is not None
    settings.source.write_text(settings.source.read_text().replace("pes", "kůň"))
    expected = {"align": True, "extract": True, "lm0": False}
    assert done(settings, tmp_path / "model") == expected


def test_a_deleted_file_is_made_again(settings: TrainSettings, tmp_path: Path) -> None:
    done(settings, tmp_path / "model")
    (tmp_path / "model" / "grammar.bin").unlink()
    expected = {"align": False, "extract": True, "lm0": False}
    assert done(settings, tmp_path / "model") == expected


def test_a_failed_training_leaves_no_model_and_can_be_resumed(
    settings: TrainSettings, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    done(settings, out)
    (tmp_path / "glue").write_text("[X] ||| a\n")
    broken = replace(settings, rules=RuleSettings(glue=tmp_path / "glue", glue_format="moses"))
    with pytest.raises(FormatError, match="glue:1: "):
        build(broken, out)
    with pytest.raises(FormatError, match=r"has no model\.toml"):
        Model(out)
    assert not any(done(settings, out).values())
    assert Model(out).language_models


def test_given_alignments_are_used(settings: TrainSettings, tmp_path: Path) -> None:
    done(settings, tmp_path / "a")
    found = read_alignments(tmp_path / "a" / "alignments.gz")
    write_alignments(found, tmp_path / "links")
    given = replace(settings, alignment=AlignmentSettings(file=tmp_path / "links"))
    assert done(given, tmp_path / "b") == {"extract": True, "lm0": True}
    grammars = [(tmp_path / name / "grammar.bin").read_bytes() for name in "ab"]
    assert grammars[0] == grammars[1]


def test_only_rules_for_given_inputs_are_extracted(settings: TrainSettings, tmp_path: Path) -> None:
    (tmp_path / "input").write_text("starý pes\n")
    few = build(replace(settings, inputs=(tmp_path / "input",)), tmp_path / "few")
    words = {
        symbol
        for rule in few.grammars[0].grammar
        for symbol in rule.source
        if isinstance(symbol, str)
    }
    assert words == {"starý", "pes"}


def test_texts_are_lowercased_before_anything_else(settings: TrainSettings, tmp_path: Path) -> None:
    assert settings.source is not None
    lower = done(settings, tmp_path / "lower")
    settings.source.write_text(settings.source.read_text().upper())
    upper = replace(settings, normalization=Normalization(lowercase=True))
    assert done(upper, tmp_path / "upper") == {"normalize": True} | lower
    grammars = [(tmp_path / name / "grammar.bin").read_bytes() for name in ("lower", "upper")]
    assert grammars[0] == grammars[1]
    assert not any(done(upper, tmp_path / "upper").values())
    assert Model(tmp_path / "upper").settings.normalization.lowercase


def changes(settings: TrainSettings, folder: Path) -> dict[str, TrainSettings]:
    """Return settings with mistakes by their messages."""
    for name, text in {"empty": "", "short": "a\nb", "latin": "caf\xe9\n" * 2}.items():
        (folder / name).write_text(text, encoding="latin-1")
    short = replace(settings, target=folder / "short")
    count = len(read_lines(folder / "train.f"))
    return {
        "none: file not found": replace(settings, source=folder / "none"),
        "nowhere: file not found": replace(settings, weights=folder / "nowhere"),
        f"short: has 2 lines, but .*f has {count}": short,
        f"has 2 lines, but .*f has {count}": replace(
            short, normalization=Normalization(lowercase=True)
        ),
        "empty: the bitext is empty": replace(
            settings, source=folder / "empty", target=folder / "empty"
        ),
        "latin:1: .*not UTF-8": replace(settings, source=folder / "latin", target=folder / "short"),
    }


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_training_with_invalid_inputs_leaves_no_files(
    settings: TrainSettings, tmp_path: Path
) -> None:
    for message, wrong in changes(settings, tmp_path).items():
        with pytest.raises(DataError, match=message):
            build(wrong, tmp_path / "some" / "model")
        assert not (tmp_path / "some").exists()


def test_an_existing_directory_stays_empty_if_inputs_are_invalid(
    settings: TrainSettings, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    out.mkdir()
    for message, wrong in changes(settings, tmp_path).items():
        with pytest.raises(DataError, match=message):
            build(wrong, out)
        assert not list(out.iterdir())


def test_an_existing_model_survives_invalid_inputs(settings: TrainSettings, tmp_path: Path) -> None:
    out = tmp_path / "model"
    build(settings, out)
    before = content(out)
    mistakes = changes(settings, tmp_path)
    del mistakes["latin:1: .*not UTF-8"]  # a stage finds it, when model.toml is gone
    for message, wrong in mistakes.items():
        with pytest.raises(DataError, match=message):
            build(wrong, out)
        assert content(out) == before


def test_texts_may_end_without_a_newline(settings: TrainSettings, tmp_path: Path) -> None:
    assert settings.target is not None
    settings.target.write_text(settings.target.read_text().removesuffix("\n"))
    assert build(settings, tmp_path / "model").language_models


def test_a_model_is_built_from_given_rules_and_language_models(
    settings: TrainSettings, tmp_path: Path
) -> None:
    first = build(
        replace(settings, language_model=LanguageModelSettings(keep_arpa=True)), tmp_path / "a"
    )
    table = tmp_path / "rules.gz"
    write_rules(table, Grammar(tmp_path / "a" / "grammar.bin"), "cdec")
    second = build(
        TrainSettings(
            rules=RuleSettings(files=(table,)),
            language_model=LanguageModelSettings(
                files=(tmp_path / "a" / "lm0.arpa.gz", tmp_path / "a" / "lm0.kenlm")
            ),
        ),
        tmp_path / "b",
    )
    assert list(second.language_models) == ["LM0", "LM1"]
    words = ["starý", "muž", "hledá", "vlak"]
    assert second.decoder(first.weights).translate(words).text == "man old seeks train"


def test_moses_rules_and_glue_use_moses_weights(tmp_path: Path) -> None:
    rules, glue = tmp_path / "rules", tmp_path / "glue"
    rules.write_text("a [X] ||| b [X] ||| 0.5 0.5 0.25 0.5 ||| 0-0 ||| 1 1 1 ||| |||\n")
    glue.write_text(
        "<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 ||| |||\n"
        "[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 1-1 ||| 0 ||| |||\n"
        "[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||\n"
    )
    model = train(out=tmp_path / "model", rules=rules, glue=glue)
    assert model.weights["TranslationModel1"] == 1.0
    assert [model.weights[f"TranslationModel0_{i}"] for i in range(4)] == [0.2] * 4
    best = model.decoder().translate(["a"])
    assert best.text == "b"
    assert best.features["TranslationModel1"] == pytest.approx(1, abs=1e-3)
    given = tmp_path / "moses.ini"
    given.write_text(
        "[weight]\nUnknownWordPenalty0= 0.5\nWordPenalty0= -0.25\nPhrasePenalty0= 0.125\n"
        "TranslationModel0= 1 2 3 4\nTranslationModel1= 5\n"
    )
    tuned = train(out=tmp_path / "tuned", rules=rules, glue=glue, weights=given)
    expected = {"UnknownWord": -50.0, "WordPenalty0": -0.25, "PhrasePenalty0": 0.125}
    assert expected.items() <= tuned.weights.items()
    # <s>, b, </s>: three words and four rules, one of which translates b.
    best = tuned.decoder().translate(["a"])
    assert best.features["WordPenalty0"] == -3
    logs = 1 * math.log(0.5) + 2 * math.log(0.5) + 3 * math.log(0.25) + 4 * math.log(0.5)
    glues = 5 * best.features["TranslationModel1"]
    assert best.score == pytest.approx(logs + glues + 0.75 + 0.125 * 4, abs=1e-6)


def test_weights_without_a_feature_give_a_warning(settings: TrainSettings, tmp_path: Path) -> None:
    weights = tmp_path / "weights.tsv"
    weights.write_text("LM0\t0.5\nWordPenalty0\t-1\nDistortion0\t0\n")
    with pytest.warns(HopefearWarning, match="has no feature WordPenalty0: .* Glue, Identity"):
        build(replace(settings, weights=weights), tmp_path / "model")


def test_features_can_be_used_in_other_ways(settings: TrainSettings, tmp_path: Path) -> None:
    uses = (
        FeatureUse(of="p_f_given_e", view="none"),
        FeatureUse(of="count_f_e", view="rarity", name="rarity"),
        FeatureUse(of="p_e_given_f", view="value", name="p"),
        FeatureUse(of="p_e_given_f", view="logarithm", name="log p"),
    )
    model = build(replace(settings, features=uses), tmp_path / "model")
    names = set(model.decoder().feature_names)
    assert names >= {"rarity", "p", "log p", "lex_f_given_e"}
    assert not names & {"p_f_given_e", "p_e_given_f", "count_f_e"}
    assert model.weights["log p"] > 0
    with pytest.raises(ConfigError, match="no grammar has a feature 'q'"):
        build(replace(settings, features=(FeatureUse(of="q"),)), tmp_path / "model")


def test_options_override_settings_of_a_file(settings: TrainSettings, tmp_path: Path) -> None:
    toml = tmp_path / "train.toml"
    toml.write_text(
        f'source = "{settings.source}"\ntarget = "{settings.target}"\n'
        "[language_model.estimation]\norder = 4\n[extraction]\nmax_phrase_length = 3\n"
    )
    model = train(toml, out=tmp_path / "model", aligner="diagonal", set=["decoder.pop_limit=50"])
    assert model.language_models["LM0"].order == 4
    assert model.settings.decoder.pop_limit == 50
    for part in ('"max_phrase_length": 3', '"tight": false'):
        assert part in model.grammars[0].grammar.notes
    with pytest.raises(ConfigError, match=r"train\.toml: threads must|TrainSettings\.threads must"):
        train(toml, out=tmp_path / "model", threads=-1)


def test_contradictory_settings_are_refused(settings: TrainSettings, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the source side is missing") as error:
        replace(settings, source=None)
    assert error.value.settings == ("source", "target")
    with pytest.raises(ConfigError, match="give a bitext"):
        replace(settings, source=None, target=None)
    links = AlignmentSettings(file=tmp_path / "links")
    with pytest.raises(ConfigError, match=r"links: .*set tokenize to 'none'") as error:
        replace(settings, alignment=links, normalization=Normalization(tokenize="sacremoses"))
    assert error.value.settings == ("normalization.tokenize",)
    make: type = AlignmentSettings
    with pytest.raises(OptionError, match="'unoin'; did you mean 'union'"):
        make(symmetrization="unoin")


def test_a_directory_with_other_files_is_left_alone(
    settings: TrainSettings, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    out.mkdir()
    (out / "thesis.tex").write_text("mine")
    with pytest.raises(ConfigError, match=r"contains 'thesis\.tex'"):
        build(settings, out)
    assert [path.name for path in out.iterdir()] == ["thesis.tex"]


def test_two_trainings_cannot_share_a_directory(settings: TrainSettings, tmp_path: Path) -> None:
    def again(stage: Stage) -> None:
        with pytest.raises(ConfigError, match=r"model: is in use by process \d+ on"):
            build(settings, tmp_path / "model")

    build(settings, tmp_path / "model", finished=again)


def test_files_of_a_killed_training_are_removed(settings: TrainSettings, tmp_path: Path) -> None:
    out = tmp_path / "model"
    out.mkdir()
    for name in (".grammar.bin.x5Kq0z.part", ".lm0.kenlm.0123456789abcdef.part"):
        (out / name).write_bytes(b"half a file")
    build(settings, out)
    assert not list(out.rglob("*.part"))


def test_every_sentence_pair_has_an_alignment(settings: TrainSettings, tmp_path: Path) -> None:
    assert settings.source is not None
    done(settings, tmp_path / "model")
    with gzip.open(tmp_path / "model" / "alignments.gz", "rt") as file:
        assert len(file.readlines()) == len(read_lines(settings.source))
