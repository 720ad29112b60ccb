"""Which names players may have: short, visible, on one line, and no trap for other programs."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from spielwerk.errors import InvalidArgument

LONGEST: Final = 24
"""Unicode code points after normalisation to NFC."""

_MOST_MARKS: Final = 3
# No normal form composes more than this many code points into one; longer texts are not looked at.
_LONGEST_RAW: Final = LONGEST * 4

# Letters, marks, numbers, punctuation and symbols; of the separators the space alone. Controls,
# format characters (bidirectional, zero-width, tags), surrogates, private and unassigned ones fall
# out here.
_VISIBLE: Final = frozenset("LMNPS")
# Invisible, though Unicode calls them letters, marks or symbols.
_BLANK: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE0F))))
)
_MARK_FLOOD: Final = re.compile(f"m{{{_MOST_MARKS + 1}}}|^m")


def valid_name(text: str) -> str:
    """The name in NFC; InvalidArgument with a reason of the name rules otherwise.

    Uniqueness is not asked for: guests are told apart by player id.
    """
    if len(text) > _LONGEST_RAW:
        raise InvalidArgument("name_too_long", f"a name has at most {LONGEST} characters")
    name = unicodedata.normalize("NFC", text)
    if not name:
        raise InvalidArgument("name_empty", "a name has at least one character")
    if len(name) > LONGEST:
        raise InvalidArgument("name_too_long", f"a name has at most {LONGEST} characters")
    if not all(_allowed(char) for char in name):
        raise InvalidArgument("name_characters", "the name has characters that are not allowed")
    if name != " ".join(name.split()):
        raise InvalidArgument("name_spaces", "no spaces at the ends, and one at a time inside")
    if _MARK_FLOOD.search("".join("m" if _is_mark(char) else "." for char in name)):
        raise InvalidArgument("name_marks", f"at most {_MOST_MARKS} combining marks in a row")
    return name


def _allowed(char: str) -> bool:
    if char in _BLANK:
        return False
    return char == " " or unicodedata.category(char)[0] in _VISIBLE


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"
