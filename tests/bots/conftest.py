"""A running rules service with an empty log for each test."""

from client.conftest import house

__all__ = ["house"]
