"""A whole installation on a broker of its own."""

from log.whole import installed, server

__all__ = ["installed", "server"]
