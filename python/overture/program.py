"""The `overture` program that lies in the package: what `python3 -m overture` runs."""

import os
import shutil
import sys

from overture._native import OvertureError


def path() -> str:
    """The program's path: in the package, or else in PATH."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overture")
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which("overture")
    if found is None or os.path.realpath(found) == os.path.realpath(sys.argv[0]):  # the script of this package
        raise OvertureError("the overture program is neither in the package nor in PATH\n  install both with ./up python")
    return found
