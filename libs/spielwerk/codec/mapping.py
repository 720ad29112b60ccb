"""Compiles, once a type, the functions that fill a message from a dataclass and read it back.

Names agree on both sides: a dataclass field is the message field of the same name; an enum member
HEARTS of Suit is SUIT_HEARTS; a member class CardPlayed of a union is the oneof field whose message
is CardPlayed. What does not agree is a TypeError when the codec is built, never a surprise at run
time.

Messages are filled in place: building nested messages from keyword arguments copies each level once
more.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from itertools import product
from math import prod
from typing import Any, Union, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from spielwerk.codec.source import (
    Fill,
    Read,
    Source,
    enum_tables,
    refuse_missing,
    varint,
    without_none,
)
from spielwerk.errors import InvalidArgument

_SCALARS = (int, str, bool, bytes)
_FEW = 1_000
"""Of how many values the bytes are kept ready."""


@dataclass(frozen=True, slots=True)
class Codec:
    """`fill(value, message)` writes into a message; `read(message)` raises InvalidArgument for what
    cannot be; `within("a.b")` is the `fill` of an enclosing message, in whose field it writes.

    Of a class of few values, `few` names its fields and has the stored bytes of each value.
    """

    message: type[Message]
    fill: Fill
    read: Read
    within: Callable[[str], Fill]
    few: tuple[tuple[str, ...], Mapping[tuple[Any, ...], bytes]] | None = None

    def write(self, value: Any) -> Any:
        """A new message of the value."""
        message = self.message()
        self.fill(value, message)
        return message


def codec(cls: Any, descriptor: Descriptor) -> Codec:
    """The codec of a dataclass, built once; TypeError if class and message do not agree."""
    return _codec(cls, descriptor)


def union_codec(members: Any, descriptor: Descriptor) -> Codec:
    """The codec of a union, built once: a message whose only oneof has one field a member class."""
    return _union_codec(members, descriptor)


@cache
def _codec(cls: Any, descriptor: Descriptor) -> Codec:
    ours, theirs = {f.name for f in fields(cls)}, set(descriptor.fields_by_name)
    if ours != theirs:
        raise TypeError(
            f"{cls.__name__} and {descriptor.full_name} differ: {sorted(ours ^ theirs)}"
        )
    if ours and all(isinstance(hint, type) and issubclass(hint, Enum) for hint in _hints(cls)):
        return _few_values_codec(cls, descriptor)
    writer, reader = Source(), Source()
    for name, hint in get_type_hints(cls).items():
        _field(name, hint, descriptor.fields_by_name[name], writer, reader)
    if not writer.always:
        writer.lines.append("m.SetInParent()")  # else writing any field makes the message present
    body = ", ".join(reader.lines)
    read = reader.compile(f"def f(m):\n  return C({body})", C=cls)
    return Codec(GetMessageClass(descriptor), writer.filler(), read, writer.filler)


@cache
def _union_codec(members: tuple[Any, ...], descriptor: Descriptor) -> Codec:
    oneofs = [o for o in descriptor.oneofs if not _synthetic(o)]
    if len(oneofs) != 1:
        raise TypeError(f"{descriptor.full_name} is not one oneof")
    by_name = {_message_type(f).name: f for f in oneofs[0].fields}
    if set(by_name) != {cls.__name__ for cls in members}:
        differing = set(by_name) ^ {cls.__name__ for cls in members}
        raise TypeError(f"{descriptor.full_name} differs from its classes: {sorted(differing)}")
    names = {cls: by_name[cls.__name__].name for cls in members}
    inner = {cls: codec(cls, _message_type(by_name[cls.__name__])) for cls in members}

    def within(path: str) -> Fill:
        fillers = {cls: inner[cls].within(f"{path}.{names[cls]}".strip(".")) for cls in members}
        return lambda value, message: fillers[type(value)](value, message)

    readers = {names[cls]: inner[cls].read for cls in members}
    read = _union_reader(oneofs[0].name, readers)
    return Codec(GetMessageClass(descriptor), within(""), read, within)


def read_defaults(cls: type, message: Any, defaults: Mapping[str, Any]) -> Any:
    """Read a message whose unset fields take the given defaults (house rules)."""
    values = dict(defaults)
    for target, _ in message.ListFields():
        values[target.name] = _field_reader(cls, message.DESCRIPTOR, target.name)(message)
    return cls(**values)


@cache
def _field_reader(cls: type, descriptor: Descriptor, name: str) -> Read:
    reader = Source()
    hint = get_type_hints(cls)[name]
    _field(name, hint, descriptor.fields_by_name[name], Source(), reader)
    expression = reader.lines[0].removeprefix(f"{name}=")
    read: Read = reader.compile(f"def f(m):\n  return {expression}")
    return read


def _union_reader(oneof: str, readers: Mapping[str, Read]) -> Read:
    def read(message: Any) -> Any:
        which = message.WhichOneof(oneof)
        if which is None:
            raise InvalidArgument("bad_request", f"{oneof} is missing", field=oneof)
        return readers[which](getattr(message, which))

    return read


def _field(name: str, hint: Any, target: FieldDescriptor, w: Source, r: Source) -> None:
    optional, hint = without_none(hint)
    origin = get_origin(hint)
    if origin in (tuple, frozenset):
        _repeated(name, origin, hint, target, w, r)
        return
    if isinstance(origin, type) and issubclass(origin, Mapping):
        _map(name, hint, target, w, r)
        return
    fill, read = _value(name, hint, target, w, r)
    there = f"m.HasField({name!r})"
    if optional:
        w.lines.append(f"if v.{name} is not None: {fill}")
        r.lines.append(f"{name}={read} if {there} else None")
        return
    w.lines.append(fill)
    w.always = True
    if target.message_type is not None:
        missing = r.name(refuse_missing(name))
        read = f"{read} if {there} else {missing}()"
    r.lines.append(f"{name}={read}")


def _value(name: str, hint: Any, target: FieldDescriptor, w: Source, r: Source) -> tuple[str, str]:
    """The statement that fills and the expression that reads one single value."""
    if hint in _SCALARS:
        return f"m.{name} = v.{name}", f"m.{name}"
    if isinstance(hint, type) and issubclass(hint, Enum):
        numbers, members = enum_tables(hint, target.enum_type, name)
        return f"m.{name} = {w.name(numbers)}[v.{name}]", f"{r.name(members)}[m.{name}]"
    inner = _message_codec(hint, target)
    return f"{w.name(inner.fill)}(v.{name}, m.{name})", f"{r.name(inner.read)}(m.{name})"


def _repeated(
    name: str, origin: Any, hint: Any, target: FieldDescriptor, w: Source, r: Source
) -> None:
    if not target.is_repeated:
        raise TypeError(f"{target.full_name} is not repeated")
    item = get_args(hint)[0]
    make = "tuple" if origin is tuple else "frozenset"
    if item in _SCALARS:
        w.lines.append(f"m.{name}.extend(v.{name})")
        r.lines.append(f"{name}={make}(m.{name})")
    elif isinstance(item, type) and issubclass(item, Enum):
        numbers, members = enum_tables(item, target.enum_type, name)
        w.lines.append(f"m.{name}.extend([{w.name(numbers)}[x] for x in v.{name}])")
        r.lines.append(f"{name}={make}([{r.name(members)}[x] for x in m.{name}])")
    else:
        inner = _message_codec(item, target)
        w.lines.append(_fill_many(name, inner, target, w))
        r.lines.append(f"{name}={make}([{r.name(inner.read)}(x) for x in m.{name}])")


def _fill_many(name: str, inner: Codec, target: FieldDescriptor, w: Source) -> str:
    if inner.few is None:
        return f"for x in v.{name}: {w.name(inner.fill)}(x, m.{name}.add())"
    # A pack of cards is written as bytes that are ready: in a tenth of the time.
    names, stored = inner.few
    lead = bytes([*varint(target.number << 3 | 2)])
    ready = {key: lead + bytes([*varint(len(data))]) + data for key, data in stored.items()}
    keys = ", ".join(f"x.{field}" for field in names)
    return f"m.MergeFromString(b''.join([{w.name(ready)}[{keys},] for x in v.{name}]))"


def _map(name: str, hint: Any, target: FieldDescriptor, w: Source, r: Source) -> None:
    value = get_args(hint)[1]
    if value in _SCALARS:
        w.lines.append(f"m.{name}.update(v.{name})")
        r.lines.append(f"{name}=dict(m.{name})")
        return
    inner = _message_codec(value, _message_type(target).fields_by_name["value"])
    w.lines.append(f"for k, x in v.{name}.items(): {w.name(inner.fill)}(x, m.{name}[k])")
    read = r.name(inner.read)
    r.lines.append(f"{name}={{k: {read}(m.{name}[k]) for k in sorted(m.{name})}}")


def _message_codec(hint: Any, target: FieldDescriptor) -> Codec:
    if get_origin(hint) in (Union, types.UnionType):
        return union_codec(get_args(hint), _message_type(target))
    if not is_dataclass(hint):
        raise TypeError(f"{target.full_name}: cannot map {hint}")
    return codec(hint, _message_type(target))


def _message_type(target: FieldDescriptor) -> Descriptor:
    if target.message_type is None:
        raise TypeError(f"{target.full_name} is not a message")
    return target.message_type


def _few_values_codec(cls: type, descriptor: Descriptor) -> Codec:
    """A value of nothing but enums (a card) is one of few: reading finds it in a table."""
    names = [f.name for f in fields(cls)]
    hints = get_type_hints(cls)
    tables = [enum_tables(hints[n], descriptor.fields_by_name[n].enum_type, n) for n in names]
    known: dict[tuple[int, ...], Any] = {}
    w = Source()
    for name, (numbers, _) in zip(names, tables, strict=True):
        w.lines.append(f"m.{name} = {w.name(numbers)}[v.{name}]")

    def make(key: tuple[int, ...]) -> Any:
        members = (table[number] for (_, table), number in zip(tables, key, strict=True))
        return known.setdefault(key, cls(*members))

    key = ", ".join(f"m.{name}" for name in names) + ","
    source = f"def f(m):\n  k = ({key})\n  return known.get(k) or make(k)"
    read, message, fill = (
        Source().compile(source, known=known, make=make),
        GetMessageClass(descriptor),
        w.filler(),
    )
    whole = Codec(message, fill, read, w.filler)
    if prod(len(numbers) for numbers, _ in tables) > _FEW:
        return whole
    stored = {}
    for members in product(*[numbers for numbers, _ in tables]):
        stored[members] = whole.write(cls(*members)).SerializeToString()
    return replace(whole, few=(tuple(names), stored))


def _hints(cls: type) -> Sequence[Any]:
    return list(get_type_hints(cls).values())


def _synthetic(oneof: Any) -> bool:
    """The oneof that protoc makes for one optional field."""
    return len(oneof.fields) == 1 and oneof.name == f"_{oneof.fields[0].name}"
