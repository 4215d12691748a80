"""The settings of the runs: what differs between them, and all of them."""

import tomllib
from collections.abc import Mapping, Sequence

from hopefear.reporting.markup import element
from hopefear.reporting.page import Section, details, table
from hopefear.reporting.run_record import RunRecord

__all__ = ["configuration_section"]


def configuration_section(runs: Sequence[RunRecord]) -> Section:
    """Return the settings as they were written, and a table of those that are not the same."""
    written = [run for run in runs if run.settings is not None]
    content = []
    tables = [_flat(run.settings or "") for run in written]
    keys = dict.fromkeys(key for flat in tables for key in flat)
    different = [key for key in keys if len({flat.get(key, "") for flat in tables}) > 1]
    if different:
        rows = [[key, *[flat.get(key, "") for flat in tables]] for key in different]
        header = ["setting", *[run.name for run in written]]
        caption = "Settings in which the runs differ."
        content.append(table(header, rows, caption=caption, texts=len(header)))
    for run in written:
        inner = element("pre", element("code", run.settings or ""), tabindex="0")
        content.append(details(f"All settings of {run.name}", inner))
    return Section(title="Configuration", content=content)


def _flat(text: str) -> dict[str, str]:
    """Return the settings by dotted key; none if the text is no TOML."""
    try:
        return dict(_flattened("", tomllib.loads(text)))
    except (ValueError, RecursionError):
        return {}


def _flattened(key: str, value: object) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        inner = [(f"{key}.{name}" if key else str(name), item) for name, item in value.items()]
        return [pair for name, item in inner for pair in _flattened(name, item)]
    return [(key, str(value))]
