"""One number decides which fault happens when, to whom, and for how long."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from faults.ways import LINKS, NAMES, REPLICAS

BROKER: Final = "nats"
STORE: Final = "redis"


class Kind(StrEnum):
    """What can happen."""

    KILL = "kill"  # -9 for a service
    TERM = "term"
    FREEZE = "freeze"  # stopped, later continued
    BROKER_KILL = "broker_kill"
    BROKER_TERM = "broker_term"
    BROKER_FREEZE = "broker_freeze"
    STORE_KILL = "store_kill"
    STORE_FREEZE = "store_freeze"
    STORE_LOSS = "store_loss"  # killed, started with nothing in it
    DELAY = "delay"  # on the way between two processes
    CUT = "cut"  # connections broken, new ones refused
    STALL = "stall"  # nothing gets through, nobody is told
    ONE_WAY = "one_way"  # the same in one direction
    LOST_ACKS = "lost_acks"  # of appended records
    CLOCK_FAST = "clock_fast"  # a process measures the broker's clock wrong
    CLOCK_SLOW = "clock_slow"


@dataclass(frozen=True, slots=True)
class Fault:
    """`amount`: seconds of a delay or of a clock's error, a share for acknowledgements; for
    one_way 1 if it is the answers that do not get through."""

    at_s: float
    kind: Kind
    target: str
    lasts_s: float
    amount: float = 0.0


def schedule(seed: int, minutes: float) -> tuple[Fault, ...]:
    """The faults of a run in the order in which they begin; the same for the same arguments.

    Rounds follow each other: in each everything happens once, each service is killed, and each
    kind of way suffers.
    """
    rng = random.Random(f"faults/{seed}")
    faults = []
    at_s = 0.0
    for kind, target in _rounds(rng):
        at_s += rng.uniform(*_APART_S)
        if at_s > 60 * minutes:
            break
        lasts_s = rng.triangular(*_LASTS_S[kind], _LASTS_S[kind][0])
        faults.append(Fault(at_s, kind, target, lasts_s, _amount(kind, rng)))
    return tuple(faults)


def _rounds(rng: random.Random) -> Iterator[tuple[Kind, str]]:
    while True:
        coming = [(Kind.KILL, f"{name}-{rng.randrange(n)}") for name, n in REPLICAS.items()]
        coming += [(kind, rng.choice(targets)) for kind, targets in _TARGETS.items()]
        ways = rng.sample(_WAYS, len(_WAYS))
        coming += [(kind, rng.choice(way)) for kind, way in zip(_ON_A_WAY, ways, strict=True)]
        rng.shuffle(coming)
        yield from coming


def _amount(kind: Kind, rng: random.Random) -> float:
    match kind:
        case Kind.DELAY:
            return rng.uniform(0.02, 0.3)
        case Kind.CLOCK_FAST | Kind.CLOCK_SLOW:
            return rng.uniform(0.05, 0.2)
        case Kind.LOST_ACKS:
            return rng.choice((0.05, 0.5, 1.0))
        case Kind.ONE_WAY:
            return rng.choice((0.0, 1.0))
        case _:
            return 0.0


_APART_S: Final = (3.0, 5.0)

_LASTS_S: Final[Mapping[Kind, tuple[float, float]]] = {
    Kind.KILL: (0.1, 2.0),
    Kind.TERM: (0.1, 2.0),
    Kind.FREEZE: (0.5, 6.0),
    Kind.BROKER_KILL: (0.1, 3.0),
    Kind.BROKER_TERM: (0.1, 3.0),
    Kind.BROKER_FREEZE: (0.5, 8.0),
    Kind.STORE_KILL: (0.1, 3.0),
    Kind.STORE_FREEZE: (0.5, 6.0),
    Kind.STORE_LOSS: (0.1, 2.0),
    Kind.DELAY: (2.0, 6.0),
    Kind.CUT: (0.1, 3.0),
    Kind.STALL: (0.5, 9.0),
    Kind.ONE_WAY: (0.5, 9.0),
    Kind.LOST_ACKS: (1.0, 4.0),
    Kind.CLOCK_FAST: (5.0, 12.0),
    Kind.CLOCK_SLOW: (5.0, 12.0),
}

_RULES_TO_BROKER: Final = [link for link in LINKS if link.startswith("rules")]
_CLOCKS: Final = [f"{name}>{BROKER}" for name in NAMES if name.startswith(("rules", "timer"))]

_TARGETS: Final[Mapping[Kind, list[str]]] = {
    Kind.TERM: NAMES,
    Kind.FREEZE: NAMES,
    Kind.BROKER_KILL: [BROKER],
    Kind.BROKER_TERM: [BROKER],
    Kind.BROKER_FREEZE: [BROKER],
    Kind.STORE_KILL: [STORE],
    Kind.STORE_FREEZE: [STORE],
    Kind.STORE_LOSS: [STORE],
    Kind.LOST_ACKS: _RULES_TO_BROKER,
    Kind.CLOCK_FAST: _CLOCKS,
    Kind.CLOCK_SLOW: _CLOCKS,
}

_ON_A_WAY: Final = (Kind.DELAY, Kind.CUT, Kind.CUT, Kind.STALL, Kind.STALL, Kind.ONE_WAY)

_WAYS: Final = (
    [link for link in LINKS if link.startswith("client>rules")],
    [link for link in LINKS if link.startswith("client>") and ">rules" not in link],
    [link for link in LINKS if ">rules" in link and not link.startswith("client>")],
    _RULES_TO_BROKER,
    [link for link in LINKS if link.endswith(BROKER) and link not in _RULES_TO_BROKER],
    [link for link in LINKS if link.endswith(STORE)],
)
"""Each kind of way suffers once a round."""
