"""Trains one DLRM on one dataset twice, with overture and with PyTorch, and compares the AUC on what was held out.
    same_auc_test.py OVERTURE FOLDER
Both start from random numbers of their own, so each trains several times and the means are compared."""

import json
import pathlib
import statistics
import subprocess
import sys

import numpy
import torch

import dlrm_reference

SAMPLES = 120_000
TEST_EVERY = 6
BATCH = 256
BOTTOM = [13, 64, 16]
TOP = [64, 1]
RATE = 0.01
SEEDS = (1, 2, 3, 4)
TOLERANCE = 0.002
LEAST_AUC = 0.65


def sizes(numbers):
    return "-".join(str(n) for n in numbers)


def overture_auc(overture, data, rows, seed):
    flags = [
        *("--data", data, "--arch-embedding-size", sizes(rows), "--mini-batch-size", BATCH),
        *("--arch-mlp-bot", sizes(BOTTOM), "--arch-mlp-top", sizes(TOP), "--arch-sparse-feature-size", BOTTOM[-1]),
        *("--optimizer", "adagrad", "--learning-rate", RATE, "--seed", seed, "-s", f"data.test_every={TEST_EVERY}"),
        *("--lookahead-value", 20, "-o", data.parent / "run", "--overwrite", "--json"),
    ]
    run = subprocess.run([overture, "train", *map(str, flags)], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["held_out"]["auc"]


def torch_auc(train, test, rows, seed):
    torch.manual_seed(seed)
    model = dlrm_reference.Dlrm(rows, BOTTOM, TOP)
    optimizers = dlrm_reference.optimizers(model, "adagrad", RATE)
    for labels, dense, offsets, ids in train.batches(BATCH):
        model.zero_grad(set_to_none=True)
        logits = model(dense, offsets, ids)
        torch.nn.functional.binary_cross_entropy_with_logits(logits, labels).backward()
        for optimizer in optimizers:
            optimizer.step()
    with torch.no_grad():
        scores = [model(dense, offsets, ids) for _, dense, offsets, ids in test.batches(4096)]
    return dlrm_reference.auc(test.labels.numpy(), torch.cat(scores).numpy())


def main(overture, folder):
    torch.set_num_threads(1)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "clicks.bin"
    generate = ["--like", "kaggle", "--scale", "0.0005", "--samples", str(SAMPLES), "-o", str(data)]
    data.unlink(missing_ok=True)
    subprocess.run([overture, "generate", "dataset", *generate], check=True)
    numbers = numpy.fromfile(data, numpy.int32).reshape(-1, 40)
    rows = [max(2, int(n) + 1) for n in numbers[:, 14:].max(axis=0)]
    held_out = numpy.arange(1, len(numbers) + 1) % TEST_EVERY == 0
    train, test = (dlrm_reference.Click(numbers[chosen]) for chosen in (~held_out, held_out))
    ours = [overture_auc(overture, data, rows, seed) for seed in SEEDS]
    theirs = [torch_auc(train, test, rows, seed) for seed in SEEDS]
    difference = statistics.mean(ours) - statistics.mean(theirs)
    print("AUC, overture:", *(f"{auc:.4f}" for auc in ours))
    print("AUC, PyTorch: ", *(f"{auc:.4f}" for auc in theirs))
    print(f"difference of the means: {difference:+.4f}, allowed: {TOLERANCE}; at least {LEAST_AUC}")
    return 0 if abs(difference) <= TOLERANCE and min(ours) >= LEAST_AUC else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
