"""Decoding: speed, memory and model scores, compared with Moses on its own model.

Needs the shared corpora, which include the figures of Moses. CPU times are compared as ratios to
that of a fixed workload, which ran on the machine of Moses and runs here.
"""

import gzip
import itertools
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TypeVar

from hopefear.formats.forests.store import ForestStore
from hopefear.formats.rules import read_rules
from hopefear.grammar import Grammar
from hopefear.translation import Decoder, DecoderOptions, ModelNames
from hopefear.translation.language_model import load_language_model, uncompressed_model
from hopefear.translation.training.estimate import write_kenlm_binary
from hopefear.types import Weights

T = TypeVar("T")

SENTENCES = 200
POP_LIMIT = 200
DEFAULT = DecoderOptions(pop_limit=POP_LIMIT)
# With these settings the mean score is that of Moses with a pop limit of 200, with the defaults it
# is better.
EQUAL = DecoderOptions(pop_limit=170, beam=2.0)
ROUNDS = 5
# CPU seconds of Moses and of the fixed workload on the same machine.
MOSES_SECONDS, MOSES_WORKLOAD = 3.7, 1.11
MOSES_MEGABYTES, MOSES_SCORE = 521, -40.8627
NAMES = ModelNames(word_penalty="WordPenalty0", phrase_penalty="PhrasePenalty0")


def shared_data() -> Path:
    """Return the folder of the shared corpora."""
    shared = os.environ.get("HOPEFEAR_SHARED", Path(__file__).parents[2] / "shared")
    return Path(shared) / "data"


def read_weights(path: Path) -> Weights:
    """Read Moses' weights; its feature of an unknown word is -100, ours is 1."""
    weights: dict[str, float] = {}
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, *values = line.split()
        name = name.removesuffix("=")
        names = [name] if len(values) == 1 else [f"{name}_{i}" for i in range(len(values))]
        weights |= {key: float(value) for key, value in zip(names, values, strict=True)}
    weights["UnknownWord"] = -100 * weights.pop("UnknownWordPenalty0")
    return Weights(weights)


def convert(peers: Path, directory: Path) -> None:
    """Convert the model of Moses."""
    rules = read_rules(peers / "val200.rule-table.moses.gz", "moses:label=TranslationModel0")
    rules.write(directory / "rules")
    read_rules(peers / "glue-grammar.moses", "moses:label=TranslationModel1").write(
        directory / "glue"
    )
    with uncompressed_model(peers / "train.en.5gram.lmplz.arpa.gz") as arpa:
        write_kenlm_binary(arpa, directory / "lm")


def load(directory: Path, weights: Weights, options: DecoderOptions = DEFAULT) -> Decoder:
    """Return a decoder with the converted model."""
    return Decoder(
        Grammar(directory / "rules"),
        {"LM0": load_language_model(directory / "lm")},
        weights,
        glue=Grammar(directory / "glue"),
        names=NAMES,
        options=options,
    )


def sentences(data: Path) -> list[list[str]]:
    """Return the sentences to translate."""
    with gzip.open(data / "multi30k-cs-en/val.cs.gz", "rt", encoding="utf-8") as file:
        return [line.split() for line in itertools.islice(file, SENTENCES)]


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of a function and its CPU time."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def elapsed(work: Callable[[], object]) -> float:
    """Return the wall-clock time of a function."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def one_best(decoder: Decoder, inputs: list[list[str]], threads: int = 1) -> list[float]:
    """Translate sentences and return their scores."""
    return [best.score for best in decoder.translate_all(inputs, threads=threads)]


def translating(
    directory: Path, weights: Weights, inputs: list[list[str]], workload: Callable[[], object]
) -> list[tuple[str, str]]:
    """Measure speed, scores and n-best lists on one core."""
    ready = timed(lambda: load(directory, weights))[1]
    spent: dict[str, list[float]] = {"default": [], "equal": [], "more": []}
    unit = []

    def decode(kind: str, options: DecoderOptions) -> float:
        decoder = load(directory, weights, options)
        scores, seconds = timed(lambda: one_best(decoder, inputs))
        spent[kind].append(seconds)
        return sum(scores) / len(scores)

    for _ in range(ROUNDS):
        unit.append(timed(workload)[1])
        score = decode("default", DEFAULT)
        equal = decode("equal", EQUAL)
    better = decode("more", DecoderOptions(pop_limit=1000))
    decoder = load(directory, weights)
    lists, listing = timed(lambda: [decoder.kbest(words, 100) for words in inputs])
    found = sum(len(listed) for listed in lists) / len(lists)

    def times(kind: str) -> str:
        moses = MOSES_SECONDS / MOSES_WORKLOAD
        ratios = sorted(moses * u / s for u, s in zip(unit, spent[kind], strict=True))
        return (
            f"{median(ratios):.1f} times as fast as Moses "
            f"({ratios[0]:.1f} to {ratios[-1]:.1f} in {ROUNDS} rounds)"
        )

    plain = median(spent["default"])
    return [
        ("model ready", f"{ready:.3f} CPU s"),
        (
            f"1-best, pop limit {POP_LIMIT}",
            f"{times('default')}, {len(inputs) / plain:.0f} sentences/s here",
        ),
        ("mean score", f"{score:.4f} (Moses {MOSES_SCORE})"),
        (f"1-best, pop limit {EQUAL.pop_limit}, beam {EQUAL.beam:g}", times("equal")),
        ("mean score", f"{equal:.4f}"),
        (
            "pop limit 1000",
            f"{better:.4f} ({spent['more'][0] / plain:.1f} times the time)",
        ),
        ("100-best, distinct", f"{listing / plain:.2f} times 1-best, {found:.1f} found"),
    ]


def on_several_cores(
    directory: Path, weights: Weights, inputs: list[list[str]]
) -> list[tuple[str, str]]:
    """Measure the speedup of several cores."""
    cores = len(os.sched_getaffinity(0))
    decoder = load(directory, weights)
    one_best(decoder, inputs)
    clock = elapsed(lambda: one_best(decoder, inputs)) / elapsed(
        lambda: one_best(decoder, inputs, cores)
    )
    spent = timed(lambda: one_best(decoder, inputs, cores))[1]
    more = spent / timed(lambda: one_best(decoder, inputs))[1]
    what = f"{clock:.2f} times as fast as one core, {more:.2f} times its CPU time"
    return [(f"{cores} cores", what)]


def stored_forests(
    directory: Path, weights: Weights, inputs: list[list[str]]
) -> list[tuple[str, str]]:
    """Measure the cost of rescoring stored parses."""
    decoder = load(directory, weights)
    plain = timed(lambda: one_best(decoder, inputs))[1]
    path = directory / "forests"
    ForestStore.write(path, enumerate(decoder.parse_all(inputs, threads=1)), level=1)
    rescorer = decoder.rescorer()
    with ForestStore.open(path) as store:
        forests, reading = timed(lambda: [rescorer.prepare(forest) for forest in store.values()])
        edges = sum(forest.edge_count for forest in store.values())
    vector = weights.vector(forests[0].feature_names)
    rescore = timed(lambda: [rescorer.rescore(forest, vector) for forest in forests])[1]
    best = timed(lambda: [rescorer.translate(forest, vector) for forest in forests])[1]
    size = sum(forest.nbytes for forest in forests) / len(forests)
    return [
        ("parses", f"{edges / len(forests):,.0f} edges, {size / 1000:,.0f} kB prepared, each"),
        ("reading and preparing them", f"{reading / plain:.2f} times 1-best decoding"),
        ("rescoring them", f"{rescore / plain:.2f} times 1-best decoding"),
        ("the same for the best alone", f"{best / plain:.2f} times"),
    ]


def peak(data: Path, directory: Path) -> None:
    """Translate and print the peak memory."""
    decoder = load(directory, read_weights(data / "multi30k-cs-en/peers/val200.weights.txt"))
    for _ in decoder.translate_all(sentences(data), threads=1):
        pass
    # Not from getrusage, which starts with the memory of the parent.
    status = Path("/proc/self/status").read_text()
    print(int(status.split("VmHWM:")[1].split()[0]) / 1024)


def memory(data: Path, directory: Path) -> list[tuple[str, str]]:
    """Measure the peak memory of a process that only translates."""
    code = "import sys; from pathlib import Path; from benchmarks.decoder import peak; "
    code += "peak(Path(sys.argv[1]), Path(sys.argv[2]))"
    command = [sys.executable, "-c", code, str(data), str(directory)]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    used = float(done.stdout)
    return [("peak memory", f"{MOSES_MEGABYTES / used:.1f} times less than Moses ({used:.0f} MB)")]


def run() -> list[tuple[str, str]]:
    """Return all figures."""
    data = shared_data()
    peers = data / "multi30k-cs-en/peers"
    if not peers.is_dir():
        return [
            ("multi30k-cs-en", "not found; set HOPEFEAR_SHARED to the folder that contains data/")
        ]
    calibrate = runpy.run_path(str(data / "calibrate.py"))["workload"]
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        convert(peers, directory)
        weights, inputs = read_weights(peers / "val200.weights.txt"), sentences(data)
        return [
            *translating(directory, weights, inputs, calibrate),
            *memory(data, directory),
            *on_several_cores(directory, weights, inputs),
            *stored_forests(directory, weights, inputs),
        ]
