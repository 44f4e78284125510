"""Bagpipe's interface over processes: its own example runs, and two trainers learn what one machine does."""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest

import numpy as np

try:
    import torch
    import torch.multiprocessing as mp
except ImportError:
    print("skipped: there is no torch for this python3")
    sys.exit(77)

import overture
import reference
from overture.bagpipe import init_cache
from reference import DIM, ROWS, Model, loss_of

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 200
LOOKAHEADS = (1, 20, 200)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def write_json_lines(batches, path):
    with open(path, "w", encoding="utf-8") as file:
        for batch in batches:
            for s in range(len(batch["labels"])):
                line = {"label": float(batch["labels"][s]), "dense": [float(one) for one in batch["dense"][s]],
                        "sparse": [int(ids[s]) for ids in batch["ids"]]}
                file.write(json.dumps(line) + "\n")


class Others:
    """The oracle and an embedding server, started as Bagpipe's guide starts them."""

    def __init__(self, port, data, folder, lookahead, batch_size, cache_size, world_size=4, trainers=2, extra=()):
        meeting = ["--world-size", str(world_size), "--master-ip", "127.0.0.1", "--master-port", str(port)]
        self.server = self.start("server", "--worker-id", str(world_size - 1), *meeting)
        self.oracle = self.start(
            "oracle", "--prefetch", "--lookahead-value", str(lookahead), f"--mini-batch-size={batch_size}",
            "--dataset-multiprocessing", "--worker-id", "0", *meeting, "--cache", "--world-size-trainers", str(trainers),
            "--processed-csv", data, "--cache-size", str(cache_size), "-s", "data.test_every=0",
            "-o", folder, "--no-report", *extra)

    def start(self, *arguments):
        return subprocess.Popen([overture.program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        return [(*process.communicate(timeout=60), process.returncode) for process in (self.oracle, self.server)]


def trainer(rank, ports, gloo, data, out):
    """One of two trainers: 200 steps for each lookahead; writes the losses of the whole batches."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{gloo}", world_size=2, rank=rank)
    result = []
    for lookahead, port in zip(LOOKAHEADS, ports):
        bp = init_cache(lookahead_value=lookahead, emb_size=DIM, ln_emb=ROWS, cache_size=5000, device="cpu",
                        worker_id=rank + 1, world_size=4, training_worker_id=rank, trainer_world_size=2,
                        emb_optim=torch.optim.SGD, emb_optim_params={"lr": 0.5}, master_port=port)
        model = torch.nn.parallel.DistributedDataParallel(Model())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        losses = []
        for _ in range(STEPS):
            example = bp.next_batch()
            loss = loss_of(model, example["dense_x"], bp.get_emb(example["sparse_vector"]), example["target"])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            whole = loss.detach() / 2
            torch.distributed.all_reduce(whole)
            losses.append(whole.item())
        bp.close()
        result.append(losses)
    if rank == 0:
        with open(out, "w", encoding="utf-8") as file:
            json.dump(result, file)


class TwoTrainers(unittest.TestCase):
    def test_losses_are_those_of_nn_embedding_bag(self):
        given = list(reference.batches(STEPS))
        with tempfile.TemporaryDirectory() as folder:
            data, out = os.path.join(folder, "clicks.txt"), os.path.join(folder, "losses")
            write_json_lines(given, data)
            *ports, gloo = free_ports(len(LOOKAHEADS) + 1)
            others = [Others(port, data, os.path.join(folder, str(port)), lookahead, 32, 5000, extra=["--timeout", "300"])
                      for lookahead, port in zip(LOOKAHEADS, ports)]
            trainers = mp.spawn(trainer, args=(ports, gloo, data, out), nprocs=2, join=False)
            trainers.join()
            for one in others:
                for told, wrong, code in one.end():
                    self.assertEqual(code, 0, told + wrong)
            with open(out, encoding="utf-8") as file:
                losses = json.load(file)
        expected = self.expected(given)
        for lookahead, one in zip(LOOKAHEADS, losses):
            with self.subTest(lookahead=lookahead):
                np.testing.assert_allclose(one, expected, rtol=0, atol=1e-5)

    def expected(self, given):
        tables = overture.Tables(given, rows=ROWS, dim=DIM)
        bags, model = reference.bags(tables), Model()
        optimizers = [torch.optim.SGD(model.parameters(), lr=0.1), torch.optim.SGD([bag.weight for bag in bags], lr=0.5)]
        losses = []
        for batch in given:
            labels = torch.from_numpy(batch["labels"]).reshape(-1, 1)
            loss = loss_of(model, torch.from_numpy(batch["dense"]), list(reference.looked_up(bags, batch)), labels)
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad()
            losses.append(loss.item())
        return losses


class SeedsExample(unittest.TestCase):
    maxDiff = None

    """trainer_simple.py as Bagpipe's guide prints it: only device, table sizes and ports are others."""

    def test_100_iterations_of_two_trainers_a_server_and_an_oracle(self):
        with open(os.path.join(HERE, "..", "golden", "bagpipe", "trainer_simple.py"), encoding="utf-8") as file:
            text = file.read()
        port, gloo = free_ports(2)
        sizes = [1460, 583, 1012, 2202, 305, 24, 125, 633, 3, 931, 56, 835, 319, 27, 149, 546, 10, 56, 217, 4, 704, 18, 15,
                 286, 105, 142]
        text = re.sub(r"ln_emb = \[[^]]*\]", f"ln_emb = {sizes}", text).replace("cuda:0", "cpu")
        text = text.replace("device_ids=[0]", "device_ids=None").replace('"18000"', f'"{port}"').replace("9988", str(gloo))
        random = np.random.default_rng(5)
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "trainer_simple.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(text)
            data = os.path.join(folder, "kaggle_criteo_weekly.txt")
            with open(data, "w", encoding="utf-8") as file:
                for _ in range(150 * 32):
                    line = {"label": float(random.random() < 0.25), "dense": list(random.random(13)),
                            "sparse": [int(size * random.random() ** 3) for size in sizes]}
                    file.write(json.dumps(line) + "\n")
            # The script ends with `pkill -9 python`, which is for machines that do nothing else.
            spared = os.path.join(folder, "pkill")
            with open(spared, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n")
            os.chmod(spared, 0o755)
            others = Others(port, data, os.path.join(folder, "results"), 200, 32, 5000000)
            environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"], "OMP_NUM_THREADS": "1"}
            done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, env=environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for told, wrong, code in others.end():
                self.assertEqual(code, 0, told + wrong)
            with open(os.path.join(folder, "results", "summary.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["steps"], 100)


def ends_early(rank, port, report):
    """Takes 3 batches if it is the first trainer, and goes on if it is the second."""
    bp = init_cache(lookahead_value=20, emb_size=DIM, ln_emb=ROWS, cache_size=5000, device="cpu", worker_id=rank + 1,
                    world_size=4, training_worker_id=rank, trainer_world_size=2, emb_optim=torch.optim.SGD,
                    emb_optim_params={"lr": 0.5}, master_port=port)
    try:
        for step in range(3 if rank == 0 else 100):
            example = bp.next_batch()
            sum(one.sum() for one in bp.get_emb(example["sparse_vector"])).backward()
        bp.close()
    except overture.OvertureError as error:
        with open(f"{report}-{rank}", "w", encoding="utf-8") as file:
            file.write(str(error))


class BadUse(unittest.TestCase):
    def refused(self, text, **changes):
        given = dict(emb_size=8, ln_emb=[5, 5], device="cpu", worker_id=1, world_size=4, training_worker_id=0,
                     trainer_world_size=2, emb_optim=torch.optim.SGD, emb_optim_params={"lr": 0.1}, timeout=1)
        with self.assertRaises(overture.OvertureError) as caught:
            init_cache(**{**given, **changes})
        self.assertIn(text, str(caught.exception))

    def test_numbers_that_do_not_fit(self):
        self.refused("world_size: is missing", world_size=None)
        self.refused("ln_emb: is empty", ln_emb=[])
        self.refused("emb_optim: is missing", emb_optim=None)
        self.refused("training_worker_id: 1 is not one for worker_id 1", training_worker_id=1)
        self.refused("worker_id: 3 is wrong for this process", worker_id=3, training_worker_id=2)
        self.refused("world_size: 3 processes with 2 trainers leave 0 servers", world_size=3)
        self.refused('device "cuda:0" cannot be used', device="cuda:0")

    def test_an_oracle_that_does_not_come(self):
        self.refused("", master_port=free_ports(1)[0])

    def test_a_worker_that_ends_early(self):
        with tempfile.TemporaryDirectory() as folder:
            data, report = os.path.join(folder, "clicks.txt"), os.path.join(folder, "report")
            write_json_lines(reference.batches(20), data)
            (port,) = free_ports(1)
            others = Others(port, data, os.path.join(folder, "results"), 20, 32, 5000)
            mp.spawn(ends_early, args=(port, report), nprocs=2, join=True)
            ended = others.end()
            with open(report + "-1", encoding="utf-8") as file:
                self.assertIn("trainer 0 has ended after 3 batches, but this one continues", file.read())
        for told, wrong, code in ended:
            self.assertNotEqual(code, 0)
            self.assertIn("trainer 1 is gone: trainer 0 has ended after 3 batches", wrong)


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
