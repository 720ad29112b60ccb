"""Prints the expressions of all dashboards as a file of rules, which promtool can check."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

DASHBOARDS: Final = Path(__file__).parent / "dashboards"
_WINDOW: Final = ("$__rate_interval", "1m")
"""What Grafana puts in by itself, and what is as good for a check."""


def expressions() -> Iterator[tuple[str, str]]:
    """Each expression with its place: dashboard, panel and target."""
    for file in sorted(DASHBOARDS.glob("*.json")):
        for panel in json.loads(file.read_text(encoding="utf-8"))["panels"]:
            for target in panel.get("targets", ()):
                place = f"{file.stem}: {panel['title']}: {target['refId']}"
                yield place, target["expr"].replace(*_WINDOW)


def main() -> None:
    """A rule an expression; JSON is YAML."""
    rules = [
        {"record": f"panel:{number}", "expr": expression, "labels": {"place": place}}
        for number, (place, expression) in enumerate(expressions())
    ]
    print(json.dumps({"groups": [{"name": "dashboards", "rules": rules}]}, indent=1))


if __name__ == "__main__":
    main()
