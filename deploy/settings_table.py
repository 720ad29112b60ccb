"""Writes the tables of all settings into OPERATING.md, or checks that they are true.

`make settings` writes them, `make check` checks them. Everything comes from the services' pydantic
models: names, types, defaults, limits and the text under each field.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from spielwerk.settings import CommonSettings

SERVICES: Final = ("rules", "matchmaking", "timer", "scoring", "bots", "accounts")
BEGIN: Final = "<!-- settings: made by `make settings`, not by hand -->"
END: Final = "<!-- end of settings -->"
PAGE: Final = Path(__file__).parent.parent / "OPERATING.md"


def main(arguments: list[str]) -> int:
    """Write the tables; with --check only compare: 1 if the page is not true."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    true = f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"
    if "--check" not in arguments:
        PAGE.write_text(true, encoding="utf-8")
        return 0
    if page == true:
        return 0
    print("OPERATING.md: the settings have changed; run `make settings`", file=sys.stderr)
    return 1


def tables() -> str:
    """One table for what all services read, one for each service's own."""
    common = set(CommonSettings.model_fields)
    sections = [section("Every service", CommonSettings, common)]
    for name in SERVICES:
        model = settings_of(name)
        sections.append(section(name.capitalize(), model, set(model.model_fields) - common))
    return "\n".join(filter(None, sections))


def settings_of(service: str) -> type[CommonSettings]:
    """The settings class of a service: the one that its process reads."""
    module = importlib.import_module(f"spielwerk_{service}.settings")
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, CommonSettings)
        and value is not CommonSettings
    ]
    (model,) = found
    return model


def section(title: str, model: type[BaseModel], names: set[str]) -> str:
    """A heading and a table, or nothing."""
    rows = [
        row
        for name, field in model.model_fields.items()
        if name in names
        for row in rows_of(f"SPIELWERK_{variable(name, field)}", field)
    ]
    if not rows:
        return ""
    head = f"#### {title}\n\n| variable | type | default | meaning |\n|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def rows_of(path: str, field: FieldInfo, lead: str = "") -> Iterator[tuple[str, str, str, str]]:
    """The row of a setting, or those of the section that it is; `lead`: the section's text."""
    kind = field.annotation
    nested = [part for part in (kind, *get_args(kind)) if is_section(part)]
    if nested:
        (kind,) = nested
        values = None if field.is_required() else field.get_default(call_default_factory=True)
        for name, inner in kind.model_fields.items():
            shown = inner if values is None else with_default(inner, getattr(values, name))
            lead = f"{field.description or ''} "
            yield from rows_of(f"{path}__{variable(name, inner)}", shown, lead)
        return
    if not field.description:
        raise SystemExit(f"{path} has no text in its settings model")
    meaning = " ".join((lead + field.description).split()).replace("|", "\\|")
    yield f"`{path}`", type_name(kind) + limits(field), default_of(field), meaning


def is_section(kind: Any) -> bool:
    """Whether a setting of this type is a group of settings."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def with_default(field: FieldInfo, value: Any) -> FieldInfo:
    """The field with the default that the section around it gives it."""
    copy = FieldInfo(annotation=field.annotation, default=value, description=field.description)
    copy.metadata = field.metadata
    return copy


def variable(name: str, field: FieldInfo) -> str:
    """As it is written in the environment."""
    return (field.alias or name).upper()


def type_name(kind: Any) -> str:
    """The type in a reader's words; the choices of a literal."""
    if get_origin(kind) is Annotated:
        return type_name(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(kind))
    inner = [part for part in get_args(kind) if part is not NoneType]
    if inner:
        return " or ".join(type_name(part) for part in inner)
    names = {str: "text", int: "integer", float: "number", bool: "true, false", Path: "path"}
    return names.get(kind, "secret" if kind is SecretStr else kind.__name__)


def limits(field: FieldInfo) -> str:
    """The bounds of a number, as ` (≥ 1, ≤ 5)`."""
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    bounds = [
        f"{sign} {getattr(bound, name)}"
        for bound in field.metadata
        for name, sign in signs.items()
        if getattr(bound, name, None) is not None
    ]
    return f" ({', '.join(bounds)})" if bounds else ""


def default_of(field: FieldInfo) -> str:
    """As one would write it in the environment; nothing where it is unset."""
    value = None if field.is_required() else field.get_default(call_default_factory=True)
    if value is None:
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
