"""Makes the log of a new installation, where no process of rules may decide that by itself."""

from __future__ import annotations

import argparse

from spielwerk.log.connect import connect
from spielwerk.log.streams import open_streams
from spielwerk.service import read_settings
from spielwerk.settings import CommonSettings


async def new_log(_options: argparse.Namespace) -> int:
    """Make the configured streams where there are none; existing ones are only checked.

    For several instances of rules without a common marker file: they refuse to start without a
    stream, so that a lost one is noticed. Errors as of `ensure_stream`.
    """
    settings = read_settings(CommonSettings)
    allowed = settings.log.model_copy(update={"new_installation": True, "marker_file": None})
    async with connect(settings.nats) as broker:
        for stream in await open_streams(broker, allowed):
            print(f"stream {stream.name} of {stream.created}, {stream.last_sequence} records")
    return 0
