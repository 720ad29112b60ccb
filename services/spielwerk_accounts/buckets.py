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

from spielwerk.errors import FailedPrecondition, Unavailable
from spielwerk.log.api import ApiError, until_made
from spielwerk.log.connect import Connection
from spielwerk.log.side_streams import replicate
from spielwerk.telemetry.logs import get_logger

_LONGEST_VALUE: Final = 4096
_MAKING_S: Final = 5.0

_log = get_logger(__name__)


class Damaged(FailedPrecondition):
    """What is stored under a key is not what this service writes; repeating does not help."""

    def __init__(self, key: str) -> None:
        super().__init__("account_damaged", "what is stored of the account cannot be read")
        _log.error("not written by accounts", key=key)


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
        """The value of a key, None if it has none; Damaged if it is not ours."""
        with self._reachable():
            try:
                found = await self._store.get(key)
            except nats.js.errors.KeyNotFoundError:
                return None
        return Entry(_read(key, found.value), found.revision or 0)

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

    async def put(self, key: str, value: dict[str, Any]) -> None:
        """Store it under a key, whatever was there."""
        with self._reachable():
            await self._store.put(key, _stored(value))

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

    Reads go to the leader, so they see every acknowledged write. An older bucket gets the present
    number of replicas.
    """
    stream = connection.nc.jetstream()
    try:
        store = await stream.key_value(name)
        await _replicated(connection, name, replicas)
    except nats.js.errors.BucketNotFoundError:
        config = KeyValueConfig(
            name,
            max_value_size=_LONGEST_VALUE,
            ttl=ttl_s,
            storage=StorageType.FILE,
            replicas=replicas,
            direct=False,
        )
        store = await until_made(lambda: stream.create_key_value(config), timeout=_MAKING_S)
    return Bucket(connection, store)


async def _replicated(connection: Connection, name: str, replicas: int) -> None:
    """No reason not to serve: a broker with older rights or with too few servers refuses it."""
    try:
        await replicate(connection, f"KV_{name}", replicas)
    except (ApiError, Unavailable) as error:
        _log.warning("bucket not replicated", bucket=name, replicas=replicas, why=str(error))


def _read(key: str, data: bytes | None) -> dict[str, Any]:
    try:
        value = json.loads(data or b"{}")
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Damaged(key)
    return value


def _stored(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
