"""Spielwerk's bots service."""
