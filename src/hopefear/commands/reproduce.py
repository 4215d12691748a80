"""The settings of `hopefear reproduce`."""

from pathlib import Path
from typing import Literal

from hopefear.commands.choices import OUTPUT, THREADS
from hopefear.settings import setting, settings

CORPUS = "Corpus"


@settings
class ReproduceSettings:
    """Which paper to reproduce, on which corpus, and how much of it."""

    paper: Literal["chiang2012", "clark2014", "gimpel2012", "watanabe2012"] = setting(
        help="chiang2012, clark2014, gimpel2012 or watanabe2012.", argument=True, metavar="PAPER"
    )
    data: Path = setting(
        help="A directory with texts named SET.LANGUAGE, as in train.cs.gz, dev.en, test.en.0; "
        "sets are train, one to tune on, perhaps one to hold out, and one to test on.",
        metavar="DIR",
        group=CORPUS,
    )
    source_language: str | None = setting(
        None,
        "What names of source texts end in.",
        metavar="NAME",
        shown="the other language of train",
        group=CORPUS,
    )
    target_language: str | None = setting(
        None,
        "What names of target texts end in.",
        metavar="NAME",
        shown="en",
        group=CORPUS,
    )
    references: tuple[str, ...] = setting(
        (),
        "Names of the references where a set has several; the first is also learned from.",
        metavar="NAME",
        shown="all",
        group=CORPUS,
    )
    table: str | None = setting(None, "One table only, and no figures.", metavar="NUMBER")
    claim: tuple[str, ...] = setting(
        (),
        "Claims only that have TEXT in them, with the rows that they compare.",
        metavar="TEXT",
        shown="all",
    )
    quick: bool = setting(
        False,
        "Smaller sets, shorter lists, fewer iterations and replicas: about half an hour on two "
        "processors.",
    )
    sentences: int | None = setting(None, "Tuning sentences, at most.", least=10, shown="all")
    epochs: int | None = setting(
        None, "Epochs and decodings of each row, at most.", least=1, shown="as in the paper"
    )
    replicas: int | None = setting(
        None, "Runs of each row, with other seeds.", least=1, shown="as in the paper"
    )
    jobs: int = setting(
        0, "Rows at the same time, each with one thread.", least=0, shown="one per thread"
    )
    cluster: str | None = setting(
        None,
        "A Ray cluster whose processors run a row each: HOST:PORT of its head, or 'local' to start "
        "one on this machine. All machines find the files on the same paths.",
        metavar="ADDRESS",
        shown="this machine alone",
        complete=lambda: ("local",),
    )
    seed: int = setting(1, "The same seed and data give the same result.", least=0)
    threads: int = setting(0, THREADS, least=0, shown="one per core")
    out: Path = setting(
        help="Directory for everything; the same command again goes on where it stopped.",
        short="o",
        metavar="DIR",
        group=OUTPUT,
    )
