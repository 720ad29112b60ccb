"""Free ports for servers whose address must be known before they start."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

_LOWEST: Final = 10_000
_HIGHEST: Final = 32_000
_BLOCK: Final = 100


def free_ports(count: int) -> list[int]:
    """Different ports of the loopback interface on which nobody listens now."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


@contextmanager
def reserved_ports(count: int) -> Iterator[list[int]]:
    """Ports that are ours to the end of the block, even while nobody listens on them.

    They are below those that the system gives to outgoing connections. A block of them is ours
    while we hold its first one; whoever asks here for others does the same.
    """
    starts = list(range(_LOWEST, _HIGHEST, _BLOCK))
    random.shuffle(starts)
    for start in starts:
        ports = list(range(start + 1, start + 1 + count))
        with socket.socket() as sign:
            if _binds(sign, start) and all(map(_is_free, ports)):
                yield ports
                return
    raise RuntimeError("no ports are left")


def free_port() -> int:
    """One of them."""
    return free_ports(1)[0]


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return _binds(probe, port)


def _binds(probe: socket.socket, port: int) -> bool:
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True
