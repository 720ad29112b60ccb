"""Damages to stored matches, from a flipped bit to a careful forgery."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from audit.playing import GAP
from spielwerk.api.log.v1 import record_pb2
from spielwerk.log.port import Stored

Messages = list[Stored]
Damage = Callable[[Messages, random.Random], tuple[Messages, range]]
"""Damaged messages, and the versions one of which must be named."""

_END_HASH = "Sw-Sha256"


def flip(messages: Messages, rng: random.Random) -> tuple[Messages, range]:
    """One bit anywhere; if what it says is possible, the next record's hash tells."""
    place = rng.randrange(len(messages))
    data = bytearray(messages[place].data)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    messages[place] = replace(messages[place], data=bytes(data))
    return messages, range(place + 1, min(place + 3, len(messages) + 1))


def drop(messages: Messages, rng: random.Random) -> tuple[Messages, range]:
    place = rng.randrange(len(messages))
    del messages[place]
    return messages, range(place + 1, place + 2)


def double(messages: Messages, rng: random.Random) -> tuple[Messages, range]:
    place = rng.randrange(len(messages))
    messages.insert(place + 1, messages[place])
    return renumbered(messages), range(place + 2, place + 3)


def reorder(messages: Messages, rng: random.Random) -> tuple[Messages, range]:
    one, other = sorted(rng.sample(range(len(messages)), 2))
    messages[one], messages[other] = messages[other], messages[one]
    return renumbered(messages), range(one + 1, one + 2)


def insert(messages: Messages, rng: random.Random) -> tuple[Messages, range]:
    """A copy of a record that poses as its successor, with the right hash before it."""
    place = rng.randrange(1, len(messages) - 1)
    message = record_of(messages[place])
    message.version += 1
    message.previous_sha256 = hashlib.sha256(messages[place].data).digest()
    headers = {**messages[place].headers, "Sw-Version": str(message.version)}
    data = message.SerializeToString(deterministic=True)
    messages.insert(place + 1, replace(messages[place], data=data, headers=headers))
    return renumbered(messages), range(place + 2, place + 3)


def cut(messages: Messages, rng: random.Random) -> tuple[Messages, range]:
    place = rng.randrange(len(messages))
    return messages[:place], range(place + 1, place + 2)


def swap(messages: Messages, rng: random.Random) -> tuple[Messages, range]:
    """Two different items of one list of one event change places, the chain is made anew."""
    records = [record_of(message) for message in messages]
    lists = [
        (place, items)
        for place, record in enumerate(records)
        for event in record.events
        if event.HasField("game")
        for items in _lists(event.game)
    ]
    place, items = rng.choice(lists)
    one = rng.randrange(len(items))
    other = rng.choice([n for n, item in enumerate(items) if item != items[one]])
    changed = list(items)
    changed[one], changed[other] = changed[other], changed[one]
    del items[:]
    items.extend(changed)
    return rechained(messages, records), range(place + 1, place + 2)


def another_seed(messages: Messages, rng: random.Random) -> tuple[Messages, range]:
    """Seed, commitment and publication agree, the draws do not."""
    records = [record_of(message) for message in messages]
    seed = rng.randbytes(32)
    records[0].secrets.seed = seed
    records[0].events[0].opened.commitment = hashlib.sha256(seed).digest()
    records[-1].events[-1].ended.seed = seed
    return rechained(messages, records), range(1, len(messages) + 1)


def forged_result(messages: Messages, rng: random.Random) -> tuple[Messages, range]:
    records = [record_of(message) for message in messages]
    standings = records[-1].events[-1].ended.result.standings
    standing = rng.choice(standings)
    field = rng.choice(["place", "won", "score_milli", "rank_n_milli", "rank_games"])
    setattr(standing, field, 1 + getattr(standing, field) if field != "won" else not standing.won)
    return rechained(messages, records), range(len(messages), len(messages) + 1)


DAMAGES: Mapping[str, Damage] = {
    "flip": flip,
    "drop": drop,
    "double": double,
    "reorder": reorder,
    "insert": insert,
    "cut": cut,
    "swap": swap,
    "another_seed": another_seed,
    "forged_result": forged_result,
}


def record_of(message: Stored) -> record_pb2.Record:
    return record_pb2.Record.FromString(message.data)


def renumbered(messages: Sequence[Stored]) -> Messages:
    """New sequences, so that order alone does not tell."""
    return [replace(m, sequence=GAP * n) for n, m in enumerate(messages, start=1)]


def rechained(messages: Sequence[Stored], records: Sequence[record_pb2.Record]) -> Messages:
    """The records with their chain and hashes made anew, as a careful forger would."""
    chained: Messages = []
    for message, record in zip(messages, records, strict=True):
        record.previous_sha256 = hashlib.sha256(chained[-1].data).digest() if chained else b""
        data = record.SerializeToString(deterministic=True)
        headers = dict(message.headers)
        if _END_HASH in headers:
            headers[_END_HASH] = hashlib.sha256(data).hexdigest()
        chained.append(replace(message, data=data, headers=headers))
    return chained


def _lists(message: Message) -> Iterator[Any]:
    """All lists with different items in a message, at any depth."""
    for field, value in message.ListFields():
        if not field.is_repeated:
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                yield from _lists(value)
            continue
        if any(item != value[0] for item in value):
            yield value
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for item in value:
                yield from _lists(item)
