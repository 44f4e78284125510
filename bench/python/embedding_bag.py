"""Tables of Overture's beside nn.EmbeddingBag(sparse=True) and torch.optim.SGD: one core, Criteo-like skew.

    PYTHONPATH=build/release/python taskset -c 0 python3 bench/python/embedding_bag.py [STEPS]

The embedding part is looking rows up, bringing their gradients back and updating them; for Overture it also holds reading
and planning, which share the core. CPU time of the process is counted, so that others on the machine do not matter.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import subprocess
import sys
import tempfile
import time

import torch
from torch import nn

import overture

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
WARM = STEPS // 4  # not counted
BATCH, DIM = 2048, 16
torch.set_num_threads(1)


class Model(nn.Module):
    def __init__(self, tables):
        super().__init__()
        torch.manual_seed(1)
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, DIM), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(DIM * (tables + 1), 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, dense, embeddings):
        return self.top(torch.cat([self.bottom(dense), *embeddings], dim=1))


class Work:
    """What is done with looked-up rows: a model's step, or nothing but a gradient that comes back."""

    def __init__(self, tables, dense_part):
        self.model = Model(tables) if dense_part else None
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1) if dense_part else None
        self.gradient = torch.full((BATCH, tables, DIM), 1e-6)

    def __call__(self, dense, embeddings, labels):
        if self.model is None:
            torch.autograd.backward(embeddings, [self.gradient[:, t] for t in range(len(embeddings))])
            return
        nn.functional.binary_cross_entropy_with_logits(self.model(dense, embeddings), labels).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()


def make_tables(data):
    return overture.Tables(data, dim=DIM, lookahead=50, batch_size=BATCH, optimizer_params={"lr": 0.1})


def recorded(data):
    """All batches, as EmbeddingBag wants them; reading them is not timed."""
    kept = []
    with make_tables(data) as tables:
        rows = [torch.from_numpy(tables.table(t)) for t in range(len(tables.rows))]
        for batch in tables:
            kept.append((batch.dense.clone(), [one.clone() for one in batch.ids], batch.labels.clone()))
            batch.embeddings[0].sum().backward()
    return kept, rows


class Clock:
    """CPU milliseconds a step, of all threads of this process, from the end of the warm-up on."""

    def __init__(self):
        self.steps = 0

    def tick(self):
        self.steps += 1
        if self.steps == WARM:
            self.began = time.process_time()

    def read(self):
        return (time.process_time() - self.began) / (self.steps - WARM) * 1e3


def ours(data, dense_part):
    clock = Clock()
    with make_tables(data) as tables:
        work = Work(len(tables.rows), dense_part)
        for batch in tables:
            work(batch.dense, batch.embeddings, batch.labels)
            clock.tick()
    return clock.read()


def theirs(batches, rows, dense_part):
    bags = [nn.EmbeddingBag.from_pretrained(one.clone(), freeze=False, sparse=True, mode="sum") for one in rows]
    optimizer = torch.optim.SGD([bag.weight for bag in bags], lr=0.1)
    offsets = torch.arange(BATCH)
    work, clock = Work(len(bags), dense_part), Clock()
    for dense, ids, labels in batches:
        work(dense, [bag(one, offsets) for bag, one in zip(bags, ids)], labels)
        optimizer.step()
        optimizer.zero_grad()
        clock.tick()
    return clock.read()


def overhead(data):
    """next_batch() and get_emb() of one sample in 26 tables: what Python, autograd and the turns cost its thread."""
    with overture.Tables(data, dim=DIM, lookahead=50, batch_size=1, steps=2000) as tables:
        spent = []
        while True:
            began = time.thread_time()
            batch = tables.next_batch()
            if batch is None:
                break
            embeddings = tables.get_emb(batch.ids)
            spent.append(time.thread_time() - began)
            torch.autograd.backward(embeddings, [torch.zeros(1, DIM)] * len(embeddings))
    return sorted(spent)[len(spent) // 2] * 1e6


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "clicks.ovt")
        subprocess.run([overture.program(), "generate", "dataset", "--like", "kaggle", "--scale", "0.05", "--samples",
                        str(BATCH * STEPS), "--out", file], check=True, stdout=subprocess.DEVNULL)
        batches, rows = recorded(file)
        for name, dense_part in (("embedding part", False), ("whole step", True)):
            a, b = ours(file, dense_part), theirs(batches, rows, dense_part)
            print(f"{name}: overture {a:.2f} ms, torch {b:.2f} ms of CPU a step, {b / a:.2f} times as fast")
        print(f"next_batch() and get_emb() of one sample: {overhead(file):.0f} us of CPU")
