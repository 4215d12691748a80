"""The stages that choose features from a bitext."""

from functools import cache

from hopefear import _core
from hopefear.errors import ConfigError
from hopefear.formats.texts import write_feature_table
from hopefear.translation.features import Collector, templates
from hopefear.translation.model import TemplateFile
from hopefear.translation.training.extract import read_bitext
from hopefear.translation.training.grammar_stages import FoundAlignments
from hopefear.translation.training.normalize import Inputs
from hopefear.translation.training.stages import Figures
from hopefear.translation.training.work import Work, options_of

__all__ = ["make_templates"]


def make_templates(
    work: Work, inputs: Inputs, alignments: FoundAlignments | None
) -> tuple[TemplateFile, ...]:
    """Choose the features of all templates that need a bitext for it."""

    @cache
    def bitext() -> _core.Bitext:
        if inputs.bitext is None or alignments is None:
            raise ConfigError("templates: features are chosen from a bitext, but there is none")
        return read_bitext(*inputs.bitext, alignments[0], work.tell)

    made = []
    for template in work.settings.templates:
        if not isinstance(template, Collector):
            made.append(TemplateFile(template=template))
            continue
        name = templates.name_of(type(template))
        file = f"features-{name}.tsv"

        def choose(template: Collector = template, file: str = file) -> Figures:
            rows = template.collect(bitext(), work.tell)
            return {"rows": write_feature_table(rows, work.out / file)}

        made_from = [*(inputs.bitext or ()), *(alignments or ())[1:]]
        fingerprint = work.fingerprint("features", name, options_of(template), *made_from)
        work.stages.do(f"features-{name}", fingerprint, [file], choose)
        made.append(TemplateFile(template=template, file=file))
    return tuple(made)
