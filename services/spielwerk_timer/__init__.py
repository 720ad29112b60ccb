"""Spielwerk's timer service."""
