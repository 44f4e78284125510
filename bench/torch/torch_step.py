"""What dlrm_step.cpp measures, of PyTorch's DLRM on the same samples.
    torch_step.py small|large THREADS STEPS SCALE CLICKS"""

import json
import pathlib
import sys
import time

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "torch"))
import dlrm_reference  # noqa: E402  (found by the line before)

BATCH = 2048
WARM_UP = 2
MODELS = {
    "small": ([13, 512, 256, 64, 16], [512, 256, 1]),
    "large": ([13, 1024, 1024, 512, 256, 64, 48], [1024, 512, 256, 1]),
}
# Criteo Kaggle's.
KAGGLE_ROWS = [
    *(1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194),
    *(27, 14992, 5461306, 10, 5652, 2173, 4, 7046547, 18, 15, 286181, 105, 142572),
]


def measure(model, kind, clicks):
    dense_optimizer, table_optimizer = dlrm_reference.optimizers(model, kind, 0.01)
    cpu, wall, sparse = [], [], []
    for labels, dense, offsets, ids in clicks.batches(BATCH):
        wall_start, start = time.perf_counter(), time.process_time()
        model.zero_grad(set_to_none=True)
        logits = model(dense, offsets, ids)
        torch.nn.functional.binary_cross_entropy_with_logits(logits, labels).backward()
        dense_optimizer.step()
        learned = time.process_time()
        table_optimizer.step()
        end = time.process_time()
        cpu.append(1e3 * (end - start))
        wall.append(1e3 * (time.perf_counter() - wall_start))
        sparse.append(1e3 * (end - learned))
    tables = measure_tables(model, table_optimizer, clicks)
    all_times = (("cpu", cpu), ("wall", wall), ("sparse", sparse), ("tables", tables))
    return {name: min(times[WARM_UP:]) for name, times in all_times}


def measure_tables(model, optimizer, clicks):
    """From the gradients of pooled rows to changed rows: what the trainer does in one visit."""
    times = []
    for _, _, offsets, ids in clicks.batches(BATCH):
        model.zero_grad(set_to_none=True)
        pooled = [table(i, offsets) for table, i in zip(model.tables, ids)]
        gradients = [torch.full_like(p, 1e-6) for p in pooled]
        start = time.process_time()
        torch.autograd.backward(pooled, gradients)
        optimizer.step()
        times.append(1e3 * (time.process_time() - start))
    return times


def main(name, threads, steps, scale, data):
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    numbers = numpy.fromfile(data, numpy.int32).reshape(-1, 40)[: (int(steps) + WARM_UP) * BATCH]
    largest = numbers[:, 14:].max(axis=0)
    rows = [max(round(count * float(scale)), int(id) + 1) for count, id in zip(KAGGLE_ROWS, largest)]
    bottom, top = MODELS[name]
    model = dlrm_reference.Dlrm(rows, bottom, top)
    clicks = dlrm_reference.Click(numbers)
    print(json.dumps({kind: measure(model, kind, clicks) for kind in ("sgd", "adagrad")}))


if __name__ == "__main__":
    main(*sys.argv[1:])
