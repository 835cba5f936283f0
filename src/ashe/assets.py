"""Where trained players that ship with the project live: `assets/eq`, `assets/champions/NAME`, ..."""

import os
from pathlib import Path

import ashe
from ashe.errors import UserError


def assets_dir() -> Path:
    """`$ASHE_ASSETS`, else the repository's `assets`, found from the package as `conf` is."""
    given = os.environ.get("ASHE_ASSETS")
    folder = Path(given).expanduser() if given else Path(ashe.__file__).resolve().parents[2] / "assets"
    if given and not folder.is_dir():
        raise UserError(f"ASHE_ASSETS is {given}, which is no folder; set it to the repository's assets folder")
    return folder
