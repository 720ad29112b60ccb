"""Who sits where, before there is a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spielwerk.errors import InvalidArgument
from spielwerk.games.game import AnyGame


@dataclass(frozen=True, slots=True)
class Sitting:
    """One seat: a player's id, or a bot with its policy (`expert@1`) and information, or nobody."""

    player: str = ""
    bot: str = ""
    policy: str = ""
    information: str = ""

    @property
    def free(self) -> bool:
        """Whether nobody sits here."""
        return not self.player and not self.bot

    def to_json(self) -> dict[str, str]:
        """As it is stored."""
        fields = {
            "player": self.player,
            "bot": self.bot,
            "policy": self.policy,
            "information": self.information,
        }
        return {name: value for name, value in fields.items() if value}


FREE = Sitting()


def sittings_from(stored: Sequence[Mapping[str, str]]) -> tuple[Sitting, ...]:
    """As they were stored."""
    return tuple(Sitting(**entry) for entry in stored)


def bot_sitting(game: AnyGame, strength: str) -> Sitting:
    """A bot of the game; InvalidArgument (bad_bot) if it has none of this strength."""
    policy = game.bots.get(strength)
    if policy is None:
        raise InvalidArgument("bad_bot", f"{game.key} has no bot {strength!r}", strength=strength)
    return Sitting("", strength, policy.policy, policy.information.value)


def bot_sittings(game: AnyGame, seats: int, bots: Mapping[int, str]) -> tuple[Sitting, ...]:
    """A table with bots at some seats; InvalidArgument (bad_seat, bad_bot)."""
    for seat in bots:
        check_seat(seat, seats)
    return tuple(bot_sitting(game, bots[seat]) if seat in bots else FREE for seat in range(seats))


def check_seat(seat: int, seats: int) -> None:
    """InvalidArgument (bad_seat) unless there is such a seat."""
    if not 0 <= seat < seats:
        raise InvalidArgument("bad_seat", f"seats are 0 to {seats - 1}", seat=str(seat))
