"""The commands that are killed and starved, on inputs small enough for thousands of trials."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hopefear.cli.program import run
from hopefear.demo.generated import generated_corpus
from hopefear.demo.synthetic import SyntheticCandidates
from hopefear.formats import open_output, write_nbest
from hopefear.reproduction import reproducing
from hopefear.reproduction.corpus import Sizes
from hopefear.reproduction.experiment import Scale

__all__ = ["TASKS", "Task", "write_inputs"]

LISTS = ("--nbest", "in/lists", "--refs", "in/refs", "--tokenize", "none", "--no-report")
MODEL = ("--source", "in/dev.source", "--refs", "in/dev.target", "--model", "in/model")
TUNE = ("-o", "out", "--threads", "1")
GRID = ("tune", "kbest-mira", *LISTS, "--epochs", "2", "--grid", "max_step=0.1,0.01", *TUNE)
TRAIN = ("train", "-s", "in/train.source", "-t", "in/train.target", "--aligner", "diagonal", *TUNE)
REPRODUCE = (
    *("reproduce", "gimpel2012", "--table", "1", "--quick", "--data", "in/corpus"),
    *("--source-language", "source", "--target-language", "target"),
    *("--replicas", "1", "--jobs", "1", *TUNE),
)
TRANSLATE = ("translate", "in/model", "--nbest", "5", "--threads", "1")


@dataclass(frozen=True, kw_only=True)
class Task:
    """A command that writes into ``out``, and how to go on after it was stopped.

    Attributes
    ----------
    command, resume
        Arguments of ``hopefear``; without a way to resume, the command is started again.
    results
        The files that must be the same in the end, as patterns below ``out``.
    history
        Files that a power cut may take away, but not change.
    stdin
        What is read from standard input; standard output is then a result, too.
    """

    command: Sequence[str]
    resume: Sequence[str]
    results: Sequence[str]
    history: Sequence[str] = ()
    stdin: str | None = None

    @property
    def again(self) -> Sequence[str]:
        """The command from the beginning, over what is there."""
        return (*self.command, "--force") if self.command[0] == "tune" else self.command


def _tune(*options: str) -> Task:
    return Task(
        command=("tune", *options, *TUNE),
        resume=("tune", "--resume", "-o", "out", "--no-report"),
        results=("weights.tsv",),
        history=("weights/*.tsv", "replica-*/weights/*.tsv"),
    )


TASKS: dict[str, Task] = {
    "lists": _tune("kbest-mira", *LISTS, "--epochs", "4"),
    "decoder": _tune(
        *("kbest-mira", *MODEL, "--tokenize", "none", "--no-report"),
        *("--decodings", "2", "--list-size", "10"),
    ),
    "replicas": _tune("kbest-mira", *LISTS, "--epochs", "2", "--replicas", "3"),
    "mixing": _tune(
        "kbest-mira", *LISTS, "--epochs", "3", "--strategy", "mixing", "--workers", "2"
    ),
    "grid": Task(
        command=GRID,
        resume=GRID,
        results=("weights.tsv", "grid/*/weights.tsv"),
    ),
    "train": Task(command=TRAIN, resume=TRAIN, results=("*.bin", "*.kenlm", "*.tsv", "model.toml")),
    "reproduce": Task(
        command=REPRODUCE,
        resume=REPRODUCE,
        results=("models/*/*.bin", "models/*/*.kenlm", "runs/*/weights.tsv", "runs/*/test.txt"),
        history=("runs/*/weights/*.tsv",),
    ),
    "translate": Task(command=TRANSLATE, resume=TRANSLATE, results=(), stdin="in/dev.source"),
}


def write_inputs(folder: Path) -> None:
    """Write lists, a bitext, a corpus, and a model; let a quick reproduction be a tiny one."""
    inputs = folder / "in"
    inputs.mkdir(parents=True)
    made = list(SyntheticCandidates(sentences=8, size=6, seed=1))
    write_nbest(inputs / "lists", [segment for _, segment in made], "moses")
    with open_output(inputs / "refs") as out:
        out.writelines(f"{text}\n" for text, _ in made)
    generated_corpus(train=60, dev=4, test=1).write(inputs)
    (inputs / "corpus").mkdir()
    generated_corpus(train=60, dev=12, test=4).write(inputs / "corpus")
    reproducing.QUICK = (
        Sizes(train=60, tuning=8, dev=4, test=4),
        Scale(replicas=1, decodings=2, epochs=1, list_size=5, choices=1),
    )
    train = TASKS["train"].command
    paths = {"out": inputs / "model"}
    status = run([str(paths.get(a, folder / a if a.startswith("in/") else a)) for a in train])
    if status != 0:
        raise SystemExit("the model for the trials could not be built")
