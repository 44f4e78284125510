"""How programs end that use overture.Tables: each is a process of its own, and nothing hangs."""

import os
import subprocess
import sys
import unittest

try:
    import torch  # noqa: F401, the programs need it
except ImportError:
    print("skipped: there is no torch for this python3")
    sys.exit(77)


class Ending(unittest.TestCase):
    """Programs of their own: how they end is what is looked at."""

    def run_program(self, text, **options):
        program = "import sys, overture, torch\nfrom reference import *\n" + text
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300,
                              cwd=os.path.dirname(os.path.abspath(__file__)), **options)

    def test_a_program_that_does_not_close(self):
        for middle in ("", "sum(one.sum() for one in batch.embeddings).backward()"):
            done = self.run_program("tables = overture.Tables(batches(9), rows=ROWS, dim=DIM)\n"
                                    f"batch = tables.next_batch()\n{middle}\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_exception_in_the_loop(self):
        done = self.run_program("with overture.Tables(batches(9), rows=ROWS, dim=DIM) as tables:\n"
                                "  for batch in tables: raise KeyError('mine')\n")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.strip().endswith("KeyError: 'mine'"), done.stderr)

    def test_ctrl_c_while_waiting(self):
        """Own batches that never come: the wait ends by KeyboardInterrupt, from another thread's signal."""
        done = self.run_program(
            "import os, signal, threading, time\n"
            "def slow():\n"
            "  yield from batches(2)\n"
            "  while True: time.sleep(0.05)\n"
            "threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "tables = overture.Tables(slow(), rows=ROWS, dim=DIM, lookahead=20)\n"
            "try:\n"
            "  tables.next_batch()\n"
            "except KeyboardInterrupt:\n"
            "  print('interrupted')\n")
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted\n"), done.stderr)

    def test_ctrl_c_while_large_tables_are_made(self):
        """The call is left at once; the program ends when the tables have been made."""
        done = self.run_program(
            "import os, signal, threading, time\n"
            "at_work = lambda: any(one.name == 'overture' for one in threading.enumerate())\n"
            "def interrupt():\n"
            "  while not at_work(): time.sleep(0.001)\n"
            "  os.kill(os.getpid(), signal.SIGINT)\n"
            "threading.Thread(target=interrupt).start()\n"
            "try:\n"
            "  overture.Tables(batches(1), rows=[8_000_000, *ROWS[1:]], dim=16)\n"
            "except KeyboardInterrupt:\n"
            "  print('interrupted', at_work())\n")
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted True\n"), done.stderr)

    def test_a_forked_process_is_told_and_ends(self):
        """Its copy of the tables has no threads; the parent's go on."""
        done = self.run_program(
            "import os\n"
            "train = lambda batch: sum(one.sum() for one in batch.embeddings).backward()\n"
            "with overture.Tables(batches(4), rows=ROWS, dim=DIM, lookahead=2) as tables:\n"
            "  train(tables.next_batch())\n"
            "  batch = tables.next_batch()\n"
            "  child = os.fork()\n"
            "  if child == 0:\n"
            "    for act in (tables.next_batch, lambda: train(batch), lambda: tables.table(0), lambda: list(tables)):\n"
            "      try: act()\n"
            "      except overture.OvertureError as error: print('method spawn' in str(error))\n"
            "    print(repr(tables), flush=True)\n"
            "    tables.close()\n"
            "    sys.exit(7)\n"
            "  print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
            "  train(batch)\n"
            "  for batch in tables: train(batch)\n"
            "  print(batch.step)\n")
        self.assertEqual((done.returncode, done.stdout), (0, "True\n" * 4 + "<overture.Tables of another process>\n7\n3\n"), done.stderr)

    def test_workers_of_a_data_loader_are_processes(self):
        done = self.run_program(
            "from torch.utils.data import DataLoader\n"
            "given = [{'ids': ids, 'labels': 1.0} for ids in ([1, 2], [3, 4], [5, 6], [7, 8])]\n"
            "other = overture.Tables(batches(3), rows=ROWS, dim=DIM)\n"
            "other.next_batch()\n"
            "loader = DataLoader([{'ids': torch.tensor(one['ids']), 'labels': one['labels']} for one in given], batch_size=2, num_workers=2)\n"
            "with overture.Tables(loader, rows=[9, 9], dim=DIM, epochs=2) as tables:\n"
            "  seen = [batch.ids[0].tolist() for batch in tables if sum(one.sum() for one in batch.embeddings).backward() is None]\n"
            "print(seen, len(tables))\n")
        self.assertEqual((done.returncode, done.stdout), (0, "[[1, 3], [5, 7], [1, 3], [5, 7]] 4\n"), done.stderr)

    def test_other_threads_run_while_it_waits(self):
        """The link is so slow that every batch waits; a thread of Python's counts meanwhile."""
        done = self.run_program(
            "import threading\n"
            "count, over = [0], []\n"
            "def counting():\n"
            "  while not over: count[0] += 1\n"
            "threading.Thread(target=counting, daemon=True).start()\n"
            "setup = {'link': {'rate': '1 Gbps', 'delay': '200 ms'}}\n"
            "with overture.Tables(batches(2), rows=ROWS, dim=DIM, lookahead=1, setup=setup) as tables:\n"
            "  before = count[0]\n"
            "  batch = tables.next_batch()\n"
            "  print(count[0] - before > 10000)\n"
            "  tables._owner.abandon('enough')\n"
            "over.append(1)\n")
        self.assertEqual((done.returncode, done.stdout), (0, "True\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
