"""Optimizers of rows, by name or as classes of torch.optim."""

from __future__ import annotations

from typing import Any

from overture._native import OvertureError

# By torch's name: ours, torch's defaults, and how its parameters are called here.
_KNOWN: "dict[str, tuple[str, dict[str, Any], dict[str, str]]]" = {
    "sgd": ("sgd", {}, {"lr": "learning_rate"}),
    "adagrad": ("adagrad", {"lr": 0.01, "eps": 1e-10}, {"lr": "learning_rate", "eps": "epsilon"}),
    "adam": ("adam", {"lr": 0.001, "eps": 1e-8, "betas": (0.9, 0.999)}, {"lr": "learning_rate", "eps": "epsilon"}),
}
_KNOWN["sparseadam"] = _KNOWN["adam"]
_KNOWN["rowwiseadagrad"] = _KNOWN["adagrad"]
# What must be left at what it is without.
_OFF = {"momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False, "lr_decay": 0, "amsgrad": False,
        "initial_accumulator_value": 0, "maximize": False}


def section(optimizer: Any, params: "dict[str, Any] | None", name_of: "tuple[str, str]" = ("optimizer", "optimizer_params")) -> "dict[str, Any]":
    """The setup's section for an optimizer of rows; `name_of` is how the user's arguments are called."""
    first, second = name_of
    if hasattr(optimizer, "param_groups"):
        raise OvertureError(f"{first}: is an optimizer\n  give its class, such as torch.optim.SGD; rows are not parameters of PyTorch's")
    name = optimizer if isinstance(optimizer, str) else getattr(optimizer, "__name__", str(optimizer))
    if name.lower() not in _KNOWN:
        raise OvertureError(f"{first}: {name} is not known for rows\n  known: SGD, Adagrad (row-wise), Adam, SparseAdam")
    if not isinstance(params, (dict, type(None))):
        raise OvertureError(f'{second}: is {type(params).__name__}\n  give a mapping, such as {{"lr": 0.01}}')
    kind, defaults, names = _KNOWN[name.lower()]
    result: "dict[str, Any]" = {"kind": kind}
    for key, value in {**defaults, **(params or {})}.items():
        if key in names:
            result[names[key]] = _number(value, f"{second}: {key}")
        elif key == "betas" and kind == "adam":
            result["beta1"], result["beta2"] = _pair(value, f"{second}: {key}")
        elif key not in _OFF:
            raise OvertureError(f"{second}: {name} has no {key}\n  known: {', '.join(names)}")
        elif value != _OFF[key]:
            raise OvertureError(f"{second}: rows have no {key}\n  leave it out; the dense part's optimizer may have it")
    if "learning_rate" not in result:
        raise OvertureError(f'{second}: {name} needs a learning rate\n  such as {{"lr": 0.01}}')
    return result


def _number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise OvertureError(f"{name} is {value!r}, not a number") from None


def _pair(value: Any, name: str) -> "list[float]":
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise OvertureError(f"{name} is {value!r}\n  give two numbers, such as (0.9, 0.999)")
    return [_number(one, name) for one in value]
