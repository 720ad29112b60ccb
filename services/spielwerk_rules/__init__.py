"""Spielwerk's rules service."""
