"""What a planted fault is: a change of a right run, and as which kind it must be found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from faults.recorded import Run

Plant = Callable[[Run], None]


@dataclass(frozen=True)
class Planted:
    """`alone`: nothing may be found beside it."""

    plant: Plant
    kind: str
    alone: bool

    @property
    def name(self) -> str:
        return self.plant.__name__


def planted(kind: str, *, alone: bool = True) -> Callable[[Plant], Planted]:
    """Makes a planted fault of a function that changes a run."""
    return lambda plant: Planted(plant, kind, alone)
