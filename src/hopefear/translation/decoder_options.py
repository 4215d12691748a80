"""How to decode, and what labels and features are called."""

from dataclasses import dataclass, fields

from hopefear import _core
from hopefear._core import PassThrough
from hopefear.settings import require
from hopefear.translation.features import PassNames

__all__ = ["DecoderOptions", "ModelNames"]


@dataclass(frozen=True, kw_only=True)
class DecoderOptions:
    """How to decode.

    Attributes
    ----------
    max_span : int
        How many source words a rule may cover; 0: any number, which takes time and memory that
        grow with the cube of the sentence's length. Glue rules may cover any number.
    rule_limit : int
        How many rules of each source side are considered, the best ones by their own features and
        words, under the weights of the model whatever weights are given; 0: all.
    identity_rules : bool
        Whether every word may pass as it is, even if there are rules for it.
    number_rules : bool
        Whether words of digits and punctuation may.
    name_rules : bool
        Whether words that begin with a capital letter (Latin, Greek or Cyrillic) may.
    pop_limit : int
        How many candidates cube pruning scores for each node of the chart; 0: all, which is
        exhaustive search and takes time that grows exponentially with the sentence's length.
    beam : float
        Derivations that are worse, and candidates that promise less, than the best of their node of
        the chart by more than this are dropped; 0: none.
    cache_bytes : int
        How much memory is used for rules that were scored already.
    template_cache_bytes : int
        How much memory is used for what feature templates gave to rules already.
    """

    max_span: int = 20
    rule_limit: int = 30
    identity_rules: bool = False
    number_rules: bool = False
    name_rules: bool = False
    pop_limit: int = 200
    beam: float = 0.0
    cache_bytes: int = 100 << 20
    template_cache_bytes: int = 100 << 20

    def __post_init__(self) -> None:
        require.integer(self, "max_span", 0, 65535)
        require.integer(self, "rule_limit", 0)
        require.integer(self, "pop_limit", 0)
        require.non_negative(self, "beam")
        require.integer(self, "cache_bytes", 0)
        require.integer(self, "template_cache_bytes", 0)

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


@dataclass(frozen=True, kw_only=True)
class ModelNames:
    """What labels and features are called.

    Attributes
    ----------
    goal, pass_through : str
        The labels of whole sentences, and of words that pass as they are.
    word_penalty : str
        -1 for each word of a rule's target side; <s> and </s> are such words, as in Moses.
    phrase_penalty : str
        1 for each rule, those that glue and words that pass included.
    unknown_word, identity_rule, number_rule, name_rule : str
        1 for each word that passes: because no rule covers it alone, because every word may, or
        because it is a number or a name.
    """

    goal: str = "S"
    pass_through: str = "X"
    word_penalty: str = "WordPenalty"
    phrase_penalty: str = "PhrasePenalty"
    unknown_word: str = "UnknownWord"
    identity_rule: str = "IdentityRule"
    number_rule: str = "NumberRule"
    name_rule: str = "NameRule"

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
