"""The simulator: setups in as mappings, YAML text or files; results out as mappings and numpy arrays.

A setup is what docs/reference/setup.md describes. From Python it may also hold, without files of its own:

    network.topology.links   [("h0", "s0", "100 Gbps", "500 ns"), ...]: a graph of hosts h0, h1, ... and switches s0, ...
    traffic                  an N x N array: bytes from host i to host j, all at once (only for flows())
    workload.layers          a list of mappings
"""

from __future__ import annotations

import copy
import csv
import json
import os
import shutil
import re
import subprocess
import sys
import tempfile
import time
import weakref
import webbrowser
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from overture._native import OvertureError
from overture.program import path as program_path


class _Folder:
    """A temporary folder that goes when nobody holds it any more."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="overture-")
        weakref.finalize(self, shutil.rmtree, self.name, True)


class Run:
    """A finished run.

    `summary` is summary.json as a mapping; table("layers") is layers.csv as a mapping of columns, numpy arrays each;
    pandas.DataFrame(run.table("layers")) makes a frame of it. report() opens the page.
    """

    def __init__(self, summary: "dict[str, Any]", folder: str, keep: Any = None):
        self.summary = summary
        self.folder = folder
        self._keep = keep  # a temporary folder lives as long as the run

    @property
    def digest(self) -> str:
        """The same for the same run, from the command line, too."""
        return self.summary["digest"]

    @property
    def tables(self) -> "list[str]":
        """Names of the tables that the run has."""
        return sorted(name[:-4] for name in os.listdir(self.folder) if name.endswith(".csv"))

    def table(self, name: str) -> "dict[str, np.ndarray]":
        """A table by columns: numbers where all are, text otherwise."""
        file = os.path.join(self.folder, name + ".csv")
        if not os.path.exists(file):
            raise OvertureError(f"there is no table {name}; there are {', '.join(self.tables)}")
        with open(file, encoding="utf-8", newline="") as text:
            rows = list(csv.reader(line for line in text if not line.startswith("#")))
        return {head: _column([row[i] for row in rows[1:]]) for i, head in enumerate(rows[0])}

    def report(self, show: bool = True) -> str:
        """Makes the page if there is none, opens it in a browser if wished, and says where it is."""
        page = os.path.join(self.folder, "report.html")
        if not os.path.exists(page):
            subprocess.run([program_path(), "report", self.folder], check=True, stdout=subprocess.DEVNULL)
        if show:
            webbrowser.open("file://" + os.path.abspath(page))
        return page

    def __repr__(self) -> str:
        return f"<overture.Run {self.summary.get('name', '')!r} in {self.folder}>"


def _column(texts: "list[str]") -> np.ndarray:
    for kind in (np.int64, np.float64):
        try:
            return np.array([kind(text) for text in texts])
        except (ValueError, OverflowError):
            pass
    return np.array(texts)


class _Progress:
    """A line that shows how far a run is: on a terminal and in a notebook, but not in a log."""

    def __init__(self, wanted: "bool | None", what: str):
        notebook = "ipykernel" in sys.modules
        self.on = sys.stderr.isatty() or notebook if wanted is None else wanted
        self.what = what
        self.shown = False
        self.began = time.monotonic()

    def __call__(self) -> None:
        if self.on:
            self.shown = True
            print(f"\r{self.what}: {time.monotonic() - self.began:.1f} s", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.shown:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr)


def _graph(links: "Sequence[Sequence[Any]]") -> str:
    """The text of a graph file."""
    count = {"h": 0, "s": 0}
    lines = []
    for link in links:
        a, b, rate, delay, *tier = link
        for node in (a, b):
            if node[:1] not in count or not node[1:].isdigit():
                raise OvertureError(f'network.topology.links: unknown node "{node}"\n  hosts are h0, h1, ..., switches s0, s1, ...')
            count[node[0]] = max(count[node[0]], int(node[1:]) + 1)
        lines.append(" ".join(["link", a, b, str(rate), str(delay), *map(str, tier)]))
    return "\n".join([f"hosts {count['h']}", f"switches {count['s']}", *lines]) + "\n"


class _Setup:
    """A setup of any form as text, with what it cannot hold itself in files of a temporary folder."""

    def __init__(self, given: Any, changes: "Mapping[str, Any] | None"):
        self.folder = _Folder()
        self.overrides = [f"{key}={value}" for key, value in (changes or {}).items()]
        self.flows = ""
        if isinstance(given, Mapping):
            self.text, self.file = json.dumps(self._written(given)), os.path.join(self.folder.name, "setup.yaml")
        elif isinstance(given, os.PathLike) or "\n" not in given:
            self.file = os.fspath(given)
            try:
                with open(self.file, encoding="utf-8") as file:
                    self.text = file.read()
            except OSError as error:
                raise OvertureError(f"{self.file}: {error.strerror}") from None
        else:
            self.text, self.file = given, os.path.join(self.folder.name, "setup.yaml")

    def _written(self, given: "Mapping[str, Any]") -> "dict[str, Any]":
        setup = copy.deepcopy({key: value for key, value in given.items() if key != "traffic"})
        topology = setup.get("network", {}).get("topology", {})
        if "links" in topology:
            self._write("graph.txt", _graph(topology.pop("links")))
            topology["file"] = "graph.txt"
        traffic = given.get("traffic")
        if isinstance(traffic, Mapping):
            setup["traffic"] = dict(traffic)
        elif traffic is not None:
            self.flows = self._write("flows.csv", _flow_list(np.asarray(traffic)))
        return setup

    def _write(self, name: str, text: str) -> str:
        file = os.path.join(self.folder.name, name)
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        return file

    def on_disk(self) -> str:
        """A file for the program; overrides are its own arguments."""
        if not os.path.exists(self.file):
            self._write("setup.yaml", self.text)
        return self.file


def _flow_list(matrix: np.ndarray) -> str:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise OvertureError("traffic: is not a square array of bytes from host i to host j")
    lines = [f"{i},{j},{int(matrix[i, j])},0" for i, j in zip(*np.nonzero(matrix)) if i != j]
    return "src,dst,bytes,start_ns\n" + "\n".join(lines) + "\n"


def _run_program(arguments: "list[str]", folder: Any, progress: "bool | None", what: str, given: "_Setup | None" = None) -> Run:
    """The program of the package, in a process of its own; Ctrl-C reaches it, and ends both."""
    keep = None
    if folder is None:
        keep = _Folder()
        folder = keep.name
    folder = os.path.abspath(os.fspath(folder))
    shows = _Progress(progress, what)
    process = subprocess.Popen([program_path(), *arguments, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while True:
            try:
                _, wrong = process.communicate(timeout=0.5)
                break
            except subprocess.TimeoutExpired:
                shows()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        shows.end()
    if process.returncode != 0:
        raise OvertureError(_told(wrong, given) or f"overture ended with {process.returncode}")
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return Run(json.load(file), folder, keep)


def _told(wrong: str, given: "_Setup | None") -> str:
    """What the program said; of a setup that is no file of the user's, without the file that it was put into."""
    wrong = wrong.strip().removeprefix("error: ")
    if given is None or not given.file.startswith(given.folder.name):
        return wrong
    file = re.escape(given.file)
    line = r"line \1: " if "\n" in given.text else ""  # of a mapping all stands in one
    return re.sub(file + ": ", "", re.sub(file + r":(\d+): ", line, wrong))


def _sets(overrides: "list[str]") -> "list[str]":
    return [one for override in overrides for one in ("-s", override)]


def simulate(
    setup: Any,
    *,
    set: "Mapping[str, Any] | None" = None,
    out: Any = None,
    report: bool = True,
    all_npus: bool = False,
    progress: "bool | None" = None,
) -> Run:
    """Predicts the iteration time of a training setup, as `overture simulate` does, to the digest.

    Args:
        setup: a mapping, YAML text, or a file.
        set: keys of the setup to change, such as {"network.backend": "flow"}.
        out: a folder for the results; a temporary one unless given.
        report: whether the page is made, and links and traffic are recorded for it.
        all_npus: simulate every NPU even where one tells all.
        progress: show a line; on terminals and in notebooks unless told.
    """
    given = _Setup(setup, set)
    options = [*([] if report else ["--no-report"]), *(["--simulate-all-npus"] if all_npus else [])]
    return _run_program(["simulate", given.on_disk(), *options, *_sets(given.overrides), "--quiet", "-o"], out, progress, "simulate", given)


def flows(setup: Any, *, flows: Any = None, set: "Mapping[str, Any] | None" = None, out: Any = None,
          progress: "bool | None" = None) -> Run:
    """Runs flows on a network, as `overture flows` does; table("fct") has their completion times.

    The flows are the setup's traffic, an N x N array of bytes there or in `flows`, or a file.
    """
    given = _Setup(setup, set)
    if flows is not None:
        given.flows = os.fspath(flows) if isinstance(flows, (str, os.PathLike)) else given._write("flows.csv", _flow_list(np.asarray(flows)))
    listed = ["--flows", given.flows] if given.flows else []
    return _run_program(["flows", given.on_disk(), *listed, *_sets(given.overrides), "--no-report", "-o"], out, progress, "flows", given)


def bench_collective(
    setup: Any,
    collective: str = "all_reduce",
    *,
    algorithm: str = "",
    first: str = "1 KiB",
    last: str = "64 MiB",
    factor: int = 4,
    chunks: int = 1,
    set: "Mapping[str, Any] | None" = None,
    out: Any = None,
    progress: "bool | None" = None,
) -> Run:
    """nccl-tests' table for a collective on any network; table("collective") has sizes, times and bandwidths."""
    given = _Setup(setup, set)
    chosen = ["--algorithm", algorithm] if algorithm else []
    return _run_program(
        ["bench", "collective", given.on_disk(), "--collective", collective, *chosen, "--chunks", str(chunks),
         "-b", first, "-e", last, "-f", str(factor), *_sets(given.overrides), "--no-report", "--results"],
        out, progress, collective, given)


def study(name: str, *arguments: str, out: Any = None, progress: "bool | None" = None) -> Run:
    """Runs a published study, as `overture study NAME` does, with further arguments of the command line."""
    return _run_program(["study", name, *arguments, "-o"], out, progress, name)


def sweep(sweep: Any, *arguments: str, out: Any = None, progress: "bool | None" = None) -> Run:
    """Runs one setup many times with other keys, as `overture sweep` does; `sweep` is its file or a mapping."""
    given = _Setup(sweep, None)
    return _run_program(["sweep", given.on_disk(), *arguments, "-o"], out, progress, "sweep", given)
