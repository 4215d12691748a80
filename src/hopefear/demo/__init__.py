"""Demos: a translation system from a bitext, and tuning of generated candidates."""

from hopefear.demo.candidates import run_candidates_demo
from hopefear.demo.generated import generated_corpus
from hopefear.demo.translation import run_demo
from hopefear.demo.verses import choose_corpus

__all__ = ["choose_corpus", "generated_corpus", "run_candidates_demo", "run_demo"]
