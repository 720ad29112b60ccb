"""Writes the Python code of all protos to libs/spielwerk/api; `--check` fails if it is not up to
date."""

from __future__ import annotations

import argparse
import filecmp
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

PROTO = Path(__file__).parent
TARGET = PROTO.parent / "libs" / "spielwerk" / "api"
INIT = '"""Generated from proto/ by proto/generate.py; do not edit."""\n'


def generate(out: Path) -> None:
    """Generate messages, services and their types below `out`."""
    sources = sorted(str(path) for path in PROTO.rglob("*.proto"))
    well_known = str(files("grpc_tools") / "_proto")
    outputs = [f"--{kind}_out={out}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
    if protoc.main(["protoc", f"-I{PROTO}", f"-I{well_known}", *outputs, *sources]):
        raise SystemExit("protoc failed")
    api = out / "spielwerk" / "api"
    for folder in [api, *(path for path in api.rglob("*") if path.is_dir())]:
        (folder / "__init__.py").write_text(INIT)


def main() -> None:
    """Generate in place, or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        fresh = Path(folder) / "spielwerk" / "api"
        if not check:
            shutil.rmtree(TARGET, ignore_errors=True)
            shutil.copytree(fresh, TARGET)
            return
        names = {p.relative_to(fresh) for p in fresh.rglob("*.py*") if p.is_file()}
        there = {
            p.relative_to(TARGET)
            for p in TARGET.rglob("*.py*")
            if p.is_file() and "__pycache__" not in p.parts
        }
        stale = names ^ there
        stale |= {
            name for name in names & there if not filecmp.cmp(fresh / name, TARGET / name, False)
        }
        if stale:
            sys.exit("generated code is stale, run make proto: " + ", ".join(map(str, stale)))


if __name__ == "__main__":
    main()
