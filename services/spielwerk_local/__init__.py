"""Spielwerk's local service."""
