"""Spielwerk's matchmaking service."""
