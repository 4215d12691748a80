"""The stages that make language models: one is estimated, others come from elsewhere."""

import shutil
import tempfile
from pathlib import Path

from hopefear.formats.files import open_binary_output, replacing
from hopefear.translation.language_model import load_language_model
from hopefear.translation.model import LanguageModelFile
from hopefear.translation.training.language_model import write_kenlm_binary
from hopefear.translation.training.normalize import Inputs
from hopefear.translation.training.stages import Figures, existing_file
from hopefear.translation.training.work import Work, options_of

__all__ = ["make_language_models"]

KENLM_MAGIC = b"mmap lm http://kheafield.com/code"


def make_language_models(work: Work, inputs: Inputs) -> tuple[LanguageModelFile, ...]:
    """Make the language models; their features are LM0, LM1, ..., the estimated one first."""
    files = [_estimate(work, inputs)] if work.settings.estimates_language_model else []
    for path in work.settings.language_model.files:
        files.append(_take(work, f"lm{len(files)}", existing_file(path)))
    return tuple(LanguageModelFile(feature=f"LM{i}", file=name) for i, name in enumerate(files))


def _estimate(work: Work, inputs: Inputs) -> str:
    settings = work.settings.language_model
    texts = [*([inputs.bitext[1]] if inputs.bitext else []), *inputs.texts]
    estimation = work.settings.own_estimation()
    packed = work.out / "lm0.arpa.gz"

    def estimate() -> Figures:
        place = work.settings.temporary_directory or None
        with tempfile.TemporaryDirectory(prefix="hopefear-lm-", dir=place) as directory:
            arpa = Path(directory, "lm0.arpa")
            summary = estimation.estimate(texts, arpa, progress=work.tell)
            _write_binary(work, arpa, "lm0.kenlm")
            packed.unlink(missing_ok=True)
            if settings.keep_arpa:
                with arpa.open("rb") as file, open_binary_output(packed) as out:
                    shutil.copyfileobj(file, out, 1 << 20)
        return {"order": estimation.order, "n-grams": sum(o.ngrams for o in summary.orders)}

    files = ["lm0.kenlm", *([packed.name] if settings.keep_arpa else [])]
    options = [options_of(estimation), settings.structure, settings.keep_arpa]
    work.stages.do("lm0", work.fingerprint("estimate", options, *texts), files, estimate)
    return files[0]


def _take(work: Work, name: str, path: Path) -> str:
    """Bring in a model from elsewhere: as it is if it is a binary, otherwise as a binary."""
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
    work.tell("writing the language model", 0, 0)
    write_kenlm_binary(
        arpa,
        work.out / name,
        structure=work.settings.language_model.structure,
        memory=work.settings.own_estimation().memory,
        temporary_directory=work.settings.temporary_directory,
    )


def _is_binary(path: Path) -> bool:
    """Whether a language model is KenLM's binary, not packed; ARPA files are text."""
    with path.open("rb") as file:
        return file.read(len(KENLM_MAGIC)) == KENLM_MAGIC
