"""How to decode, and what labels and features are called."""

from dataclasses import fields

from hopefear import _core
from hopefear._core import PassThrough
from hopefear.settings import setting, settings
from hopefear.translation.features import PassNames

__all__ = ["DecoderOptions", "ModelNames"]


@settings
class DecoderOptions:
    """Limits of the search for translations, and the extra rules for single words."""

    max_span: int = setting(
        20,
        "Maximum number of source words a rule may cover, glue rules excepted; 0: no limit, which "
        "takes time and memory cubic in the length of the sentence.",
        least=0,
        most=65535,
        group="Decoder",
        option="max-span",
    )
    rule_limit: int = setting(
        30,
        "Maximum number of rules for each source side: the best ones by their own features under "
        "the weights stored in the model; 0: no limit.",
        least=0,
        group="Decoder",
        option="rule-limit",
    )
    identity_rules: bool = setting(
        False, "Let every word be copied to the output, even if rules cover it.", group="Decoder"
    )
    number_rules: bool = setting(
        False, "Let words made of digits and punctuation be copied to the output.", group="Decoder"
    )
    name_rules: bool = setting(
        False,
        "Let words that start with a Latin, Greek or Cyrillic capital be copied to the output.",
        group="Decoder",
    )
    pop_limit: int = setting(
        200,
        "Number of candidates that cube pruning scores for each chart node; more is slower and "
        "more accurate; 0: no limit, which takes time exponential in the length of the sentence.",
        least=0,
        group="Decoder",
        option="pop-limit",
    )
    beam: float = setting(
        0.0,
        "Drop derivations and candidates that score worse than the best of their chart node by "
        "more than this; smaller is faster; 0: keep all.",
        least=0,
        group="Decoder",
        option="beam",
    )
    cache_bytes: int = setting(
        100 << 20, "Memory for caching scored rules.", least=0, group="Decoder", metavar="BYTES"
    )
    template_cache_bytes: int = setting(
        100 << 20,
        "Memory for caching the features that templates computed for rules.",
        least=0,
        group="Decoder",
        metavar="BYTES",
    )

    def core(self) -> _core.DecoderOptions:
        """Return what the core needs of it."""
        options = _core.DecoderOptions()
        options.rule_limit = self.rule_limit
        options.identity_rules = self.identity_rules
        options.number_rules = self.number_rules
        options.name_rules = self.name_rules
        options.pop_limit = self.pop_limit
        options.beam = self.beam
        options.cache_bytes = self.cache_bytes
        return options


@settings
class ModelNames:
    """Names of the decoder's own labels and features."""

    goal: str = setting("S", "Label of whole sentences.")
    pass_through: str = setting("X", "Label of words that are copied to the output.")
    word_penalty: str = setting(
        "WordPenalty", "Feature: -1 for each target word of a rule, <s> and </s> included."
    )
    phrase_penalty: str = setting(
        "PhrasePenalty", "Feature: 1 for each rule, glue rules and copied words included."
    )
    unknown_word: str = setting(
        "UnknownWord", "Feature: 1 for each word that is copied because no rule covers it alone."
    )
    identity_rule: str = setting(
        "IdentityRule", "Feature: 1 for each word that is copied by an identity rule."
    )
    number_rule: str = setting("NumberRule", "Feature: 1 for each number that is copied.")
    name_rule: str = setting("NameRule", "Feature: 1 for each name that is copied.")

    def passing(self) -> PassNames:
        """Return what rules of words that pass are called."""
        return PassNames(
            label=self.pass_through,
            features={
                PassThrough.unknown: self.unknown_word,
                PassThrough.identity: self.identity_rule,
                PassThrough.number: self.number_rule,
                PassThrough.proper_name: self.name_rule,
            },
        )

    def core(self) -> _core.ModelNames:
        """Return them as the core needs them."""
        names = _core.ModelNames()
        for field in fields(self):
            setattr(names, field.name, getattr(self, field.name))
        return names
