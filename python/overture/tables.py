"""Embedding tables behind a cache that looks ahead, for a model in PyTorch, on one machine."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable

import numpy as np

from overture import _batches, _native, _optimizers
from overture._native import OvertureError
from overture._owner import Owner
from overture.batch import Batch


def _joined(numbers: "Sequence[int]") -> str:
    return "-".join(str(int(one)) for one in numbers)


def _without_none(section: "dict[str, Any]") -> "dict[str, Any]":
    return {key: value for key, value in section.items() if value is not None}


class Tables:
    """All embedding tables of a model, their rows on servers, a cache before them that looks ahead.

    Oracle and servers are threads of this process. Iterating gives batches; backward() of a loss brings the
    gradients of the rows back, and they are updated beside whatever the program does next.

    Args:
        data: a file of any format that `overture convert` reads; a mapping as the `data` section of a setup,
            such as {"synthetic": "kaggle", "scale": 0.01, "samples": 100_000}; or an iterable of batches of your
            own, such as a torch DataLoader: each a mapping with `ids`, `dense`, `labels` and, where samples have
            any number of ids, `offsets` and `weights`, or a tuple ids, offsets, dense, labels.
        dim: columns of a row. dims: the same for each table.
        rows: of each table; the data's unless given. Batches of your own need it.
        lookahead: batches that the planner sees.
        batch_size: samples of a batch; batches of your own have the size that they have.
        optimizer: of rows: "sgd", "adagrad" (row-wise), "adam", or a class of torch.optim; with optimizer_params.
        pooling: of several ids of a sample in a table: "sum", "mean" or "weighted".
        checkpoints: a folder for save(). resume: go on from the newest checkpoint there.
        state: called for the bytes of your model when a checkpoint is written, which then is also done at the
            end; see pack().
        device: where embeddings are wanted; tables are in this machine's memory.
        setup: further sections of `overture train`'s setup.
    """

    def __init__(
        self,
        data: Any,
        *,
        dim: int = 16,
        dims: "Sequence[int] | None" = None,
        rows: "Sequence[int] | None" = None,
        lookahead: int = 200,
        batch_size: int = 2048,
        steps: int = 0,
        optimizer: Any = "sgd",
        optimizer_params: "dict[str, Any] | None" = None,
        pooling: str = "sum",
        cache_rows: "int | None" = None,
        prefetch_depth: "int | None" = None,
        cleanup_interval: "int | None" = None,
        servers: int = 1,
        threads: int = 1,
        seed: int = 1,
        checkpoints: "str | os.PathLike[str] | None" = None,
        keep_every: int = 0,
        resume: bool = False,
        state: "Callable[[], bytes] | None" = None,
        device: Any = "cpu",
        setup: "dict[str, Any] | None" = None,
    ):
        if lookahead < 1:
            raise OvertureError(f"lookahead: {lookahead} is less than 1")
        if optimizer_params is None and isinstance(optimizer, str):
            optimizer_params = {"lr": 0.01}
        source, section = self._data(data, rows)
        self._first = None
        dense_features = 0
        if source is not None:
            self._first = next(source, None)
            if self._first is None:
                raise OvertureError("data: there are no batches")
            dense_features = _batches.arrays(self._first, len(rows or ()), 0)[0].shape[1]
        whole = {
            "seed": seed,
            "data": section,
            "batch_size": batch_size,
            "steps": steps,
            "model": {"kind": "external"},
            "tables": _without_none({
                "dim": dim,
                "dims": None if dims is None else _joined(dims),
                "rows": None if rows is None else _joined(rows),
                "pooling": pooling,
            }),
            "table_optimizer": _optimizers.section(optimizer, optimizer_params),
            "cache": _without_none({
                "lookahead": lookahead,
                "prefetch_depth": prefetch_depth,
                "cleanup_interval": cleanup_interval,
                "capacity": cache_rows,
            }),
            "servers": servers,
            "threads": threads,
            **(setup or {}),
        }
        self._checkpoints = "" if checkpoints is None else os.path.abspath(os.fspath(checkpoints))
        self._keep_every = keep_every
        found = _native.whole_checkpoint(self._checkpoints) if resume and self._checkpoints else ""
        if resume and not found:
            raise OvertureError(f"{self._checkpoints or 'checkpoints'}: holds no checkpoint to resume from")
        wanted = None
        if device != "cpu":
            from overture import _autograd

            wanted = _autograd.checked_device(device)
        try:
            native = _native.LocalTables(json.dumps(whole), dense_features, pooling == "weighted", found)
        except OvertureError as error:  # the setup is one line, which nobody has written
            raise type(error)(str(error).removeprefix("line 1: ")) from None
        self._owner = Owner(native, state, wanted)
        self._source = source
        self._started = False

    def _data(self, data: Any, rows: "Sequence[int] | None") -> "tuple[Iterator | None, dict[str, Any]]":
        if isinstance(data, (str, os.PathLike)):
            return None, {"file": os.path.abspath(os.fspath(data)), "test_every": 0}
        if isinstance(data, dict):
            section = {"test_every": 0, **data}
            if "file" in section:
                section["file"] = os.path.abspath(os.fspath(section["file"]))
            return None, section
        if not isinstance(data, Iterable):
            raise OvertureError("data: is neither a file, nor a mapping, nor an iterable of batches")
        if rows is None:
            raise OvertureError("rows: is missing\n  batches of your own need the number of rows of each table")
        return iter(data), {"own": True, "test_every": 0}

    # ---- training

    def __enter__(self) -> "Tables":
        return self

    def __exit__(self, kind, error, trace) -> None:
        if error is not None:
            self._owner.abandon(f"the program has ended: {kind.__name__}: {error}")
        elif self._started:
            self._owner.close()

    def __iter__(self) -> "Iterator[Batch]":
        while (batch := self.next_batch()) is not None:
            yield batch

    def next_batch(self) -> "Batch | None":
        """The next batch; None at the end. The gradients of the one before must have come back."""
        self._start()
        return self._owner.next_batch()

    def _start(self) -> None:
        if self._started:
            return
        self._started = True
        self._owner.begin()
        at_end = self._owner.state is not None  # without the model, rows alone are no checkpoint
        self._owner.native.start(self._checkpoints, self._keep_every, at_end)
        if self._source is not None:
            self._owner.source = self._own_batches()

    def _own_batches(self) -> "Iterator[Any]":
        """Those that an earlier run has trained are passed over."""
        first, self._first = self._first, None
        for number, batch in enumerate(_chain(first, self._source)):
            if number >= self._owner.native.first_step:
                yield batch

    def get_emb(self, ids: Any = None) -> list:
        """Pooled rows of the batch, a tensor of samples x dim per table; `ids` must be the batch's own."""
        batch = self._owner.current
        if batch is None:
            raise OvertureError("there is no batch\n  take one with next_batch() or in a loop over the tables")
        if ids is not None:
            batch.ids.check_equal(ids, batch.step)
        return batch.embeddings

    def save(self, state: "bytes | None" = None) -> str:
        """Writes a checkpoint of all rows, with `state` as the bytes of your model; says where it is."""
        if not self._checkpoints:
            raise OvertureError("checkpoints: is missing\n  give Tables(checkpoints=FOLDER)")
        self._start()
        before = self._owner.state
        if state is not None:
            self._owner.state = lambda: state
        try:
            return self._owner.save()
        finally:
            self._owner.state = before

    def close(self) -> None:
        """Ends training in good order; `with` does so on its own."""
        if self._started:
            self._owner.close()

    # ---- the rows

    @property
    def state(self) -> bytes:
        """What the checkpoint that this run goes on from kept for your model; empty when there is none."""
        return self._owner.native.state

    @property
    def first_step(self) -> int:
        """Steps that an earlier run has trained."""
        return self._owner.native.first_step

    @property
    def rows(self) -> "list[int]":
        """Rows of each table."""
        return self._owner.native.rows

    @property
    def dims(self) -> "list[int]":
        """Columns of each table."""
        return self._owner.native.dims

    def table(self, number: int) -> np.ndarray:
        """A copy of a table, rows x dim; before the first batch, or after the last."""
        return self._owner.native.table(number, False)

    def set_table(self, number: int, rows: Any) -> None:
        """Changes a table, before the first batch."""
        if hasattr(rows, "detach"):
            rows = rows.detach().cpu().numpy()
        self._owner.native.set_table(number, np.asarray(rows))


def _chain(first: Any, rest: "Iterator[Any]") -> "Iterator[Any]":
    yield first
    yield from rest


def pack(**parts: Any) -> bytes:
    """Bytes of whatever has a state_dict(): pack(model=model, optimizer=optimizer)."""
    import torch

    memory = io.BytesIO()
    torch.save({name: part.state_dict() for name, part in parts.items()}, memory)
    return memory.getvalue()


def unpack(state: bytes, **parts: Any) -> None:
    """Loads what pack() made into parts of the same names."""
    import torch

    found = torch.load(io.BytesIO(state), map_location="cpu")
    for name, part in parts.items():
        if name not in found:
            raise OvertureError(f"the state has no {name}; it has {', '.join(found)}")
        part.load_state_dict(found[name])
