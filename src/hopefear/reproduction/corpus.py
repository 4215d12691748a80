"""The corpus of a reproduction: a directory with texts for training, tuning and testing.

Files are named ``SET.LANGUAGE``, and where a set has several references ``SET.LANGUAGE.NAME``; any
of them may be compressed: ``train.cs.gz``, ``test2016.en``, ``dev.en.bsb.gz``.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.errors import ConfigError, DataError, FormatError
from hopefear.formats.files import open_output, read_lines

__all__ = ["Corpus", "CorpusChoice", "Sizes", "TextSet", "check_choice", "prepare_corpus"]

FILE_TYPE = re.compile(r"(\.txt)?(\.(gz|bz2|xz))?$")
TUNING = ("tune", "tuning", "dev", "val", "valid", "validation")
HELD_OUT = ("dev", "devtest", "val", "valid", "validation", "dev2", "heldout")
USUAL_TARGETS = ("en", "target")
EACH = 3  # of so many tuning sentences one is held out, if there is no set for it


@dataclass(frozen=True, kw_only=True)
class CorpusChoice:
    """Where the corpus is, and which of its files to take.

    Attributes
    ----------
    directory : Path
    source, target : str, optional
        What names of files end in: ``cs``, ``oracle.es``; by default the only two endings, of which
        ``en`` or ``target`` is the target.
    references : sequence of str
        The names of the references, where a set has several; all by default. The target side of
        the training set is the first of them.
    """

    directory: Path
    source: str | None = None
    target: str | None = None
    references: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The most sentences of each set; None for all."""

    train: int | None = None
    tuning: int | None = None
    dev: int | None = None
    test: int | None = None


@dataclass(frozen=True, kw_only=True)
class TextSet:
    """A text and its references."""

    source: Path
    references: tuple[Path, ...]


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """The sets of a corpus, as plain files."""

    train: TextSet
    tuning: TextSet
    dev: TextSet
    test: TextSet
    description: str


def check_choice(choice: CorpusChoice) -> None:
    """Refuse a directory that does not have all sets."""
    files = _Files(choice)
    for name in ("train", *filter(None, files.roles())):
        files.of(name)


def prepare_corpus(choice: CorpusChoice, sizes: Sizes, out: Path) -> Corpus:
    """Find the sets of a corpus and write them to a directory, unless they are there already.

    If a set is too large, evenly spaced sentences are taken. If there is no set to hold out, every
    third sentence of the tuning set is.
    """
    files = _Files(choice)
    tuning, dev, test = files.roles()
    used = {"train": "train", "tuning": tuning, "dev": dev or tuning, "test": test}
    asked = {
        "files": {
            role: [str(file.resolve()) for file in files.of(name)] for role, name in used.items()
        },
        "sizes": {role: getattr(sizes, role) for role in used},
        "held out": "set" if dev else f"every {EACH}rd sentence",
    }
    marker = out / "corpus.json"
    sets, counts = {}, {}
    if marker.is_file():
        before = _read_marker(marker)
        if {key: before.get(key) for key in asked} != asked:
            raise ConfigError(
                f"{out}: holds another corpus, or other sizes; name another directory",
                settings=("out",),
            )
        counts = before["sentences"]
    for role, name in used.items():
        count = len(files.of(name)) - 1
        target = TextSet(
            source=out / f"{role}.source",
            references=tuple(out / f"{role}.target.{number}" for number in range(count)),
        )
        sets[role] = target
        if counts and role in counts:
            continue
        texts = [read_lines(file) for file in files.of(name)]
        _check_parallel(files.of(name), texts)
        rows = np.arange(len(texts[0]))
        if dev is None and role in ("tuning", "dev"):
            held = rows % EACH == EACH - 1
            rows = rows[held if role == "dev" else ~held]
        most: int | None = getattr(sizes, role)
        if most is not None and most < len(rows):
            rows = rows[np.linspace(0, len(rows) - 1, most).astype(int)]
        if role == "train":  # sentences that no aligner can use
            rows = rows[[bool(texts[0][i].strip() and texts[1][i].strip()) for i in rows]]
        out.mkdir(parents=True, exist_ok=True)
        for file, lines in zip((target.source, *target.references), texts, strict=True):
            with open_output(file) as stream:
                stream.writelines(f"{lines[i]}\n" for i in rows)
        counts[role] = len(rows)
    with open_output(marker) as stream:
        json.dump(asked | {"sentences": counts}, stream, indent=1)
    sizes_text = ", ".join(f"{count:,} {role}" for role, count in counts.items())
    name = choice.directory.resolve().name
    return Corpus(
        **sets, description=f"{name}, {files.source} to {files.target}: {sizes_text} sentences"
    )


def _read_marker(path: Path) -> Any:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        counts = found["sentences"].values()
        if all(isinstance(count, int) for count in counts):
            return found
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    raise FormatError(f"{path}: is damaged; remove the directory to start again")


class _Files:
    """The files of a directory, by set and ending."""

    def __init__(self, choice: CorpusChoice) -> None:
        if not choice.directory.is_dir():
            raise DataError(f"{choice.directory}: is not a directory; expected one with a corpus")
        self.directory, self.names = choice.directory, choice.references
        self.files = {
            FILE_TYPE.sub("", file.name, count=1): file
            for file in sorted(choice.directory.iterdir())
            if file.is_file() and "." in file.name
        }
        endings = [name.removeprefix("train.") for name in self.files if name.startswith("train.")]
        if not endings:
            problem = "has no training texts; expected files such as train.cs.gz and train.en.gz"
            raise DataError(f"{choice.directory}: {problem}")
        languages = list(dict.fromkeys(ending.split(".")[0] for ending in endings))
        usual = next((name for name in USUAL_TARGETS if name in languages), None)
        self.target = choice.target or usual
        others = [language for language in languages if language != self.target]
        self.source = choice.source or (others[0] if len(others) == 1 else None)
        if self.source is None or self.target is None:
            raise ConfigError(
                f"{choice.directory}: has training texts that end in {', '.join(endings)}; say "
                "which to translate from and to",
                settings=("source_language", "target_language"),
            )

    def of(self, name: str) -> list[Path]:
        """Return the files of a set: the source, and one or more references."""
        source = self.files.get(f"{name}.{self.source}")
        target = f"{name}.{self.target}"
        if self.names:
            missing = [one for one in self.names if f"{target}.{one}" not in self.files]
            references = [self.files[f"{target}.{one}"] for one in self.names if not missing]
        elif target in self.files:
            references, missing = [self.files[target]], []
        else:
            references = [file for key, file in self.files.items() if key.startswith(f"{target}.")]
            missing = []
        if source is None or not references:
            lacking = (
                f"{name}.{self.source}" if source is None else ".".join([target, *missing[:1]])
            )
            raise DataError(f"{self.directory}: has no file {lacking}")
        return [source, *(references[:1] if name == "train" else references)]

    def roles(self) -> tuple[str, str | None, str]:
        """Return the names of the sets to tune on, to hold out, if there is one, and to test on."""
        ending = f".{self.source}"
        found = [name.removesuffix(ending) for name in self.files if name.endswith(ending)]
        found = [name for name in found if name != "train" and self._has_references(name)]
        tuning = next((name for name in TUNING if name in found), None)
        rest = [name for name in found if name != tuning]
        test = next((name for name in rest if name.startswith("test")), rest[-1] if rest else None)
        if tuning is None or test is None:
            raise DataError(
                f"{self.directory}: has {', '.join(found) or 'no sets'} beside train; expected a "
                f"set to tune on, such as dev{ending}, and one to test on, such as test{ending}"
            )
        dev = next((name for name in HELD_OUT if name in rest and name != test), None)
        return tuning, dev, test

    def _has_references(self, name: str) -> bool:
        target = f"{name}.{self.target}"
        return any(key == target or key.startswith(f"{target}.") for key in self.files)


def _check_parallel(files: Sequence[Path], texts: Sequence[Sequence[str]]) -> None:
    for file, lines in zip(files[1:], texts[1:], strict=True):
        if len(lines) != len(texts[0]):
            raise DataError(
                f"{file}: has {len(lines)} lines, but {files[0].name} has {len(texts[0])}; line N "
                "of one belongs to line N of the other"
            )
