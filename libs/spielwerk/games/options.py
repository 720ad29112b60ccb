"""House rules as a table: each option says its values, its default in each mode and what it
means."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from spielwerk.errors import BadOptions

MODES: Final = ("queue", "room", "practice")


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option: single values and, where given, a range; 0 stands for "none" where it is
    listed."""

    description: str
    values: tuple[Any, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    modes: Mapping[str, Any] = field(default_factory=dict)


def option(
    default: Any,
    description: str,
    *,
    values: Sequence[Any] = (),
    minimum: int | None = None,
    maximum: int | None = None,
    **modes: Any,
) -> Any:
    """Declare a field of an options dataclass; `room=60` gives a mode its own default."""
    spec = OptionSpec(description, tuple(values), minimum, maximum, modes)
    return field(default=default, metadata={"option": spec})


def specs(options: type) -> dict[str, OptionSpec]:
    """The option table of an options class, in declaration order."""
    return {item.name: item.metadata["option"] for item in fields(options)}


def defaults(options: type[Any], mode: str) -> dict[str, Any]:
    """The default of each option in the mode."""
    return {
        item.name: item.metadata["option"].modes.get(mode, item.default) for item in fields(options)
    }


def check(options: Any, *, skipped: Collection[str] = ()) -> None:
    """Raise BadOptions for the first value outside its table; call it in `__post_init__`."""
    for name, spec in specs(type(options)).items():
        value = getattr(options, name)
        if name not in skipped and not _allowed(spec, value):
            raise BadOptions(name, f"{value!r} is not {_describe(spec)}")


def _allowed(spec: OptionSpec, value: Any) -> bool:
    if any(value == known and type(value) is type(known) for known in spec.values):
        return True
    if spec.minimum is None and spec.maximum is None:
        return not spec.values
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    low = spec.minimum is None or value >= spec.minimum
    high = spec.maximum is None or value <= spec.maximum
    return low and high


def _describe(spec: OptionSpec) -> str:
    parts = [str(value) for value in spec.values]
    if spec.minimum is not None or spec.maximum is not None:
        parts.append(f"{spec.minimum}..{'' if spec.maximum is None else spec.maximum}")
    return "one of " + ", ".join(parts)
