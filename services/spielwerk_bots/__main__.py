"""Runs the bots service."""

from spielwerk.service import run
from spielwerk_bots.app import serving
from spielwerk_bots.settings import Settings

run("bots", serving, Settings)
