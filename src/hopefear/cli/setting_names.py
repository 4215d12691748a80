"""What the command line calls the settings that an error is about.

Errors name settings as a file of settings does; the options that set them are added here.
"""

from collections.abc import Mapping

from hopefear.errors import OptionError

__all__ = ["SETTINGS", "explain"]

_DATA = {"nbest": "nbest", "forests": "forests", "source": "source", "references": "refs"}
_LISTS = ("score_feature", "format", "keyed_references", "sentences")
_SAME = (
    "features force iterations list_size memory_limit metric model moses_ini parses pop_limit "
    "replicas average scale_features seed start threads weights_format"
)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


SETTINGS: Mapping[str, Mapping[str, str]] = {
    "convert": {"format": "--from"},
    "inspect": {
        **{name: _option(name) for name in ("format", "listed", "others", "seed", "temperature")},
        "metric.tokenize": "--tokenize",
    },
    "rerank": {"format": "--format", "memory_limit": "--memory-limit"},
    "train": {
        **{name: _option(name) for name in ("source", "target", "weights", "memory", "threads")},
        "inputs": "--for",
        "alignment.file": "--alignments",
        "alignment.aligner": "--aligner",
        "alignment.symmetrization": "--symmetrization",
        "normalization.tokenize": "--tokenize",
        "normalization.lowercase": "--lowercase",
        "normalization.source_language": "--source-language",
        "normalization.target_language": "--target-language",
        "format": "--rules-format",
        "rules.files": "--rules",
        "rules.format": "--rules-format",
        "rules.glue": "--glue",
        "language_model.files": "--lm",
        "language_model.texts": "--lm-text",
        "language_model.estimation.order": "--lm-order",
        "language_model.keep_arpa": "--keep-arpa",
        "templates": "--features",
    },
    "translate": {name: _option(name) for name in ("pop_limit", "beam", "max_span", "rule_limit")},
    "tune": {
        **{name: _option(name) for name in _SAME.split()},
        **{f"tuning.{name}": _option(option) for name, option in _DATA.items()},
        **{f"dev.{name}": _option(f"dev_{option}") for name, option in _DATA.items()},
        **{f"tuning.{name}": _option(name.replace("references", "refs")) for name in _LISTS},
        "tuning.scores": "--scores",
        "dev.scores": "--dev-scores",
        "format": "--format",
        "decoder.command": "--decoder",
        "decoder.weights_format": "--decoder-format",
        "metric.name": "--metric",
        "metric.tokenize": "--tokenize",
        "metric.lowercase": "--lowercase",
        "start_file": "--start",
        "infer_start": "--start",
    },
}
"""The option of each command by the name of the setting."""


def explain(error: Exception, command: str) -> str:
    """Return the message of an error, with the options of the command that set what it names.

    Examples
    --------
    >>> from hopefear.errors import ConfigError
    >>> explain(ConfigError("threads must be >= 0, got -1", settings=("threads",)), "tune")
    'threads must be >= 0, got -1 (--threads)'
    """
    known = SETTINGS.get(command, {})
    if isinstance(error, OptionError):  # of an object that was made of the options themselves
        return f"{known.get(error.field, error.field)}{error.problem}"
    options = [known[name] for name in getattr(error, "settings", ()) if name in known]
    return f"{error} ({', '.join(dict.fromkeys(options))})" if options else str(error)
