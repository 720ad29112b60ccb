"""Key-value buckets in NATS with our errors: the only storage of accounts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import nats.errors
import nats.js.errors
from nats.js.api import KeyValueConfig, StorageType
from nats.js.kv import KeyValue

from spielwerk.errors import Unavailable
from spielwerk.log.connect import Connection

_LONGEST_VALUE: Final = 4096


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and the revision that an update has to name."""

    value: dict[str, Any]
    revision: int


class Bucket:
    """JSON values by key; conditional writes; `Unavailable` while the broker does not answer."""

    def __init__(self, connection: Connection, store: KeyValue) -> None:
        self._connection = connection
        self._store = store

    async def get(self, key: str) -> Entry | None:
        """The value of a key, None if it has none."""
        with self._reachable():
            try:
                found = await self._store.get(key)
            except nats.js.errors.KeyNotFoundError:
                return None
        return Entry(json.loads(found.value or b"{}"), found.revision or 0)

    async def create(self, key: str, value: dict[str, Any]) -> bool:
        """Store it under a key without a value; False if the key has one, also this very one."""
        with self._reachable():
            try:
                await self._store.create(key, _stored(value))
            except nats.js.errors.KeyWrongLastSequenceError:
                return False
        return True

    async def update(self, key: str, value: dict[str, Any], revision: int) -> bool:
        """Replace the value that `get` gave; False if another one, or none, is there by now."""
        with self._reachable():
            try:
                await self._store.update(key, _stored(value), revision)
            except nats.js.errors.KeyWrongLastSequenceError:
                return False
        return True

    async def erase(self, key: str) -> None:
        """Remove the value and all that the key ever held; a marker without a value stays."""
        with self._reachable():
            await self._store.purge(key)

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        if not self._connection.connected:
            raise Unavailable("accounts_unavailable", "the store of accounts is not reachable")
        try:
            yield
        except (nats.errors.Error, TimeoutError) as error:
            raise Unavailable("accounts_unavailable", "the store does not answer") from error


async def open_bucket(
    connection: Connection, name: str, replicas: int, ttl_s: float | None = None
) -> Bucket:
    """The bucket of this name, made at the first start; values vanish after `ttl_s` seconds.

    Reads go to the leader, so they see every acknowledged write.
    """
    stream = connection.nc.jetstream()
    try:
        store = await stream.key_value(name)
    except nats.js.errors.BucketNotFoundError:
        config = KeyValueConfig(
            name,
            max_value_size=_LONGEST_VALUE,
            ttl=ttl_s,
            storage=StorageType.FILE,
            replicas=replicas,
            direct=False,
        )
        store = await stream.create_key_value(config)
    return Bucket(connection, store)


def _stored(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
