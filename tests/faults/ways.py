"""Which processes an installation of the fault rig has, and who talks to whom."""

from __future__ import annotations

from typing import Final

REPLICAS: Final = {
    "rules": 2,
    "matchmaking": 2,
    "timer": 2,
    "scoring": 2,
    "bots": 1,
    "accounts": 1,
}
WITH_STORE: Final = ("matchmaking", "timer", "scoring")
CALLERS: Final = {
    "rules": ("client", "timer", "matchmaking", "bots"),
    "matchmaking": ("client",),
    "scoring": ("client",),
    "accounts": ("client",),
}
"""Who calls a service."""


def kind_of(name: str) -> str:
    """The service that a process is a replica of: `rules` for `rules-1`."""
    return name.partition("-")[0]


def _links() -> list[str]:
    stores = [name for name in NAMES if kind_of(name) in WITH_STORE]
    calls = [(caller, name) for name in NAMES for caller in CALLERS.get(kind_of(name), ())]
    ends = [(name, "nats") for name in NAMES] + [(name, "redis") for name in stores] + calls
    return [f"{source}>{target}" for source, target in ends]


NAMES: Final = [f"{kind}-{number}" for kind, count in REPLICAS.items() for number in range(count)]
"""All service processes."""
LINKS: Final = _links()
"""All ways between two, e.g. `rules-0>nats` or `timer>rules-1` (of all replicas of the timer)."""
