"""Strategies: how blocks, states and lessons flow between learners."""

from hopefear.parallel.base import Strategy, Task, strategies
from hopefear.parallel.mixing import Mixing
from hopefear.parallel.serial import Serial

__all__ = ["Mixing", "Serial", "Strategy", "Task", "strategies"]
