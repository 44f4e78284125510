"""The oracle cacher, as Bagpipe starts it: `overture oracle`, which takes the same flags."""

import os
import sys

import overture

os.execv(overture.program(), ["overture", "oracle", *sys.argv[1:]])
