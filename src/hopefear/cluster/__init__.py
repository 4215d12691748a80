"""Work on the machines of a Ray cluster: a connection, and workers that are replaced when lost."""

from hopefear.cluster.connection import LOCAL, connected
from hopefear.cluster.crew import Crew, Member

__all__ = ["LOCAL", "Crew", "Member", "connected"]
