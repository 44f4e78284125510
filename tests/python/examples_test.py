"""The examples as users run them: scripts in a process of their own, the notebook cell by cell."""

import importlib.util
import json
import os
import subprocess
import sys
import unittest

if importlib.util.find_spec("torch") is None:
    print("skipped: there is no torch for this python3")
    sys.exit(77)

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "python")


class Examples(unittest.TestCase):
    def test_a_dlrm_of_ten_lines_learns(self):
        done = subprocess.run([sys.executable, os.path.join(EXAMPLES, "dlrm.py"), "120"], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        losses = [float(line.split()[-1]) for line in done.stdout.splitlines()]
        self.assertLess(losses[-1], losses[0])

    def test_the_notebook_runs_from_its_first_to_its_last_cell(self):
        with open(os.path.join(EXAMPLES, "train_and_simulate.ipynb"), encoding="utf-8") as file:
            notebook = json.load(file)
        self.assertEqual(notebook["nbformat"], 4)
        os.environ["MPLBACKEND"] = "Agg"  # no window
        names = {"__name__": "__main__"}
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            source = "".join(cell["source"])
            if "matplotlib" in source and importlib.util.find_spec("matplotlib") is None:
                print("the plot is left out: python3-matplotlib would draw it")
                continue
            exec(compile(source, cell["id"], "exec"), names)
        self.assertGreater(names["curve"][-1], 0.55)
        self.assertEqual(set(names["runs"]), {"fat tree", "Opera"})
        for run in names["runs"].values():
            self.assertGreater(run.summary["exposed_communication_us"], 0)
        # Links of one speed: on rotors a collective waits for circuits.
        self.assertGreater(names["runs"]["Opera"].summary["iteration_us"], names["runs"]["fat tree"].summary["iteration_us"])


if __name__ == "__main__":
    unittest.main()
