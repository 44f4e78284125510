#!/usr/bin/env python3
"""What parties cost as processes, in CPU time, which other programs on the machine change little.

    bench/parties.py build/release/bin/overture [--batch 1024] [--steps 150]

1. CPU time of a step with threads, under mpirun and over ZeroMQ: two runs of different length are subtracted, so that
   starting and ending do not count. 2. CPU time of parties that only wait. 3. CPU time and bytes of a sample with 1 to 8
   trainers.
"""
import argparse
import json
import os
import resource
import signal
import subprocess
import tempfile
import time

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def cpu_of(commands, seconds=None):
    """CPU seconds of all commands together, started at once; those that run longer than `seconds` are ended."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    processes = [subprocess.Popen(c, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for c in commands]
    if seconds:
        time.sleep(seconds)
        for process in processes:
            process.terminate()
    for process in processes:
        _, said = process.communicate()
        if process.returncode != 0 and not seconds:
            raise SystemExit(said)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ranks_of(mpirun):
    """Process ids of mpirun's ranks, by rank, once all have been started."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf8") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            if parent != mpirun:
                continue
            with open(f"/proc/{name}/environ", encoding="utf8") as file:
                words = dict(word.split("=", 1) for word in file.read().split("\0") if "=" in word)
            found[int(words["OMPI_COMM_WORLD_RANK"])] = int(name)
        except (OSError, KeyError):
            continue  # it has ended, or is no rank
    return [found[rank] for rank in sorted(found)]


def cpu_so_far(process):
    with open(f"/proc/{process}/stat", encoding="utf8") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def by_hand(overture, trainers, servers, words, port):
    commands = []
    for worker in range(1 + trainers + servers):
        role = "oracle" if worker == 0 else "trainer" if worker <= trainers else "server"
        commands.append([overture, role, "--worker-id", str(worker), "--world-size", str(1 + trainers + servers),
                         "--world-size-trainers", str(trainers), "--master-port", str(port), *(words if worker == 0 else [])])
    return commands


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.overture = os.path.abspath(options.overture)
        self.folder = folder
        self.runs = 0

    def words(self, trainers, servers, steps, batch=0):
        o = self.options
        batch = batch or o.batch
        self.runs += 1
        self.results = os.path.join(self.folder, str(self.runs))
        return ["--synthetic", "kaggle", "--scale", "0.02", "--samples", str(batch * (2 * o.steps + 20) * 10 // 9),
                "--mini-batch-size", str(batch), "--num-batches", str(steps), "--lookahead-value", str(o.lookahead),
                "--trainers", str(trainers), "--servers", str(servers), "--no-report", "-o", self.results]

    def commands(self, way, trainers, servers, steps, batch=0):
        words = self.words(trainers, servers, steps, batch)
        if way == "threads":
            return [[self.overture, "train", *words]]
        if way == "mpi":
            return [[*MPIRUN, "-n", str(1 + trainers + servers), self.overture, "train", *words]]
        return by_hand(self.overture, trainers, servers, words, 21000 + self.runs)

    def step_cpu(self, way, trainers, servers, batch=0):
        """Of one step, the least of some measurements."""
        measured = []
        for _ in range(self.options.repeats):
            short = cpu_of(self.commands(way, trainers, servers, self.options.steps, batch))
            long = cpu_of(self.commands(way, trainers, servers, 2 * self.options.steps, batch))
            measured.append((long - short) / self.options.steps)
        return min(measured)

    def transports(self):
        print(f"CPU ms of a step, batch {self.options.batch}, 2 trainers, 1 server")
        threads = self.step_cpu("threads", 2, 1)
        for way in ["threads", "mpi", "zeromq"]:
            cpu = threads if way == "threads" else self.step_cpu(way, 2, 1)
            print(f"  {way:<8}{1e3 * cpu:8.2f}  {cpu / threads:5.2f}x", flush=True)

    def idle(self):
        """A trainer and an oracle wait for a server that never comes."""
        words = self.words(1, 1, 1)
        commands = by_hand(self.overture, 1, 1, [*words, "--timeout", "600"], 21999)[:2]
        commands[1] += ["--timeout", "600"]
        short = cpu_of(commands, 2)
        long = cpu_of(commands, 12)
        print(f"idle, ZeroMQ, waiting for others: {100 * (long - short) / 10 / 2:.2f} % of a core a party", flush=True)

    def idle_mpi(self):
        """The oracle is stopped in the middle of a run: all others come to wait for it."""
        process = subprocess.Popen(self.commands("mpi", 2, 1, 100_000)[0], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            metrics = os.path.join(self.results, "metrics.jsonl")
            while not os.path.exists(metrics) or os.path.getsize(metrics) == 0:
                time.sleep(0.1)
            oracle, *others = ranks_of(process.pid)
            os.kill(oracle, signal.SIGSTOP)
            time.sleep(5)
            before = sum(map(cpu_so_far, others))
            time.sleep(10)
            spent = sum(map(cpu_so_far, others)) - before
            os.kill(oracle, signal.SIGCONT)
        finally:
            process.terminate()
            process.wait()
        print(f"idle, MPI, waiting for the oracle: {100 * spent / 10 / len(others):.2f} % of a core a party", flush=True)

    def trainers(self):
        print("                     the batch of one trainer each     one batch for all    one trainer, a share")
        print("trainers     batch   CPU us/sample  bytes of rows    batch  CPU us/sample    batch  CPU us/sample")
        batch = self.options.batch
        for trainers in [1, 2, 4, 8]:
            each = self.sample_cpu(trainers, batch * trainers)
            with open(os.path.join(self.results, "summary.json"), encoding="utf8") as file:
                s = json.load(file)
            rows = (s["fetched_bytes"] + s["stored_bytes"]) / (batch * trainers * s["steps"])
            shared = each if trainers == 1 else self.sample_cpu(trainers, batch)
            share = each if trainers == 1 else self.sample_cpu(1, batch // trainers)
            print(f"{trainers:>8}{batch * trainers:>10}{each:>16.1f}{rows:>15.0f}{batch:>9}{shared:>15.1f}"
                  f"{batch // trainers:>9}{share:>15.1f}", flush=True)

    def sample_cpu(self, trainers, batch):
        return 1e6 * self.step_cpu("threads", trainers, 1, batch) / batch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("overture")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--lookahead", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", default="transports,idle,idle_mpi,trainers", help="what is measured, of these")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for what in options.only.split(","):
            getattr(bench, what)()


if __name__ == "__main__":
    main()
