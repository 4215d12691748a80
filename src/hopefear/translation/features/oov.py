"""Words that language models do not know.

Dyer et al. (2010), cdec: A decoder, alignment, and learning framework, ACL; Watanabe (2012) has
such a feature for each of two language models, Clark et al. (2014) as the target OOV count.
"""

from hopefear import _core
from hopefear.settings import settings
from hopefear.translation.features.base import templates

__all__ = ["UnknownToLanguageModels"]


@templates.register("oov")
@settings
class UnknownToLanguageModels:
    """Counts the words of the translation that a language model does not know: ``LM0_OOV``.

    There is one such feature for each language model.
    """

    def bind(self, model: _core.TranslationModel) -> _core.RuleTemplate:
        """Return the template for the language models of a model."""
        return _core.OovTemplate(model, [f"{name}_OOV" for name in model.language_model_names])
