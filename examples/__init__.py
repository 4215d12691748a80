"""Runnable examples; each is executed by the tests."""
