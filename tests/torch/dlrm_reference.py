"""DLRM on PyTorch, as facebookresearch/dlrm builds it: EmbeddingBag with sparse gradients, linear layers, and
an interaction of cat, bmm and an index. The measure for overture's results and speed; not a part of it."""

import numpy
import torch
from torch import nn


class Dlrm(nn.Module):
    """`bottom` starts with the dense features and ends with the rows' columns; `top` lacks its inputs."""

    def __init__(self, rows, bottom, top):
        super().__init__()
        dim = bottom[-1]
        vectors = len(rows) + 1
        self.tables = nn.ModuleList(table(count, dim) for count in rows)
        self.bottom = mlp(bottom, relu_last=True)
        self.top = mlp([dim + vectors * (vectors - 1) // 2] + top, relu_last=False)
        pairs = [(i, j) for i in range(vectors) for j in range(i)]
        self.pair_rows = torch.tensor([i for i, _ in pairs])
        self.pair_columns = torch.tensor([j for _, j in pairs])

    def forward(self, dense, offsets, ids):
        """`ids`: one tensor for each table."""
        x = self.bottom(dense)
        pooled = [table(i, offsets) for table, i in zip(self.tables, ids)]
        together = torch.cat([x] + pooled, dim=1).view(len(x), len(pooled) + 1, -1)
        products = torch.bmm(together, together.transpose(1, 2))
        chosen = products[:, self.pair_rows, self.pair_columns]
        return self.top(torch.cat([x, chosen], dim=1)).squeeze(1)


def table(rows, dim):
    # A tensor of our own: EmbeddingBag would fill its weights with normal numbers first, which takes long.
    weights = torch.empty(rows, dim).uniform_(-(rows**-0.5), rows**-0.5)
    return nn.EmbeddingBag(rows, dim, mode="sum", sparse=True, _weight=weights)


def mlp(sizes, relu_last):
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layer = nn.Linear(inputs, outputs)
        nn.init.normal_(layer.weight, std=(2 / (inputs + outputs)) ** 0.5)
        nn.init.normal_(layer.bias, std=(1 / outputs) ** 0.5)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*(layers if relu_last else layers[:-1]))


class RowWiseAdagrad:
    """Adagrad with one sum for a row: the mean square of its gradient."""

    def __init__(self, weights, rate, epsilon=1e-8):
        self.weights = [(w, torch.zeros(len(w))) for w in weights]
        self.rate = rate
        self.epsilon = epsilon

    def step(self):
        with torch.no_grad():
            for weight, sums in self.weights:
                gradient = weight.grad.coalesce()
                ids, values = gradient.indices()[0], gradient.values()
                sums.index_add_(0, ids, values.pow(2).mean(dim=1))
                scale = sums[ids].sqrt_().add_(self.epsilon)
                changes = values / scale.unsqueeze(1)
                weight.add_(torch.sparse_coo_tensor(gradient.indices(), changes, weight.shape), alpha=-self.rate)


def optimizers(model, kind, rate):
    """One for the dense part, one for the tables."""
    dense = [p for part in (model.bottom, model.top) for p in part.parameters()]
    tables = [table.weight for table in model.tables]
    if kind == "sgd":
        return torch.optim.SGD(dense, lr=rate), torch.optim.SGD(tables, lr=rate)
    return torch.optim.Adagrad(dense, lr=rate, eps=1e-8), RowWiseAdagrad(tables, rate)


class Click:
    """Samples as MLPerf's binary has them: a label, 13 counts and 26 ids, all int32."""

    def __init__(self, numbers):
        self.labels = torch.from_numpy(numbers[:, 0].astype(numpy.float32))
        self.dense = torch.from_numpy(numpy.log1p(numpy.maximum(numbers[:, 1:14], 0).astype(numpy.float32)))
        self.ids = torch.from_numpy(numpy.ascontiguousarray(numbers[:, 14:].T.astype(numpy.int64)))

    def batches(self, size):
        for start in range(0, len(self.labels), size):
            end = min(start + size, len(self.labels))
            yield self.labels[start:end], self.dense[start:end], torch.arange(end - start), self.ids[:, start:end]


def auc(labels, scores):
    """The share of pairs in the right order, equal scores counting half."""
    order = numpy.argsort(scores, kind="stable")
    values, first, counts = numpy.unique(scores[order], return_index=True, return_counts=True)
    ranks = numpy.empty(len(scores))
    ranks[order] = numpy.repeat(first + (counts + 1) / 2, counts)
    positives = labels.sum()
    return (ranks[labels > 0].sum() - positives * (positives + 1) / 2) / (positives * (len(labels) - positives))
