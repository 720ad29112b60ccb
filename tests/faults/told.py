"""What was provably known when: the real-time order that clients' answers force on the log.

A version that anybody was told before a call began existed when it began. A record whose command
was asked for after an answer came did not exist when it came, and nothing after it did.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate

from faults.history import History, Invocation, Outcome
from faults.witness import Witness

COMMANDS = frozenset({"submit", "resign"})
READS = frozenset({"view", "history"})


class Told:
    """Of one match: bounds on its version by time."""

    def __init__(self, told: Iterable[tuple[float, int]], asked: Iterable[tuple[float, int]]):
        """`told`: (answered at, version); `asked`: (asked at, where the log has the command)."""
        answers, commands = sorted(told), sorted(asked)
        self._answered_at = [at for at, _ in answers]
        self._highest = list(accumulate((version for _, version in answers), max))
        self._asked_at = [at for at, _ in commands]
        self._lowest = list(accumulate((version for _, version in reversed(commands)), min))[::-1]

    def before(self, at: float) -> int:
        """The match had at least this version at the time; 0: nobody had been told of any."""
        count = bisect_left(self._answered_at, at)
        return self._highest[count - 1] if count else 0

    def after(self, at: float) -> int | None:
        """The match had not come to this version at the time; None: nobody can tell."""
        first = bisect_right(self._asked_at, at)
        return self._lowest[first] if first < len(self._lowest) else None


def told_of(witness: Witness, history: History) -> dict[str, Told]:
    """The bounds of all matches of the history."""
    answers: dict[str, list[tuple[float, int]]] = defaultdict(list)
    commands: dict[str, list[tuple[float, int]]] = defaultdict(list)
    places = witness.places()
    for one in history.invocations:
        if one.outcome is Outcome.OK and one.version is not None and one.answered_at is not None:
            answers[one.match_id].append((one.answered_at, one.version))
    for one in given(history):
        for place in places.get((one.match_id, one.command_id), ()):
            commands[one.match_id].append((one.asked_at, place.version))
    ids = answers.keys() | commands.keys()
    return {match_id: Told(answers[match_id], commands[match_id]) for match_id in ids}


def given(history: History) -> Iterator[Invocation]:
    """The commands, each when its id was used first: what came later under it was a repeat, or
    another command that had no chance."""
    seen: set[tuple[str, str]] = set()
    for one in history.invocations:
        key = one.match_id, one.command_id
        if one.operation in COMMANDS and key not in seen:
            seen.add(key)
            yield one
