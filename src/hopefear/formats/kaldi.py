"""Kaldi's n-best archives in text form: a directory with words_text, lmwt and acwt.

nbest-to-linear writes them from the output of lattice-to-nbest. A line is a key, which is the
utterance, ``-`` and the rank, and a value. Costs are negative logarithms; we give their negation,
so that higher is better. Before they are joined, the archives are in archives.1, archives.2, ...
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.formats.base import nbest_formats
from hopefear.formats.fields import parse_number, split_blanks
from hopefear.formats.files import Source, numbered_folders, open_source
from hopefear.formats.keyed_lines import keyed_values, read_keyed_lines
from hopefear.types import Hypothesis, Segment

__all__ = ["KaldiNBest"]

_JOB = re.compile(r"archives\.([1-9][0-9]*)")
_RANKED = re.compile(r"(.+)-([1-9][0-9]{0,9})")


@nbest_formats.register("kaldi")
@dataclass(frozen=True, kw_only=True)
class KaldiNBest:
    """Hypotheses with the negated costs of lmwt, acwt, lmwt.nolm, ... under the files' names.

    Parameters
    ----------
    costs : tuple of str
        The files to take; all that are called acwt, lmwt or lmwt.* if none are named.
    words : Path, optional
        The table of words and their numbers (words.txt), for archives that have no words_text.
    """

    costs: tuple[str, ...] = ()
    words: Path | None = None

    def sniff(self, source: Source) -> bool:
        """Look for words and costs."""
        return source.is_directory and bool(_archives(source.path))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses, utterance by utterance, by rank."""
        archives = _archives(source.path)
        if not archives:
            raise FormatError(f"{source.name}: there are no words_text (or words) and acwt or lmwt")
        for folder in archives:
            yield from self._read_archive(folder)

    def _read_archive(self, folder: Path) -> Iterator[Segment]:
        costs = {name: _read_costs(folder / name) for name in self.costs or _cost_files(folder)}
        lists: dict[str, list[tuple[int, Hypothesis]]] = {}
        for key, text in self._texts(folder).items():
            found = _RANKED.fullmatch(key)
            if not found:
                message = f"expected a key like UTTERANCE-1, found '{key}'"
                raise FormatError(f"{folder}: {message}")
            features: dict[str, float] = {}
            for name, values in costs.items():
                if key not in values:
                    raise FormatError(f"{folder / name}: there is no cost of '{key}'")
                features[name] = -values[key]
            hypothesis = Hypothesis(text=text, features=features)
            lists.setdefault(found[1], []).append((int(found[2]), hypothesis))
        for utterance, ranked in lists.items():
            ranked.sort(key=lambda pair: pair[0])
            yield Segment(sentence=utterance, hypotheses=tuple(h for _, h in ranked))

    def _texts(self, folder: Path) -> Mapping[str, str]:
        if (folder / "words_text").is_file():
            return read_keyed_lines(folder / "words_text")
        table = self.words or folder / "words.txt"
        if not table.is_file():
            raise FormatError(f"{folder / 'words'}: needs a table of words (words.txt): {table}")
        names = {number: word for word, number in read_keyed_lines(table).items()}
        texts: dict[str, str] = {}
        with open_source(folder / "words") as source:
            for line, key, value in keyed_values(source):
                numbers = split_blanks(value)
                unknown = next((number for number in numbers if number not in names), None)
                if unknown is not None:
                    raise source.error(line, f"word {unknown} is not in {table}")
                texts[key] = " ".join(names[number] for number in numbers)
        return texts


def _archives(folder: Path) -> list[Path]:
    """Find the folders that have words and costs: this one, or those of the jobs."""
    return [path for path in [folder, *numbered_folders(folder, _JOB)] if _is_archive(path)]


def _is_archive(folder: Path) -> bool:
    has_words = any((folder / name).is_file() for name in ("words_text", "words"))
    return has_words and bool(_cost_files(folder))


def _cost_files(folder: Path) -> list[str]:
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    return [name for name in names if name in ("acwt", "lmwt") or name.startswith("lmwt.")]


def _read_costs(path: Path) -> dict[str, float]:
    costs: dict[str, float] = {}
    with open_source(path) as source:
        for number, key, value in keyed_values(source):
            if value.startswith("\0B"):
                raise source.error(number, "the archive is binary; write it as text (ark,t:)")
            try:
                costs[key] = parse_number(value)
            except FormatError as error:
                raise source.error(number, f"the cost of '{key}': {error}") from None
    return costs
