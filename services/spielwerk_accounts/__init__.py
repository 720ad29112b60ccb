"""Spielwerk's accounts service."""
