"""Overture from Python: embedding tables behind a cache that looks ahead, for any PyTorch model, and the simulator.

    with overture.Tables("clicks.ovd", dim=16, lookahead=200) as tables:
        for batch in tables:
            logits = model(batch.dense, batch.embeddings)
            loss = binary_cross_entropy_with_logits(logits, batch.labels)
            loss.backward()            # the gradients of the rows go back to the tables
            optimizer.step()           # the dense part is yours
            optimizer.zero_grad()

    run = overture.simulate("setup.yaml")
    run.summary["iteration_us"]

Training       Tables, Batch, pack(), unpack(); overture.bagpipe has Bagpipe's interface between processes
Trained models load_torch()
Simulator      simulate(), flows(), bench_collective(), study(), sweep(); each returns a Run
Errors         OvertureError; PartyGone, if another process of a training run is gone

torch is imported when something needs it; the simulator needs numpy alone. The guide is docs/guides/python.md.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from overture._native import OvertureError, PartyGone, version
from overture.batch import Batch
from overture.run import Run
from overture.simulator import bench_collective, flows, simulate, study, sweep
from overture.tables import Tables, pack, unpack

if TYPE_CHECKING:
    import torch

__version__ = version().split()[1]
__all__ = [
    "Batch", "OvertureError", "PartyGone", "Run", "Tables", "bench_collective", "flows", "load_torch", "pack", "program",
    "simulate", "study", "sweep", "unpack", "version",
]


def load_torch(folder: "str | os.PathLike[str]", checkpoint: "str | os.PathLike[str]" = "") -> "torch.nn.Module":
    """The model that `overture train` left in a folder, as a torch.nn.Module.

    model(dense, ids, offsets=None, weights=None) gives a logit per sample; see overture.models. The newest checkpoint is
    read, or the one given.
    """
    from overture import models

    return models.load_torch(folder, checkpoint)


def program() -> str:
    """The path of the `overture` program that belongs to this package."""
    from overture.program import path

    return path()
