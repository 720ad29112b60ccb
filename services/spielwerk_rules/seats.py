"""Who sits at a match and what that lets a caller see."""

from __future__ import annotations

from spielwerk.errors import FailedPrecondition, PermissionDenied
from spielwerk.games.game import AnyGame, BotInformation, Seat
from spielwerk.match.model import Bot, Match, Phase, WatchPolicy


def seat_in(match: Match, player_id: str) -> Seat:
    """The player's seat; PermissionDenied (no_such_match) tells strangers nothing."""
    seat = match.seat_of(player_id)
    if seat is None:
        raise PermissionDenied("no_such_match")
    return seat


def bot_at(match: Match, seat: Seat) -> Bot:
    """The bot at a seat; FailedPrecondition (not_a_bot) if there is none."""
    occupants = match.opened.occupants
    occupant = occupants[seat] if seat < len(occupants) else None
    if not isinstance(occupant, Bot):
        raise FailedPrecondition("not_a_bot")
    return occupant


def knows_everything(game: AnyGame, bot: Bot) -> bool:
    """Whether the bot is shown what is hidden: its policy reads it, and the match's public header
    says so."""
    policy = game.bots.get(bot.strength)
    reads_all = policy is not None and policy.information is BotInformation.EVERYTHING
    return reads_all and bot.information is BotInformation.EVERYTHING


def viewer_in(match: Match, player_id: str, *, privileged: bool) -> Seat | None:
    """The seat whose view a caller gets; None for a spectator; PermissionDenied (no_such_match)
    otherwise."""
    seat = match.seat_of(player_id)
    if seat is None and not privileged and match.opened.watch is not WatchPolicy.ANYONE:
        raise PermissionDenied("no_such_match")
    return seat


def in_play(match: Match) -> bool:
    """Whether the game's state exists and the match goes on."""
    return match.phase is Phase.PLAYING
