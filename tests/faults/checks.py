"""All checks of a run: the log against itself, against what clients asked and were told, and
against what processes printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from faults.checks_boards import BoardRead, check_boards
from faults.checks_commands import check_doubled, check_lost, check_reordered
from faults.checks_log import check_recomputed, check_versions
from faults.checks_meetings import check_double_booking
from faults.checks_reads import check_stale_reads, check_watch_gaps
from faults.checks_refusals import check_false_refusals
from faults.checks_secrets import check_secrets
from faults.checks_timeouts import TOLERANCE_MS, check_timeouts
from faults.history import History
from faults.witness import Witness
from spielwerk.match.model import Outage

ZONE: Final = ZoneInfo("Europe/Berlin")


def check_all(
    witness: Witness,
    history: History,
    *,
    outages: Sequence[Outage] = (),
    tolerance_ms: int = TOLERANCE_MS,
    boards: Sequence[BoardRead] = (),
    zone: ZoneInfo = ZONE,
    logs: Mapping[str, Iterable[str]] | None = None,
    secrets: Mapping[str, str | bytes] | None = None,
) -> dict[str, list[str]]:
    """The faults of a run by the kind of fault; all lists are empty after a right one.

    `logs`: lines by process; `secrets`: of the clients by name (tokens, device secrets, room
    codes); those of the matches are taken from the log.
    """
    checks: dict[str, Callable[[Witness, History], list[str]]] = {
        "lost": check_lost,
        "doubled": check_doubled,
        "reordered": check_reordered,
        "versions": check_versions,
        "recomputed": check_recomputed,
        "false_refusals": check_false_refusals,
        "stale_reads": check_stale_reads,
        "watch_gaps": check_watch_gaps,
        "timeouts": partial(check_timeouts, outages=outages, tolerance_ms=tolerance_ms),
        "double_booking": check_double_booking,
        "boards": partial(check_boards, boards=boards, zone=zone),
        "secrets": partial(check_secrets, logs=logs or {}, secrets=secrets or {}),
    }
    return {name: check(witness, history) for name, check in checks.items()}
