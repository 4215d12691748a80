"""hopefear learns the weights of linear models over structured outputs."""

__version__ = "0.1.0"
