"""The match around a game: seats, versions, idempotency, deadlines, abort and result. Pure."""
