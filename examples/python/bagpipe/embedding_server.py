"""An embedding server, as Bagpipe starts it: `overture server`, which takes the same flags."""

import os
import sys

import overture

os.execv(overture.program(), ["overture", "server", *sys.argv[1:]])
