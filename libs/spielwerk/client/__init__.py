"""The Python client: typed values, calls that repeat and streams that resume by themselves."""

from spielwerk.client.accounts import Accounts, Profile
from spielwerk.client.connection import Endpoints
from spielwerk.client.fairness import CommitmentBroken, Pledge
from spielwerk.client.match import MatchClient
from spielwerk.client.matchmaking import Matchmaking
from spielwerk.client.meeting import (
    Open,
    Practice,
    RematchOffer,
    RematchState,
    Room,
    RoomState,
    RunningMatch,
    Ticket,
    TicketState,
)
from spielwerk.client.playing import PlayStream
from spielwerk.client.rankings import Board, Period, PeriodKind, PeriodStats, RankEntry, Rankings
from spielwerk.client.retrying import Patience
from spielwerk.client.session import Device
from spielwerk.client.spielwerk import Spielwerk
from spielwerk.client.streams import Following
from spielwerk.client.values import (
    BotInfo,
    Durability,
    GameInfo,
    Legal,
    MatchView,
    OptionInfo,
    Place,
    RuleClause,
    Rules,
    ServerInfo,
    Update,
    Watched,
)
from spielwerk.tls import ClientTls, NamedTls

__all__ = [
    "Accounts",
    "Board",
    "BotInfo",
    "ClientTls",
    "CommitmentBroken",
    "Device",
    "Durability",
    "Endpoints",
    "Following",
    "GameInfo",
    "Legal",
    "MatchClient",
    "MatchView",
    "Matchmaking",
    "NamedTls",
    "Open",
    "OptionInfo",
    "Patience",
    "Period",
    "PeriodKind",
    "PeriodStats",
    "Place",
    "PlayStream",
    "Pledge",
    "Practice",
    "Profile",
    "RankEntry",
    "Rankings",
    "RematchOffer",
    "RematchState",
    "Room",
    "RoomState",
    "RuleClause",
    "Rules",
    "RunningMatch",
    "ServerInfo",
    "Spielwerk",
    "Ticket",
    "TicketState",
    "Update",
    "Watched",
]
