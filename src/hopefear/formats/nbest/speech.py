"""N-best lists of speech recognizers: directories of files with one utterance per line.

ESPnet writes 1best_recog, 2best_recog, ..., each with text and score. Higher ranks have fewer lines
if the beam found fewer hypotheses. Before they are joined, the results of the jobs are in output.1,
output.2, ...

Kaldi's nbest-to-linear writes archives in text form (words_text, lmwt and acwt) from the output of
lattice-to-nbest. A key is the utterance, ``-`` and the rank. Costs are negative logarithms; their
negations become features, so that higher is better. Before they are joined, the archives are in
archives.1, archives.2, ...
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.formats.base import nbest_formats
from hopefear.formats.fields import keyed_values, parse_number, read_keyed_lines, split_blanks
from hopefear.formats.files import Source, numbered_folders, open_source
from hopefear.settings import setting, settings
from hopefear.types import Hypothesis, Segment

__all__ = ["EspnetNBest", "KaldiNBest"]

_RANK = re.compile(r"([1-9][0-9]*)best_recog")


_OUTPUT = re.compile(r"output\.([1-9][0-9]*)")


_TENSOR = re.compile(r"tensor\(([^,()]+)(?:,[^()]*)?\)")


@nbest_formats.register("espnet")
@settings
class EspnetNBest:
    """Hypotheses with the feature `score`, ESPnet's total score."""

    text: str = setting(
        "text", "File with the text in the directory of each rank; token has the model's units."
    )

    def sniff(self, source: Source) -> bool:
        """Look for the directory of the first rank."""
        return source.is_directory and bool(_results(source.path))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses by utterance, in the order of the first rank."""
        results = _results(source.path)
        if not results:
            raise FormatError(f"{source.name}: the directory has no 1best_recog/{self.text}")
        for folder in results:
            yield from self._read_results(folder)

    def _read_results(self, folder: Path) -> Iterator[Segment]:
        lists: dict[str, list[Hypothesis]] = {}
        for rank in numbered_folders(folder, _RANK):
            texts = read_keyed_lines(rank / self.text)
            scores = _read_scores(rank / "score")
            for key, text in texts.items():
                if key not in scores:
                    raise FormatError(f"{rank / 'score'}: the score of '{key}' is missing")
                hypothesis = Hypothesis(
                    text=text, features={"score": scores[key]}, score=scores[key]
                )
                lists.setdefault(key, []).append(hypothesis)
        for key, hypotheses in lists.items():
            yield Segment(sentence=key, hypotheses=tuple(hypotheses))


def _results(folder: Path) -> list[Path]:
    """Return the folders with ranks: this one, or those of the jobs."""
    if (folder / "1best_recog").is_dir():
        return [folder]
    jobs = numbered_folders(folder, _OUTPUT) or numbered_folders(folder / "logdir", _OUTPUT)
    return [job for job in jobs if (job / "1best_recog").is_dir()]


def _read_scores(path: Path) -> dict[str, float]:
    scores: dict[str, float] = {}
    with open_source(path) as source:
        for number, key, value in keyed_values(source):
            tensor = _TENSOR.fullmatch(value)
            try:
                scores[key] = parse_number(tensor[1] if tensor else value)
            except FormatError as error:
                raise source.error(number, f"the score of '{key}': {error}") from None
    return scores


_ARCHIVE = re.compile(r"archives\.([1-9][0-9]*)")


_RANKED = re.compile(r"(.+)-([1-9][0-9]{0,9})")


@nbest_formats.register("kaldi")
@settings
class KaldiNBest:
    """Hypotheses with features named after the files lmwt, acwt, lmwt.nolm, ...: negated costs."""

    costs: tuple[str, ...] = setting((), "Files of costs; by default acwt, lmwt and lmwt.*.")
    words: Path | None = setting(
        None, "Table of words and their numbers (words.txt), for archives without words_text."
    )

    def sniff(self, source: Source) -> bool:
        """Look for files of words and costs."""
        return source.is_directory and bool(_archives(source.path))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses by utterance and rank."""
        archives = _archives(source.path)
        if not archives:
            raise FormatError(
                f"{source.name}: the directory must have words_text (or words), and acwt or lmwt"
            )
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
                    raise FormatError(f"{folder / name}: the cost of '{key}' is missing")
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
            raise FormatError(
                f"{folder / 'words'}: the table of words does not exist: {table}; give it as "
                "kaldi:words=FILE"
            )
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
    """Return the folders with words and costs: this one, or those of the jobs."""
    return [path for path in [folder, *numbered_folders(folder, _ARCHIVE)] if _is_archive(path)]


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
                raise source.error(number, "the archive is binary; convert it to text (ark,t:)")
            try:
                costs[key] = parse_number(value)
            except FormatError as error:
                raise source.error(number, f"the cost of '{key}': {error}") from None
    return costs
