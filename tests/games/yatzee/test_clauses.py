"""Every numbered clause of the rules has a test that names it."""

from __future__ import annotations

import re
from pathlib import Path

from spielwerk.games import yatzee

HERE = Path(__file__).parent
README = Path(yatzee.__file__).parent / "README.md"


def test_each_clause_has_a_test() -> None:
    clauses = set(re.findall(r"^- (\d+)\.(\d+) ", README.read_text("utf-8"), re.MULTILINE))
    tests = "".join(path.read_text("utf-8") for path in HERE.glob("test_*.py"))
    named = set(re.findall(r"^def test_(\d+)_(\d+)_", tests, re.MULTILINE))

    assert len(clauses) > 45
    assert clauses - named == set()
