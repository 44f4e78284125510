"""Overture from Python: embedding tables with a cache that looks ahead, for any PyTorch model, and the simulator.

    import overture

    with overture.Tables(data="clicks.ovt", dim=16, lookahead=200) as tables:
        for batch in tables:
            loss = model(batch.dense, batch.embeddings, batch.labels)
            loss.backward()            # the rows' gradients go back to the tables
            optimizer.step()           # of the dense part
            optimizer.zero_grad()

    run = overture.simulate("setup.yaml")
    run.summary["iteration_us"]

Bagpipe's interface over processes is overture.bagpipe, or `from BagPipe import init_cache`.
torch is imported when something asks for it; the simulator needs numpy alone.
"""

from __future__ import annotations

from typing import Any

from overture._native import OvertureError, PartyGone, version
from overture.batch import Batch
from overture.simulator import Run, bench_collective, flows, simulate, study, sweep
from overture.tables import Tables, pack, unpack

__all__ = [
    "Batch", "OvertureError", "PartyGone", "Run", "Tables", "bench_collective", "flows", "load_torch", "pack", "program",
    "simulate", "study", "sweep", "unpack", "version",
]


def load_torch(folder: Any, checkpoint: Any = "") -> Any:
    """The model that `overture train` left in a folder, as a torch.nn.Module; see overture.models."""
    from overture import models

    return models.load_torch(folder, checkpoint)


def program() -> str:
    """Where the `overture` program is that belongs to this package."""
    from overture.program import path

    return path()
