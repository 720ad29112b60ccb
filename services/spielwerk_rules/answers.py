"""What a seat is answered for its accepted command."""

from __future__ import annotations

from spielwerk.api.v1 import match_pb2
from spielwerk.codec.match import fill_update
from spielwerk_rules.commands import Accepted


def fill_accepted(accepted: Accepted, response: match_pb2.SubmitResponse) -> None:
    """The answer to Submit, and to the same command in a Play stream."""
    response.repeated = accepted.repeated
    fill_own_update(accepted, response.update)


def fill_own_update(accepted: Accepted, update: match_pb2.MatchUpdate) -> None:
    """The version that the command became, as its seat sees it."""
    match, seat, stored = accepted.match, accepted.seat, accepted.message
    options = match.opened.options
    fill_update(match.game, options, accepted.record, seat, update, stored=stored)
