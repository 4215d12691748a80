"""Small valid inputs of every reader, written by us or by our own writers."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import hopefear
from hardening.fuzz.readers import FORMATS, PARTS, RUN, SEPARATOR, course_of
from hopefear.candidates import ListSet
from hopefear.demo.synthetic import START, SyntheticCandidates
from hopefear.events import Warned, to_json
from hopefear.forest import ForestBuilder
from hopefear.formats import (
    ForestStore,
    forest_formats,
    nbest_formats,
    rule_formats,
    write_forests,
    write_nbest,
    write_rules,
    write_weights,
)
from hopefear.formats.base import WritableNBestFormat
from hopefear.formats.forests.store import ForestEncoder
from hopefear.grammar import GrammarBuilder, Nonterminal, Rule
from hopefear.inspection import write_cloud
from hopefear.inspection.build import list_cloud
from hopefear.learners import KBestMira
from hopefear.parallel.codec import pack
from hopefear.presets import load_presets
from hopefear.runs.checkpoint import CheckpointFile, Position
from hopefear.settings import config
from hopefear.translation.model import GrammarFile, ModelSettings
from hopefear.types import Hypothesis, Segment, Weights

__all__ = ["write_seeds"]

# What we read and do not write.
LISTS = {
    "choices": '{"id": 1, "choices": [{"index": 0, "text": "a b", "logprobs": '
    '{"token_logprobs": [-0.5, -1]}}, {"message": {"content": "c"}}]}\n',
    "csv": 'seg_id,src,mt,lm\n0,s,"a, b",-2.5\n0,s,c,\n',
    "espnet": "u1 a b\nu2\n\0\0u1 tensor(-3.2)\nu2 -4\n\0\0u1 c\n\0\0u1 -9.5\n",
    "fairseq": "S-1\tx y\nT-1\ta b\nH-1\t-0.5\ta b@@ c\nD-1\t-0.5\ta bc\nP-1\t-0.2 -0.5\n",
    "flat": "a b\nc d\ne\nf\n",
    "generate": '{"sequences": ["a", "b"], "sequences_scores": [-1, -2]}\n',
    "joshua": "0 ||| a b ||| lm_0=-1 tm_pt_0=-2 ||| -3\n0 ||| c ||| lm_0=-2 ||| -4\n",
    "kaldi": "s-1 a b\ns-2 c\n\0\0s-1 10.5\ns-2 11\n\0\0s-1 1\ns-2 2\n\0\0s-1 4\ns-2 -5\n",
    "marian": "0 ||| a b ||| F0= -1 -2 L= -3 ||| -4\n1 ||| c ||| F0= -1 -1 L= -1 ||| -1\n",
    "nemo": "a b\t-1.5\nc\t-2\n",
    "nested": '{"src": "s", "candidates": [{"text": "a", "scores": {"lm": -1}}]}\n',
    "records": '[{"seg_id": 0, "mt": "a b", "lm": -1.5}, {"seg_id": 0, "mt": "c", "lm": null}]',
    "sockeye": '{"sentence_id": 0, "translations": ["a b", "c"], "scores": [[-1], [-2]]}\n',
}
FORESTS = {
    "kaldi-lattice": "u1 \n0 1 a 2.5,-3,1_1\n1 2 b 0.5,1,\n1 2 <eps>\n2 0.25,0,\n\n",
}
ARPA = """\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.5
-0.9\ta\t-0.25
-0.8\tb\t-0.3
-1.1\t</s>

\\2-grams:
-0.3\t<s> a
-0.5\ta b
-0.2\tb </s>

\\end\\
"""
TABLES = (
    b"\0a b c\nd e\n",
    b"\0utt1 a b\nutt2 c\n",
    b'\0{"audio_filepath": "x", "text": "a b"}\n',
    b'\1<seg id="0" grammar="g.gz">a b</seg> ||| c d ||| e\nplain\n',
    b"\2bin\tlm\t0\t-2.0\t-1.0\t-1.5\t3\nbin\tlm\t1\t-0.5\t1.0\t0.25\t4\n",
)


def write_seeds(reader: str, folder: Path) -> None:
    """Write the seeds of a reader into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for chosen in _SEEDS if reader == "all" else [reader]:
        prefix = bytes([list(_SEEDS).index(chosen)]) if reader == "all" else b""
        with TemporaryDirectory() as work:
            for number, content in enumerate(_SEEDS[chosen](Path(work) / "made")):
                (folder / f"{chosen}-{number:02}").write_bytes(prefix + content)


def _numbered(family: str, name: str, content: bytes) -> bytes:
    return bytes([FORMATS[family].index(name)]) + content


def _lists(work: Path) -> Iterator[bytes]:
    features = {"lm": -2.5, "tm_0": 1.0, "tm_1": 0.25}
    both = (Hypothesis(text="a b", features=features, score=-1.0), Hypothesis(text="c"))
    for name in FORMATS["lists"]:
        if isinstance(nbest_formats[name](), WritableNBestFormat):
            write_nbest(work, [Segment(sentence=0, hypotheses=both[:1])], name)
            yield _numbered("lists", name, work.read_bytes())
        else:
            yield _numbered("lists", name, LISTS[name].encode())


def _detected(work: Path) -> Iterator[bytes]:
    for content in _lists(work):
        if FORMATS["lists"][content[0]] not in PARTS and SEPARATOR not in content:
            yield content[1:]


def _builder() -> ForestBuilder:
    builder = ForestBuilder()
    first, root = builder.add_node(), builder.add_node()
    builder.add_edge(first, target=("a", "b"), features={"lm": -1.5})
    builder.add_edge(first, target=("c",), features={"lm": -0.5, "tm": 2.0})
    builder.add_edge(root, tails=(first,), target=(0, "d"), features={"tm": 1.0})
    builder.set_root(root)
    return builder


def _forests(work: Path) -> Iterator[bytes]:
    forest = _builder().build()
    work.mkdir(exist_ok=True)
    for name in forest_formats:
        if name in FORESTS:
            yield _numbered("forests", name, FORESTS[name].encode())
            continue
        write_forests(work / name, [(0, forest)], name)
        files = [work / name] if (work / name).is_file() else sorted((work / name).iterdir())
        yield from (_numbered("forests", name, file.read_bytes()) for file in files)


def _store(work: Path) -> Iterator[bytes]:
    ForestStore.write(work, [(0, _builder().build()), (2, _builder().build())])
    yield work.read_bytes()


def _stored(work: Path) -> Iterator[bytes]:
    encoder = ForestEncoder()
    forest = encoder.encode(_builder().build())
    yield b"\xff\xfe\xff".join([*encoder.vocabularies(), forest])


def _weights(work: Path) -> Iterator[bytes]:
    ini = b"[feature]\nTM name=TM0\n[weight]\nLM0= 0.5\nTM0= 0.2 0.3\n"
    joshua = b"tm = thrax -owner pt\ntop-n=300\nlm_0 1.5\ntm_pt_0 0.5\n"
    for name in FORMATS["weights"]:
        write_weights(work, Weights({"lm": 0.5, "tm_0": -1.25}), name)
        yield _numbered("weights", name, work.read_bytes())
    yield _numbered("weights", "moses", ini)
    yield _numbered("weights", "joshua", joshua)


def _rules() -> GrammarBuilder:
    x, builder = Nonterminal(), GrammarBuilder()
    builder.add(Rule(source=("a",), target=("b",), features={"p": -0.5, "q": 1.0}))
    builder.add(Rule(source=("a", x), target=(0, "c"), features={"p": -1.0, "s": 2.0}))
    builder.add(Rule(source=(x, "d", x), target=(1, "e", 0), features={"p": -2.0}))
    return builder


def _rule_tables(work: Path) -> Iterator[bytes]:
    for name in rule_formats:
        write_rules(work, _rules().build(), name)
        yield _numbered("rules", name, work.read_bytes())
    moses = b"[X][X] , [X] ||| , [X][X] [X] ||| 0.25 0.5 ||| 0-1 1-0 ||| 4 8 2 ||| x 1 |||\n"
    yield _numbered("rules", "moses", moses)


def _grammar(work: Path) -> Iterator[bytes]:
    _rules().write(work)
    yield work.read_bytes()


def _settings(work: Path) -> Iterator[bytes]:
    for number, preset in enumerate(list(load_presets().values())[::6]):
        data = {("nbest", "forests")[number % 2]: "f", "references": ["r"]}
        yield config.format_table({**preset.settings, "tuning": data}).encode()


def _model(work: Path) -> Iterator[bytes]:
    yield config.dumps(ModelSettings(grammars=(GrammarFile(file="grammar.bin"),))).encode()


def _events(work: Path) -> Iterator[bytes]:
    yield (to_json(Warned(message="a")) + "\n").encode()


def _runs(work: Path) -> Iterator[bytes]:
    work.mkdir()
    made = list(SyntheticCandidates(sentences=4, size=4, seed=1))
    write_nbest(work / "lists", [segment for _, segment in made], "moses")
    (work / "refs").write_text("".join(f"{text}\n" for text, _ in made), encoding="utf-8")
    given: dict[str, Any] = {"nbest": work / "lists", "refs": work / "refs", "tokenize": "none"}
    hopefear.tune(KBestMira(), out=work / "run", report=False, epochs=2, start=dict(START), **given)
    (work / "run" / "clouds").mkdir()
    data = cast(ListSet, course_of("kbest-mira").data)
    write_cloud(work / "run" / "clouds" / "0.json", list_cloud(data, START, 0))
    contents = [(work / "run" / name).read_bytes() for name in RUN]
    yield SEPARATOR.join(gzip.decompress(c) if c[:2] == b"\x1f\x8b" else c for c in contents)


def _checkpoints(work: Path) -> Iterator[bytes]:
    for name in FORMATS["checkpoint"]:
        course = course_of(name)
        first = START.vector(course.data.feature_names)
        found = course.epoch(course.start(first), 0, lambda done, total: None)
        state = course.start(first) if found is None else found[0]
        file = CheckpointFile(work.with_suffix(".npz"))
        file.save(Position(state=state, previous=first, epoch=1), course)
        yield _numbered("checkpoint", name, file.path.read_bytes())
        arrays = file._arrays()
        yield _numbered("checkpoint", name, pack(arrays))


_SEEDS = {
    "lists": _lists,
    "detected": _detected,
    "forests": _forests,
    "store": _store,
    "stored": _stored,
    "weights": _weights,
    "rules": _rule_tables,
    "grammar": _grammar,
    "arpa": lambda work: iter([ARPA.encode()]),
    "settings": _settings,
    "model": _model,
    "tables": lambda work: iter(TABLES),
    "events": _events,
    "run": _runs,
    "checkpoint": _checkpoints,
}
