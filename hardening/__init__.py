"""What makes sure that nothing crashes and nothing is lost; see docs/reliability.md."""
