"""Spielwerk's scoring service."""
