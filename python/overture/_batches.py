"""What a user's own batches may look like, and how they become arrays."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from overture._native import OvertureError


def _array(given: Any, name: str, number: int) -> np.ndarray:
    if hasattr(given, "detach"):  # a tensor, of any device
        given = given.detach().cpu().numpy()
    array = np.asarray(given)
    if array.dtype == object:
        raise OvertureError(f"batch {number}: {name} is not an array of numbers\n  give an array or a tensor")
    return array


def _table(given: Any, offsets: Any, weights: Any, table: int, number: int) -> tuple:
    ids = _array(given, f"ids of table {table}", number)
    if ids.ndim == 2 and offsets is None:  # equally many ids for every sample, as nn.EmbeddingBag takes them
        offsets = np.arange(len(ids) + 1, dtype=np.int64) * ids.shape[1]
        ids = ids.reshape(-1)
        weights = None if weights is None else _array(weights, "weights", number).reshape(-1)
    return (
        ids,
        None if offsets is None else _array(offsets, f"offsets of table {table}", number),
        None if weights is None else _array(weights, f"weights of table {table}", number),
    )


def arrays(given: Any, tables: int, number: int) -> tuple[np.ndarray, np.ndarray, list[tuple]]:
    """(dense, labels, [(ids, offsets, weights) of every table]) of a batch.

    A batch is a mapping with the keys `ids`, `dense`, `labels` and, where samples have any number of ids,
    `offsets` and `weights`; or a tuple in the order ids, offsets, dense, labels.
    """
    if isinstance(given, (tuple, list)) and len(given) == 4:
        given = dict(zip(("ids", "offsets", "dense", "labels"), given))
    try:
        ids, labels = given["ids"], given["labels"]
    except (TypeError, KeyError, IndexError):
        raise OvertureError(
            f"batch {number}: is neither a mapping with ids and labels nor a tuple of ids, offsets, dense, labels"
        ) from None
    labels = _array(labels, "labels", number).reshape(-1)
    dense = given.get("dense")
    dense = np.zeros((len(labels), 0), np.float32) if dense is None else _array(dense, "dense", number)
    if not isinstance(ids, Sequence) and getattr(ids, "ndim", 0) == 2:  # samples x tables: one id each
        ids = [_array(ids, "ids", number)[:, t] for t in range(ids.shape[1])]
    nothing = [None] * tables
    parts = zip(ids, given.get("offsets") or nothing, given.get("weights") or nothing)
    return dense, labels, [_table(*part, table, number) for table, part in enumerate(parts)]
