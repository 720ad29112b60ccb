"""What a house that breaks its word would tell: falsifies messages in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message

from client.middleman import Falsify
from spielwerk.chance import commitment
from spielwerk.client import MatchClient

OTHER = bytes(range(32))
"""Another seed or entropy than any that was drawn."""


def every(kind: str, message: Message) -> Iterator[Any]:
    """All messages of one kind inside another one."""
    if message.DESCRIPTOR.name == kind:
        yield message
    for described, value in message.ListFields():
        if described.message_type is None or described.message_type.GetOptions().map_entry:
            continue
        for inner in [value] if isinstance(value, Message) else value:
            yield from every(kind, inner)


def another_commitment(answer: Message) -> None:
    for opened in every("Opened", answer):
        opened.commitment = commitment(OTHER)


def another_bot_commitment(answer: Message) -> None:
    for opened in every("Opened", answer):
        opened.bot_commitment = commitment(OTHER)


def another_seed(answer: Message) -> None:
    for ended in every("Ended", answer):
        ended.seed = OTHER


def another_bot_seed(answer: Message) -> None:
    for ended in every("Ended", answer):
        ended.bot_seed = OTHER


def another_entropy(answer: Message) -> None:
    for joined in every("Joined", answer):
        joined.entropy = OTHER


def no_entropy(answer: Message) -> None:
    for joined in every("Joined", answer):
        joined.entropy = b""


def no_join(answer: Message) -> None:
    for update in every("MatchUpdate", answer):
        left = [event for event in update.events if not event.HasField("joined")]
        del update.events[:]
        update.events.extend(left)


def another_seed_of(match: MatchClient) -> Falsify:
    """Only of this match."""

    def falsify(answer: Message) -> None:
        for update in every("MatchUpdate", answer):
            if update.match_id == match.match_id:
                another_seed(update)

    return falsify
