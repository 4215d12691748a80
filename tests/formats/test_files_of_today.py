"""Files as frames, spreadsheets and language models write them."""

import json
import random
from pathlib import Path

import pytest

import hopefear
from hopefear.errors import ConfigError, FormatError
from hopefear.formats import detect_nbest, read_nbest, read_reference_lines
from hopefear.formats.base import nbest_formats
from hopefear.formats.files import open_source
from hopefear.formats.json_items import json_items
from hopefear.formats.texts import read_references

Read = list[tuple[int | str, str, dict[str, float]]]


def read(tmp_path: Path, content: str, format: str | None = None) -> Read:
    path = tmp_path / "n"
    path.write_text(content)
    return [
        (segment.sentence, hypothesis.text, dict(hypothesis.features))
        for segment in read_nbest(path, format)
        for hypothesis in segment.hypotheses
    ]


LISTS = [
    (0, "the, house", {"lm": -2.5, "comet": 0.5}),
    (0, "a house", {"lm": -2.0, "comet": 0.25}),
    (1, "dogs bark", {"lm": -1.0}),
]
ROWS = [
    {"seg_id": s, "src": f"s{s}", "mt": text, "system": "A", **features}
    for s, text, features in LISTS
]
NESTED = [
    {
        "src": f"s{sentence}",
        "candidates": [{"text": t, "scores": f} for s, t, f in LISTS if s == sentence],
    }
    for sentence in (0, 1)
]
CSV = """seg_id,src,mt,system,lm,comet
0,s0,"the, house",A,-2.5,0.5
0,s0,a house,A,-2.0,0.25
1,s1,dogs bark,A,-1.0,
"""
SAME = {
    "records in an array": ("records", json.dumps(ROWS)),
    "an array on many lines": ("records", json.dumps(ROWS, indent=2)),
    "records on lines": ("records", "".join(json.dumps(row) + "\n" for row in ROWS)),
    "records with null": ("records", json.dumps([*ROWS[:2], {**ROWS[2], "comet": None}])),
    "records with NaN": ("records", json.dumps([*ROWS[:2], {**ROWS[2], "comet": float("nan")}])),
    "records without sentences": (
        "records",
        json.dumps([{k: v for k, v in row.items() if k != "seg_id"} for row in ROWS]),
    ),
    "nested lines": ("nested", "".join(json.dumps(one) + "\n" for one in NESTED)),
    "a nested array": ("nested", json.dumps(NESTED, indent=1)),
    "lists of candidates": ("nested", json.dumps([one["candidates"] for one in NESTED])),
    "csv": ("csv", CSV),
    "csv with a mark": ("csv", "\ufeff" + CSV),
    "csv with an index": (
        "csv",
        "".join(f"{i - 1 if i else ''},{line}\n" for i, line in enumerate(CSV.splitlines())),
    ),
    "csv without sentences": (
        "csv",
        "".join(line.split(",", 1)[1] + "\n" for line in CSV.splitlines()),
    ),
    "semicolons": (
        "csv",
        'seg_id;mt;lm;comet\n0;the, house;-2.5;0.5\n0;"a house";-2.0;0.25\n1;dogs bark;-1.0;nan\n',
    ),
    "tabs": (
        "csv",
        "sentence\ttext\tsystem\tlm\tcomet\n0\tthe, house\tA\t-2.5\t0.5\n"
        "0\ta house\tB\t-2\t0.25\n1\tdogs bark\tA\t-1\t\n",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_lists_are_read_from_every_file(tmp_path: Path, name: str) -> None:
    format, content = SAME[name]
    assert read(tmp_path, content) == LISTS
    assert detect_nbest(tmp_path / "n") == format


def test_choices_have_the_log_probability_and_the_number_of_tokens(tmp_path: Path) -> None:
    completion = {
        "id": "cmpl-1",
        "usage": {"completion_tokens": 2},
        "choices": [
            {"index": 0, "text": "the house", "logprobs": {"token_logprobs": [-0.5, -0.25]}},
            {"index": 1, "text": "a house", "logprobs": None},
        ],
    }
    tokens = [{"token": "a", "logprob": -1.0, "top_logprobs": []}, {"token": "b", "logprob": -2.0}]
    chat = {
        "choices": [
            {"message": {"role": "assistant", "content": "dogs"}, "logprobs": {"content": tokens}}
        ]
    }
    found = read(tmp_path, json.dumps(completion) + "\n" + json.dumps(chat) + "\n")
    assert found == [
        (0, "the house", {"logprob": -0.75, "tokens": 2.0}),
        (0, "a house", {}),
        (1, "dogs", {"logprob": -3.0, "tokens": 2.0}),
    ]
    batch = {"custom_id": "utt-7", "response": {"status_code": 200, "body": chat}}
    assert read(tmp_path, json.dumps(batch)) == [("utt-7", "dogs", {"logprob": -3.0, "tokens": 2})]


def test_outputs_of_vllm_have_the_same_features(tmp_path: Path) -> None:
    output = {"index": 0, "text": "dogs", "token_ids": [5, 6, 7], "cumulative_logprob": -1.5}
    content = json.dumps({"prompt": "Hunde", "outputs": [output]})
    assert read(tmp_path, content) == [(0, "dogs", {"logprob": -1.5, "tokens": 3.0})]


def test_generated_sequences_have_their_scores(tmp_path: Path) -> None:
    one = {"sequences": ["a", "b", "c", "d"], "sequences_scores": [-1, -2, -3, -4]}
    texts = [(0, "a", -1.0), (0, "b", -2.0), (0, "c", -3.0), (0, "d", -4.0)]
    assert read(tmp_path, json.dumps(one)) == [(s, t, {"score": x}) for s, t, x in texts]
    assert [row[0] for row in read(tmp_path, json.dumps(one), "generate:size=2")] == [0, 0, 1, 1]
    pipeline = [[{"generated_text": "a"}, {"generated_text": "b"}], [{"translation_text": "c"}]]
    found = read(tmp_path, json.dumps(pipeline))
    assert [(sentence, text) for sentence, text, _ in found] == [(0, "a"), (0, "b"), (1, "c")]


@pytest.mark.parametrize(
    ("format", "content", "problem"),
    [
        ("records", '[{"sentence": 0, "txt": "a"}]', r"n:1: which key is the text\? .*txt;"),
        ("records", '[\n{"text": "a"}]', r"n:2: which key is the sentence\? .*--columns sentence="),
        ("records", "[3]", r"n:1: expected an object, got 3"),
        ("records", '[{"sentence": 0, "text": "a"}', r"n:1: not JSON: the array has no end"),
        ("records", '{"sentence": 0,\n"text": }', r"n:2: not JSON: .*column 9"),
        ("records", '{"sentence": 0, "text": "a", "x": Infinity}', r"n:1: .* is not finite"),
        ("records", '{"sentence": 0, "text": 1}', r"n:1: 'text' must be a string, got 1"),
        ("nested", '{"candidates": 3}', r"n:1: expected a list of candidates"),
        ("nested", '{"candidates": [{"a": 1}]}', r"n:1: which key of a candidate is its text"),
        (
            "nested",
            '{"candidates": [{"text": "", "scores": {"a": "b"}}]}',
            r"n:1: feature 'a' must",
        ),
        ("choices", '{"choices": [{"text": 1}]}', r"n:1: the text of a choice must be a string"),
        ("generate", '{"sequences": [[1, 2]]}', r"n:1: .*tokenizer.batch_decode"),
        ("generate", '{"sequences": ["a"], "sequences_scores": [1, 2]}', r"n:1: found 1 sequences"),
        ("csv", "sentence,lm\n0,1\n", r"n:1: which column is the text\? Found sentence, lm"),
        ("csv", "text,lm\na,1\n", r"n:1: which column is the sentence\?"),
        ("csv", "sentence,text,lm\n0,a,1\n0,b\n", r"n:3: expected 3 columns, found 2"),
        ("csv", "sentence,text,lm\n0,a,1\n0,b,x\n", r"n:3: column 'lm': .*--ignore 'lm'"),
        ("csv", "sentence,text,lm,lm\n", r"n:1: column 'lm' appears twice"),
        ("csv", 'sentence,text,lm\n0,"a,1\n', r"n:2: not CSV"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    tmp_path: Path, format: str, content: str, problem: str
) -> None:
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, content, format)


@pytest.mark.parametrize("content", ["what is this", '{"a": 1}', "[1, 2]", "a,b\n1,2\n"])
def test_a_file_that_is_not_recognized_is_refused_with_an_example(
    tmp_path: Path, content: str
) -> None:
    with pytest.raises(FormatError) as refused:
        read(tmp_path, content)
    example = "\n".join(str(refused.value).split("\n")[-2:])
    assert [text for _, text, _ in read(tmp_path, example)] == ["the house", "a house"]


@pytest.mark.parametrize("name", ["records", "nested", "choices", "generate", "csv"])
def test_the_examples_in_messages_can_be_read(tmp_path: Path, name: str) -> None:
    module = __import__(type(nbest_formats[name]()).__module__, fromlist=["EXAMPLE"])
    assert len(read(tmp_path, module.EXAMPLE.lstrip("\n"), name)) >= 1


def test_items_are_found_wherever_the_pieces_of_a_file_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random.seed(3)
    items = [{"n": i, "text": "ä" * random.randrange(20), "x": [i, {"y": None}]} for i in range(99)]
    monkeypatch.setattr("hopefear.formats.files.PIECE_BYTES", 7)
    for content in (json.dumps(items), json.dumps(items, ensure_ascii=False, indent=1)):
        (tmp_path / "n").write_text(content)
        with open_source(tmp_path / "n") as source:
            found = list(json_items(source))
        assert [item for _, item in found] == items
        lines = content.split("\n")
        assert all(len(lines) == 1 or lines[line - 1] == " {" for line, _ in found)


def write_table(tmp_path: Path) -> tuple[Path, Path]:
    rows, refs = ["nr,quelle,ausgabe,system,year,lm"], []
    for sentence in range(10):
        rows += [f"{sentence},q,good {sentence} a b,A,2024,{sentence % 3}"]
        rows += [f"{sentence},q,bad {sentence},B,2025,{sentence % 2 + 0.5}"]
        refs.append(f"good {sentence} a b")
    (tmp_path / "n.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "refs").write_text("\n".join(refs) + "\n")
    return tmp_path / "n.csv", tmp_path / "refs"


def test_columns_can_be_named_and_left_out(tmp_path: Path) -> None:
    table, refs = write_table(tmp_path)
    columns = ["sentence=nr", "text=ausgabe"]
    found = hopefear.tune(
        "mert", nbest=[table], refs=[refs], columns=columns, ignore=["year"], tokenize="none"
    )
    assert found.weights.names == ("lm",)
    best = hopefear.rerank(
        nbest=[table], weights={"lm": 1.0}, columns=columns, ignore=["year", "system"]
    )
    assert len(list(best)) == 10
    with pytest.raises(ConfigError, match=r"got 'texts=ausgabe'; did you mean 'text'\?"):
        hopefear.rerank(nbest=[table], weights={"lm": 1.0}, columns=["texts=ausgabe"])


def test_formats_without_columns_refuse_their_names(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("0 ||| a ||| lm= 1 ||| 1\n")
    with pytest.raises(ConfigError, match="not in 'moses'"):
        hopefear.rerank(nbest=[tmp_path / "n"], weights={"lm": 1.0}, ignore=["x"])


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("nested", [True, False])
def test_references_may_be_in_the_file_of_the_candidates(
    tmp_path: Path, keyed: bool, nested: bool
) -> None:
    path = tmp_path / "both.jsonl"
    items: list[dict[str, object]] = []
    for number, right in enumerate(["the cat is on the mat", "a dog barks at the moon"]):
        about = {"src": f"s{number}", "reference": right} | (
            {"utt_id": f"q{number}"} if keyed else {}
        )
        found = [{"text": "no idea at all", "lm": -1.0}, {"text": right, "lm": -2.0}]
        items += [about | {"candidates": found}] if nested else [about | one for one in found]
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    result = hopefear.tune("mert", nbest=path, refs=path, tokenize="none")
    assert result.tuning_score == pytest.approx(100.0)
    lines = read_reference_lines(path)
    assert lines[1] == ("q1\t" if keyed else "") + "a dog barks at the moon"


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        ('{"src": "b", "text": "x"}', "with a reference"),
        ('{"src": "b", "text": "x", "reference": ["x", 7]}', "a text or a list of texts"),
        ('{"src": "a", "text": "x", "reference": "other"}', "another reference"),
    ],
)
def test_references_in_json_that_cannot_be_are_refused(
    tmp_path: Path, second: str, problem: str
) -> None:
    path = tmp_path / "refs.jsonl"
    path.write_text(
        f'{{"src": "a", "text": "x", "reference": "one"}}\n{second}\n', encoding="utf-8"
    )
    with pytest.raises(FormatError, match=f"refs.jsonl:2: .*{problem}"):
        read_reference_lines(path)


PAIRS = {"id": "q", "candidates": [["a b", -1.0], ["a", -2.5]]}
SAME_PAIR = [("q", "a b", {"score": -1.0}), ("q", "a", {"score": -2.5})]
BESIDE = {"id": "q", "texts": ["a b", "a"], "score": [-1.0, -2.5], "tokens": [[1, 2], [1]]}
CHAT = [
    {"message": {"content": "a b"}, "score": -1.0},
    {"message": {"content": "a"}, "score": -2.5},
]
ALIKE = {
    "pairs of text and score": [PAIRS],
    "numbers in lists beside the texts": [BESIDE],
    "messages of a chat": [{"id": "q", "responses": CHAT}],
    "an object around the array": {"model": "m", "usage": {"n": 2}, "results": [PAIRS], "end": 1},
    "a sentence without candidates first": [{"id": "p", "candidates": []}, PAIRS],
}


@pytest.mark.parametrize("name", ALIKE)
def test_candidates_are_read_however_they_are_nested(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, json.dumps(ALIKE[name])) == SAME_PAIR
    assert detect_nbest(tmp_path / "n") == "nested"


def test_lists_on_lines_are_sentences(tmp_path: Path) -> None:
    lines = [[{"generated_text": text, "score": -1.0}] for text in ("a", "b")]
    content = "".join(json.dumps(line) + "\n" for line in lines)
    assert read(tmp_path, content) == [(i, "ab"[i], {"score": -1.0}) for i in (0, 1)]


def test_features_may_be_a_list(tmp_path: Path) -> None:
    item = {"candidates": [{"text": "a", "features": [-1.5, 2]}]}
    assert read(tmp_path, json.dumps(item)) == [(0, "a", {"features_0": -1.5, "features_1": 2.0})]


def test_a_second_object_around_an_array_is_refused(tmp_path: Path) -> None:
    line = json.dumps({"model": "m", "results": [PAIRS]})
    with pytest.raises(FormatError, match="n:1: expected one object whose 'results'"):
        read(tmp_path, f"{line}\n{line}\n")


def test_infinity_is_refused_where_it_is(tmp_path: Path) -> None:
    item = {"candidates": [{"text": "a", "lm": float("-inf")}]}
    with pytest.raises(FormatError, match="n:1: '-Infinity' is not finite; null stands"):
        read(tmp_path, json.dumps(item))


def test_records_of_a_prompt_that_is_a_chat_are_of_one_sentence(tmp_path: Path) -> None:
    asked = [[{"role": "user", "content": text}] for text in ("x", "y")]
    records = [
        {"prompt": asked[i], "response": text, "lm": -1.0}
        for i, text in ((0, "a"), (1, "b"), (0, "c"))
    ]
    found = read(tmp_path, "".join(json.dumps(record) + "\n" for record in records))
    assert [(number, text) for number, text, _ in found] == [(0, "a"), (1, "b"), (0, "c")]


def test_a_refusal_of_a_chat_is_an_empty_text(tmp_path: Path) -> None:
    content = json.dumps({"choices": [{"message": {"role": "assistant", "content": None}}]})
    assert read(tmp_path, content) == [(0, "", {})]


def test_decimal_commas_of_spreadsheets_are_read_between_semicolons(tmp_path: Path) -> None:
    assert read(tmp_path, "sentence;text;lm\n0;a, b;-2,5\n") == [(0, "a, b", {"lm": -2.5})]


REFERENCES = {
    "records": '{"id": "u1", "text": "a b"}\n{"id": "u2", "references": ["c", "d"]}\n',
    "by key": '{"u1": "a b", "u2": ["c", "d"]}',
    "a table of candidates": "utt_id,text,lm,reference\nu1,x,1,a b\nu1,y,2,a b\nu2,z,3,c\n",
}


@pytest.mark.parametrize("kind", REFERENCES)
def test_references_are_read_from_records_mappings_and_tables(tmp_path: Path, kind: str) -> None:
    (tmp_path / "refs").write_text(REFERENCES[kind])
    assert read_reference_lines(tmp_path / "refs") == ["u1\ta b", "u2\tc"]
    found = read_references([tmp_path / "refs"]).sentences
    assert found == [["a b"], ["c"] if kind == "a table of candidates" else ["c", "d"]]


def test_numbers_of_sentences_may_be_keys_of_references(tmp_path: Path) -> None:
    rights = {4017: "a dog barks at the moon", 4000: "the cat is on the mat"}
    items = [
        {"id": i, "references": [right], "candidates": [["no idea", -1.0], [right, -2.0]]}
        for i, right in rights.items()
    ]
    (tmp_path / "n").write_text("".join(json.dumps(item) + "\n" for item in items))
    result = hopefear.tune("mert", nbest=tmp_path / "n", refs=tmp_path / "n", tokenize="none")
    assert result.tuning_score == pytest.approx(100.0)


def test_candidates_without_references_are_no_references(tmp_path: Path) -> None:
    (tmp_path / "n").write_text(json.dumps(PAIRS))
    with pytest.raises(FormatError, match="n:1: has candidates, but no references; for example"):
        read_reference_lines(tmp_path / "n")
