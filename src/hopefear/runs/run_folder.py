"""Where a run was started, relative paths in its settings begin there, and with what data."""

import json
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from hopefear.errors import ConfigError, FormatError
from hopefear.formats import open_output
from hopefear.runs.fingerprints import Fingerprints
from hopefear.runs.settings import TuneSettings
from hopefear.settings import config

__all__ = ["FOLDER_FILE", "load_run_settings", "read_fingerprints", "read_folder", "write_folder"]

FOLDER_FILE = "run.json"


def write_folder(run: Path, folder: Path, fingerprints: Fingerprints) -> None:
    """Let the directory of a run remember where it was started, and with what data."""
    with open_output(run / FOLDER_FILE) as out:
        json.dump({"folder": str(folder), "data": dict(fingerprints)}, out)
        out.write("\n")


def read_folder(run: Path) -> Path:
    """Return where a run was started; here, if that is not known."""
    file = run / FOLDER_FILE
    if not file.is_file():
        return Path.cwd()
    try:
        return Path(str(json.loads(file.read_text(encoding="utf-8"))["folder"]))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{file}: does not say where the run was started: {error!r}") from error


def read_fingerprints(run: Path) -> Fingerprints:
    """Return what a run was started with; nothing, if that is not known."""
    file = run / FOLDER_FILE
    if not file.is_file():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8")).get("data", {})
        return {str(name): str(value) for name, value in found.items()}
    except (OSError, AttributeError, ValueError) as error:
        raise FormatError(f"{file}: does not say what data the run has: {error!r}") from error


def load_run_settings(run: Path) -> TuneSettings:
    """Return the settings of a run, as they are meant here.

    Relative paths are those of the place where the run was started. What is not there any more, the
    whole may have been moved, is looked for from here.
    """
    if run.is_dir() and not (run / "config.toml").exists():
        raise ConfigError(f"{run}: is not the directory of a run: it has no config.toml")
    settings = config.load(TuneSettings, run / "config.toml")
    folder = read_folder(run)
    if folder == Path.cwd():
        return settings
    found: TuneSettings = _from_folder(settings, folder)
    return found


def _from_folder(value: Any, folder: Path) -> Any:
    if isinstance(value, Path):
        place = folder / value
        return place if str(value) != "-" and place.exists() else value
    if isinstance(value, tuple):
        return tuple(_from_folder(item, folder) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        options = [option.name for option in fields(value) if option.init]
        return replace(
            value, **{name: _from_folder(getattr(value, name), folder) for name in options}
        )
    return value
