"""What a user's own batches may look like, and how they become arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from overture._native import OvertureError

_NAMES = ("ids", "offsets", "dense", "labels")


def _wrong(number: int, what: str, hint: str) -> OvertureError:
    return OvertureError(f"batch {number}: {what}\n  {hint}")


def _array(given: Any, name: str, number: int) -> np.ndarray:
    if hasattr(given, "detach"):  # a tensor, of any device
        given = given.detach().cpu().numpy()
    try:
        array = np.asarray(given)
    except ValueError:  # lists of several lengths
        array = np.empty(0, object)
    if array.dtype == object:
        raise _wrong(number, f"{name} is not an array of numbers", "give an array or a tensor; offsets say where samples begin")
    return array


def _table(given: Any, offsets: Any, weights: Any, table: int, number: int) -> tuple:
    ids = _array(given, f"ids of table {table}", number)
    if ids.size == 0 and ids.dtype.kind == "f":  # of an empty list
        ids = ids.astype(np.int64)
    if ids.ndim == 2 and offsets is None:  # equally many ids for every sample, as nn.EmbeddingBag takes them
        offsets = np.arange(len(ids) + 1, dtype=np.int64) * ids.shape[1]
        ids = ids.reshape(-1)
        weights = None if weights is None else _array(weights, "weights", number).reshape(-1)
    return (
        ids,
        None if offsets is None else _array(offsets, f"offsets of table {table}", number),
        None if weights is None else _array(weights, f"weights of table {table}", number),
    )


def _by_table(given: Any, name: str, tables: int, number: int) -> list:
    """One entry per table: of a list, or of the first axis of an array."""
    if given is None:
        return [None] * tables
    try:
        if isinstance(given, (dict, str)):
            raise TypeError
        found = list(given)
    except TypeError:
        raise _wrong(number, f"{name} is {type(given).__name__}", "give a list with an array for every table") from None
    if len(found) != tables:
        raise _wrong(number, f"has {name} for {len(found)} tables, not {tables}", "give an array for every table")
    return found


def _columns(ids: Any, number: int) -> Any:
    """Of samples x tables, with one id each, the ids of every table."""
    if hasattr(ids, "ndim") and ids.ndim == 2:
        return list(_array(ids, "ids", number).T)
    return ids


def _parts(given: Any, number: int) -> "dict[str, Any]":
    if isinstance(given, (tuple, list)) and len(given) == len(_NAMES):
        given = dict(zip(_NAMES, given))
    try:
        return {"ids": given["ids"], "labels": given["labels"], **{key: _get(given, key) for key in ("offsets", "weights", "dense")}}
    except (TypeError, KeyError, IndexError, ValueError):
        raise _wrong(
            number,
            "is neither a mapping with ids and labels nor a tuple of ids, offsets, dense, labels",
            "a mapping may also have offsets, weights and dense",
        ) from None


def _get(given: Any, key: str) -> Any:
    try:
        return given[key]
    except KeyError:
        return None


def samples(given: Any, number: int) -> int:
    """Of a batch: 0 means that there is nothing to train."""
    return _array(_parts(given, number)["labels"], "labels", number).size


def arrays(given: Any, tables: int, number: int) -> tuple[np.ndarray, np.ndarray, list[tuple]]:
    """(dense, labels, [(ids, offsets, weights) of every table]) of a batch.

    A batch is a mapping with the keys `ids`, `dense`, `labels` and, where samples have any number of ids,
    `offsets` and `weights`; or a tuple in the order ids, offsets, dense, labels.
    """
    parts = _parts(given, number)
    labels = _array(parts["labels"], "labels", number).reshape(-1)
    dense = np.zeros((len(labels), 0), np.float32) if parts["dense"] is None else _array(parts["dense"], "dense", number)
    if dense.ndim != 2:
        raise _wrong(number, f"dense features have {dense.ndim} axes, not 2", "give an array of samples x features")
    ids = _by_table(_columns(parts["ids"], number), "ids", tables, number)
    offsets = _by_table(parts["offsets"], "offsets", tables, number)
    weights = _by_table(parts["weights"], "weights", tables, number)
    return dense, labels, [_table(*part, table, number) for table, part in enumerate(zip(ids, offsets, weights))]
