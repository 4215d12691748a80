"""ESPnet's results: a directory with 1best_recog, 2best_recog, ..., each with text and score.

Every line is an utterance and its value; higher ranks have fewer lines if the beam found fewer
hypotheses. Before they are joined, the results of the jobs are in output.1, output.2, ...
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.formats.base import nbest_formats
from hopefear.formats.fields import parse_number
from hopefear.formats.files import Source, numbered_folders, open_source
from hopefear.formats.keyed_lines import keyed_values, read_keyed_lines
from hopefear.types import Hypothesis, Segment

__all__ = ["EspnetNBest"]

_RANK = re.compile(r"([1-9][0-9]*)best_recog")
_JOB = re.compile(r"output\.([1-9][0-9]*)")
_TENSOR = re.compile(r"tensor\(([^,()]+)(?:,[^()]*)?\)")


@nbest_formats.register("espnet")
@dataclass(frozen=True, kw_only=True)
class EspnetNBest:
    """Hypotheses with the feature `score`, the total that ESPnet writes.

    Parameters
    ----------
    text : str
        The file with the text in each rank's directory; ``token`` has the units of the model.
    """

    text: str = "text"

    def sniff(self, source: Source) -> bool:
        """Look for the directory of the first rank."""
        return source.is_directory and bool(_results(source.path))

    def read(self, source: Source) -> Iterator[Segment]:
        """Read the hypotheses, utterance by utterance in the order of the first rank."""
        results = _results(source.path)
        if not results:
            raise FormatError(f"{source.name}: there is no 1best_recog/{self.text}")
        for folder in results:
            yield from self._read_results(folder)

    def _read_results(self, folder: Path) -> Iterator[Segment]:
        lists: dict[str, list[Hypothesis]] = {}
        for rank in numbered_folders(folder, _RANK):
            texts = read_keyed_lines(rank / self.text)
            scores = _read_scores(rank / "score")
            for key, text in texts.items():
                if key not in scores:
                    raise FormatError(f"{rank / 'score'}: there is no score of '{key}'")
                hypothesis = Hypothesis(
                    text=text, features={"score": scores[key]}, score=scores[key]
                )
                lists.setdefault(key, []).append(hypothesis)
        for key, hypotheses in lists.items():
            yield Segment(sentence=key, hypotheses=tuple(hypotheses))


def _results(folder: Path) -> list[Path]:
    """Find the folders that have the ranks: this one, or those of the jobs."""
    if (folder / "1best_recog").is_dir():
        return [folder]
    jobs = numbered_folders(folder, _JOB) or numbered_folders(folder / "logdir", _JOB)
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
