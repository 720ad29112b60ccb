"""A rules service on a real broker, and a whole installation."""

from client.conftest import installed
from rules.conftest import rules

__all__ = ["installed", "rules"]
