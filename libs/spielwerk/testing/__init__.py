"""Test kit for games and clients: chance whose outcomes are given, matches between bots."""
