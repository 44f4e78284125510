"""A DLRM step by overture and by PyTorch, one after the other, several rounds: the least CPU and wall time of a
step, of the optimizer's step on the tables, and of that with the backward pass that leads to it. Prints a table; a ratio is PyTorch's time over ours.
    compare.py BUILD_FOLDER [--rounds 3] [--steps 12] [--scale 0.1] [--models small,large] [--threads 1,2]
Needs a python3 with torch; run it with that one."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 2048


def run(command, threads=1):
    # Threads that wait sleep: on a shared machine, spinning would only cost PyTorch time.
    settings = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    settings["PYTHONDONTWRITEBYTECODE"] = "1"
    result = subprocess.run([str(c) for c in command], env=os.environ | settings, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"{command[0]} failed")
    return result.stdout


def best(rounds, kind, what):
    return min(times[kind][what] for times in rounds)


def lines(model, threads, ours, theirs):
    for kind in ("sgd", "adagrad"):
        for what, text in (("cpu", "step, CPU"), ("wall", "step, wall"), ("sparse", "tables' optimizer, CPU")):
            a, b = best(ours, kind, what), best(theirs, kind, what)
            yield [model, kind, str(threads), text, f"{a:.1f}", f"{b:.1f}", f"{b / a:.2f}"]
        # The trainer makes no gradient of a table: it reads those of the pooled rows. And it knows the different rows
        # before the step, while PyTorch finds them in the optimizer, if at all.
        a, find = best(ours, kind, "sparse"), best(ours, kind, "find")
        b = best(theirs, kind, "tables")
        yield [model, kind, str(threads), "tables' backward and optimizer", f"{a:.1f}", f"{b:.1f}", f"{b / a:.2f}"]
        a += find
        yield [model, kind, str(threads), "the same, with finding the rows", f"{a:.1f}", f"{b:.1f}", f"{b / a:.2f}"]


def show(line):
    print("  ".join(cell.ljust(width) for cell, width in zip(line, (5, 9, 7, 31, 11, 10, 5))).rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--scale", default="0.1")
    parser.add_argument("--models", default="small,large")
    parser.add_argument("--threads", default="1,2")
    options = parser.parse_args()
    show(["model", "optimizer", "threads", "what", "overture ms", "PyTorch ms", "ratio"])
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "clicks.bin"
        samples = (options.steps + 2) * BATCH
        generate = ("generate", "dataset", "--like", "kaggle", "--scale", options.scale, "--samples", samples, "-o", data)
        run((options.build / "bin/overture", *generate))
        for model in options.models.split(","):
            for threads in options.threads.split(","):
                what = (model, threads, options.steps, options.scale)
                ours, theirs = [], []
                for _ in range(options.rounds):
                    ours.append(json.loads(run((options.build / "bench/bench_dlrm_step", *what), threads)))
                    theirs.append(json.loads(run((sys.executable, HERE / "torch_step.py", *what, data), threads)))
                for line in lines(model, threads, ours, theirs):
                    show(line)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
