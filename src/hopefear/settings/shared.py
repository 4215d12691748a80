"""Settings that several commands have."""

from hopefear.settings.declare import setting

__all__ = ["columns_setting", "ignore_setting"]


def columns_setting(group: str = "") -> tuple[str, ...]:
    """Declare the setting ``columns`` of a command that reads tables."""
    found: tuple[str, ...] = setting(
        (),
        "What columns of tables and keys of records are called, as in 'sentence=seg_id' and "
        "'text=mt'.",
        metavar="ROLE=NAME",
        shown="usual names",
        group=group,
    )
    return found


def ignore_setting(group: str = "") -> tuple[str, ...]:
    """Declare the setting ``ignore`` of such a command."""
    found: tuple[str, ...] = setting(
        (),
        "Columns that are no features, although they hold numbers.",
        metavar="NAME",
        group=group,
    )
    return found
