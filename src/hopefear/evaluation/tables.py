"""Results as tables of text: on a terminal, in Markdown and in LaTeX."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopefear.evaluation.results import Evaluation, MetricResult

__all__ = ["TextTable", "latex", "markdown", "notes", "tables"]


RULES = {"l": "---", "p": "---", "r": "---:"}


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """Rows of cells in groups; `align` has an ``l`` for each column of text, ``r`` for numbers.

    A column of sentences has a ``p``: they may need several lines. By default all columns but the
    first one are numbers.
    """

    header: Sequence[str]
    groups: Sequence[Sequence[Sequence[str]]]
    align: str = ""
    title: str = ""

    @property
    def alignment(self) -> str:
        """A letter for each column."""
        return self.align or "l".ljust(len(self.header), "r")


def tables(found: Evaluation) -> list[TextTable]:
    """Return all tables: scores, parts of error rates, buckets, sentences, oracles."""
    return [
        *_scores(found),
        *_parts(found),
        *_lengths(found),
        *_frequencies(found),
        *_differences(found),
        *_oracles(found),
    ]


def _scores(found: Evaluation) -> Iterator[TextTable]:
    """Yield the scores: a group of rows for each metric, and one for the length ratio."""
    if not found.systems:
        return
    several, drawn = len(found.systems) > 1, found.resamples > 0
    shuffled = several and found.shuffles > 0
    replicas = _has_replicas(found)
    shown = {
        "metric": True,
        "system": True,
        "score": True,
        "±test": drawn,
        "±opt": replicas,
        "95 % interval": drawn,
        "Δ": several,
        "p shuffled": shuffled,
        "p bootstrap": several and drawn,
    }
    groups = []
    for name in found.systems[0].metrics:
        rows = []
        for i, system in enumerate(found.systems):
            result = system.metrics[name]
            cells = zip(shown, [result.title * (not i), system.name, *_cells(result)], strict=True)
            rows.append([cell for column, cell in cells if shown[column]])
        groups.append(rows)
    blank = [""] * (sum(shown.values()) - 3)
    groups.append(
        [
            ["length" * (not i), system.name, f"{system.length_ratio:.3f}", *blank]
            for i, system in enumerate(found.systems)
        ]
    )
    header = [column for column, wanted in shown.items() if wanted]
    yield TextTable(header=header, groups=groups, align="ll".ljust(len(header), "r"))


def _has_replicas(found: Evaluation) -> bool:
    results = (result for system in found.systems for result in system.metrics.values())
    return any(len(result.replicas) > 1 for result in results)


def _cells(result: MetricResult) -> list[str]:
    """Return all cells that follow the name of a system."""
    interval, against = result.interval, result.against_first
    cells = [f"{result.score:.2f}", _number(result.deviation), _number(result.optimizer_deviation)]
    cells.append("" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}")
    if against is None:
        return [*cells, "", "", ""]
    p_values = (_number(against.p_randomization, 4), _number(against.p_bootstrap, 3))
    return [*cells, f"{against.difference:+.2f}", *p_values]


def _parts(found: Evaluation) -> Iterator[TextTable]:
    for name, first in found.systems[0].metrics.items() if found.systems else ():
        if first.parts is None:
            continue
        results = [(system.name, system.metrics[name]) for system in found.systems]
        rows = [
            [title, *(_number(value) for value in (result.score, *(result.parts or {}).values()))]
            for title, result in results
        ]
        yield TextTable(header=["system", first.title, *first.parts], groups=[rows])


def _lengths(found: Evaluation) -> Iterator[TextTable]:
    if found.by_length:
        titles = {name: result.title for name, result in found.systems[0].metrics.items()}
        groups = [
            [
                [
                    title * (not i),
                    bucket.label,
                    f"{bucket.count}",
                    *map(_number, bucket.scores[name]),
                ]
                for i, bucket in enumerate(found.by_length)
            ]
            for name, title in titles.items()
        ]
        header = ["metric", "words", "sentences", *(system.name for system in found.systems)]
        title = "score by the length of the reference"
        align = "ll".ljust(len(header), "r")
        yield TextTable(header=header, groups=groups, title=title, align=align)


def _frequencies(found: Evaluation) -> Iterator[TextTable]:
    if found.by_frequency:
        rows = [
            [bucket.label, f"{bucket.count}", *map(_number, bucket.scores["f1"])]
            for bucket in found.by_frequency
        ]
        header = ["frequency", "words", *(system.name for system in found.systems)]
        yield TextTable(header=header, groups=[rows], title="F1 of words by their frequency")


def _differences(found: Evaluation) -> Iterator[TextTable]:
    for against in found.differences:
        for what, sentences in (("wins", against.wins), ("losses", against.losses)):
            groups = [
                [
                    [f"{one.sentence}" * (not i), "reference", "", reference]
                    for i, reference in enumerate(one.references)
                ]
                + [
                    ["", against.first, _number(one.first_score), one.first_text],
                    ["", against.system, _number(one.score), one.text],
                ]
                for one in sentences
            ]
            title = f"largest {what} of {against.system} against {against.first}"
            header = ["sentence", "", against.metric, "text"]
            if groups:
                yield TextTable(header=header, groups=groups, title=title, align="llrp")


def _oracles(found: Evaluation) -> Iterator[TextTable]:
    if found.oracles is None:
        return
    groups = [
        [
            [
                oracles.title * (not i),
                "all" if row.size is None else f"{row.size}",
                *map(_number, (oracles.first, row.best, row.worst)),
            ]
            for i, row in enumerate(oracles.rows)
        ]
        for oracles in found.oracles.metrics.values()
    ]
    first = "model" if found.oracles.ordered else "first"
    yield TextTable(
        header=["metric", "candidates", first, "best", "worst"],
        groups=groups,
        title=f"what could be chosen from {found.oracles.files}",
    )


def _number(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def notes(found: Evaluation) -> list[str]:
    """Return signatures, and how the numbers were found."""
    scored = found.systems[0] if found.systems else found.oracles
    results = () if scored is None else scored.metrics.values()
    lines = [f"{result.title}|{result.signature}" for result in results]
    judged = [result for result in results if isinstance(result, MetricResult)]
    if lower := [result.title for result in judged if not result.higher_is_better]:
        lines.append(f"{' and '.join(lower)}: lower is better")
    several = len(found.systems) > 1
    random = []
    if found.systems and found.resamples:
        random.append(f"{found.resamples} resampled test sets of {found.sentences} sentences")
    if several and found.shuffles:
        random.append(f"{found.shuffles} shuffles of the {found.exchange}")
    if random:
        lines.append(f"{', '.join(random)}, seed {found.seed}")
    if several:
        lines.append(f"Δ and p are against {found.systems[0].name}")
    if several and found.shuffles and found.exchange == "outputs" and _has_replicas(found):
        lines.append(
            "shuffles take the replicas of a system for independent, as MultEval does: p may be "
            "too small"
        )
    return lines


def markdown(table: TextTable) -> str:
    r"""Return a table in Markdown.

    Examples
    --------
    >>> print(markdown(TextTable(header=["system", "BLEU"], groups=[[["a|b", "26.31"]]])))
    | system | BLEU |
    | --- | ---: |
    | a\|b | 26.31 |
    """
    lines = [table.header, *(row for group in table.groups for row in group)]
    rows = ["| " + " | ".join(map(_plain, line)) + " |" for line in lines]
    rows.insert(1, "| " + " | ".join(RULES[letter] for letter in table.alignment) + " |")
    return "\n".join([*([f"**{_plain(table.title)}**", ""] if table.title else []), *rows])


def _plain(text: str) -> str:
    """Return text without what Markdown or HTML would take for markup, as in <unk> and &apos;."""
    return re.sub(r"([\\`*_~$|\[\]])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def latex(table: TextTable) -> str:
    r"""Return a table in LaTeX, which needs the package booktabs.

    Examples
    --------
    >>> print(latex(TextTable(header=["system", "BLEU"], groups=[[["a_b", "26.31"]]])))
    \begin{tabular}{lr}
    \toprule
    system & BLEU \\
    \midrule
    a\_b & 26.31 \\
    \bottomrule
    \end{tabular}
    """
    rules = ["\\toprule", *["\\midrule"] * len(table.groups)]
    lines = [*([f"% {table.title}"] if table.title else [])]
    columns = table.alignment.replace("p", "p{0.5\\linewidth}")
    lines.append(f"\\begin{{tabular}}{{{columns}}}")
    for rule, group in zip(rules, [[table.header], *table.groups], strict=True):
        lines.append(rule)
        lines += [" & ".join(map(_escape, row)) + " \\\\" for row in group]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


_LATEX = {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "±": "$\\pm$",
    "Δ": "$\\Delta$",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


def _escape(text: str) -> str:
    escaped = re.sub("|".join(map(re.escape, _LATEX)), lambda found: _LATEX[found[0]], text)
    return re.sub(r"^-(?=[\d.]+$)", "$-$", escaped)
