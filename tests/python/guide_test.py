"""docs/guides/python.md as it stands: every block of sh and python runs, one after the other, in a copy of the examples."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

try:
    import torch
except ImportError:
    print("skipped: there is no torch for this python3")
    sys.exit(77)

import overture

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def blocks(page):
    """(language, text) of every block that is not marked no-test."""
    with open(page, encoding="utf-8") as file:
        found = re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    return [(language, text) for language, marks, text in found if "no-test" not in marks]


class Guide(unittest.TestCase):
    def test_every_block_runs(self):
        given = blocks(os.path.join(SOURCE, "docs", "guides", "python.md"))
        self.assertGreater(len(given), 8)
        with tempfile.TemporaryDirectory() as folder:
            examples = os.path.join(folder, "examples")
            shutil.copytree(os.path.join(SOURCE, "examples"), examples)
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(examples)
            port = str(free_port())
            names = {"__name__": "__main__"}
            for language, text in given:
                text = text.replace("18000", port)
                with self.subTest(text.splitlines()[0]):
                    if language == "sh":
                        self.run_commands(text)
                    elif language == "python":
                        exec(compile(text, "docs/guides/python.md", "exec"), names)
            os.chdir(SOURCE)
        self.check_results(names)

    def run_commands(self, text):
        program = f"overture() {{ {overture.program()} \"$@\"; }}\nset -eu\n" + text.replace("python3", sys.executable)
        with tempfile.TemporaryFile("w+") as said:  # processes in the background keep it open
            code = subprocess.run(["bash", "-c", program], stdout=said, stderr=said, timeout=120).returncode
            said.seek(0)
            self.assertEqual(code, 0, text + said.read())

    def check_results(self, names):
        self.assertEqual(tuple(names["scores"].shape), (256,))
        self.assertTrue(bool(((names["scores"] > 0) & (names["scores"] < 1)).all()))
        self.assertEqual(len(names["embeddings"]), 26)
        self.assertTrue(names["run"].complete)


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
