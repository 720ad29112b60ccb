"""The secrets of a test's own installation, made as an operator makes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


def make_secrets(folder: Path) -> str:
    """Run the script; what it says."""
    script = ROOT / "deploy" / "make_secrets.py"
    done = subprocess.run(
        [sys.executable, script, folder], check=True, capture_output=True, text=True
    )
    return done.stdout


def variables(file: Path) -> dict[str, str]:
    """What a container's environment gets from an env file."""
    return dict(line.split("=", 1) for line in file.read_text().splitlines())
