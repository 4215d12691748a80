"""Settings, declared once."""
