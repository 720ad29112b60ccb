"""Settings of the matchmaking service."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from spielwerk.settings import CommonSettings


class Rate(BaseModel):
    """A limit: `burst` at once, and one more every `interval_ms` after that."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    burst: int = Field(ge=1)
    """At once."""
    interval_ms: int = Field(ge=1)
    """One more every so many ms."""


class MatchmakingSettings(BaseModel):
    """Times and limits; the ones that clients notice are named in matchmaking.proto."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    ghost_ms: int = 15_000
    """A ticket whose client has been silent for so long is over."""
    beat_ms: int = 3_000
    """How often the open watches of this process count as signs of life."""
    refresh_ms: int = 10_000
    """A watch sends the present state at least this often."""
    round_ms: int = 1_000
    """How often all queues are looked through, and abandoned matches are taken over."""
    create_ms: int = 2_000
    """How long one attempt to create a match may take."""
    lease_ms: int = 5_000
    """After so long without success another instance may try; longer than an attempt."""
    settle_ms: int = 6_000
    """After a restart of the store nobody is paired for so long: longer than `lease_ms`, in which a
    match promised before may still be made."""
    creating: int = 32
    """Matches that this process creates at a time."""

    absent_ms: int = 120_000
    """A member of a room (not its host) that was silent for so long loses its seat."""
    room_idle_ms: int = 1_800_000
    """A room where nobody gave a sign of life for so long is closed."""
    room_kept_ms: int = 600_000
    """How long a started room still tells its members the match."""
    offer_ms: int = 60_000
    """How long after the first yes the others may agree to a rematch."""
    rematch_ms: int = 600_000
    """How long after the end of a match a rematch is possible."""
    fold_patience_ms: int = 2_000
    """How long a call waits for the end of a match that the log has just got."""
    end_patience_ms: int = 300
    """How long a player counts as being in a match whose end the log may have just got."""
    request_ms: int = 86_400_000
    """How long request ids are remembered."""

    rated: Literal["usual", "any"] = "usual"
    """Which matches of people count in the rankings: those with the game's usual house rules, or
    all. House rules can make a high score cheap."""

    tickets_per_player: int = 8
    """Open tickets of one player."""
    tickets: int = 100_000
    """Open tickets of all."""
    rooms_per_player: int = 8
    """Open rooms in which one player sits."""
    practices_per_player: int = 20
    """Running practice matches of one player."""
    enqueue_rate: Rate = Rate(burst=30, interval_ms=500)
    """Tickets that one player takes."""
    room_rate: Rate = Rate(burst=5, interval_ms=5_000)
    """Rooms that one player makes."""
    practice_rate: Rate = Rate(burst=10, interval_ms=3_000)
    """Practice matches that one player begins."""
    guess_rate: Rate = Rate(burst=10, interval_ms=6_000)
    """Wrong room codes of one player."""
    address_rate: Rate = Rate(burst=200, interval_ms=500)
    """Wrong room codes from one network address; many players may share it."""


class Settings(CommonSettings):
    """Everything the matchmaking service reads from its environment."""

    matchmaking: MatchmakingSettings = MatchmakingSettings()
    keeps_in_store: ClassVar[bool] = True
