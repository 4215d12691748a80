"""Make n-best lists of the outputs of several systems: one hypothesis a sentence and system.

    python -m examples.system_selection out-a.txt out-b.txt out-c.txt > candidates.jsonl

The outputs are plain text, one line a sentence, gzip or not. Every hypothesis gets scores that need
no reference: how much it agrees with the outputs of the other systems (chrF), how its length
compares with theirs, and which system it is of. `hopefear tune` then learns what they are worth.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from hopefear.formats import read_lines, write_nbest
from hopefear.metrics import Chrf, References
from hopefear.types import FloatArray, Hypothesis, Segment

__all__ = ["candidates", "main"]


def candidates(systems: Mapping[str, Sequence[str]]) -> Iterator[Segment]:
    """Give the hypotheses of each sentence, with their features."""
    names, outputs = list(systems), list(systems.values())
    agreement = _agreement(outputs)
    words = np.array([[len(text.split()) for text in output] for output in outputs], dtype=float)
    characters = np.array([[len(text) for text in output] for output in outputs], dtype=float)
    for sentence in range(len(outputs[0])):
        lengths = characters[:, sentence]
        usual = max(float(np.median(lengths)), 1.0)
        hypotheses = [
            Hypothesis(
                text=output[sentence],
                features={
                    "agreement": float(agreement[i, sentence]),
                    "words": float(words[i, sentence]),
                    "too long": max(lengths[i] / usual - 1, 0.0),
                    "too short": max(1 - lengths[i] / usual, 0.0),
                    f"system {names[i]}": 1.0,
                },
            )
            for i, output in enumerate(outputs)
        ]
        yield Segment(sentence=sentence, hypotheses=tuple(hypotheses))


def _agreement(outputs: Sequence[Sequence[str]]) -> FloatArray:
    """Return the mean chrF of each output against those of the others, sentence by sentence."""
    metric = Chrf()
    total = np.zeros((len(outputs), len(outputs[0])))
    for j, reference in enumerate(outputs):
        prepared = metric.prepare(References([[text] for text in reference]))
        for i, output in enumerate(outputs):
            if i != j:
                total[i] += metric.gains(prepared.statistics(output))
    return total / max(len(outputs) - 1, 1)


def main(files: Sequence[str]) -> None:
    """Write the candidates of the systems whose outputs are in `files`, as JSON lines."""
    systems = {Path(file).name: read_lines(file) for file in files}
    lengths = {len(output) for output in systems.values()}
    if len(lengths) != 1 or len(systems) < 2:
        found = ", ".join(f"{name}: {len(output)}" for name, output in systems.items())
        sys.exit(f"two or more outputs of the same number of sentences are needed; found {found}")
    write_nbest("-", candidates(systems), "jsonl")


if __name__ == "__main__":
    main(sys.argv[1:])
