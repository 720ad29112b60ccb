"""What a call takes of its caller's reserve: one for most methods, more for long work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# One is about the processor time of GetView (2 ms with its client). Each row says what was measured
# in multiples of it, on matches of 120 to 1,900 records; its cost is that of a match in between.
COSTS: Final[Mapping[str, int]] = {
    # 2 for a snapshot, 5 to 40 to resume: the match is read from its beginning on.
    "/spielwerk.api.v1.MatchService/Watch": 10,
    # 5 to 40 for the smallest page, 10 to 70 for the greatest: read in the same way.
    "/spielwerk.api.v1.MatchService/GetHistory": 20,
    # 4 to 50: the match is read and sent as it is stored.
    "/spielwerk.api.v1.AuditService/GetRecords": 20,
    # 12 to 110: the match is folded anew.
    "/spielwerk.api.v1.AuditService/Replay": 50,
    # 25 to 270: each record is decided and hashed anew.
    "/spielwerk.api.v1.AuditService/Verify": 100,
    # 50 to 150: thousands of first records are read to find a few.
    "/spielwerk.api.v1.AuditService/ListMatches": 100,
    # Not for its time: no address may use up what all together may make a second.
    "/spielwerk.api.v1.AccountService/CreateGuest": 20,
}


def cost_of(method: str) -> int:
    """What a call of `/package.Service/Method` takes."""
    return COSTS.get(method, 1)
