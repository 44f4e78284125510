"""Bagpipe's interface: a trainer that meets an oracle and embedding servers as processes.

    bp = init_cache(emb_size=48, ln_emb=[...], cache_size=5_000_000, device="cpu", worker_id=1, world_size=4,
                    training_worker_id=0, trainer_world_size=2,
                    emb_optim=torch.optim.SGD, emb_optim_params={"lr": 0.01})
    example = bp.next_batch()
    embeddings = bp.get_emb(example["sparse_vector"])

The oracle and the servers are `overture oracle` and `overture server`; docs/guides/python.md starts all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Callable, Sequence

from overture import _native, _optimizers
from overture._arguments import whole, wholes
from overture._native import OvertureError
from overture._owner import Owner
from overture.batch import Batch


class BagCache:
    """A trainer's cache of embeddings, filled ahead of time; what init_cache() gives."""

    def __init__(self, owner: Owner):
        self._owner = owner

    def next_batch(self, counter: "int | None" = None) -> Batch:
        """This trainer's share of the next batch: dense_x, sparse_vector and target.

        The gradients of the batch before must have come back. Raises StopIteration when there are no more.
        """
        batch = self._owner.next_batch()
        if batch is None:
            raise StopIteration("there are no more batches")
        return batch

    def get_emb(self, ls_i: Sequence) -> list:
        """Pooled rows of the batch, a tensor of samples x emb_size per table, which autograd follows.

        `ls_i` is the batch's sparse_vector. Once for a batch: backward() of what is computed from them brings
        their gradients back.
        """
        batch = self._owner.current
        if batch is None:
            raise OvertureError("there is no batch\n  call next_batch() before get_emb()")
        if batch.looked_up:
            raise OvertureError(
                f"get_emb() was called before for batch {batch.step}\n  keep what it gave; a batch is looked up once"
            )
        batch.ids.check_equal(ls_i, batch.step)
        return batch.embeddings

    def __iter__(self) -> "Iterator[Batch]":
        while (batch := self._owner.next_batch()) is not None:
            yield batch

    def save(self) -> str:
        """Lets the oracle write a checkpoint; all trainers call it after the same batch. Says where it is."""
        return self._owner.save()

    @property
    def state(self) -> bytes:
        """What the checkpoint that this run goes on from kept for the model; empty when there is none."""
        return self._owner.native.state

    @property
    def first_step(self) -> int:
        """Steps that an earlier run has trained."""
        return self._owner.native.first_step

    def close(self) -> None:
        """Ends in good order: all trainers take equally many batches, then the oracle ends the run."""
        self._owner.close()

    exit_worker = close

    def __repr__(self) -> str:
        current = self._owner.current
        at = "ended" if self._owner.over else "before its first batch" if current is None else f"at batch {current.step}"
        return f"<overture.bagpipe.BagCache: {len(self._owner.dims)} tables of {self._owner.dims[0]} columns, {at}>"

    def __enter__(self) -> "BagCache":
        return self

    def __exit__(self, kind, error, trace) -> None:
        if error is not None:
            self._owner.abandon(f"the program has ended: {kind.__name__}: {error}")
        else:
            self._owner.close()


def _port(text: str) -> int:
    if not text.isdigit():
        raise OvertureError(f"MASTER_PORT: {text!r} is not a port")
    return int(text)


def init_cache(
    *,
    lookahead_value: int = 200,
    emb_size: int = 1,
    ln_emb: Sequence[int] = (),
    cache_size: int = 25000,
    cleanup_batch_proportion: float = 0.25,
    emb_optim: Any = None,
    emb_optim_params: "dict[str, Any] | None" = None,
    device: str = "cuda:0",
    worker_id: int = 0,
    world_size: "int | None" = None,
    training_worker_id: int = 0,
    trainer_world_size: "int | None" = None,
    ragged: bool = False,
    logger: Any = None,
    master_ip: "str | None" = None,
    master_port: "int | None" = None,
    timeout: int = 60,
    state: "Callable[[], bytes] | None" = None,
    threads: int = 1,
) -> BagCache:
    """Meets the oracle, the other trainers and the servers, and gives this trainer's cache.

    The arguments up to trainer_world_size are Bagpipe's, and mean the same. What they say of lookahead, rows and
    optimizer must be what the oracle was told, if it was. The oracle is at MASTER_ADDR and MASTER_PORT unless
    `master_ip` and `master_port` say otherwise. `state` is called for the bytes of your model when a checkpoint
    is written. `ragged` and `logger` do nothing: lists of any length are recognised in the data.
    """
    if world_size is None or trainer_world_size is None:
        missing = "world_size" if world_size is None else "trainer_world_size"
        raise OvertureError(f"{missing}: is missing\n  it counts {'all processes' if world_size is None else 'the trainers'}")
    rows = wholes("ln_emb", ln_emb, 1)
    if not rows:
        raise OvertureError("ln_emb: is empty\n  give the number of rows of each table")
    if emb_optim is None:
        raise OvertureError("emb_optim: is missing\n  give a class such as torch.optim.SGD")
    for name, value, least in (("worker_id", worker_id, 1), ("world_size", world_size, 1), ("trainer_world_size", trainer_world_size, 1),
                               ("lookahead_value", lookahead_value, 1), ("emb_size", emb_size, 1), ("cache_size", cache_size, 1)):
        whole(name, value, least)
    if training_worker_id != worker_id - 1:
        raise OvertureError(
            f"training_worker_id: {training_worker_id} is not one for worker_id {worker_id}\n"
            "  trainers are processes 1, 2, ..., and trainers 0, 1, ... of all trainers"
        )
    from overture import _autograd

    wanted = _autograd.checked_device(device)
    optimizer = _optimizers.section(emb_optim, emb_optim_params, ("emb_optim", "emb_optim_params"))
    keys = {
        "model.kind": "external",
        "tables.dim": emb_size,
        "tables.rows": "-".join(map(str, rows)),
        "cache.lookahead": lookahead_value,
        "cache.capacity": cache_size,
        "cache.cleanup_proportion": cleanup_batch_proportion,
        **{f"table_optimizer.{key}": value for key, value in optimizer.items()},
    }
    if threads != 1:
        keys["threads"] = threads
    native = _native.BagpipeTables(
        worker_id,
        world_size,
        trainer_world_size,
        master_ip or os.environ.get("MASTER_ADDR") or "127.0.0.1",
        master_port or _port(os.environ.get("MASTER_PORT") or "18000"),
        timeout,
        [f"{key}={value}" for key, value in keys.items()],
    )
    return BagCache(Owner(native, state, wanted).begin())
