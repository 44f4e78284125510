"""python3 -m overture ...: the same as the overture program."""

import os
import sys

from overture.program import path


def main() -> None:
    """Runs the overture program in place of this process."""
    sys.stdout.flush()
    os.execv(path(), ["overture", *sys.argv[1:]])


if __name__ == "__main__":
    main()
