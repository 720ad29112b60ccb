"""Pure rules engines, one folder a game."""
