"""Texts, their normalization and tokens."""
