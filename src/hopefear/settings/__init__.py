"""Settings are declared once, as fields of frozen dataclasses; everything else is derived."""

from hopefear.settings.declare import (
    Declaration,
    declaration,
    parse_size,
    setting,
    settings,
    type_hints,
)

__all__ = ["Declaration", "declaration", "parse_size", "setting", "settings", "type_hints"]
