"""Chance whose outcomes are given: decks, dice and choices by label, or one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class FixedChance:
    """A `Chance` that draws what a test says.

    An outcome listed `by_label` is given whenever its label is drawn; all other draws take the
    next one of `in_order`. Of a shuffle the first items are enough: the rest follow in canonical
    order. What cannot be the outcome of the draw (a foreign card, a seven on a die) is a
    ValueError; a draw without an outcome is a LookupError that names the label.
    """

    def __init__(
        self, by_label: Mapping[str, Any] | None = None, in_order: Iterable[Any] = ()
    ) -> None:
        self._by_label = dict(by_label or {})
        self._in_order = iter(in_order)
        self.drawn: list[str] = []
        """The labels drawn so far."""

    def shuffle(self, label: str, order: Sequence[T]) -> tuple[T, ...]:
        """The given items first, then the others in canonical order."""
        first = tuple(self._next(label))
        missing = Counter(order)
        missing.subtract(first)
        if any(number < 0 for number in missing.values()):
            raise ValueError(f"{label}: {first!r} is no part of {order!r}")
        rest = []
        for item in order:
            if missing[item] > 0:
                missing[item] -= 1
                rest.append(item)
        return (*first, *rest)

    def die(self, label: str) -> int:
        """The given throw."""
        throw = self._next(label)
        if throw not in range(1, 7):
            raise ValueError(f"{label}: {throw!r} is no throw of a die")
        return int(throw)

    def choose(self, label: str, options: Sequence[T]) -> T:
        """The given option."""
        chosen = self._next(label)
        if chosen not in options:
            raise ValueError(f"{label}: {chosen!r} is not one of {options!r}")
        return options[options.index(chosen)]

    def _next(self, label: str) -> Any:
        self.drawn.append(label)
        if label in self._by_label:
            return self._by_label[label]
        try:
            return next(self._in_order)
        except StopIteration:
            raise LookupError(f"no outcome is given for the draw {label!r}") from None
