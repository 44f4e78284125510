"""A small DLRM in PyTorch, and data for it: with nn.EmbeddingBag it is what tables of ours are compared with."""

import numpy as np
import torch
from torch import nn

ROWS = [50, 7, 1000, 300]
DIM = 8
DENSE = 5


class Model(nn.Module):
    """Dense features and the pooled rows of all tables, side by side, through a perceptron."""

    def __init__(self, seed=1, tables=len(ROWS)):
        super().__init__()
        torch.manual_seed(seed)
        self.bottom = nn.Sequential(nn.Linear(DENSE, 16), nn.ReLU(), nn.Linear(16, DIM))
        self.top = nn.Sequential(nn.Linear(DIM * (tables + 1), 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, dense, embeddings):
        return self.top(torch.cat([self.bottom(dense), *embeddings], dim=1))


def batches(count, size=32, most_ids=1, weighted=False, seed=3, rows=ROWS):
    """Skewed ids, as clicks have them: a few rows again and again, others once."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        batch = {"ids": [], "offsets": [], "weights": [], "dense": random.normal(size=(size, DENSE)).astype(np.float32)}
        for table in rows:
            lengths = random.integers(0, most_ids + 1, size) if most_ids > 1 else np.ones(size, np.int64)
            ids = (table * random.random(lengths.sum()) ** 4).astype(np.int64)
            batch["ids"].append(ids)
            batch["offsets"].append(np.concatenate([[0], np.cumsum(lengths)]))
            batch["weights"].append(random.uniform(0.5, 1.5, len(ids)).astype(np.float32))
        batch["labels"] = (random.random(size) < 0.3).astype(np.float32)
        if most_ids == 1:
            del batch["offsets"]
        if not weighted:
            del batch["weights"]
        yield batch


def bags(tables, mode="sum"):
    """nn.EmbeddingBag with the rows that the tables start with."""
    return [
        nn.EmbeddingBag.from_pretrained(
            torch.from_numpy(tables.table(t)), freeze=False, sparse=True, mode=mode, include_last_offset=True
        )
        for t in range(len(tables.rows))
    ]


def looked_up(bags_, batch):
    """What the bags give for a batch of batches()."""
    size = len(batch["labels"])
    for t, bag in enumerate(bags_):
        offsets = batch["offsets"][t] if "offsets" in batch else np.arange(size + 1)
        weights = torch.from_numpy(batch["weights"][t]) if "weights" in batch else None
        yield bag(torch.from_numpy(batch["ids"][t]), torch.from_numpy(offsets), weights)


def loss_of(model, dense, embeddings, labels):
    return nn.functional.binary_cross_entropy_with_logits(model(dense, embeddings), labels)
