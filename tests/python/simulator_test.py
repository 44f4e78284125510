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

    def test_every_backend(self):
        for command, file, changes in (("flows", "opera.yaml", {}), ("flows", "ndp.yaml", {"traffic.size": "10 KiB"}),
                                       ("flows", "torus-credits.yaml", {"traffic.size": "1 KiB"}),
                                       ("simulate", "dlrm-fat-tree.yaml", {"network.backend": "flow"})):
            with self.subTest(file):
                file = os.path.join(EXAMPLES, file)
                sets = [one for key, value in changes.items() for one in ("-s", f"{key}={value}")]
                expected = from_the_program(command, file, *sets, "--no-why", "--no-report", "-o")["digest"]
                self.assertEqual(getattr(overture, command)(file, set=changes, why=False).digest, expected)

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

    def test_flows_as_columns(self):
        network = {"topology": {"links": STAR}}
        run = overture.flows({"network": network}, flows={"src": [0, 1], "dst": np.array([2, 3]), "bytes": [1 << 20, 1 << 10], "start_ns": [0, 7]})
        self.assertEqual(sorted(run.table("fct")["bytes"]), [1 << 10, 1 << 20])
        matrix = np.zeros((4, 4), np.int64)
        matrix[1, 2] = 5000
        self.assertEqual(overture.flows({"network": network}, flows={"src": [1], "dst": [2], "bytes": [5000]}).digest,
                         overture.flows({"network": network, "traffic": matrix}).digest)

    def test_every_form_of_a_setup(self):
        setup = {"passes": np.int64(2), "network": {"topology": {"fat_tree": {"k": 4}}, "backend": "flow"}, "workload": {"layers": tuple(LAYERS)}}
        digest = overture.simulate(setup).digest
        self.assertEqual(overture.simulate(json.dumps({**setup, "passes": 2, "workload": {"layers": LAYERS}})).digest, digest)  # one line
        self.assertEqual(overture.simulate({**setup, "passes": 5}, set={"passes": 2, "system.all_reduce": ["halving_doubling"]}).digest, digest)

    def test_files_of_a_mapping_are_found_from_the_current_folder(self):
        setup = {"network": {"topology": {"fat_tree": {"k": 4}}, "backend": "flow"}, "workload": {"file": "astra/workload.txt"}}
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(EXAMPLES)
        digest = overture.simulate(setup, report=False).digest
        os.chdir("astra2")
        setup["workload"]["file"] = "../astra/workload.txt"
        self.assertEqual(overture.simulate(setup, report=False).digest, digest)

    def test_a_sweep_and_its_setup_as_mappings(self):
        setup = {"network": {"topology": {"links": STAR}}, "workload": {"layers": LAYERS}}
        run = overture.sweep({"setup": setup, "axes": [{"key": "passes", "values": np.array([1, 2])}]}, jobs=1)
        self.assertEqual(sorted(run.table("sweep")["passes"]), [1, 2])

    def test_a_study_with_options_as_keywords(self):
        run = overture.study("failures", parts=["goodput"], nodes=[128], runs=20, days=1)
        self.assertEqual(run.summary["kind"], "study failures")

    def test_a_run_of_the_command_line_is_opened(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([overture.program(), "flows", os.path.join(EXAMPLES, "opera.yaml"), "--no-report", "-o", folder],
                           check=True, capture_output=True)
            run = overture.Run(folder)
            self.assertGreater(len(run.table("fct")["fct_ns"]), 0)
            self.assertIn("makespan_us", run._repr_html_())
            self.assertTrue(repr(run).startswith("<overture.Run: flows 'all-to-all on Opera', 264.62 us, in "), run)

    def test_what_a_limit_stopped_has_results(self):
        run = overture.flows(os.path.join(EXAMPLES, "opera.yaml"), max_sim_time="100 us")
        self.assertFalse(run.complete)
        self.assertIn("not complete", repr(run))
        self.assertGreater(run.summary["flows"], run.summary["finished"])

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
        self.refused("holds something that is no number of bytes", overture.flows, {"network": {"topology": {"links": STAR}}, "traffic": -np.ones((4, 4))})
        self.refused("link 0 is ('h0', 's0')", overture.simulate, {"network": {"topology": {"links": [("h0", "s0")]}}})
        self.refused("setup: is NoneType", overture.simulate, None)
        self.refused("Is a directory", overture.simulate, EXAMPLES)
        self.refused("has the columns src, to", overture.flows, {"network": {"topology": {"links": STAR}}}, flows={"src": [1], "to": [2]})
        self.refused("there is no table layerz", overture.Run(overture.simulate(os.path.join(EXAMPLES, "dlrm-torus.yaml"), out=self.folder()).folder).table, "layerz")
        self.refused("give the results folder of a run", overture.Run, EXAMPLES)
        self.refused("unknown", overture.bench_collective, os.path.join(EXAMPLES, "dlrm-torus.yaml"), "all_redcue")

    def folder(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return made.name

    def test_a_setup_that_is_no_file_is_not_told_as_one(self):
        for setup, begins in (({"network": {"topologi": {}}}, "network.topologi: unknown key"),
                              ({}, "network.topology: is missing"),
                              ("network:\n  topologi: {}\n", "line 2: network.topologi: unknown key")):
            with self.assertRaises(overture.OvertureError) as caught:
                overture.simulate(setup)
            self.assertTrue(str(caught.exception).startswith(begins), caught.exception)

    def test_ctrl_c_ends_a_long_run_and_says_where_its_results_are(self):
        """Alone, and sent to the whole group as a terminal does."""
        for send in ("os.kill(os.getpid(), signal.SIGINT)", "os.killpg(0, signal.SIGINT)"):
            out = self.folder()
            program = (
                "import os, signal, threading, overture\n"
                f"threading.Timer(1.5, lambda: {send}).start()\n"
                "try:\n"
                f"  overture.flows({os.path.join(EXAMPLES, 'fat-tree.yaml')!r}, set={{'traffic.size': '1 GiB'}}, out={out!r})\n"
                "except KeyboardInterrupt as error:\n"
                "  print(error)\n")
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, start_new_session=True)
            self.assertEqual((done.returncode, done.stdout), (0, f"flows was interrupted; what it had is in {out}\n"), done.stderr)
            self.assertFalse(overture.Run(out).complete)

    def test_progress_is_shown_where_it_is_wanted(self):
        program = ("import overture\n"
                   f"overture.flows({os.path.join(EXAMPLES, 'fat-tree.yaml')!r}, set={{'traffic.size': '1 GiB'}}, max_wall=2, progress=True)\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"flows: \d+ s, [\d,]+ of [\d,]+ flows")


if __name__ == "__main__":
    unittest.main()
