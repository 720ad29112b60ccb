"""Which names are allowed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielwerk.errors import InvalidArgument
from spielwerk_accounts.names import LONGEST, valid_name

ALLOWED = [
    "A",
    "Ada",
    "Ada Lovelace",
    "x" * 24,
    "ÄÖÜ äöü ß",
    "Łukasz Żółć",
    "王小明",
    "さくら",
    "محمد",
    "עברית",
    "สมชาย",
    "हिन्दी",
    "Nguyễn Văn A",
    "🂡 Ace",
    "👍🏽",
    "O'Brien-Smith_42!",
    "ö" * 24,
]
REFUSED = [
    ("", "name_empty"),
    (" ", "name_spaces"),
    (" Ada", "name_spaces"),
    ("Ada ", "name_spaces"),
    ("Ada  L", "name_spaces"),
    ("x" * 25, "name_too_long"),
    ("x" * 2**20, "name_too_long"),
    ("👍" * 25, "name_too_long"),
    ("a\u0301" * 25, "name_too_long"),
    ("a\nb", "name_characters"),
    ("a\r\nb", "name_characters"),
    ("a\tb", "name_characters"),
    ("a\x00b", "name_characters"),
    ("a\x1b[31mb", "name_characters"),
    ("a\x7f", "name_characters"),
    ("a\x85b", "name_characters"),
    ("a\u2028b", "name_characters"),
    ("a\u2029b", "name_characters"),
    ("a\u200bb", "name_characters"),
    ("a\u200db", "name_characters"),
    ("\ufeffa", "name_characters"),
    ("a\u202eb", "name_characters"),
    ("a\u2066b\u2069", "name_characters"),
    ("a\u00adb", "name_characters"),
    ("a\u00a0b", "name_characters"),
    ("a\u3000b", "name_characters"),
    ("\u3164", "name_characters"),
    ("\u2800\u2800", "name_characters"),
    ("a\ufe0eb", "name_characters"),
    ("a\U000e0041", "name_characters"),
    ("a\ue000", "name_characters"),
    ("a\uffff", "name_characters"),
    ("a\U0003fffe", "name_characters"),
    ("\u0301a", "name_marks"),
    ("Z" + "\u0353" * 4, "name_marks"),
    ("Z" + "\u0353" * 23, "name_marks"),
    ("Z" + "\u0353" * 10_000, "name_too_long"),
]


@pytest.mark.parametrize("name", ALLOWED)
def test_a_visible_name_is_kept_in_its_normal_form(name: str) -> None:
    for form in ("NFC", "NFD"):
        given_name = unicodedata.normalize(form, name)
        assert valid_name(given_name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(("name", "reason"), REFUSED, ids=lambda value: ascii(value)[:30])
def test_a_deceptive_or_giant_name_is_refused_with_its_reason(name: str, reason: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        valid_name(name)
    assert caught.value.reason == reason


@given(st.text(max_size=60))
def test_whatever_is_accepted_is_short_printable_and_stable(text: str) -> None:
    try:
        name = valid_name(text)
    except InvalidArgument:
        return
    assert 1 <= len(name) <= LONGEST
    assert name == name.strip()
    assert name.isprintable()
    assert len(name.splitlines()) == 1
    assert valid_name(name) == name
