"""python3 -m overture ...: the same as the overture program."""

import os
import sys

from overture.program import path

if __name__ == "__main__":
    sys.stdout.flush()
    os.execv(path(), ["overture", *sys.argv[1:]])
