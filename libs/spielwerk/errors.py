"""Every error of ours, by whose fault it is.

SpielwerkError
├── Refused                  definite: nothing happened
│   ├── InvalidArgument      the request can never be right
│   │   └── BadOptions       house rules outside their table
│   ├── FailedPrecondition   right in another state
│   │   ├── Illegal          against the rules of the game
│   │   └── StaleTurn        the turn it answers is not open
│   ├── PermissionDenied     not for this caller, or not to be known by it
│   ├── Unauthenticated      no valid token
│   ├── NotFound
│   ├── AlreadyExists
│   └── ResourceExhausted    a limit; carries when to come back
└── Unclear                  the outcome is open: repeat with the same command id
    └── Unavailable
MatchDamaged                 the log cannot be folded; a bug or a manipulation, never the caller's
fault
"""

from __future__ import annotations

from typing import TypeVar

E = TypeVar("E", bound=Exception)


class SpielwerkError(Exception):
    """Base of the errors that callers see; programs read `reason`, people read the message.

    `reason` is a stable lower_snake word; `metadata` are facts as strings.
    """

    def __init__(self, reason: str, message: str = "", **metadata: str) -> None:
        super().__init__(message or reason.replace("_", " "))
        self.reason = reason
        self.message = message or reason.replace("_", " ")
        self.metadata = metadata
        self.trace_id = ""
        """Of the call that failed with it, if it came from a server: to be quoted in a report."""


class Refused(SpielwerkError):
    """A definite answer: nothing happened."""


class InvalidArgument(Refused):
    """The request can never be right."""


class BadOptions(InvalidArgument):
    """A house rule outside its table; metadata `option` names it."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__("bad_options", f"{option}: {message}", option=option)


class FailedPrecondition(Refused):
    """The request is well formed but not possible in the present state."""


class Illegal(FailedPrecondition):
    """Against the rules of the game; `reason` is one of the game's refusal codes."""


class StaleTurn(FailedPrecondition):
    """The command answers a turn that is not open (any more)."""

    def __init__(self, given: str, opened: str | None) -> None:
        message = f"turn {given!r} is not open"
        super().__init__("stale_turn", message, turn_key=opened or "")


class PermissionDenied(Refused):
    """Not for this caller, or not to be known by it."""


class Unauthenticated(Refused):
    """The call carries no valid token."""


class NotFound(Refused):
    """There is no such thing, and the caller may know that."""


class AlreadyExists(Refused):
    """The id is taken by something else."""


class ResourceExhausted(Refused):
    """A limit is reached; `retry_after` in seconds, if waiting helps."""

    def __init__(
        self, reason: str, message: str = "", *, retry_after: float | None = None, **metadata: str
    ) -> None:
        super().__init__(reason, message, **metadata)
        self.retry_after = retry_after


class Unclear(SpielwerkError):
    """The outcome is open; a repeat with the same id finds out."""


class Unavailable(Unclear):
    """A dependency is missing or too busy; try again after `retry_after` seconds, if it says so."""

    def __init__(
        self, reason: str, message: str = "", *, retry_after: float | None = None, **metadata: str
    ) -> None:
        super().__init__(reason, message, **metadata)
        self.retry_after = retry_after


class MatchDamaged(Exception):
    """The log of one match does not follow the rules of logs; the match is frozen, the others go
    on."""

    def __init__(self, match_id: str, version: int, why: str) -> None:
        super().__init__(f"match {match_id}, record {version}: {why}")
        self.match_id = match_id
        self.version = version
        self.why = why


def retold(error: E) -> E:
    """The same error as an object of its own, for each of many callers.

    An exception that is raised again keeps the frames of each time before, and what is added to its
    metadata for one caller would reach the others.
    """
    again = type(error).__new__(type(error), *error.args)
    vars(again).update(vars(error))
    if isinstance(again, SpielwerkError):
        again.metadata = dict(again.metadata)
    return again
