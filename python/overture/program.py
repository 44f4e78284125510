"""The `overture` program that lies in the package: what `python3 -m overture` runs."""

import os
import shutil

from overture._native import OvertureError


def path() -> str:
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overture")
    found = beside if os.access(beside, os.X_OK) else shutil.which("overture")
    if found is None:
        raise OvertureError("the overture program is neither in the package nor in PATH\n  install both with ./up python")
    return found
