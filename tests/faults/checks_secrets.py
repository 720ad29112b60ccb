"""Nothing secret in what processes print: searched in every form in which it could be written."""

from __future__ import annotations

import base64
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from faults.history import History
from faults.witness import Witness
from spielwerk.chance import draw_key
from spielwerk.match.model import Joined

_SHORTEST: Final = 12
"""Shorter secrets would be found by chance; a room code has 12 characters."""
_WORD: Final = re.compile(rf"[0-9A-Za-z+/=_.-]{{{_SHORTEST},}}")


def check_secrets(
    witness: Witness,
    _: History,
    *,
    logs: Mapping[str, Iterable[str]],
    secrets: Mapping[str, str | bytes],
) -> list[str]:
    """Lines (by process) with a secret of the log or of the clients (by name); ValueError for a
    secret too short to be searched."""
    needles = _needles({**secrets_of(witness), **secrets})
    faults = []
    for process, lines in logs.items():
        for number, line in enumerate(lines, start=1):
            faults += [f"{process} line {number}: {name}" for name in sorted(_in(line, needles))]
    return faults


def secrets_of(witness: Witness) -> dict[str, bytes]:
    """Seeds, draw keys and entropies of all matches: those of ended ones are public, but no more
    for a log line than the others'."""
    found: dict[str, bytes] = {}
    for match_id in witness.stored:
        records = witness.records(match_id)
        joins = [event for r in records for event in r.events if isinstance(event, Joined)]
        for join in joins:
            if join.entropy:
                found[f"{match_id} entropy of seat {join.seat}"] = join.entropy
        if records and (secrets := records[0].secrets) is not None:
            given = {join.seat: join.entropy for join in joins}
            seats = len(records[0].events[0].occupants)
            key = draw_key(secrets.seed, [given.get(seat, b"") for seat in range(seats)])
            found[f"{match_id} seed"] = secrets.seed
            found[f"{match_id} bot seed"] = secrets.bot_seed
            found[f"{match_id} draw key"] = key
    return found


def forms_of(secret: str | bytes) -> set[str]:
    """How a secret could be printed: as it is, as Python or JSON write it, in hexadecimal, in both
    alphabets of base 64."""
    data = secret.encode() if isinstance(secret, str) else secret
    codes = (base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode())
    forms = {data.hex(), data.hex().upper(), *(code.rstrip("=") for code in codes)}
    if isinstance(secret, str):
        return forms | {secret, secret.replace("-", "")}
    return forms | {repr(secret)[2:-1]}


def _needles(secrets: Mapping[str, str | bytes]) -> dict[int, dict[str, str]]:
    """Name by form, by the length of the form."""
    needles: dict[int, dict[str, str]] = defaultdict(dict)
    for name, secret in secrets.items():
        for form in forms_of(secret):
            if len(form) < _SHORTEST:
                raise ValueError(f"{name} is too short to be searched")
            needles[len(form)][form] = name
    return needles


def _in(line: str, needles: Mapping[int, Mapping[str, str]]) -> Iterator[str]:
    """Names of secrets in a line: windows of its long words are looked up, so that the time does
    not grow with the number of secrets."""
    words = [line] if "\\" in line else _WORD.findall(line)
    for word in words:
        for length, known in needles.items():
            for at in range(len(word) - length + 1):
                if (name := known.get(word[at : at + length])) is not None:
                    yield name
