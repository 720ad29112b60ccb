"""Values of matchmaking as messages of the API."""

from __future__ import annotations

from typing import Final

from spielwerk.api.v1 import match_pb2
from spielwerk_matchmaking.sittings import Sitting

WATCH: Final = {
    "participants": match_pb2.WATCH_POLICY_PARTICIPANTS,
    "anyone": match_pb2.WATCH_POLICY_ANYONE,
}
WATCH_WORDS: Final = {number: word for word, number in WATCH.items()}

ORIGINS: Final = {
    "": match_pb2.ORIGIN_UNSPECIFIED,
    "queue": match_pb2.ORIGIN_QUEUE,
    "room": match_pb2.ORIGIN_ROOM,
    "practice": match_pb2.ORIGIN_PRACTICE,
    "rematch": match_pb2.ORIGIN_REMATCH,
}
ORIGIN_WORDS: Final = {number: word for word, number in ORIGINS.items()}

_INFORMATION: Final = {
    "own_view": match_pb2.BOT_INFORMATION_OWN_VIEW,
    "everything": match_pb2.BOT_INFORMATION_EVERYTHING,
}
_INFORMATION_WORDS: Final = {number: word for word, number in _INFORMATION.items()}


def occupant(sitting: Sitting) -> match_pb2.Occupant:
    """Who sits there; unset for a free seat."""
    if sitting.player:
        return match_pb2.Occupant(human=match_pb2.Human(player_id=sitting.player))
    if sitting.bot:
        bot = match_pb2.Bot(
            strength=sitting.bot,
            policy=sitting.policy,
            information=_INFORMATION[sitting.information],
        )
        return match_pb2.Occupant(bot=bot)
    return match_pb2.Occupant()


def sitting(message: match_pb2.Occupant) -> Sitting:
    """The other way."""
    if message.HasField("human"):
        return Sitting(player=message.human.player_id)
    if message.HasField("bot"):
        bot = message.bot
        return Sitting("", bot.strength, bot.policy, _INFORMATION_WORDS.get(bot.information, ""))
    return Sitting()
