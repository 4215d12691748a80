"""Commands under kills, power cuts, full disks and lack of memory: ``make crash``."""
