"""Runs the scoring service."""

from spielwerk.service import run
from spielwerk_scoring.app import serving
from spielwerk_scoring.settings import Settings

run("scoring", serving, Settings)
