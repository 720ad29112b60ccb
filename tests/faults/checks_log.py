"""The log by itself: its versions, its chain of hashes, and all of it recomputed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from faults.history import History
from faults.witness import Witness
from spielwerk.log.headers import read_headers
from spielwerk.log.port import Stored
from spielwerk.match.fold import is_end
from spielwerk.match.model import Record
from spielwerk.match.verify import Mismatch


def check_versions(witness: Witness, _: History) -> list[str]:
    """Versions that do not run 1, 2, 3 ... in stream order, several at one version, records that
    do not carry the hash of the one before, and headers that say something else."""
    faults = []
    for match_id, messages in witness.stored.items():
        records = witness.records(match_id)
        versions = [record.version for record in records]
        if versions != list(range(1, len(versions) + 1)):
            faults.append(f"{match_id}: versions {versions}")
        faults += [f"{match_id}: {fault}" for fault in _links(match_id, messages, records)]
    return faults


def check_recomputed(witness: Witness, _: History) -> list[str]:
    """Matches that the rules do not make of their causes and seeds."""
    faults = []
    for match_id in witness.stored:
        try:
            witness.recomputed(match_id)
        except Mismatch as mismatch:
            faults.append(f"{match_id}: {mismatch}")
    return faults


def _links(match_id: str, messages: list[Stored], records: list[Record]) -> Iterator[str]:
    previous, sequence, over = b"", 0, False
    for message, record in zip(messages, records, strict=True):
        headers = read_headers(message.headers)
        sha256 = hashlib.sha256(message.data).digest()
        if record.match_id != match_id:
            yield f"{record.version} is a record of {record.match_id}"
        if record.previous_sha256 != previous:
            yield f"{record.version} does not carry the hash of the record before"
        if message.sequence <= sequence:
            yield f"{record.version} stands at {message.sequence}, after {sequence}"
        if over:
            yield f"{record.version} follows the end"
        if headers is None or headers.version != record.version:
            yield f"{record.version} has the headers of another record"
        elif headers.sha256 not in ("", sha256.hex()):
            yield f"{record.version} has the hash of another record in its header"
        previous, sequence, over = sha256, message.sequence, is_end(record)
