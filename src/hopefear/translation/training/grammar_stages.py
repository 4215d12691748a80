"""The stages that make grammars: align, extract, read rules from elsewhere."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from hopefear.formats import detect_rules, read_rules
from hopefear.translation.training.align import align, symmetrize, write_alignments
from hopefear.translation.training.normalize import Inputs
from hopefear.translation.training.settings import TrainSettings
from hopefear.translation.training.stages import Figures, existing_file
from hopefear.translation.training.work import Work, options_of

__all__ = ["FoundAlignments", "find_alignments", "is_moses_model", "make_glue", "make_grammars"]

GRAMMAR, ALIGNMENTS = "grammar.bin", "alignments.gz"


FoundAlignments = tuple[Path, str]
"""A file, and the fingerprint of what it was made from."""


def make_grammars(work: Work, inputs: Inputs, alignments: FoundAlignments | None) -> list[str]:
    """Make the grammars, and return their files: of the bitext, and of rules from elsewhere."""
    grammars = []
    if inputs.bitext is not None and alignments is not None:
        grammars.append(_extract(work, inputs, *inputs.bitext, *alignments))
    rules = work.settings.rules
    if rules.files:
        grammars.append(_read_rules(work, "rules", rules.files, rules.format))
    return grammars


def is_moses_model(settings: TrainSettings) -> bool:
    """Whether all rules are of Moses, so that its weights should fit: names are as in moses.ini."""
    rules = settings.rules
    if settings.source is not None or not rules.files:
        return False
    if rules.format is not None:
        return rules.format.split(":")[0] == "moses"
    return all(detect_rules(existing_file(path)) == "moses" for path in rules.files)


def make_glue(work: Work) -> str | None:
    """Read the glue rules, if there are any; those of Moses have the name that it gives them."""
    rules = work.settings.rules
    if rules.glue is None:
        return None
    path, format = existing_file(rules.glue), rules.glue_format
    if format is None and detect_rules(path) == "moses":
        moses = is_moses_model(work.settings)
        format = f"moses:label={'TranslationModel1' if moses else 'Glue'}"
    return _read_rules(work, "glue", [path], format)


def find_alignments(work: Work, inputs: Inputs) -> FoundAlignments | None:
    """Return the alignments of the bitext, if there is one."""
    if inputs.bitext is None:
        return None
    source, target = inputs.bitext
    chosen = work.settings.alignment
    if chosen.file is not None:
        file = existing_file(chosen.file)
        return file, work.fingerprint(file)
    aligner = chosen.aligner
    if aligner == "auto":
        aligner = "eflomal" if importlib.util.find_spec("eflomal") else "diagonal"
    path = work.out / ALIGNMENTS

    def find() -> Figures:
        if aligner == "eflomal":
            work.tell("aligning", 0, 0)
            found = align(source, target, method=chosen.symmetrization)
        else:
            directed = work.settings.own_aligner().align(source, target, work.tell)
            found = symmetrize(*directed, chosen.symmetrization)
        write_alignments(found, path)
        return {"aligner": aligner, "sentences": len(found), "links": found.link_count}

    options = {} if aligner == "eflomal" else options_of(chosen.diagonal)
    fingerprint = work.fingerprint("align", aligner, chosen.symmetrization, options, source, target)
    return path, work.stages.do("align", fingerprint, [ALIGNMENTS], find).fingerprint


def _extract(
    work: Work, inputs: Inputs, source: Path, target: Path, alignments: Path, of_alignments: str
) -> str:
    extraction = work.settings.own_extraction()
    max_span = work.settings.decoder.max_span if inputs.inputs else 0

    def extract() -> Figures:
        found = extraction.extract(
            source,
            target,
            alignments,
            work.out / GRAMMAR,
            inputs=inputs.inputs,
            max_span=max_span,
            progress=work.tell,
        )
        return {"sentences": found.sentences, "rules": found.rules, "bytes": found.bytes}

    texts = [work.fingerprint(path) for path in (source, target, *inputs.inputs)]
    options = options_of(extraction)
    fingerprint = work.fingerprint("extract", options, max_span, texts, of_alignments)
    work.stages.do("extract", fingerprint, [GRAMMAR], extract)
    return GRAMMAR


def _read_rules(work: Work, name: str, files: Sequence[Path], format: str | None) -> str:
    paths = [existing_file(path) for path in files]
    target = f"{name}.bin"

    def read() -> Figures:
        work.tell(f"reading {name}", 0, 0)
        builder = read_rules(paths, format)
        builder.write(work.out / target)
        return {"rules": len(builder)}

    work.stages.do(name, work.fingerprint(name, format, *paths), [target], read)
    return target
