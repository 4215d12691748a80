"""N-best lists of tools whose files we only read."""

import math
from pathlib import Path

import pytest

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.formats import (
    SentenceKeys,
    detect_nbest,
    keyed_references,
    load_nbest,
    nbest_formats,
    read_keyed_lines,
    read_nbest,
    read_reference_lines,
    read_weights,
    weights_formats,
    write_nbest,
    write_weights,
)
from hopefear.formats.files import open_source
from hopefear.formats.nbest.fairseq import FairseqNBest
from hopefear.formats.nbest.fixed_size import FlatNBest, NemoNBest
from hopefear.formats.nbest.speech import KaldiNBest
from hopefear.types import Hypothesis, Segment, Weights


def write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def one(path: Path, format: str | None = None) -> Hypothesis:
    ((hypothesis,),) = [segment.hypotheses for segment in read_nbest(path, format)]
    return hypothesis


def scored(text: str, score: float) -> Hypothesis:
    return Hypothesis(text=text, features={"score": score}, score=score)


# All formats


@pytest.mark.parametrize("name", list(nbest_formats))
def test_no_format_recognizes_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with open_source(tmp_path) as source:
        assert not nbest_formats[name]().sniff(source)
    with open_source(tmp_path / "file") as source:
        assert not nbest_formats[name]().sniff(source)


def test_an_empty_directory_is_an_error_that_lists_the_formats(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"the n-best format is not recognized; .*: .*espnet"):
        detect_nbest(tmp_path)


def test_a_format_that_can_only_be_read_is_not_written(tmp_path: Path) -> None:
    message = "'marian'; choose one of: cdec, jsonl, moses, travatar, tsv"
    with pytest.raises(ConfigError, match=message):
        write_nbest(tmp_path / "n", [], "marian")


def test_options_of_a_format_follow_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"hyp": "a\nb\n", "lp": "-1\n-2\n"})
    format = f"flat:size=2,features.logprob={tmp_path / 'lp'}"
    (segment,) = read_nbest(tmp_path / "hyp", format)
    assert [h.features for h in segment.hypotheses] == [{"logprob": -1.0}, {"logprob": -2.0}]


@pytest.mark.parametrize(
    ("format", "message"),
    [
        ("nemo:beam=8", r"n-best format 'nemo': beam: unknown key; did you mean 'beam_size'\?"),
        ("nemo:beam_size=x", r"n-best format 'nemo': beam_size: expected a whole number, got 'x'"),
        ("nemo:beam_size=0", r"n-best format 'nemo': beam_size must be a whole number >= 1, got 0"),
        ("nemo:beam_size=8,beam_size.x=1", r"beam_size: expected a whole number, got a table"),
        ("nemo:8", r"n-best format 'nemo:8': expected OPTION=VALUE, found '8'"),
        ("flat:size=0", r"n-best format 'flat': size must be a whole number >= 1, got 0"),
        ("nimo:beam_size=8", r"unknown n-best format 'nimo'; did you mean 'nemo'\?"),
    ],
)
def test_wrong_options_of_a_format_are_errors(tmp_path: Path, format: str, message: str) -> None:
    write(tmp_path, {"n": "a\t1\n"})
    with pytest.raises(ConfigError, match=message):
        list(read_nbest(tmp_path / "n", format))


# Marian


@pytest.mark.parametrize(
    "line",
    [
        "0 ||| a b ||| 0-0 1-1 ||| WordScores= -0.5 -0.75 ||| F0= -1.5 F1= -2 ||| -1.75",
        "0 ||| a b ||| 0-0 1-1 ||| F0= -1.5 F1= -2 ||| -1.75",
        "0 ||| a b ||| WordScores= -0.5 -0.75 ||| F0= -1.5 F1= -2 ||| -1.75",
        "0 ||| a b ||| F0= -1.5 F1= -2 WordScores= -0.5 -0.75 ||| -1.75",
    ],
)
def test_marian_has_features_before_the_score_and_word_scores_are_skipped(
    tmp_path: Path, line: str
) -> None:
    write(tmp_path, {"n": line + "\n"})
    expected = Hypothesis(text="a b", features={"F0": -1.5, "F1": -2.0}, score=-1.75)
    assert detect_nbest(tmp_path / "n") == "marian"
    assert one(tmp_path / "n") == expected
    assert load_nbest(tmp_path / "n").features_of(0) == expected.features


# Joshua


def test_joshua_lists_are_read_as_those_of_cdec(tmp_path: Path) -> None:
    write(tmp_path, {"n": "0 ||| a ||| lm_0=-12.345 tm_pt_0=1.000 ||| -34.200\n"})
    expected = Hypothesis(text="a", features={"lm_0": -12.345, "tm_pt_0": 1.0}, score=-34.2)
    assert one(tmp_path / "n") == one(tmp_path / "n", "joshua") == expected


CONFIG = """\
# model
tm = thrax -owner pt -maxspan 20
feature-function = LanguageModel -lm_order 5
top-n=300

lm_0 1.5
tm_pt_0 0.5
// the same again
lm_0 0.25
"""


def test_joshua_weights_stand_in_the_configuration_and_repeated_ones_add_up(tmp_path: Path) -> None:
    write(tmp_path, {"joshua.config": CONFIG})
    assert read_weights(tmp_path / "joshua.config") == Weights({"lm_0": 1.75, "tm_pt_0": 0.5})


def test_joshua_weights_may_have_a_file_of_their_own(tmp_path: Path) -> None:
    write(tmp_path, {"joshua.config": CONFIG + "weights-file = w\n", "w": "lm_0 1\nOOVPenalty 2\n"})
    expected = Weights({"lm_0": 2.75, "tm_pt_0": 0.5, "OOVPenalty": 2.0})
    assert read_weights(tmp_path / "joshua.config") == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a b c\n", "w:1: expected NAME VALUE or key = value, found 'a b c'"),
        ("a 1\na x\n", "w:2: the weight of feature 'a': 'x' is not a number"),
        ("weights-file = nowhere\n", "w: the weights-file does not exist"),
    ],
)
def test_broken_joshua_weights_are_errors(tmp_path: Path, content: str, message: str) -> None:
    write(tmp_path, {"w": content})
    with pytest.raises(FormatError, match=message):
        read_weights(tmp_path / "w", "joshua")


@pytest.mark.parametrize("name", ["//a", "#a", "a="])
def test_joshua_weights_must_not_look_like_something_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match="the joshua format cannot represent"):
        write_weights(tmp_path / "w", Weights({name: 1.0}), "joshua")


# fairseq

GENERATED = """\
2020-01-01 00:00:00 | INFO | fairseq_cli.generate | loading model(s)
S-1\tdas Haus
T-1\tthe house
H-1\t-0.5\tthe hou@@ se
D-1\t-0.5\tthe house
P-1\t-0.2500 -0.5000 -0.7500
A-1\t0-0 1-1
H-1\t-1.0\ta house
D-1\t-1.0\ta house
P-1\t-1.0000 -1.0000
S-0\tja
T-0\tyes
H-0\t-2\tyes
D-0\t-2\tyes
P-0\t-2
2020-01-01 00:00:01 | INFO | NOTE: hypothesis and token scores are output in base 2
Generate test with beam=2: BLEU4 = 100.00
"""


def test_fairseq_scores_become_sums_of_natural_logarithms(tmp_path: Path) -> None:
    write(tmp_path, {"out": GENERATED})
    assert detect_nbest(tmp_path / "out") == "fairseq"
    first, second = read_nbest(tmp_path / "out")
    assert (first.sentence, second.sentence) == (1, 0)
    assert [h.text for h in first.hypotheses] == ["the house", "a house"]
    best = first.hypotheses[0]
    assert best.score == pytest.approx(-0.5 * math.log(2), rel=1e-15)
    assert best.features["logprob"] == pytest.approx(-1.5 * math.log(2), rel=1e-15)
    assert best.features["length"] == 3.0
    assert load_nbest(tmp_path / "out").text(0) == "yes"


def test_fairseq_texts_can_be_those_of_the_model(tmp_path: Path) -> None:
    write(tmp_path, {"out": GENERATED})
    first, _ = read_nbest(tmp_path / "out", FairseqNBest(tokens=True))
    assert [h.text for h in first.hypotheses] == ["the hou@@ se", "a house"]


def test_fairseq_output_without_token_scores_has_the_score_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, {"out": "S-0\tja\nH-0\t-0.5\tyes\n"})
    assert one(tmp_path / "out") == scored("yes", -0.5 * math.log(2))


def test_the_references_are_in_the_output_of_fairseq(tmp_path: Path) -> None:
    write(tmp_path, {"out": GENERATED, "part": "S-1\tb\nT-1\ta\n"})
    assert read_reference_lines(tmp_path / "out") == ["yes", "the house"]
    with pytest.raises(FormatError, match="part: the line T-0 is missing"):
        read_reference_lines(tmp_path / "part")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("H-0\t-0.5\n", "out:1: expected a score and a text after H-0"),
        ("H-0\tx\ta\n", "out:1: 'x' is not a number"),
        ("H-0\t-1\ta\nP-0\t-0.5 nan\n", "out:2: 'nan' is not finite"),
        ("H-0\t-1\ta\nP-1\t-0.5\n", "out:2: the line P-1 does not follow its H- line"),
        ("D-0\t-1\ta\n", "out:1: the line D-0 does not follow its H- line"),
    ],
)
def test_broken_fairseq_output_is_an_error(tmp_path: Path, lines: str, message: str) -> None:
    write(tmp_path, {"out": lines})
    with pytest.raises(FormatError, match=message):
        list(read_nbest(tmp_path / "out", "fairseq"))


# ESPnet


def test_espnet_directories_are_read_by_rank(tmp_path: Path) -> None:
    files = {
        "1best_recog/text": "utt2 the dog\nutt1\n",
        "1best_recog/score": "utt2 tensor(-3.21)\nutt1 -4\n",
        "2best_recog/text": "utt2 a dog\n",
        "2best_recog/score": "utt2 tensor(-3.5000, device='cuda:0')\n",
        "10best_recog/text": "utt2 dog\n",
        "10best_recog/score": "utt2 -9.5\n",
    }
    root = write(tmp_path, files)
    assert detect_nbest(root) == "espnet"
    assert list(read_nbest(root)) == [
        Segment(
            sentence="utt2",
            hypotheses=(scored("the dog", -3.21), scored("a dog", -3.5), scored("dog", -9.5)),
        ),
        Segment(sentence="utt1", hypotheses=(scored("", -4.0),)),
    ]


@pytest.mark.parametrize("logdir", ["", "logdir/"])
def test_the_jobs_of_espnet_are_read_one_after_the_other(tmp_path: Path, logdir: str) -> None:
    for job in (2, 10, 1):
        folder = f"{logdir}output.{job}/1best_recog"
        write(tmp_path, {f"{folder}/text": f"u{job} a\n", f"{folder}/score": f"u{job} -1\n"})
    keys = SentenceKeys()
    load_nbest(tmp_path, keys=keys)
    assert keys.names == ["u1", "u2", "u10"]


@pytest.mark.parametrize(
    ("text", "score", "message"),
    [
        ("u1 a\nu2 b\n", "u1 -1\n", r"1best_recog/score: the score of 'u2' is missing"),
        ("u1 a\nu1 b\n", "u1 -1\n", r"1best_recog/text:2: the key 'u1' appears twice"),
        ("u1 a\n", "u1 tensor(x)\n", r"1best_recog/score:1: the score of 'u1': 'x' is not a num"),
    ],
)
def test_broken_espnet_directories_are_errors(
    tmp_path: Path, text: str, score: str, message: str
) -> None:
    write(tmp_path, {"1best_recog/text": text, "1best_recog/score": score})
    with pytest.raises(FormatError, match=message):
        list(read_nbest(tmp_path))


def test_references_are_found_by_their_keys(tmp_path: Path) -> None:
    write(tmp_path, {"text": "utt1 ref one\nutt2 ref two\nutt3\n"})
    references = read_keyed_lines(tmp_path / "text")
    assert keyed_references(SentenceKeys(["utt2", "utt3", "utt1"]), references) == [
        "ref two",
        "",
        "ref one",
    ]
    with pytest.raises(DataError, match="no reference for 'utt4'"):
        keyed_references(SentenceKeys([*references, "utt4"]), references)
    with pytest.raises(DataError, match="no hypothesis for 'utt2'"):
        keyed_references(SentenceKeys(["utt1"]), references)


# Kaldi

ARCHIVE = {
    "words_text": "spk-utt-2 a dog\nspk-utt-1 the dog\nother-1\n",
    "acwt": "spk-utt-1 10.5\nspk-utt-2 11\nother-1 3\n",
    "lmwt.nolm": "spk-utt-1 1\nspk-utt-2 2\nother-1 3\n",
    "lmwt.lmonly": "spk-utt-1 4\nspk-utt-2 5\nother-1 -6\n",
}


def test_kaldi_archives_are_read_by_rank_and_costs_become_scores(tmp_path: Path) -> None:
    root = write(tmp_path, ARCHIVE)
    assert detect_nbest(root) == "kaldi"
    first, second = read_nbest(root)
    assert (first.sentence, second.sentence) == ("spk-utt", "other")
    assert [h.text for h in first.hypotheses] == ["the dog", "a dog"]
    assert first.hypotheses[0].features == {"acwt": -10.5, "lmwt.lmonly": -4, "lmwt.nolm": -1}
    assert second.hypotheses[0].features == {"acwt": -3, "lmwt.lmonly": 6, "lmwt.nolm": -3}


def test_the_costs_to_take_from_kaldi_can_be_named(tmp_path: Path) -> None:
    root = write(tmp_path, ARCHIVE)
    first, _ = read_nbest(root, KaldiNBest(costs=("acwt",)))
    assert first.hypotheses[0].features == {"acwt": -10.5}


def test_the_archives_of_all_jobs_of_kaldi_are_read(tmp_path: Path) -> None:
    for job in (10, 2):
        write(tmp_path / f"archives.{job}", {"words_text": f"u{job}-1 a\n", "acwt": f"u{job}-1 1"})
    assert [segment.sentence for segment in read_nbest(tmp_path)] == ["u2", "u10"]


def test_the_words_of_kaldi_may_be_numbers(tmp_path: Path) -> None:
    files = {"words": "u-1 2 1\n", "acwt": "u-1 1\n", "words.txt": "<eps> 0\na 1\nthe 2\n"}
    root = write(tmp_path, files)
    assert one(root).text == "the a"
    (root / "words").write_text("u-1 7\n")
    with pytest.raises(FormatError, match=r"words:1: word 7 is not in .*words.txt"):
        one(root)
    (root / "words.txt").unlink()
    with pytest.raises(FormatError, match=r"words: the table of words .*words\.txt"):
        one(root)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"words_text": "u a\n", "acwt": "u 1\n"}, "expected a key like UTTERANCE-1, found 'u'"),
        ({"words_text": "u-1 a\n", "acwt": "v-1 1\n"}, "acwt: the cost of 'u-1' is missing"),
        ({"words_text": "u-1 a\n", "acwt": "u-1 x\n"}, "acwt:1: the cost of 'u-1': 'x' is not"),
        ({"words_text": "u-1 a\n", "acwt": "u-1 \0BFV\n"}, "acwt:1: the archive is binary"),
        ({"words_text": "u-1 a\n"}, "the directory must have words_text"),
    ],
)
def test_broken_kaldi_archives_are_errors(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    root = write(tmp_path, files)
    with pytest.raises(FormatError, match=message):
        list(read_nbest(root, "kaldi"))


# NeMo


def test_nemo_has_as_many_lines_per_utterance_as_the_beam_is_wide(tmp_path: Path) -> None:
    write(tmp_path, {"beams": "a\t-1\nb\t-2\nc\t-3\nd\t-4\n", "three": "src\thyp\t-1.5\n"})
    segments = list(read_nbest(tmp_path / "beams", "nemo:beam_size=2"))
    assert segments == [
        Segment(sentence=0, hypotheses=(scored("a", -1.0), scored("b", -2.0))),
        Segment(sentence=1, hypotheses=(scored("c", -3.0), scored("d", -4.0))),
    ]
    assert one(tmp_path / "three", "nemo:beam_size=1") == scored("hyp", -1.5)


@pytest.mark.parametrize(
    ("beam_size", "content", "message"),
    [
        (None, "a\t1\n", "nemo:beam_size=N"),
        (2, "a\t1\nb\t1\nc\t1\n", "n:3: .* 3, is not a multiple of beam_size=2"),
        (1, "a\n", "n:1: expected text, tab and score; found 1 columns"),
        (1, "a\tb\n", "n:1: the score: 'b' is not a number"),
    ],
)
def test_broken_nemo_beams_are_errors(
    tmp_path: Path, beam_size: int | None, content: str, message: str
) -> None:
    write(tmp_path, {"n": content})
    with pytest.raises(FormatError, match=message):
        list(read_nbest(tmp_path / "n", NemoNBest(beam_size=beam_size)))


def test_the_references_of_nemo_are_in_the_manifest(tmp_path: Path) -> None:
    write(tmp_path, {"m": '{"audio_filepath": "a.wav", "text": "one"}\n\n{"text": "two"}\n'})
    assert read_reference_lines(tmp_path / "m") == ["one", "two"]
    write(tmp_path, {"m": '{"audio_filepath": "a.wav", "txt": "one"}\n'})
    with pytest.raises(FormatError, match="m:1: expected an object with a string 'text'"):
        read_reference_lines(tmp_path / "m")


def test_references_are_lines_of_text_in_any_other_file(tmp_path: Path) -> None:
    lines = ['{"text": "of a program"}', "", "T-0\tno output of fairseq"]
    write(tmp_path, {"refs": "\n".join(lines)})
    assert read_reference_lines(tmp_path / "refs") == lines


# Parallel files


def test_parallel_files_give_a_feature_each(tmp_path: Path) -> None:
    write(tmp_path, {"hyp": "a\n\nc\nd\n", "lp": "-1\n-2\n-3\n-4\n", "qe": "0.5\n 0.25\n0\n1\n"})
    format = FlatNBest(size=2, features={"logprob": tmp_path / "lp", "mbart-qe": tmp_path / "qe"})
    first, second = read_nbest(tmp_path / "hyp", format)
    assert first.hypotheses == (
        Hypothesis(text="a", features={"logprob": -1.0, "mbart-qe": 0.5}),
        Hypothesis(text="", features={"logprob": -2.0, "mbart-qe": 0.25}),
    )
    assert second.sentence == 1


@pytest.mark.parametrize(
    ("size", "hyp", "lp", "message"),
    [
        (None, "a\n", "1\n", "flat:size=N"),
        (2, "a\nb\nc\n", "1\n1\n1\n", "hyp:3: .* 3, is not a multiple of size=2"),
        (1, "a\nb\n", "1\n", "lp: has only 1 lines"),
        (1, "a\n", "1\n2\n", "hyp: has only 1 lines"),
        (1, "a\n", "x\n", "lp:1: 'x' is not a number"),
    ],
)
def test_parallel_files_that_do_not_fit_are_errors(
    tmp_path: Path, size: int | None, hyp: str, lp: str, message: str
) -> None:
    write(tmp_path, {"hyp": hyp, "lp": lp})
    with pytest.raises(FormatError, match=message):
        list(read_nbest(tmp_path / "hyp", FlatNBest(size=size, features={"x": tmp_path / "lp"})))


# Sockeye


def test_sockeye_has_a_sentence_a_line_and_costs_for_scores(tmp_path: Path) -> None:
    line = '{"sentence_id": 1, "translations": ["a", "b"], "scores": [[0.5], [0.75]], "text": ""}'
    two = '{"sentence_id": 2, "translations": ["c"], "scores": [[1, 2.5]]}'
    write(tmp_path, {"n": f"{line}\n{two}\n"})
    assert detect_nbest(tmp_path / "n") == "sockeye"
    assert list(read_nbest(tmp_path / "n")) == [
        Segment(sentence=0, hypotheses=(scored("a", -0.5), scored("b", -0.75))),
        Segment(
            sentence=1,
            hypotheses=(Hypothesis(text="c", features={"score_0": -1.0, "score_1": -2.5}),),
        ),
    ]


def test_sockeyes_empty_lines_are_sentences_without_hypotheses(tmp_path: Path) -> None:
    empty = '{"sentence_id": 1, "translation": "", "score": -Infinity}'
    several = '{"sentence_id": 2, "translations": ["a", "b"], "scores": [[0.5], [0.75]]}'
    one = '{"sentence_id": 3, "translation": "c", "score": 0.25}'
    write(tmp_path, {"n": f"{empty}\n{several}\n{one}\n"})
    assert detect_nbest(tmp_path / "n") == "sockeye"
    assert list(read_nbest(tmp_path / "n")) == [
        Segment(sentence=0, hypotheses=()),
        Segment(sentence=1, hypotheses=(scored("a", -0.5), scored("b", -0.75))),
        Segment(sentence=2, hypotheses=(scored("c", -0.25),)),
    ]
    lists = load_nbest(tmp_path / "n")
    assert (lists.sentence_count, lists.empty_sentences.tolist()) == (3, [0])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"translation": "a", "score": Infinity}', "n:1: a score is too large for a double"),
        ('{"translations": ["a"], "scores": [[NaN]]}', "n:1: a score must be a number, got nan"),
        ('{"translations": ["a"]}', "n:1: expected an object with as many 'translations'"),
        ('{"translations": ["a"], "scores": []}', "n:1: expected an object with as many"),
        ('{"translations": [1], "scores": [[1]]}', "n:1: a translation must be a string, got 1"),
        ('{"translations": ["a"], "scores": [["x"]]}', "n:1: a score must be a number, got 'x'"),
    ],
)
def test_broken_sockeye_lines_are_errors(tmp_path: Path, line: str, message: str) -> None:
    write(tmp_path, {"n": line + "\n"})
    with pytest.raises(FormatError, match=message):
        list(read_nbest(tmp_path / "n", "sockeye"))


def test_every_weights_format_is_known_by_its_name() -> None:
    assert list(weights_formats) == ["cdec", "joshua", "json", "moses", "travatar", "tsv", "zmert"]
