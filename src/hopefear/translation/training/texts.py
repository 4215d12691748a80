"""The texts of a training: checked before anything else is done, and normalized."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hopefear.errors import DataError
from hopefear.formats.files import Tell, open_output, open_source
from hopefear.translation.training.settings import TrainSettings
from hopefear.translation.training.stages import Figures, Work, existing_file, options_of

__all__ = ["Inputs", "check_inputs", "normalize_inputs"]


def check_inputs(settings: TrainSettings, tell: Tell) -> None:
    """Require that all files exist and that the sides of the bitext have the same length."""
    models, rules = settings.language_model, settings.rules
    single = (settings.alignment.file, rules.glue, settings.weights)
    several = (*settings.inputs, *rules.files, *models.files, *models.texts)
    for path in (settings.source, settings.target, *single, *several):
        if path is not None:
            existing_file(path)
    if settings.source is None or settings.target is None:
        return
    source, target = (_count_lines(path, tell) for path in (settings.source, settings.target))
    if source != target:
        raise DataError(
            f"{settings.target}: has {target} lines, but {settings.source} has {source}; the sides "
            "of a bitext must have the same number of lines"
        )
    if not source:
        raise DataError(f"{settings.source}, {settings.target}: the bitext is empty")


def _count_lines(path: Path, tell: Tell) -> int:
    """Return the number of lines, the last of which need not end in a newline."""
    count, last = 0, b"\n"
    with open_source(path) as source:
        total = source.size
        for piece in source.pieces():
            count += piece.count(b"\n")
            last = piece[-1:] or last
            tell("counting lines", source.bytes_read, total)
    return count + (last != b"\n")


@dataclass(kw_only=True)
class Inputs:
    """The texts of a training as the later stages read them.

    Attributes
    ----------
    bitext : pair of Path, optional
        Source and target side.
    texts : list of Path
        Further texts of the target language.
    inputs : list of Path
        Texts to translate later.
    """

    bitext: tuple[Path, Path] | None = None
    texts: list[Path] = field(default_factory=list)
    inputs: list[Path] = field(default_factory=list)


def normalize_inputs(work: Work) -> Inputs:
    """Return the texts, normalized if the settings ask for it."""
    settings, normalization = work.settings, work.settings.normalization
    found = Inputs(
        texts=[existing_file(path) for path in settings.language_model.texts],
        inputs=[existing_file(path) for path in settings.inputs],
    )
    if settings.source is not None and settings.target is not None:
        found.bitext = existing_file(settings.source), existing_file(settings.target)
    if normalization.does_nothing:
        return found
    (work.out / "texts").mkdir(exist_ok=True)
    if found.bitext is not None:
        found.bitext = _normalize_bitext(work, found.bitext)
    found.texts = [
        _normalize_text(work, f"text{i}", path, normalization.target)
        for i, path in enumerate(found.texts)
    ]
    found.inputs = [
        _normalize_text(work, f"input{i}", path, normalization.source)
        for i, path in enumerate(found.inputs)
    ]
    return found


def _normalize_bitext(work: Work, bitext: tuple[Path, Path]) -> tuple[Path, Path]:
    files = ("texts/source.gz", "texts/target.gz")
    places = work.out / files[0], work.out / files[1]
    normalization = work.settings.normalization

    def normalize() -> Figures:
        steps = normalization.source(), normalization.target()
        count = 0
        for path, place, step in zip(bitext, places, steps, strict=True):
            count = _rewrite(path, place, step, work)
        return {"sentences": count}

    fingerprint = work.fingerprint("normalize", options_of(normalization), *bitext)
    work.stages.do("normalize", fingerprint, files, normalize)
    return places


def _normalize_text(
    work: Work, name: str, path: Path, steps: Callable[[], Callable[[str], str]]
) -> Path:
    file = f"texts/{name}.gz"
    place = work.out / file

    def normalize() -> Figures:
        return {"sentences": _rewrite(path, place, steps(), work)}

    options = options_of(work.settings.normalization)
    work.stages.do(
        f"normalize-{name}", work.fingerprint("normalize", name, options, path), [file], normalize
    )
    return place


def _rewrite(path: Path, place: Path, step: Callable[[str], str], work: Work) -> int:
    """Write each line after the step, and return the number of lines."""
    number = 0
    with open_source(path) as source, open_output(place) as out:
        total = source.size
        for number, line in source:
            out.write(step(line) + "\n")
            if number % 1000 == 1:
                work.tell("normalizing", source.bytes_read, total)
    return number
