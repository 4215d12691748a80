"""Building a translation system from texts."""
