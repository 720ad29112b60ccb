"""Who may sit at a match: as many as the game has seats, each player once, bots as they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from spielwerk.errors import InvalidArgument
from spielwerk.games.game import AnyGame
from spielwerk.match.model import Bot, Human, Occupant, Opened

_LONGEST_ID = 64
"""No token names a longer subject."""


def seated(game: AnyGame, occupants: Iterable[Occupant]) -> tuple[Occupant, ...]:
    """Those who ask for seats in a new match, bots with the policy by which they will play.

    InvalidArgument (bad_bot) for a policy that this version does not have, (bad_seats) for what no
    player is called. Only new matches are held to it: old ones keep the policies of their time.
    """
    return tuple(_seated(game, occupant) for occupant in occupants)


def check_occupants(game: AnyGame, opened: Opened) -> None:
    """InvalidArgument (bad_seats) if these cannot sit at one table."""
    count = len(opened.occupants)
    if count not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        raise InvalidArgument("bad_seats", f"{count} seats; {game.key} has {least} to {most}")
    players = [o.player_id for o in opened.occupants if isinstance(o, Human)]
    if len(set(players)) != len(players) or not all(players):
        raise InvalidArgument("bad_seats", "each player sits once, by a player id")
    for occupant in opened.occupants:
        if isinstance(occupant, Bot):
            _check_bot(game, occupant)


def _seated(game: AnyGame, occupant: Occupant) -> Occupant:
    if isinstance(occupant, Human):
        if len(occupant.player_id) > _LONGEST_ID:
            raise InvalidArgument("bad_seats", "a player's id is shorter")
        return occupant
    known = game.bots.get(occupant.strength)
    if known is None:
        return occupant  # check_occupants refuses it
    if occupant.policy not in ("", known.policy):
        raise InvalidArgument("bad_bot", f"{occupant.strength} plays by {known.policy}")
    return replace(occupant, policy=known.policy)


def _check_bot(game: AnyGame, bot: Bot) -> None:
    """The public header may not hide that a bot knows everything, nor claim it of another one."""
    policy = game.bots.get(bot.strength)
    if policy is None:
        raise InvalidArgument("bad_seats", f"no bot {bot.strength!r} in {game.key}")
    if bot.information is not policy.information:
        raise InvalidArgument("bad_seats", f"{bot.strength} reads {policy.information}")
