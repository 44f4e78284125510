"""What a trainer gets of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from overture._native import OvertureError

if TYPE_CHECKING:
    import torch


class Ids(Sequence):
    """The ids of a batch, a tensor per table, put together when somebody looks at them."""

    __slots__ = ("_arrays", "_made")

    def __init__(self, arrays: Any):
        self._arrays = arrays
        self._made: dict = {}

    def __len__(self) -> int:
        return self._arrays.tables

    def __getitem__(self, table: Any) -> Any:
        import torch

        if isinstance(table, slice):
            return [self[t] for t in range(*table.indices(len(self)))]
        if not -len(self) <= table < len(self):
            raise IndexError(f"there are {len(self)} tables")
        table %= len(self)
        if table not in self._made:
            self._made[table] = torch.from_numpy(self._arrays.ids(table))
        return self._made[table]

    def __repr__(self) -> str:
        return f"<ids of {len(self)} tables>"

    def check_equal(self, given: Any, step: int) -> None:
        """Throws unless the user's ids are these."""
        import torch

        if given is self:
            return
        try:
            count = len(given)
        except TypeError:
            count = -1
        if count != len(self):
            raise OvertureError(f"batch {step} has ids for {len(self)} tables\n  pass what next_batch() gave as sparse_vector")
        for table, (theirs, ours) in enumerate(zip(given, self)):
            try:
                theirs = torch.as_tensor(theirs).reshape(-1).cpu()
            except (TypeError, ValueError, RuntimeError):  # such as text, or lists of several lengths
                raise OvertureError(
                    f"the ids of table {table} are not an array of numbers\n  pass what next_batch() gave as sparse_vector"
                ) from None
            if theirs.dtype.is_floating_point:
                raise OvertureError(f"the ids of table {table} are {theirs.dtype}\n  give whole numbers")
            if len(theirs) != len(ours) or not bool((theirs == ours).all()):
                raise OvertureError(
                    f"the ids of table {table} are not those of batch {step}\n"
                    "  rows of other ids are not here; pass what next_batch() gave as sparse_vector"
                )


class Batch:
    """Dense features, ids and labels of a batch, and the pooled rows of its tables.

    Arrays lie where they came, without a copy, and stay good for as long as they are held. len(batch) is the number of
    samples. A batch is also a mapping with Bagpipe's names: dense_x, sparse_vector and target.
    """

    __slots__ = ("_owner", "_arrays", "_dims", "_embeddings", "_ids", "returned", "step", "__weakref__")

    def __init__(self, owner: Any, arrays: Any, dims: "list[int]"):
        self._owner = owner
        self._arrays = arrays
        self._dims = dims
        self._embeddings: "list | None" = None
        self._ids: "Ids | None" = None
        self.returned = False  #: whether its gradients have come back
        self.step: int = arrays.step  #: of training, from 0

    def __len__(self) -> int:
        return self._arrays.samples

    @property
    def dense(self) -> "torch.Tensor":
        """Dense features, samples x features."""
        return _tensor(self._arrays.dense)

    @property
    def labels(self) -> "torch.Tensor":
        """Labels, samples x 1."""
        return _tensor(self._arrays.labels)

    @property
    def ids(self) -> Ids:
        """Ids that the samples look up, a tensor per table."""
        if self._ids is None:
            self._ids = Ids(self._arrays)
        return self._ids

    @property
    def offsets(self) -> "list[torch.Tensor | None]":
        """Per table, where each sample's ids start, and the end; None where every sample has one id."""
        return [_tensor(self._arrays.offsets(t)) for t in range(self._arrays.tables)]

    @property
    def weights(self) -> "list[torch.Tensor | None]":
        """Per table, the weight of every id; None where the data has none."""
        return [_tensor(self._arrays.weights(t)) for t in range(self._arrays.tables)]

    @property
    def looked_up(self) -> bool:
        """Whether its embeddings have been asked for."""
        return self._embeddings is not None

    @property
    def embeddings(self) -> "list[torch.Tensor]":
        """Pooled rows, a tensor of samples x dim per table. backward() brings their gradients back, once."""
        if self._embeddings is None:
            self._owner.check_current(self)
            found = list(_lookup(self))
            device = self._owner.device
            self._embeddings = found if device is None else [one.to(device) for one in found]
        return self._embeddings

    @property
    def pooled(self) -> "torch.Tensor":
        """Pooled rows of all tables side by side: samples x the sum of their columns."""
        import torch

        return torch.cat(self.embeddings, dim=1)

    def skip(self) -> None:
        """In place of backward(), for a batch that is only looked at: its gradients are zeros."""
        if not self.looked_up:  # the trainer knows then which rows the zeros are for
            _ = self.embeddings
        self._owner.take_gradients(self, [None] * self._arrays.tables)

    _names = {"dense_x": "dense", "sparse_vector": "ids", "target": "labels"}

    def __getitem__(self, key: str):
        if key not in self._names:
            raise KeyError(f"{key}; a batch has {', '.join(self._names)}")
        return getattr(self, self._names[key])

    def __iter__(self) -> "Iterator[str]":
        return iter(self._names)

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def keys(self) -> "list[str]":
        """Bagpipe's names of dense features, ids and labels."""
        return list(self._names)

    def values(self) -> list:
        """Dense features, ids and labels."""
        return [self[key] for key in self._names]

    def items(self) -> "list[tuple[str, Any]]":
        """Dense features, ids and labels, each with Bagpipe's name."""
        return [(key, self[key]) for key in self._names]

    def __repr__(self) -> str:
        state = "trained" if self.returned else "looked up" if self.looked_up else "not looked up"
        return f"<overture.Batch {self.step}: {len(self)} samples, {self._arrays.tables} tables, {state}>"


def _lookup(batch: Batch):
    """Imports torch the first time that rows are looked up; from then on this is the lookup itself."""
    global _lookup
    from overture._autograd import lookup as _lookup

    return _lookup(batch)


def _tensor(array: Any):
    import torch

    return None if array is None else torch.from_numpy(array)
