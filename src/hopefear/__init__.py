"""hopefear learns the weights of linear models over structured outputs."""
