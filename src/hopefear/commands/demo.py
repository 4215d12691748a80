"""The settings of `hopefear demo`."""

from pathlib import Path
from typing import Literal

from hopefear.commands.choices import THREADS
from hopefear.settings import setting, settings


@settings
class DemoCommand:
    """The settings of the demonstration."""

    output: Path = setting(Path("demo"), "Directory for all files.", short="o", metavar="DIR")
    corpus: Literal["auto", "verses", "generated"] = setting(
        "auto", "Latin verses, generated sentences, or verses if they can be downloaded."
    )
    candidates: bool = setting(False, "Only generate candidates, and tune on them.")
    sentences: int | None = setting(
        None, "Sentences to tune on, and to test on.", least=2, shown="300; with candidates 400"
    )
    size: int | None = setting(
        None, "Hypotheses for each sentence.", least=2, shown="100; with candidates 50"
    )
    seed: int = setting(1, "The same seed gives the same result.", least=0)
    threads: int = setting(0, THREADS, least=0, shown="one per core")
