"""Reproductions: the tables, figures and claims of the papers, on any corpus."""

from hopefear.reproduction.paper import Figure, Paper, Row, Table
from hopefear.reproduction.reproducing import Reproduction, papers, reproduce

__all__ = ["Figure", "Paper", "Reproduction", "Row", "Table", "papers", "reproduce"]
