"""The simulator from Python: the same runs as from the command line, and setups that need no files."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import overture

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
STAR = [(f"h{i}", "s0", "100 Gbps", "500 ns") for i in range(4)]
LAYERS = [{"name": "all", "forward": {"compute": "10 us"},
           "weight_gradient": {"compute": "20 us", "communication": {"collective": "all_reduce", "size": "1 MiB"}}}]


def from_the_program(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([overture.program(), *arguments, folder], check=True, capture_output=True)
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            return json.load(file)


class SameAsTheCommandLine(unittest.TestCase):
    def test_simulate(self):
        file = os.path.join(EXAMPLES, "dlrm-torus.yaml")
        run = overture.simulate(file)
        self.assertEqual(run.digest, from_the_program("simulate", file, "--no-report", "-o")["digest"])
        with open(file, encoding="utf-8") as text:
            self.assertEqual(overture.simulate(text.read()).digest, run.digest)
        self.assertNotEqual(overture.simulate(file, set={"network.dimensions.0.size": 8}).digest, run.digest)

    def test_flows(self):
        file = os.path.join(EXAMPLES, "fat-tree.yaml")
        small = {"traffic.size": "10 KiB"}
        run = overture.flows(file, set=small)
        self.assertEqual(run.digest, from_the_program("flows", file, "-s", "traffic.size=10 KiB", "--no-report", "-o")["digest"])
        self.assertTrue((run.table("fct")["fct_ns"] > 0).all())

    def test_bench_collective(self):
        file = os.path.join(EXAMPLES, "dlrm-torus.yaml")
        run = overture.bench_collective(file, "all_reduce", first="1 MiB", last="4 MiB", factor=2)
        self.assertEqual(list(run.table("collective")["size_bytes"]), [1 << 20, 2 << 20, 4 << 20])


class WithoutFiles(unittest.TestCase):
    def test_a_topology_and_a_workload_of_ones_own(self):
        setup = {"network": {"topology": {"links": STAR}}, "workload": {"layers": LAYERS}}
        run = overture.simulate(setup)
        self.assertGreater(run.summary["iteration_us"], 30)
        faster = {"network": {"topology": {"links": [(*link[:2], "400 Gbps", "500 ns") for link in STAR]}}, "workload": setup["workload"]}
        self.assertLess(overture.simulate(faster).summary["iteration_us"], run.summary["iteration_us"])
        self.assertEqual(setup["network"]["topology"]["links"], STAR)  # what was given stays as it was

    def test_a_traffic_matrix(self):
        matrix = np.zeros((4, 4))
        matrix[0, 1] = matrix[2, 3] = 1 << 20
        run = overture.flows({"network": {"topology": {"links": STAR}}, "traffic": matrix})
        table = run.table("fct")
        self.assertEqual(len(table["fct_ns"]), 2)

    def test_results_are_arrays_and_a_page(self):
        run = overture.simulate(os.path.join(EXAMPLES, "dlrm-torus.yaml"))
        columns = run.table("layers")
        self.assertTrue(any(one.dtype.kind in "if" for one in columns.values()))
        self.assertEqual(len({len(one) for one in columns.values()}), 1)
        page = run.report(show=False)
        with open(page, encoding="utf-8") as file:
            self.assertIn("<html", file.read(1000).lower())


class BadUse(unittest.TestCase):
    def refused(self, text, act, *arguments, **options):
        with self.assertRaises(overture.OvertureError) as caught:
            act(*arguments, **options)
        self.assertIn(text, str(caught.exception))

    def test_errors_have_the_texts_of_the_command_line(self):
        self.refused("did you mean", overture.simulate, {"netwrok": {}})
        self.refused("No such file", overture.simulate, "nowhere.yaml")
        self.refused('unknown node "x0"', overture.simulate, {"network": {"topology": {"links": [("x0", "s0", "1 Gbps", "1 us")]}}})
        self.refused("is not a square array", overture.flows, {"network": {"topology": {"links": STAR}}, "traffic": np.ones((2, 3))})
        self.refused("unknown", overture.bench_collective, os.path.join(EXAMPLES, "dlrm-torus.yaml"), "all_redcue")

    def test_a_setup_that_is_no_file_is_not_told_as_one(self):
        for setup, begins in (({"network": {"topologi": {}}}, "network.topologi: unknown key"),
                              ({}, "network.topology: is missing"),
                              ("network:\n  topologi: {}\n", "line 2: network.topologi: unknown key")):
            with self.assertRaises(overture.OvertureError) as caught:
                overture.simulate(setup)
            self.assertTrue(str(caught.exception).startswith(begins), caught.exception)

    def test_ctrl_c_ends_a_long_run(self):
        program = (
            "import os, signal, threading, overture\n"
            "threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "try:\n"
            f"  overture.simulate({os.path.join(EXAMPLES, 'dlrm-fat-tree.yaml')!r}, set={{'passes': 100000}}, report=False)\n"
            "except KeyboardInterrupt:\n"
            "  print('interrupted')\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
