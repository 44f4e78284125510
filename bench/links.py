#!/usr/bin/env python3
"""What the cache is worth over a real link: trains over ZeroMQ between network namespaces whose links `tc tbf`
limits, with the cache at several lookaheads, without it (lookahead 1), and with table-wise sharding and no cache.

    sudo bench/links.py build/release/bin/overture --rate 1gbit --models dlrm,wide_and_deep

Prints, for every model and way: time per iteration, what a trainer waits for rows and for peers per step, the bytes of
rows per step, and how much of the wait for rows without a cache is hidden. Needs the right to make namespaces; removes
those that it made.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile


def sh(line):
    subprocess.run(line, shell=True, check=True)


class Network:
    """A bridge, and a host for every party at 10.78.0.1 and on."""

    def __init__(self, hosts, rate, prefix):
        self.names = [f"{prefix}-{host}" for host in range(hosts)]
        self.switch = f"{prefix}-sw"
        limit = f"root tbf rate {rate} burst 256kb latency 100ms"
        sh(f"ip netns add {self.switch} && ip -n {self.switch} link add br0 type bridge && ip -n {self.switch} link set br0 up")
        for host, name in enumerate(self.names):
            sh(f"ip netns add {name}")
            sh(f"ip link add eth0 netns {name} type veth peer name p{host} netns {self.switch}")
            sh(f"ip -n {self.switch} link set p{host} master br0 up")
            sh(f"ip -n {name} addr add 10.78.0.{host + 1}/24 dev eth0 && ip -n {name} link set eth0 up && ip -n {name} link set lo up")
            if rate != "unlimited":
                sh(f"tc -n {name} qdisc add dev eth0 {limit} && tc -n {self.switch} qdisc add dev p{host} {limit}")

    def remove(self):
        for name in [*self.names, self.switch]:
            subprocess.run(["ip", "netns", "del", name], check=False)


def train(overture, network, trainers, servers, words, folder):
    """All parties by hand, one in each namespace; gives the oracle's summary."""
    processes = []
    for worker in range(1 + trainers + servers):
        role = "oracle" if worker == 0 else "trainer" if worker <= trainers else "server"
        command = ["ip", "netns", "exec", network.names[worker], overture, role, "--worker-id", str(worker),
                   "--world-size", str(1 + trainers + servers), "--world-size-trainers", str(trainers),
                   "--master-ip", "10.78.0.1", "--master-port", "18123"]
        if worker == 0:
            command += [*words, "--no-report", "-o", folder]
        processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    try:
        for process in processes:
            _, said = process.communicate()
            if process.returncode != 0:
                raise SystemExit(said)
    finally:
        for process in processes:
            process.kill()
    with open(os.path.join(folder, "summary.json"), encoding="utf8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("overture")
    parser.add_argument("--rate", default="1gbit", help="of every link in each direction, as tc writes it, or unlimited")
    parser.add_argument("--models", default="dlrm,wide_and_deep")
    parser.add_argument("--lookaheads", default="200,20,1,0", help="1: no cache; 0: table-wise sharding")
    parser.add_argument("--trainers", type=int, default=2)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--dim", type=int, default=48)
    parser.add_argument("--scale", default="0.1")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that namespaces go
    overture = os.path.abspath(options.overture)
    lookaheads = [int(text) for text in options.lookaheads.split(",")]
    network = Network(1 + options.trainers + options.servers, options.rate, f"ovb{os.getpid() % 100000}")
    try:
        print(f"{options.trainers} trainers, {options.servers} servers, links of {options.rate}, batch {options.batch}, "
              f"dim {options.dim}, tables x{options.scale}")
        print(f"{'model':<15}{'way':<14}{'ms/iteration':>13}{'rows ms':>9}{'peers ms':>9}{'MB/step':>9}{'hidden':>8}")
        for model in options.models.split(","):
            waits = {}
            rows = []
            for lookahead in lookaheads:
                words = ["--synthetic", "kaggle", "--scale", options.scale,
                         "--samples", str(options.batch * options.steps * 10 // 9 + options.batch), "--model", model,
                         "--mini-batch-size", str(options.batch), "--emb-size", str(options.dim),
                         "--num-batches", str(options.steps), "--lookahead-value", str(lookahead)]
                if model == "dlrm":
                    words += ["--arch-mlp-bot", f"13-64-{options.dim}", "--arch-mlp-top", "64-1"]
                servers = options.servers
                if lookahead == 0:
                    servers = 0
                    words += ["--sharding", "table_wise"]
                with tempfile.TemporaryDirectory() as folder:
                    s = train(overture, network, options.trainers, servers, words, os.path.join(folder, "out"))
                steps = s["steps"]
                waits[lookahead] = 1e3 * s["waited_for_rows_seconds"] / steps
                rows.append((lookahead, 1e3 * s["iteration_seconds_mean"], waits[lookahead],
                             1e3 * s["waited_for_peers_seconds"] / steps,
                             (s["fetched_bytes"] + s["stored_bytes"]) / steps / 1e6))
            for lookahead, iteration, waited, peers, megabytes in rows:
                way = {0: "table-wise", 1: "no cache"}.get(lookahead, f"lookahead {lookahead}")
                hidden = "" if lookahead < 2 or not waits.get(1) else f"{100 * (1 - waited / waits[1]):.0f} %"
                print(f"{model:<15}{way:<14}{iteration:>13.1f}{waited:>9.1f}{peers:>9.1f}{megabytes:>9.2f}{hidden:>8}", flush=True)
    finally:
        network.remove()


if __name__ == "__main__":
    main()
