"""A rules service on a real broker."""

from rules.conftest import rules

__all__ = ["rules"]
