"""Tokens as a forger would make them, and calls of any method by its name."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import grpc
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf import descriptor_pool

import spielwerk.api.v1 as api
import spielwerk_accounts.keys as signing

Forge = Callable[[signing.SigningKeys], str]


def encoded(
    keys: signing.SigningKeys, /, *, key: Any = None, alg: str = "EdDSA", **over: Any
) -> str:
    """A token like a good one but for `over`; a claim of None is left out."""
    now = int(time.time())
    claims = {
        "sub": "ada",
        "role": "player",
        "iss": "spielwerk",
        "aud": "spielwerk",
        "nbf": now,
        "exp": now + 60,
        **over,
    }
    claims = {name: value for name, value in claims.items() if value is not None}
    headers = {"kid": over.pop("kid", keys.public[0].kid)}
    return jwt.encode(claims, key or keys.private, alg, headers=headers)


def raw(header: object, keys: signing.SigningKeys, signature: bytes = b"") -> str:
    """A token with this header over a good body."""
    body = encoded(keys).split(".")[1]
    head = _base64(header if isinstance(header, bytes) else json.dumps(header).encode())
    return ".".join((head, body, _base64(signature)))


def altered(keys: signing.SigningKeys, **over: Any) -> str:
    """Other claims under the signature of a good token."""
    head, _, tail = encoded(keys).split(".")
    return ".".join((head, encoded(keys, **over).split(".")[1], tail))


def signed_with_public_pem(keys: signing.SigningKeys) -> str:
    """HMAC with the public key's file as the secret, which libraries refuse to make."""
    secret = keys.public[0].key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    unsigned = raw({"alg": "HS256", "kid": keys.public[0].kid}, keys).rpartition(".")[0]
    return f"{unsigned}.{_base64(hmac.digest(secret, unsigned.encode(), hashlib.sha256))}"


NOW = int(time.time())
FORGED: dict[str, Forge] = {
    "empty": lambda _: "",
    "not a token": lambda _: "abc",
    "no algorithm": lambda keys: raw({"alg": "none", "kid": keys.public[0].kid}, keys),
    "no algorithm, in capitals": lambda keys: raw({"alg": "NONE"}, keys),
    "no key id": lambda keys: raw({"alg": "EdDSA"}, keys),
    "a key id that is no text": lambda keys: raw({"alg": "EdDSA", "kid": {"a": 1}}, keys),
    "unknown key id": lambda keys: encoded(keys, kid="another"),
    "public key as HMAC secret": lambda keys: encoded(
        keys, key=json.loads(keys.jwks())["keys"][0]["x"].ljust(64), alg="HS256"
    ),
    "public key file as HMAC secret": signed_with_public_pem,
    "another key under our id": lambda keys: encoded(keys, key=Ed25519PrivateKey.generate()),
    "altered subject": lambda keys: altered(keys, sub="bob"),
    "a player made an operator": lambda keys: altered(keys, role="operator"),
    "a player made an auditor": lambda keys: altered(keys, role="auditor"),
    "a player made a service": lambda keys: altered(keys, role="service:timer"),
    "no signature": lambda keys: encoded(keys).rpartition(".")[0] + ".",
    "cut signature": lambda keys: encoded(keys)[:-4],
    "deep header": lambda keys: raw(b'{"alg":' + b"[" * 2000, keys),
    "expired": lambda keys: encoded(keys, exp=NOW - 60),
    "expired long ago": lambda keys: encoded(keys, exp=1),
    "not yet valid": lambda keys: encoded(keys, nbf=NOW + 3600, exp=NOW + 7200),
    "endless": lambda keys: encoded(keys, exp=None),
    "infinite": lambda keys: encoded(keys, exp=float("inf"), nbf=float("nan")),
    "expiry as text": lambda keys: encoded(keys, exp="4000000000"),
    "no beginning": lambda keys: encoded(keys, nbf=None),
    "other audience": lambda keys: encoded(keys, aud="another"),
    "no audience": lambda keys: encoded(keys, aud=None),
    "other issuer": lambda keys: encoded(keys, iss="another"),
    "no issuer": lambda keys: encoded(keys, iss=None),
    "no subject": lambda keys: encoded(keys, sub=None),
    "empty subject": lambda keys: encoded(keys, sub=""),
    "subject with a wildcard": lambda keys: encoded(keys, sub="p.>"),
    "no role": lambda keys: encoded(keys, role=None),
    "unknown role": lambda keys: encoded(keys, role="root"),
    "list of roles": lambda keys: encoded(keys, role=["player", "operator"]),
    "too long": lambda keys: encoded(keys, padding="x" * 5000),
}


def services_of_ours() -> list[str]:
    """Each service of spielwerk.api.v1, found in the generated package itself."""
    names = []
    for module in Path(str(api.__path__[0])).glob("*_pb2.py"):
        descriptor = import_module(f"spielwerk.api.v1.{module.stem}").DESCRIPTOR
        names += [service.full_name for service in descriptor.services_by_name.values()]
    return names


def methods_of(service: str) -> list[str]:
    """`package.Service/Method` for each method of a service."""
    found = descriptor_pool.Default().FindServiceByName(service).methods
    return [f"{service}/{method.name}" for method in found]


async def first_answer(
    channel: grpc.aio.Channel, method: str, token: str | None
) -> tuple[grpc.StatusCode, str]:
    """Status and message that an empty request gets, for a stream before or with its first message.

    A call that is accepted and says nothing within five seconds counts as OK.
    """
    metadata = [] if token is None else [("authorization", f"Bearer {token}")]
    call = _started(channel, method, metadata)
    try:
        await (call.read() if hasattr(call, "read") else call)
    except grpc.aio.AioRpcError as failed:
        if failed.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return grpc.StatusCode.OK, ""
        return failed.code(), failed.details() or ""
    finally:
        call.cancel()
    return grpc.StatusCode.OK, ""


def _started(channel: grpc.aio.Channel, method: str, metadata: list[tuple[str, str]]) -> Any:
    service, _, name = method.partition("/")
    described = descriptor_pool.Default().FindServiceByName(service).FindMethodByName(name)
    takes, gives = described.client_streaming, described.server_streaming
    kinds: dict[tuple[bool, bool], Callable[[str], Any]] = {
        (False, False): channel.unary_unary,
        (False, True): channel.unary_stream,
        (True, True): channel.stream_stream,
    }
    request: Any = iter((b"",)) if takes else b""
    return kinds[takes, gives](f"/{method}")(request, metadata=metadata, timeout=5)


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
