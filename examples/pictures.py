"""Draw the pictures of README and docs/report.md: learning curves and a cloud.

    python -m examples.pictures docs/pictures

The data are real and in the public domain: the demonstration's verses of the Bible, Latin to
English (a download of 14 MB; it takes some minutes). The learners see lists of its system.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import hopefear
from hopefear.demo import choose_corpus, run_demo
from hopefear.demo.corpus import Corpus
from hopefear.formats import write_nbest
from hopefear.reporting import write_pictures
from hopefear.translation.translate import translate

__all__ = ["RUNS", "draw", "main", "prepare", "tune"]

RUNS = {
    "k-best MIRA": ("kbest-mira", ["rhythm.epochs=20", "stopping.window=0"]),
    "PRO": ("pro", ["rhythm.epochs=20", "stopping.window=0"]),
    "soft ramp loss": (
        "sgd",
        ["learner.loss=soft-ramp-3", "rhythm.epochs=20", "learner.rate=0.02", "stopping.window=0"],
    ),
}
SENTENCE = 3  # of the tuning verses


def prepare(folder: Path, corpus: Corpus, *, size: int = 100) -> None:
    """Train and tune a system, and list its translations under the weights before tuning."""
    run_demo(folder, corpus, decodings=3, size=size)
    for part in ("dev", "test"):
        lines = (folder / f"{part}.source").read_text(encoding="utf-8").splitlines()
        found = translate(folder / "model", lines, nbest=size)
        write_nbest(folder / f"{part}.nbest.gz", (one.segment for one in found), "moses")


def tune(data: Path, out: Path, name: str, *, replicas: int = 1) -> None:
    """Learn from the lists of the tuning verses; those of the test verses are held out."""
    learner, settings = RUNS[name]
    hopefear.tune(
        learner,
        out=out / name,
        nbest=data / "dev.nbest.gz",
        refs=data / "dev.target",
        dev_nbest=data / "test.nbest.gz",
        dev_refs=data / "test.target",
        tokenize="none",
        replicas=replicas,
        set=settings,
    )


def draw(data: Path, directory: Path, *, sentence: int = SENTENCE) -> None:
    """Write ``learning-curves.svg`` and ``hope-and-fear.svg``."""
    directory.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        for name in RUNS:
            tune(data, Path(scratch), name)
        drawn = write_pictures([Path(scratch) / name for name in RUNS], Path(scratch) / "pictures")
        curves = next(file for file in drawn if "bleu-by-epoch" in file.name)
        curves.replace(directory / "learning-curves.svg")
    hopefear.inspect(data / "run", sentence=sentence, out=directory / "hope-and-fear.svg")


def main() -> None:
    """Draw into the directory given on the command line."""
    with TemporaryDirectory() as folder:
        prepare(Path(folder), choose_corpus("verses", print))
        draw(Path(folder), Path(sys.argv[1]))


if __name__ == "__main__":
    main()
