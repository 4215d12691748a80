"""The translation system from Python: its commands as functions with the names of their options."""

from collections.abc import Callable, Sequence
from pathlib import Path

from hopefear.arguments import file_name, file_names, several_texts
from hopefear.formats.files import PathLike, Tell, tell_nobody
from hopefear.translation.model import Model
from hopefear.translation.training.build import build
from hopefear.translation.training.settings import build_train_settings
from hopefear.translation.training.stages import Stage

__all__ = ["train"]


def train(
    settings: PathLike | None = None,
    *,
    out: PathLike,
    source: PathLike | None = None,
    target: PathLike | None = None,
    alignments: PathLike | None = None,
    aligner: str | None = None,
    symmetrization: str | None = None,
    tokenize: str | None = None,
    lowercase: bool | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
    inputs: PathLike | Sequence[PathLike] = (),
    rules: PathLike | Sequence[PathLike] = (),
    rules_format: str | None = None,
    glue: PathLike | None = None,
    lm: PathLike | Sequence[PathLike] = (),
    lm_texts: PathLike | Sequence[PathLike] = (),
    lm_order: int | None = None,
    keep_arpa: bool | None = None,
    features: str | Sequence[str] = (),
    weights: PathLike | None = None,
    memory: int | None = None,
    threads: int | None = None,
    set: Sequence[str] = (),
    tell: Tell = tell_nobody,
    finished: Callable[[Stage], None] = lambda stage: None,
) -> Model:
    """Make a translation model of a bitext, or of rules and language models from elsewhere.

    Options that are not given are those of the TOML file, if one is given, or the defaults of
    `hopefear.translation.training.settings.TrainSettings`.

    Parameters
    ----------
    settings : path, optional
        A TOML file of settings.
    out : path
        The directory of the model. What an earlier run finished there is not done again.
    source, target : path, optional
        The bitext: a sentence a line, plain or gzip.
    alignments : path, optional
        Word alignments in Pharaoh form; found by an aligner if not given.
    aligner : str, optional
        ``auto``, ``diagonal`` or ``eflomal``.
    symmetrization : str, optional
        ``grow-diag-final-and``, ``union``, ...
    tokenize, lowercase, source_language, target_language
        See `hopefear.text.normalization.Normalization`.
    inputs : path or several
        Texts to be translated: only rules that can match them are extracted.
    rules, rules_format, glue
        Rule tables of Moses, cdec or Joshua, and a table of glue rules.
    lm : path or several
        ARPA files or KenLM binaries.
    lm_texts, lm_order
        Further texts for the language model that is estimated, and its order.
    keep_arpa : bool, optional
        Whether that model is kept as an ARPA file, too.
    features : str or several
        Further features: ``large``, ``patterns``, or the name of your own template; ``small`` has
        none.
    weights : path, optional
        A file of weights for the model.
    memory, threads
        Bytes that each stage may work in, and how many threads.
    set : sequence of str
        Any other setting, as in ``extraction.max_phrase_length=7``.
    tell : callable
        Called now and then with what is being done, how much of it is done, and of how much.
    finished : callable
        Called with each stage when it is finished.

    Returns
    -------
    Model
        Its `decoder` translates.
    """
    options: dict[str, object] = {
        "source": file_name("source", source),
        "target": file_name("target", target),
        "alignment.file": file_name("alignments", alignments),
        "alignment.aligner": aligner,
        "alignment.symmetrization": symmetrization,
        "normalization.tokenize": tokenize,
        "normalization.lowercase": lowercase,
        "normalization.source_language": source_language,
        "normalization.target_language": target_language,
        "inputs": file_names("inputs", inputs),
        "rules.files": file_names("rules", rules),
        "rules.format": rules_format,
        "rules.glue": file_name("glue", glue),
        "language_model.files": file_names("lm", lm),
        "language_model.texts": file_names("lm_texts", lm_texts),
        "language_model.estimation.order": lm_order,
        "language_model.estimate": None if lm_order is None else True,
        "language_model.keep_arpa": keep_arpa,
        "templates": _templates(features),
        "weights": file_name("weights", weights),
        "memory": memory,
        "threads": threads,
    }
    chosen = build_train_settings(settings, options, several_texts("set", set))
    return build(chosen, Path(out), tell=tell, finished=finished)


def _templates(names: str | Sequence[str]) -> list[str] | None:
    several = [names] if isinstance(names, str) else several_texts("features", names)
    return [name for name in several if name != "small"] if several else None
