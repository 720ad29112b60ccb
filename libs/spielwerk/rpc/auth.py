"""Who may call what: one table for every method, checked by one layer before any handler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Final

from google.protobuf import descriptor_pool

from spielwerk.errors import PermissionDenied, Unauthenticated
from spielwerk.rpc.handlers import Behaviour, Context, Layer, Method
from spielwerk.rpc.tokens import Caller, Verifier

__all__ = [
    "ACCESS",
    "PUBLIC",
    "Caller",
    "auth_layer",
    "current_caller",
    "missing_methods",
    "service_methods",
]

Roles = frozenset[str]
OnRefused = Callable[[Context, Caller | None], None]
"""Told of each call that is not let in, with its caller if the token was good; may raise what the
call is answered instead."""


def _roles(*roles: str) -> Roles:
    return frozenset(roles)


PUBLIC: Final = _roles("*")
"""No token needed; one that is sent is not looked at, so an expired one does no harm."""
_PLAYER: Final = _roles("player")
_READERS: Final = _roles("player", "auditor", "operator")
_OPERATOR: Final = _roles("operator")
_SERVICE: Final = "service:"
_MATCHMAKING: Final = _roles("service:matchmaking", "operator")
_BOTS: Final = _roles("service:bots")
_TIMER: Final = _roles("service:timer")

ACCESS: Final[Mapping[str, Mapping[str, Roles]]] = {
    "spielwerk.api.v1.MatchService": {
        "GetServerInfo": PUBLIC,
        "ListGames": PUBLIC,
        "GetRules": PUBLIC,
        "CreateMatch": _MATCHMAKING,
        "Join": _PLAYER,
        "Submit": _PLAYER,
        "Play": _PLAYER,
        "Resign": _PLAYER,
        "ListLegal": _PLAYER,
        "GetView": _READERS,
        "Watch": _READERS,
        "GetHistory": _READERS,
        "GetBotTurn": _BOTS,
        "SubmitForBot": _BOTS,
        "ExpireDeadline": _TIMER,
        "AbortMatch": _OPERATOR,
    },
    "spielwerk.api.v1.AuditService": {
        "GetRecords": _READERS,
        "Replay": _READERS,
        "Verify": _READERS,
        "ListMatches": _READERS,
    },
    "spielwerk.api.v1.AccountService": {
        "CreateGuest": PUBLIC,
        "RenewToken": PUBLIC,
        "GetPublicKeys": PUBLIC,
        "GetProfile": _READERS,
        "RenameProfile": _PLAYER,
        "DeleteAccount": _PLAYER,
    },
    "spielwerk.api.v1.MatchmakingService": {
        "Enqueue": _PLAYER,
        "GetTicket": _PLAYER,
        "WatchTicket": _PLAYER,
        "CancelTicket": _PLAYER,
        "CreateRoom": _PLAYER,
        "JoinRoom": _PLAYER,
        "LeaveRoom": _PLAYER,
        "SetSeat": _PLAYER,
        "SetBot": _PLAYER,
        "StartRoom": _PLAYER,
        "GetRoom": _PLAYER,
        "WatchRoom": _PLAYER,
        "StartPractice": _PLAYER,
        "Rematch": _PLAYER,
        "GetRematch": _PLAYER,
        "WatchRematch": _PLAYER,
        "ListOpen": _PLAYER,
    },
    "spielwerk.api.v1.RankingService": {
        "GetBoard": _READERS,
        "GetAround": _READERS,
        "GetStats": _READERS,
    },
    "grpc.health.v1.Health": {"Check": PUBLIC, "List": PUBLIC, "Watch": PUBLIC},
    "grpc.reflection.v1.ServerReflection": {"ServerReflectionInfo": PUBLIC},
    "grpc.reflection.v1alpha.ServerReflection": {"ServerReflectionInfo": PUBLIC},
}

_caller: ContextVar[Caller] = ContextVar("spielwerk_caller")


def current_caller() -> Caller:
    """Who called the running method; `Unauthenticated` in a public one."""
    try:
        return _caller.get()
    except LookupError:
        raise Unauthenticated("token_missing", "this call needs a token") from None


def auth_layer(
    verifier: Verifier, *, certified: bool = False, refused: OnRefused | None = None
) -> Layer:
    """Lets a call through if its token's role is in the method's row of the table.

    `certified`: a service's token alone is not enough, its connection shows a certificate, too.
    """

    def layer(method: Method, behaviour: Behaviour) -> Behaviour:
        allowed = roles_of(method.name)
        if allowed == PUBLIC:
            return behaviour

        async def admitted(request: Any, context: Context) -> Any:
            caller: Caller | None = None
            try:
                caller = verifier.verify(_bearer(context))
                _check_role(caller, allowed)
                if certified:
                    _check_certificate(caller, context)
            except (Unauthenticated, PermissionDenied):
                if refused is not None:
                    refused(context, caller)
                raise
            _caller.set(caller)
            return await behaviour(request, context)

        return admitted

    return layer


def roles_of(full_name: str) -> Roles:
    """Who may call `/package.Service/Method`; nobody if the table does not know it."""
    service, _, method = full_name.removeprefix("/").partition("/")
    return ACCESS.get(service, {}).get(method, _roles())


def service_methods(service: str) -> tuple[str, ...]:
    """The methods of a service by its descriptor; KeyError for an unknown service."""
    descriptor = descriptor_pool.Default().FindServiceByName(service)
    return tuple(method.name for method in descriptor.methods)


def missing_methods(services: Iterable[str]) -> list[str]:
    """Methods of these services that the table does not know, and rows without a method."""
    found = []
    for service in services:
        described, listed = set(service_methods(service)), set(ACCESS.get(service, {}))
        found += [f"{service}/{method}" for method in sorted(described ^ listed)]
    return found


def _check_role(caller: Caller, allowed: Roles) -> None:
    if caller.role not in allowed:
        raise PermissionDenied("role_not_allowed", f"not for the role {caller.role}")


def _check_certificate(caller: Caller, context: Context) -> None:
    """Only a port that has verified one knows of it."""
    if caller.role.startswith(_SERVICE) and "x509_pem_cert" not in context.auth_context():
        raise PermissionDenied("certificate_missing", "services call the internal address")


def _bearer(context: Context) -> str:
    values = [value for key, value in context.invocation_metadata() or () if key == "authorization"]
    if len(values) != 1:
        raise Unauthenticated("token_missing", "one authorization: Bearer token is needed")
    scheme, _, token = str(values[0]).partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthenticated("token_missing", "one authorization: Bearer token is needed")
    return token.strip()
