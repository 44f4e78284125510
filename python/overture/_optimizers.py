"""Optimizers of rows, by name or as classes of torch.optim."""

from __future__ import annotations

from typing import Any

from overture._native import OvertureError

# By torch's name: ours, torch's defaults, and how its parameters are called here.
_KNOWN = {
    "sgd": ("sgd", {}, {"lr": "learning_rate"}),
    "adagrad": ("adagrad", {"lr": 0.01, "eps": 1e-10}, {"lr": "learning_rate", "eps": "epsilon"}),
    "adam": ("adam", {"lr": 0.001, "eps": 1e-8, "betas": (0.9, 0.999)}, {"lr": "learning_rate", "eps": "epsilon"}),
}
_KNOWN["sparseadam"] = _KNOWN["adam"]
_KNOWN["rowwiseadagrad"] = _KNOWN["adagrad"]
# What must be left at what it is without.
_OFF = {"momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False, "lr_decay": 0, "amsgrad": False,
        "initial_accumulator_value": 0, "maximize": False}


def section(optimizer: Any, params: "dict[str, Any] | None") -> "dict[str, Any]":
    """The setup's section for an optimizer of rows."""
    name = optimizer if isinstance(optimizer, str) else getattr(optimizer, "__name__", str(optimizer))
    if name.lower() not in _KNOWN:
        raise OvertureError(f"emb_optim: {name} is not known for rows\n  known: SGD, Adagrad (row-wise), Adam, SparseAdam")
    kind, defaults, names = _KNOWN[name.lower()]
    result: "dict[str, Any]" = {"kind": kind}
    for key, value in {**defaults, **(params or {})}.items():
        if key in names:
            result[names[key]] = float(value)
        elif key == "betas" and kind == "adam":
            result["beta1"], result["beta2"] = (float(one) for one in value)
        elif key not in _OFF:
            raise OvertureError(f"emb_optim_params: {name} has no {key}\n  known: {', '.join(names)}")
        elif value != _OFF[key]:
            raise OvertureError(f"emb_optim_params: rows have no {key}\n  leave it out; the dense part's optimizer may have it")
    if "learning_rate" not in result:
        raise OvertureError(f'emb_optim_params: {name} needs a rate\n  such as {{"lr": 0.01}}')
    return result
