"""Spielwerk: an event-sourced backend for turn-based card and dice games."""
