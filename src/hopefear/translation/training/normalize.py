"""The first stage: texts are brought into the form that the model knows."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from hopefear.formats.files import Source, open_output, open_source
from hopefear.translation.training.stages import Figures, existing_file
from hopefear.translation.training.work import Work, options_of

__all__ = ["Inputs", "normalize_inputs"]


@dataclass(kw_only=True)
class Inputs:
    """The texts that a model is made of, as the later stages read them.

    Attributes
    ----------
    bitext : pair of Path, optional
        Source and target side.
    texts : list of Path
        Further texts of the target language.
    inputs : list of Path
        Texts to be translated.
    """

    bitext: tuple[Path, Path] | None = None
    texts: list[Path] = field(default_factory=list)
    inputs: list[Path] = field(default_factory=list)


def normalize_inputs(work: Work) -> Inputs:
    """Return the texts, normalized if that changes anything."""
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
    """Write each line as the step makes it, and return how many there are."""
    count = 0
    with ExitStack() as files:
        source = files.enter_context(open_source(path))
        out = files.enter_context(open_output(place))
        for line in _told(source, work):
            out.write(step(line) + "\n")
            count += 1
    return count


def _told(source: Source, work: Work) -> Iterator[str]:
    total = source.size
    for number, line in source:
        if number % 1000 == 1:
            work.tell("normalizing", source.bytes_read, total)
        yield line
