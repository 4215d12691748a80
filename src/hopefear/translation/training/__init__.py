"""Training of translation models from texts: align, extract, estimate."""
