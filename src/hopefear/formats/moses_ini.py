"""Writing moses.ini: the old file with new weights in it, and all else as it was."""

from contextlib import ExitStack
from pathlib import Path

from hopefear.errors import FormatError
from hopefear.formats.cdec import CdecWeights
from hopefear.formats.fields import check_name, format_number
from hopefear.formats.files import PathLike, named_file, open_output, open_source
from hopefear.formats.moses import component_names, sections
from hopefear.types import Weights

__all__ = ["write_moses_ini"]


def write_moses_ini(path: PathLike, weights: Weights, template: PathLike) -> None:
    """Write moses.ini as `template` has it, with the values under [weight] replaced.

    A value whose feature is not among `weights` stays: Moses leaves features that cannot be tuned
    out of its n-best lists. Features that the template does not list are sparse. If it names a
    [weight-file], they go to a new one beside `path` (its name and ``.sparse``), with what the old
    one has of other features; otherwise they get lines of their own at the end of [weight].
    """
    lines = _lines(template)
    carriage_return = "\r" if lines[0].endswith("\r") else ""
    sparse = dict(weights)
    end = weight_file = None
    old = ""
    for at, (section, words) in enumerate(sections(lines)):
        if section == "weight" and words:
            end = at + 1
            if words[0].endswith("=") and len(words) > 1:
                lines[at] = _replaced(lines[at], words, weights, sparse)
        elif section == "weight-file" and words and words != ["[weight-file]"]:
            weight_file, old = at, words[0]
    if end is None:
        raise FormatError(f"{template}: has no [weight] section to put weights in")
    with open_output(path) as out, ExitStack() as stack:
        if sparse and weight_file is not None:
            target = Path(f"{path}.sparse").absolute()
            lines[weight_file] = f"{target}{carriage_return}"
            kept = {name: v for name, v in _sparse(template, old).items() if name not in weights}
            # Both files are there at the end, or none of them.
            CdecWeights().write(Weights(kept | sparse), stack.enter_context(open_output(target)))
        else:
            lines[end:end] = [
                f"{check_name(name, 'moses')}= {format_number(value)}{carriage_return}"
                for name, value in sparse.items()
            ]
        out.write("\n".join(lines))
        out.flush()


def _replaced(line: str, words: list[str], weights: Weights, sparse: dict[str, float]) -> str:
    """Return a line of [weight] with its new values, which are taken out of `sparse`."""
    names = component_names(words[0].removesuffix("="), len(words) - 1)
    if not any(name in weights for name in names):
        return line
    values = [
        format_number(sparse.pop(name)) if name in weights else old
        for name, old in zip(names, words[1:], strict=True)
    ]
    content, mark, comment = line.partition("#")
    blanks = content[len(content.rstrip()) :]
    return f"{' '.join([words[0], *values])}{blanks}{mark}{comment}"


def _sparse(template: PathLike, written: str) -> Weights:
    """Return the weights of the [weight-file] that the template names."""
    with open_source(template) as source:
        path = named_file(source, written, "[weight-file]")
    with open_source(path) as source:
        return CdecWeights().read(source)


def _lines(template: PathLike) -> list[str]:
    """Return the lines with all their characters, carriage returns included."""
    with open_source(template) as source:
        data = b"".join(source.pieces())
    try:
        return data.decode().split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{template}:{line}: is not UTF-8 ({error.reason})") from None
