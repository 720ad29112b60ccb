"""`spielwerk export`: one match of the log as a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from spielwerk.audit.export import write_export
from spielwerk.log.subjects import check_match_id
from spielwerk_local.sources import Source, from_log, open_log


async def export(options: argparse.Namespace) -> int:
    """Write the match to a file, or to the standard output."""
    match_id = check_match_id(options.match_id)
    async with open_log(options.data) as found:
        source = await from_log(found.log, match_id)
    if options.output is None:
        write_export(sys.stdout.buffer, match_id, source.messages())
        return 0
    try:
        count = _write(source, options.output)
    except OSError as error:
        print(f"spielwerk: {options.output}: {error.strerror}", file=sys.stderr)
        return 1
    print(f"{options.output}: {count} messages of match {match_id}", file=sys.stderr)
    return 0


def _write(source: Source, output: Path) -> int:
    """All or nothing: a file of that name is never half an export."""
    fresh = output.with_name(f"{output.name}.new")
    with fresh.open("wb") as out:
        count = write_export(out, source.match_id, source.messages())
    fresh.replace(output)
    return count
