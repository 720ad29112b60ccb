"""How far a viewer has got in a match: no version twice, none left out."""

from __future__ import annotations

from enum import Enum, auto

from spielwerk.api.v1 import match_pb2


class Verdict(Enum):
    """What to do with a message of a watch."""

    NEXT = auto()
    KNOWN = auto()
    GAP = auto()
    """Versions before it are missing: open the watch again."""


class Progress:
    """The last version that was taken; None: a snapshot must come first."""

    def __init__(self, after: int | None) -> None:
        self.after = after

    def judge(self, message: match_pb2.WatchResponse) -> Verdict:
        """Whether the message is the next one."""
        kind = message.WhichOneof("message")
        if kind == "snapshot":
            return Verdict.NEXT if self.after is None else Verdict.KNOWN
        if self.after is None:
            return Verdict.KNOWN if kind == "keep_alive" else Verdict.GAP
        if kind == "keep_alive":
            return Verdict.GAP if message.keep_alive.version > self.after else Verdict.KNOWN
        ahead = message.update.version - self.after
        if ahead == 1:
            return Verdict.NEXT
        return Verdict.GAP if ahead > 1 else Verdict.KNOWN

    def take(self, message: match_pb2.WatchResponse) -> None:
        """It was handed on."""
        snapshot = message.HasField("snapshot")
        self.after = message.snapshot.version if snapshot else message.update.version

    def request(self, match_id: str) -> match_pb2.WatchRequest:
        """What to ask the server for."""
        return match_pb2.WatchRequest(match_id=match_id, after_version=self.after)
