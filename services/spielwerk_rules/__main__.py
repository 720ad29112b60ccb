"""Runs the rules service."""

from spielwerk.service import run
from spielwerk_rules.app import serving
from spielwerk_rules.settings import Settings

run("rules", serving, Settings)
