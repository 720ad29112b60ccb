"""A whole installation for people at terminals: rules, accounts, matchmaking, bots, scoring."""

from client.conftest import installed

__all__ = ["installed"]
