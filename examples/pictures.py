"""Draw the pictures of the documentation: the learning curves of three learners, and a cloud.

    python -m examples.pictures docs/pictures

All data are synthetic: the candidates, and a bitext from which a model is trained.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import hopefear
from hopefear.demo import generated_corpus, run_candidates_demo, run_demo
from hopefear.reporting import write_pictures

__all__ = ["draw", "main"]

RUNS = {
    "k-best MIRA": ("kbest-mira", ["rhythm.epochs=20", "stopping.window=0"]),
    "PRO": ("pro", ["rhythm.epochs=20", "stopping.window=0"]),
    "soft ramp loss": (
        "sgd",
        ["learner.loss=soft-ramp-3", "rhythm.epochs=20", "learner.rate=0.02"],
    ),
}
SENTENCE = 53  # its forest has a better hope than the 100 best by model score


def draw(directory: Path) -> None:
    """Write ``learning-curves.svg`` and ``hope-and-fear.svg``."""
    directory.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        data = Path(scratch) / "data"
        run_candidates_demo(data, sentences=100, size=100)
        for name, (learner, settings) in RUNS.items():
            _tune(Path(scratch) / name, data, learner, settings)
        runs = [Path(scratch) / name for name in RUNS]
        drawn = write_pictures(runs, Path(scratch) / "pictures")
        curves = next(file for file in drawn if "bleu-by-epoch" in file.name)
        curves.replace(directory / "learning-curves.svg")
        system = Path(scratch) / "system"
        run_demo(system, generated_corpus(train=500, dev=60, test=20), decodings=2, size=20)
        picture = directory / "hope-and-fear.svg"
        hopefear.inspect(system / "run", sentence=SENTENCE, out=picture)


def _tune(out: Path, data: Path, learner: str, settings: Sequence[str]) -> None:
    hopefear.tune(
        learner,
        out=out,
        nbest=data / "dev.nbest.gz",
        refs=data / "dev.ref",
        dev_nbest=data / "test.nbest.gz",
        dev_refs=data / "test.ref",
        tokenize="none",
        start=data / "start.tsv",
        set=settings,
    )


def main(arguments: Sequence[str]) -> None:
    """Draw into the directory given on the command line."""
    (directory,) = arguments
    draw(Path(directory))


if __name__ == "__main__":
    main(sys.argv[1:])
