"""The stages that make the components of a model: grammars, language models, features."""

import importlib.util
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from hopefear import _core
from hopefear.cluster.tasks import Share, ShareOut
from hopefear.errors import ConfigError
from hopefear.formats import detect_rules, read_rules
from hopefear.formats.files import open_binary_output, replacing
from hopefear.formats.texts import write_feature_table
from hopefear.grammar import Grammar
from hopefear.translation.features import Collector, templates
from hopefear.translation.language_model import load_language_model
from hopefear.translation.model import LanguageModelFile, TemplateFile
from hopefear.translation.training.align import align, symmetrize, write_alignments
from hopefear.translation.training.estimate import KneserNey, write_kenlm_binary
from hopefear.translation.training.extract import ExtractionTexts, read_bitext
from hopefear.translation.training.settings import TrainSettings
from hopefear.translation.training.stages import Figures, Work, existing_file, options_of
from hopefear.translation.training.texts import Inputs

__all__ = [
    "FoundAlignments",
    "count_ngrams",
    "find_alignments",
    "is_moses_model",
    "make_glue",
    "make_grammars",
    "make_language_models",
    "make_templates",
]

GRAMMAR, ALIGNMENTS = "grammar.bin", "alignments.gz"
ESTIMATED, PACKED = "lm0.kenlm", "lm0.arpa.gz"
SENTENCE_SHARES = 1024  # of the text of a language model; every machine gets some
KENLM_MAGIC = b"mmap lm http://kheafield.com/code"

FoundAlignments = tuple[Path, str]
"""The file of alignments, and a fingerprint of what determines its content."""


def make_grammars(work: Work, inputs: Inputs, alignments: FoundAlignments | None) -> list[str]:
    """Make the grammars of the bitext and of rule tables, and return their files."""
    grammars = []
    if inputs.bitext is not None and alignments is not None:
        grammars.append(_extract(work, inputs, *inputs.bitext, *alignments))
    rules = work.settings.rules
    if rules.files:
        grammars.append(_read_rules(work, "rules", rules.files, rules.format))
    return grammars


def is_moses_model(settings: TrainSettings) -> bool:
    """Whether all rules are Moses', so that features should be named as in its moses.ini."""
    rules = settings.rules
    if settings.source is not None or not rules.files:
        return False
    if rules.format is not None:
        return rules.format.split(":")[0] == "moses"
    return all(detect_rules(existing_file(path)) == "moses" for path in rules.files)


def make_glue(work: Work) -> str | None:
    """Make the glue grammar, if a table is given; its features are named as the tool names them."""
    rules = work.settings.rules
    if rules.glue is None:
        return None
    path, format = existing_file(rules.glue), rules.glue_format
    if format is None:
        tool = detect_rules(path) if rules.format is None else rules.format.split(":")[0]
        if tool == "moses":
            moses = is_moses_model(work.settings)
            format = f"moses:label={'TranslationModel1' if moses else 'Glue'}"
        else:
            format = "joshua:owner=glue" if tool == "joshua" else tool
    return _read_rules(work, "glue", [path], format)


def label_names(work: Work, glue: str | None) -> dict[str, str]:
    """Return the labels of sentences and of copied words; glue rules must make sentences."""
    rules = work.settings.rules
    found = set() if glue is None else {rule.lhs for rule in Grammar(work.out / glue, verify=False)}
    goal = rules.goal
    if goal is None:
        goal = min(found) if len(found) == 1 else "S"
    goal, copied = goal.strip("[]"), rules.pass_through.strip("[]")
    if found and goal not in found:
        raise ConfigError(
            f"{rules.glue}: the glue rules have no label '{goal}' for whole sentences; they have "
            f"{', '.join(sorted(found))}",
            settings=("rules.goal",),
        )
    return {"goal": goal, "pass_through": copied}


def find_alignments(work: Work, inputs: Inputs) -> FoundAlignments | None:
    """Return the alignments of the bitext, if there is one: given, or found by an aligner."""
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
            diagonal, method = work.settings.with_resources(chosen.diagonal), chosen.symmetrization
            if work.settings.cluster is None:
                found = symmetrize(*diagonal.align(source, target, work.tell), method)
            else:
                found = diagonal.align_on(work.settings.cluster, source, target, method, work.tell)
        write_alignments(found, path)
        return {"aligner": aligner, "sentences": len(found), "links": found.link_count}

    options = {} if aligner == "eflomal" else options_of(chosen.diagonal)
    fingerprint = work.fingerprint("align", aligner, chosen.symmetrization, options, source, target)
    return path, work.stages.do("align", fingerprint, [ALIGNMENTS], find).fingerprint


def _extract(
    work: Work, inputs: Inputs, source: Path, target: Path, alignments: Path, of_alignments: str
) -> str:
    extraction = work.settings.with_resources(work.settings.extraction)
    max_span = work.settings.decoder.max_span if inputs.inputs else 0

    def extract() -> Figures:
        grammar, cluster = work.out / GRAMMAR, work.settings.cluster
        shards = work.out / "stages" / "extract"
        shutil.rmtree(shards, ignore_errors=True)  # of a process that was killed
        if cluster is None:
            found = extraction.extract(
                source,
                target,
                alignments,
                grammar,
                inputs=inputs.inputs,
                max_span=max_span,
                tell=work.tell,
            )
        else:
            given = ExtractionTexts(
                source=source,
                target=target,
                alignments=alignments,
                inputs=tuple(inputs.inputs),
                max_span=max_span,
            )
            found = extraction.extract_on(cluster, given, grammar, shards, work.tell)
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


def count_ngrams(work: Work, inputs: Inputs, share_out: ShareOut) -> tuple[Path, ...]:
    """Let machines count n-grams for `make_language_models`, each in some sentences."""
    if not work.settings.estimates_language_model:
        return ()
    plan = _plan_estimation(work, inputs)
    if work.stages.is_finished("lm0", plan.fingerprint, plan.files):
        return ()
    folder = work.out / "stages" / "count"
    shutil.rmtree(folder, ignore_errors=True)  # of a process that was killed
    folder.mkdir()
    counted = share_out(SENTENCE_SHARES, partial(_count, plan.estimation, plan.texts, folder))
    return tuple(path for path in counted if path is not None)


def _count(estimation: KneserNey, texts: Sequence[Path], folder: Path, share: Share) -> Path | None:
    if share.end - share.begin == SENTENCE_SHARES:
        return None  # a single machine counts when it estimates
    path = folder / str(share.begin)
    estimation.count(texts, path, share.begin, share.end, of=SENTENCE_SHARES)
    return path


def make_language_models(
    work: Work, inputs: Inputs, counts: Sequence[Path] = ()
) -> tuple[LanguageModelFile, ...]:
    """Make the language models, with features LM0, LM1, ...; the estimated one is the first.

    `counts` are the n-grams of all sentences, if others counted them.
    """
    files = [_estimate(work, inputs, counts)] if work.settings.estimates_language_model else []
    for path in work.settings.language_model.files:
        files.append(_take(work, f"lm{len(files)}", existing_file(path)))
    return tuple(
        LanguageModelFile(
            feature=f"LM{i}", file=name, checksum=f"{_core.checksum(str(work.out / name)):016x}"
        )
        for i, name in enumerate(files)
    )


class _Estimation(NamedTuple):
    """How a language model is estimated, from what, and the files that it becomes."""

    estimation: KneserNey
    texts: Sequence[Path]
    files: Sequence[str]
    fingerprint: str


def _plan_estimation(work: Work, inputs: Inputs) -> _Estimation:
    settings = work.settings.language_model
    texts = [*([inputs.bitext[1]] if inputs.bitext else []), *inputs.texts]
    estimation = work.settings.with_resources(settings.estimation)
    options = [options_of(estimation), settings.structure, settings.keep_arpa]
    fingerprint = work.fingerprint("estimate", options, *texts)
    files = [ESTIMATED, *([PACKED] if settings.keep_arpa else [])]
    return _Estimation(estimation, texts, files, fingerprint)


def _estimate(work: Work, inputs: Inputs, counts: Sequence[Path]) -> str:
    plan = _plan_estimation(work, inputs)
    packed = work.out / PACKED

    def estimate() -> Figures:
        place = work.settings.temporary_directory or None
        with tempfile.TemporaryDirectory(prefix="hopefear-lm-", dir=place) as directory:
            arpa = Path(directory, "lm0.arpa")
            summary = plan.estimation.estimate(plan.texts, arpa, counts=counts, tell=work.tell)
            _write_binary(work, arpa, ESTIMATED)
            packed.unlink(missing_ok=True)
            if PACKED in plan.files:
                with arpa.open("rb") as file, open_binary_output(packed) as out:
                    shutil.copyfileobj(file, out, 1 << 20)
        ngrams = sum(order.ngrams for order in summary.orders)
        return {"order": plan.estimation.order, "n-grams": ngrams}

    work.stages.do("lm0", plan.fingerprint, plan.files, estimate)
    return ESTIMATED


def _take(work: Work, name: str, path: Path) -> str:
    """Copy a KenLM binary, or convert an ARPA file to one."""
    target = f"{name}.kenlm"

    def take() -> Figures:
        if _is_binary(path):
            with replacing(work.out / target) as temporary:
                shutil.copyfile(path, temporary)
        else:
            _write_binary(work, path, target)
        return {"order": load_language_model(work.out / target).order}

    structure = work.settings.language_model.structure
    work.stages.do(name, work.fingerprint("take", structure, path), [target], take)
    return target


def _write_binary(work: Work, arpa: Path, name: str) -> None:
    settings = work.settings.language_model
    work.tell("writing the language model", 0, 0)
    write_kenlm_binary(
        arpa,
        work.out / name,
        structure=settings.structure,
        memory=work.settings.with_resources(settings.estimation).memory,
        temporary_directory=work.settings.temporary_directory,
        max_growth=settings.max_growth,
    )


def _is_binary(path: Path) -> bool:
    """Whether a file is a KenLM binary that is not compressed."""
    with path.open("rb") as file:
        return file.read(len(KENLM_MAGIC)) == KENLM_MAGIC


def make_templates(
    work: Work, inputs: Inputs, alignments: FoundAlignments | None
) -> tuple[TemplateFile, ...]:
    """Select the features of all templates that need a bitext."""

    @cache
    def bitext() -> _core.Bitext:
        if inputs.bitext is None or alignments is None:
            raise ConfigError(
                "templates: features are selected from a bitext, but none is given",
                settings=("templates", "source", "target"),
            )
        return read_bitext(*inputs.bitext, alignments[0], work.tell)

    made = []
    for template in work.settings.templates:
        if not isinstance(template, Collector):
            made.append(TemplateFile(template=template))
            continue
        name = templates.name_of(type(template))
        file = f"features-{name}.tsv"

        def select(template: Collector = template, file: str = file) -> Figures:
            rows = template.collect(bitext(), work.tell)
            return {"rows": write_feature_table(rows, work.out / file)}

        made_from = [*(inputs.bitext or ()), *(alignments or ())[1:]]
        fingerprint = work.fingerprint("features", name, options_of(template), *made_from)
        work.stages.do(f"features-{name}", fingerprint, [file], select)
        made.append(TemplateFile(template=template, file=file))
    return tuple(made)
