"""Runs the matchmaking service."""

from spielwerk.service import run
from spielwerk_matchmaking.app import serving
from spielwerk_matchmaking.settings import Settings

run("matchmaking", serving, Settings)
