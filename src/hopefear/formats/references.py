"""References as people have them: plain text, or within the files of fairseq and NeMo."""

from hopefear.formats.fairseq import FairseqNBest, fairseq_targets
from hopefear.formats.files import PathLike, open_source
from hopefear.formats.nemo import is_manifest, manifest_texts

__all__ = ["read_reference_lines"]


def read_reference_lines(path: PathLike) -> list[str]:
    """Read one reference for each sentence.

    What fairseq's generate printed has them in its T- lines, a manifest of NeMo as `text`; of any
    other file each line is one.
    """
    with open_source(path) as source:
        if FairseqNBest().sniff(source):
            return fairseq_targets(source)
        if is_manifest(source):
            return manifest_texts(source)
        return [line for _, line in source]
