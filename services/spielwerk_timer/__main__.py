"""Runs the timer service."""

from spielwerk.service import run
from spielwerk_timer.app import serving
from spielwerk_timer.settings import Settings

run("timer", serving, Settings)
