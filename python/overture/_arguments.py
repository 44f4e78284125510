"""Checks of what users pass, where Python's own errors would not say which argument is wrong."""

from __future__ import annotations

import operator
from typing import Any

from overture._native import OvertureError


def whole(name: str, value: Any, least: "int | None" = None) -> int:
    """The number, if it is a whole one and not too small."""
    try:
        number = operator.index(value)
    except TypeError:
        raise OvertureError(f"{name}: {value!r} is not a whole number") from None
    if least is not None and number < least:
        raise OvertureError(f"{name}: {number} is less than {least}")
    return number


def wholes(name: str, values: Any, least: int) -> "list[int]":
    """The numbers of a list, tuple or array."""
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__iter__"):
        raise OvertureError(f"{name}: {values!r} is not a list of whole numbers\n  give one for each table")
    return [whole(f"{name}[{i}]", value, least) for i, value in enumerate(values)]
