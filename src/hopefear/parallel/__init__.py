"""Strategies: how blocks, states and lessons flow between learners."""

from hopefear.parallel.asynchronous import Asynchronous
from hopefear.parallel.base import Executor, Pass, Strategy, Task, Traffic, strategies, together
from hopefear.parallel.local import Threads
from hopefear.parallel.mixing import Mixing
from hopefear.parallel.serial import Serial

__all__ = [
    "Asynchronous",
    "Executor",
    "Mixing",
    "Pass",
    "Serial",
    "Strategy",
    "Task",
    "Threads",
    "Traffic",
    "strategies",
    "together",
]
