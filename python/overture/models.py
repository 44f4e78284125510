"""The six models of `overture train` as modules of PyTorch, with the weights that were trained."""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any

import numpy as np
import torch
from torch import nn

from overture import _native
from overture._interrupts import leave_on_ctrl_c
from overture._native import OvertureError


class Trained(nn.Module):
    """Tables and a dense part; what a class below makes of them is in logits().

    forward(dense, ids, offsets=None, weights=None) takes dense features (samples x features), and for every table
    the ids of all samples, where each sample's start, and their weights, as nn.EmbeddingBag does with
    include_last_offset=True; without offsets every sample has one id. It gives a logit per sample.
    Parameters are named as `overture export` names them.
    """

    def __init__(self, arrays: "dict[str, np.ndarray]", pooling: str, described: str):
        super().__init__()
        self.pooling = pooling
        tables = [name for name in arrays if re.fullmatch(r"tables\.\d+\.weight", name)]
        mode = "mean" if pooling == "mean" else "sum"
        self.tables = nn.ModuleList(
            nn.EmbeddingBag.from_pretrained(
                torch.from_numpy(arrays[name]), freeze=False, mode=mode, include_last_offset=True, sparse=True
            )
            for name in tables
        )
        for name, array in arrays.items():
            if name not in tables:
                self._add(name, torch.from_numpy(array))
        self.described = described

    def _add(self, name: str, values: torch.Tensor) -> None:
        """As a parameter of the modules that its name names."""
        *path, last = name.split(".")
        module: nn.Module = self
        for step in path:
            if not hasattr(module, step):
                module.add_module(step, nn.Module())
            module = getattr(module, step)
        module.register_parameter(last, nn.Parameter(values))

    def mlp(self, name: str, x: torch.Tensor, last_relu: bool) -> torch.Tensor:
        layers = getattr(self, name)
        count = len(list(layers.children()))
        for i in range(count):
            layer = getattr(layers, str(i))
            x = nn.functional.linear(x, layer.weight, layer.bias)
            if i + 1 < count or last_relu:
                x = x.relu()
        return x

    def pooled(self, ids: Any, offsets: Any = None, weights: Any = None) -> "list[torch.Tensor]":
        """The pooled rows of every table, samples x dim."""
        result = []
        for t, table in enumerate(self.tables):
            starts = None if offsets is None else offsets[t]
            if starts is None:
                starts = torch.arange(len(ids[t]) + 1)
            factors = weights[t] if self.pooling == "weighted" and weights is not None else None
            result.append(table(torch.as_tensor(ids[t]), torch.as_tensor(starts), factors))
        return result

    def forward(self, dense: torch.Tensor, ids: Any, offsets: Any = None, weights: Any = None) -> torch.Tensor:
        return self.logits(dense, self.pooled(ids, offsets, weights))

    def logits(self, dense: torch.Tensor, rows: "list[torch.Tensor]") -> torch.Tensor:
        raise NotImplementedError

    @staticmethod
    def pairs(vectors: torch.Tensor, itself: bool = False) -> torch.Tensor:
        """Products of all pairs of a sample's vectors: that of vector i with those before it, i rising."""
        products = torch.bmm(vectors, vectors.transpose(1, 2))
        i, j = torch.tril_indices(vectors.shape[1], vectors.shape[1], 0 if itself else -1)
        return products[:, i, j]


class Dlrm(Trained):
    def logits(self, dense, rows):
        x = self.mlp("bottom", dense, last_relu=True)
        if " cat " in self.described:
            return self.mlp("top", torch.cat([x, *rows], dim=1), last_relu=False)[:, 0]
        products = self.pairs(torch.stack([x, *rows], dim=1), " itself " in self.described)
        return self.mlp("top", torch.cat([x, products], dim=1), last_relu=False)[:, 0]


class WideAndDeep(Trained):
    def logits(self, dense, rows):
        deep = self.mlp("deep", dense, last_relu=False)
        return self.mlp("both", torch.cat([deep, *rows], dim=1), last_relu=False)[:, 0]


class Dcn(Trained):
    def logits(self, dense, rows):
        x = first = torch.cat([self.mlp("bottom", dense, last_relu=True), *rows], dim=1)
        for layer in range(len(list(self.cross.children()))):
            low, up = getattr(self.cross, str(layer)), getattr(self.spread, str(layer))
            mixed = nn.functional.linear(x, getattr(low, "0").weight, getattr(low, "0").bias)
            x = first * nn.functional.linear(mixed, getattr(up, "0").weight, getattr(up, "0").bias) + x
        return self.mlp("top", x, last_relu=False)[:, 0]


class DeepFm(Trained):
    def logits(self, dense, rows):
        # The square of a sum less the sum of squares is sensitive to rounding: added up in the trainer's order.
        logit, total, squares = self.bias, torch.zeros_like(rows[0][:, 1:]), 0
        for row in rows:
            logit = logit + row[:, 0]
            total = total + row[:, 1:]
            for column in row[:, 1:].unbind(1):
                squares = squares + column * column
        square = sum(column * column for column in total.unbind(1))
        deep = self.mlp("deep", torch.cat([row[:, 1:] for row in rows], dim=1), last_relu=False)[:, 0]
        return logit + 0.5 * (square - squares) + deep


class Fgcnn(Trained):
    def logits(self, dense, rows):
        fields = torch.cat([dense.unsqueeze(2) * self.dense, torch.stack(rows, dim=1)], dim=1)
        maps = fields.unsqueeze(1)  # samples x maps x fields x columns
        features = [fields]
        dim = fields.shape[2]
        for layer in range(len(list(self.convolution.children()))):
            kernel = getattr(self.convolution, str(layer))
            out, inputs = kernel.weight.shape
            weight = kernel.weight.view(out, 7, inputs // 7).permute(0, 2, 1).unsqueeze(3)
            maps = nn.functional.conv2d(maps, weight, kernel.bias, padding=(3, 0))
            maps = torch.tanh(nn.functional.max_pool2d(maps, (2, 1), ceil_mode=True))
            flat = maps.permute(0, 2, 1, 3).flatten(1)  # fields x maps x columns
            again = getattr(getattr(self.recombine, str(layer)), "0")
            made = torch.tanh(nn.functional.linear(flat, again.weight, again.bias))
            features.append(made.view(len(made), -1, dim))
        together = torch.cat(features, dim=1)
        x = torch.cat([together[:, 0], self.pairs(together), together[:, 1:].flatten(1)], dim=1)
        return self.mlp("top", x, last_relu=False)[:, 0]


class Caser(Trained):
    def logits(self, dense, rows):
        user, items, wanted = rows[0], torch.stack(rows[1:-1], dim=1), rows[-1]
        dim, length = user.shape[1], items.shape[1]
        columns = torch.einsum("vl,sld->svd", self.vertical.weight, items) + self.vertical.bias.view(1, -1, 1)
        seen = [columns.flatten(1)]
        for height in range(1, length + 1):
            filters = getattr(self.horizontal, str(height))
            windows = torch.stack([items[:, p : p + height].flatten(1) for p in range(length - height + 1)], dim=1)
            seen.append((nn.functional.linear(windows, filters.weight).amax(1) + filters.bias).relu())
        sequence = self.mlp("together", torch.cat(seen, dim=1), last_relu=True)
        return wanted[:, 0] + (wanted[:, 1 : 1 + dim] * sequence).sum(1) + (wanted[:, 1 + dim :] * user).sum(1)


_MODELS = {"dlrm": Dlrm, "wide_and_deep": WideAndDeep, "dcn": Dcn, "deep_fm": DeepFm, "fgcnn": Fgcnn, "caser": Caser}


def load_torch(folder: "str | os.PathLike[str]", checkpoint: "str | os.PathLike[str]" = "") -> Trained:
    """The model that `overture train` left in a folder, as a module of PyTorch.

    Its predictions are those of `overture evaluate` and `overture predict`.
    """
    with tempfile.TemporaryDirectory() as temporary:
        file = os.path.join(temporary, "weights.npz")
        described, pooling = leave_on_ctrl_c(
            _native.export_weights, os.fspath(folder), os.fspath(checkpoint), "npz", file)
        with np.load(file) as found:
            arrays = {name: found[name] for name in found.files}
    kind = described.split()[0]
    if kind not in _MODELS:
        raise OvertureError(f"{os.fspath(folder)}: a model of the kind {kind} is not ours\n  it is where it was trained")
    return _MODELS[kind](arrays, pooling, described + " ").eval()
