"""A DLRM of ten lines on tables of Overture's: trains on synthetic clicks, and says how good it became.

    python3 examples/python/dlrm.py [STEPS]
"""

import sys

import torch
from torch import nn

import overture

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
DATA = {"synthetic": "kaggle", "scale": 0.001, "samples": 256 * STEPS}


class Dlrm(nn.Module):
    def __init__(self, tables, dim):
        super().__init__()
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, dim), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(dim + tables * (tables + 1) // 2, 64), nn.ReLU(), nn.Linear(64, 1))
        self.pairs = torch.tril_indices(tables + 1, tables + 1, -1).unbind()

    def forward(self, dense, embeddings):
        x = self.bottom(dense)
        vectors = torch.stack([x, *embeddings], dim=1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return self.top(torch.cat([x, products], dim=1))


torch.manual_seed(1)
with overture.Tables(DATA, dim=16, lookahead=50, batch_size=256, optimizer=torch.optim.SGD, optimizer_params={"lr": 1.0}) as tables:
    model = Dlrm(len(tables.rows), 16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in tables:
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch.dense, batch.embeddings), batch.labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if batch.step % 50 == 0 or batch.step == STEPS - 1:
            print(f"step {batch.step}: loss {loss.item():.4f}")
