"""The parts that the compiled functions of a codec are made of: lines, enum tables, hints."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from keyword import iskeyword
from typing import Any, Union, get_args, get_origin

from google.protobuf.descriptor import EnumDescriptor

from spielwerk.errors import InvalidArgument

Fill = Callable[[Any, Any], None]
Read = Callable[[Any], Any]


class Source:
    """Lines of a function in the making and the objects they name."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.always = False
        self.names: dict[str, Any] = {}

    def name(self, value: Any) -> str:
        """A name for an object in the function."""
        key = f"x{len(self.names)}"
        self.names[key] = value
        return key

    def filler(self, path: str = "") -> Fill:
        """A function of the lines, for a message or for one that has it at the path."""
        steps = path.split(".") if path else []  # a name may be a word of Python: `pass`
        begin = [f"m = getattr(m, {n!r})" if iskeyword(n) else f"m = m.{n}" for n in steps]
        fill: Fill = self.compile("def f(v, m):\n  " + "\n  ".join([*begin, *self.lines]))
        return fill

    def compile(self, source: str, **more: Any) -> Any:
        """The function `f` of the source."""
        scope = self.names | more
        exec(source, scope)  # as dataclasses does it: one straight function a type
        return scope["f"]


class Members(dict[int, Any]):
    """Enum numbers to members; the unspecified zero and unknown numbers are refused."""

    def __init__(self, field: str, members: Mapping[int, Any]) -> None:
        super().__init__(members)
        self._field = field

    def __missing__(self, number: int) -> Any:
        raise InvalidArgument(
            "bad_request", f"{self._field}: {number} is no choice", field=self._field
        )


@cache
def enum_tables(
    cls: type[Enum], descriptor: EnumDescriptor, field: str
) -> tuple[dict[Any, int], Members]:
    """Members to numbers and back; TypeError if class and proto do not have the same."""
    prefix = descriptor.values_by_number[0].name.removesuffix("UNSPECIFIED")
    ours = {f"{prefix}{member.name}": member for member in cls}
    theirs = {value.name: value.number for value in descriptor.values if value.number}
    if set(ours) != set(theirs):
        raise TypeError(
            f"{cls.__name__} and {descriptor.full_name} differ: {set(ours) ^ set(theirs)}"
        )
    numbers = {member: theirs[name] for name, member in ours.items()}
    return numbers, Members(field, {number: member for member, number in numbers.items()})


def refuse_missing(name: str) -> Callable[[], Any]:
    """What is called for a field that must be set and is not."""

    def missing() -> Any:
        raise InvalidArgument("bad_request", f"{name} is missing", field=name)

    return missing


def without_none(hint: Any) -> tuple[bool, Any]:
    """Whether None is allowed, and the hint without it."""
    if get_origin(hint) not in (Union, types.UnionType):
        return False, hint
    rest = tuple(arg for arg in get_args(hint) if arg is not type(None))
    optional = len(rest) < len(get_args(hint))
    return optional, rest[0] if len(rest) == 1 else Union[rest]  # noqa: UP007 - built at run time


def varint(number: int) -> Iterator[int]:
    """The bytes of a protobuf varint."""
    while number > 0x7F:
        yield number & 0x7F | 0x80
        number >>= 7
    yield number
