"""Embedding tables behind a cache that looks ahead, for a model in PyTorch, on one machine."""

from __future__ import annotations

import io
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable

import numpy as np

from overture import _batches, _native, _optimizers
from overture._arguments import whole, wholes
from overture._interrupts import leave_on_ctrl_c
from overture._native import OvertureError
from overture._owner import Owner
from overture._setups import plain
from overture.batch import Batch


def _joined(name: str, numbers: "Sequence[int] | None") -> "str | None":
    return None if numbers is None else "-".join(map(str, wholes(name, numbers, 1)))


def _without_none(section: "dict[str, Any]") -> "dict[str, Any]":
    return {key: value for key, value in section.items() if value is not None}


class Tables:
    """All embedding tables of a model: rows on servers, with a cache in front that looks ahead.

    Oracle and servers are threads of this process. Iterating gives batches; backward() of a loss brings the
    gradients of the rows back. Rows are updated while the program goes on. Batches come once: `epochs` says how often
    the data is read. len() is the number of batches where that is known.

    Args:
        data: a file of any format that `overture convert` reads; a mapping as the `data` section of a setup,
            such as {"synthetic": "kaggle", "scale": 0.01, "samples": 100_000}; or an iterable of batches of your
            own, such as a torch DataLoader: each a mapping with `ids`, `dense`, `labels` and, where samples have
            any number of ids, `offsets` and `weights`, or a tuple ids, offsets, dense, labels.
        epochs: how often the data is read from start to end; batches of your own are iterated over so often.
        dim: columns of a row. dims: the same for each table.
        rows: of each table; the data's unless given. Batches of your own need it.
        lookahead: batches that the planner sees.
        batch_size: samples of a batch; batches of your own have the size that they have.
        steps: batches to train; 0: all that the data has.
        optimizer: of rows: "sgd", "adagrad" (row-wise), "adam", or a class of torch.optim.
        optimizer_params: of that optimizer, such as {"lr": 0.01}, which is the default of "sgd".
        pooling: of several ids of a sample in a table: "sum", "mean" or "weighted".
        cache_rows: rows that the cache can hold; by default as many as it needs.
        prefetch_depth: how many batches early a row may be fetched; by default `lookahead`.
        cleanup_interval: batches between clean-ups of the cache; by default 1.
        servers: threads that hold the tables, each a part of them.
        threads: of the trainer, for pooling and updates.
        seed: of the rows that tables start with, and of synthetic data.
        checkpoints: a folder for save().
        keep_every: also keep the checkpoint of every n-th step, beside the two newest; 0: none.
        resume: continue from the newest checkpoint in that folder.
        state: called for the bytes of your model when a checkpoint is written; if given, one is also written at the
            end. See pack().
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
        epochs: int = 1,
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
        batch_size, epochs, steps = whole("batch_size", batch_size, 1), whole("epochs", epochs, 1), whole("steps", steps, 0)
        if state is not None and not callable(state):
            raise OvertureError(f"state: is {type(state).__name__}\n  give a function that returns bytes, such as lambda: pack(model=model)")
        if optimizer_params is None and isinstance(optimizer, str):
            optimizer_params = {"lr": 0.01}
        tables = {"dim": whole("dim", dim, 1), "dims": _joined("dims", dims), "rows": _joined("rows", rows), "pooling": pooling}
        source, section = self._data(data, rows, epochs)
        self._batches = _count(data, epochs, steps, batch_size)
        self._source, dense_features = (None, 0) if source is None else _looked_into(source, len(rows or ()))
        settings = {
            "seed": whole("seed", seed, 0),
            "data": section,
            "batch_size": batch_size,
            "steps": steps,
            "model": {"kind": "external"},
            "tables": _without_none(tables),
            "table_optimizer": _optimizers.section(optimizer, optimizer_params),
            "cache": _without_none({
                "lookahead": whole("lookahead", lookahead, 1),
                "prefetch_depth": _whole_or_none("prefetch_depth", prefetch_depth),
                "cleanup_interval": _whole_or_none("cleanup_interval", cleanup_interval),
                "capacity": _whole_or_none("cache_rows", cache_rows),
            }),
            "servers": whole("servers", servers, 1),
            "threads": whole("threads", threads, 1),
        }
        self._checkpoints = "" if checkpoints is None else os.path.abspath(os.fspath(checkpoints))
        self._keep_every = whole("keep_every", keep_every, 0)
        self._started = False
        self._owner = Owner(
            self._native(_merged(settings, setup), dense_features, pooling == "weighted", resume), state, _device(device)
        )

    def _native(self, settings: "dict[str, Any]", dense_features: int, weighted: bool, resume: bool) -> Any:
        found = _native.whole_checkpoint(self._checkpoints) if resume and self._checkpoints else ""
        if resume and not found:
            raise OvertureError(f"{self._checkpoints or 'checkpoints'}: holds no checkpoint to resume from")
        text = json.dumps(settings, default=plain)
        try:
            return leave_on_ctrl_c(_native.LocalTables, text, dense_features, weighted, found)
        except OvertureError as error:  # the setup is one line, which nobody has written
            raise type(error)(str(error).removeprefix("line 1: ")) from None

    def _data(self, data: Any, rows: "Sequence[int] | None", epochs: int) -> "tuple[Iterator | None, dict[str, Any]]":
        often = {"epochs": epochs} if epochs > 1 else {}
        if isinstance(data, (str, os.PathLike)):
            return None, {"file": os.path.abspath(os.fspath(data)), "test_every": 0, **often}
        if isinstance(data, dict):
            section: "dict[str, Any]" = {"test_every": 0, **data, **often}
            if "file" in section:
                section["file"] = os.path.abspath(os.fspath(data["file"]))
            return None, section
        if not isinstance(data, Iterable):
            raise OvertureError(
                f"data: is {type(data).__name__}\n  give a file, a mapping such as {{\"synthetic\": \"kaggle\"}}, or an iterable of "
                "batches, such as a DataLoader"
            )
        if rows is None:
            raise OvertureError("rows: is missing\n  batches of your own need the number of rows of each table")
        if epochs > 1 and iter(data) is data:
            raise OvertureError(
                f"epochs: {epochs}, but an iterator gives its batches only once\n  give a list, a DataLoader, or a class with __iter__"
            )
        return itertools.chain.from_iterable(itertools.repeat(data, epochs)), {"own": True, "test_every": 0}

    # ---- training

    def __enter__(self) -> "Tables":
        return self

    def __exit__(self, kind, error, trace) -> None:
        if error is not None:
            self._owner.abandon(f"the program has ended: {kind.__name__}: {error}")
        elif self._started:
            self._owner.close()

    def __iter__(self) -> "Iterator[Batch]":
        if self._owner.over:
            self._owner.check_process()
            raise OvertureError("these tables have ended\n  epochs=N reads the data N times; else make new Tables")
        return self._iterate()

    def _iterate(self) -> "Iterator[Batch]":
        while (batch := self.next_batch()) is not None:
            yield batch

    def __len__(self) -> int:
        """The number of batches, also those that an earlier run has trained."""
        if self._batches is None:
            raise TypeError("the number of batches is not known before the data has been read")
        return self._batches

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        if self._owner.opened_elsewhere:
            return "<overture.Tables of another process>"
        rows, dims = self.rows, self.dims
        current = self._owner.current
        at = "ended" if self._owner.over else "not started" if current is None else f"at batch {current.step}"
        columns = f"{min(dims)}" if min(dims) == max(dims) else f"{min(dims)} to {max(dims)}"
        return f"<overture.Tables: {len(rows)} table{'s' if len(rows) > 1 else ''}, {sum(rows):,} rows of {columns} columns, {at}>"

    def next_batch(self) -> "Batch | None":
        """The next batch; None at the end. The gradients of the one before must have come back."""
        self._start()
        return self._owner.next_batch()

    def _start(self) -> None:
        if self._started:
            return
        at_end = self._owner.state is not None  # without the model, rows alone are no checkpoint
        self._owner.native.start(self._checkpoints, self._keep_every, at_end)
        self._started = True
        self._owner.begin()
        if self._source is not None:
            self._owner.source = self._own_batches()

    def _own_batches(self) -> "Iterator[Any]":
        """Those that an earlier run has trained are skipped."""
        for number, batch in enumerate(self._source or ()):
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
            given = state
            self._owner.state = lambda: given
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
        return self._owner.native.table(self._checked(number), False)

    def set_table(self, number: int, rows: Any) -> None:
        """Changes a table, before the first batch."""
        if hasattr(rows, "detach"):
            rows = rows.detach().cpu().numpy()
        rows = np.asarray(rows)
        if rows.dtype.kind not in "fiub":
            raise OvertureError(f"the rows of table {number} are {rows.dtype}\n  give float32")
        self._owner.native.set_table(self._checked(number), rows)

    def _checked(self, number: int) -> int:
        if not 0 <= whole("table", number) < len(self.rows):
            raise OvertureError(f"there is no table {number}; there are {len(self.rows)}, from 0 on")
        return number


def _whole_or_none(name: str, value: "int | None") -> "int | None":
    return None if value is None else whole(name, value, 1)


def _merged(settings: "dict[str, Any]", more: "dict[str, Any] | None") -> "dict[str, Any]":
    """The user's sections on top, key by key."""
    if not isinstance(more, (dict, type(None))):
        raise OvertureError(f"setup: is {type(more).__name__}\n  give a mapping of sections, such as {{\"cache\": {{...}}}}")
    result = dict(settings)
    for key, value in (more or {}).items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = {**result[key], **value} if both else value
    return result


def _device(device: Any) -> Any:
    """None for this machine's memory."""
    if device == "cpu":
        return None
    from overture import _autograd

    return _autograd.checked_device(device)


def _looked_into(source: "Iterator[Any]", tables: int) -> "tuple[Iterator[Any], int]":
    """The same batches, and how many dense features the first one has."""
    source = _with_samples(source)
    first = next(source, _END)
    if first is _END:
        raise OvertureError("data: there are no batches")
    return itertools.chain([first], source), _batches.arrays(first, tables, 0)[0].shape[1]


def _count(data: Any, epochs: int, steps: int, batch_size: int) -> "int | None":
    """Batches, where the data says how many there are."""
    count = None
    if isinstance(data, dict):
        if "samples" in data and not data.get("test_every") and isinstance(data["samples"], int):
            of_an_epoch = -(-data["samples"] // batch_size)  # batches do not reach across
            count = of_an_epoch * (epochs if epochs > 1 else data.get("epochs", 1))
    elif not isinstance(data, (str, os.PathLike)):
        try:
            count = len(data) * epochs
        except TypeError:  # such as a generator
            pass
    return min(steps, count) if steps and count is not None else steps or count


_END = object()


def _with_samples(batches: "Iterator[Any]") -> "Iterator[Any]":
    """Batches without samples, such as the rest of a file, are skipped."""
    number = 0
    for batch in batches:
        if _batches.samples(batch, number) > 0:
            yield batch
            number += 1


def pack(**parts: Any) -> bytes:
    """Bytes of everything that has a state_dict(): pack(model=model, optimizer=optimizer)."""
    import torch

    for name, part in parts.items():
        if not hasattr(part, "state_dict"):
            raise OvertureError(f"{name}: is {type(part).__name__}, which has no state_dict()")
    memory = io.BytesIO()
    torch.save({name: part.state_dict() for name, part in parts.items()}, memory)
    return memory.getvalue()


def unpack(state: bytes, **parts: Any) -> None:
    """Loads what pack() made into parts of the same names: unpack(tables.state, model=model, optimizer=optimizer)."""
    import torch

    if not state:
        raise OvertureError("state: is empty\n  the checkpoint was written without bytes of a model, or this run began without one")
    try:
        found = torch.load(io.BytesIO(state), map_location="cpu")
    except Exception as error:  # torch, pickle and zip have many
        raise OvertureError(f"state: is not what pack() made: {error}") from None
    for name, part in parts.items():
        if name not in found:
            raise OvertureError(f"the state has no {name}; it has {', '.join(found)}")
        part.load_state_dict(found[name])
