"""What a finished run of the simulator left: its summary, its tables, its page."""

from __future__ import annotations

import csv
import html
import json
import os
import subprocess
import webbrowser
from typing import Any

import numpy as np

from overture._native import OvertureError
from overture.program import path as program_path


class Run:
    """A finished run.

    `summary` is summary.json as a mapping; table("layers") is layers.csv as a mapping of columns, each a numpy array;
    frame("layers") is the same as a pandas.DataFrame. report() opens the page. `folder` holds the files; a temporary
    folder is deleted with the run. `text` is what the command prints: a table, why a run is not complete, where the time
    went.

    Run(folder) reads the results of a run that was started elsewhere, such as on the command line.
    """

    def __init__(self, folder: "str | os.PathLike[str]", keep: Any = None, text: str = ""):
        self.folder = os.path.abspath(os.fspath(folder))
        self.text = text
        self._keep = keep  # a temporary folder lives as long as the run
        file = os.path.join(self.folder, "summary.json")
        try:
            with open(file, encoding="utf-8") as text:
                self.summary: "dict[str, Any]" = json.load(text)
        except OSError as error:
            raise OvertureError(f"{file}: {error.strerror}\n  give the results folder of a run") from None

    @property
    def name(self) -> str:
        """The setup's name."""
        return self.summary.get("name", "")

    @property
    def digest(self) -> str:
        """Equal for equal runs, also for those from the command line. Empty for a study or a sweep."""
        return self.summary.get("digest") or ""

    @property
    def complete(self) -> bool:
        """False if a limit stopped the run early, or if parts of it can never finish."""
        return self.summary.get("complete", True)

    @property
    def tables(self) -> "list[str]":
        """Names of the tables that the run has."""
        return sorted(name[:-4] for name in os.listdir(self.folder) if name.endswith(".csv"))

    def table(self, name: str) -> "dict[str, np.ndarray]":
        """A table by columns: numbers where all values are numbers, text otherwise."""
        file = os.path.join(self.folder, name + ".csv")
        if not os.path.exists(file):
            raise OvertureError(f"there is no table {name}\n  this run has: {', '.join(self.tables)}")
        with open(file, encoding="utf-8", newline="") as text:
            rows = list(csv.reader(line for line in text if not line.startswith("#")))
        if not rows:
            return {}
        return {head: _column([row[i] for row in rows[1:]]) for i, head in enumerate(rows[0])}

    def frame(self, name: str) -> Any:
        """A table as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.table(name))

    def report(self, show: bool = True) -> str:
        """Makes the page if there is none, opens it in a browser unless `show` is False, and returns its path."""
        page = os.path.join(self.folder, "report.html")
        if not os.path.exists(page):
            done = subprocess.run([program_path(), "report", self.folder], capture_output=True, text=True)
            if done.returncode != 0:
                raise OvertureError(done.stderr.strip().removeprefix("error: "))
        if show:
            webbrowser.open("file://" + page)
        return page

    def __repr__(self) -> str:
        about = f"{self.summary.get('kind', 'run')} {self.name!r}"
        time = next((f", {self.summary[key]:.6g} {unit}" for key, unit in _TIMES if self.summary.get(key) is not None), "")
        return f"<overture.Run: {about}{time}{'' if self.complete else ', not complete'}, in {self.folder}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it: the numbers of the summary."""
        rows = [(key, value) for key, value in self.summary.items()
                if isinstance(value, (str, int, float)) and key not in ("setup_yaml", "overture")]
        cells = "".join(f"<tr><th>{html.escape(key)}</th><td>{html.escape(str(value))}</td></tr>" for key, value in rows)
        return f"<table>{cells}</table>"


_TIMES = (("iteration_us", "us an iteration"), ("makespan_us", "us"), ("finished_us", "us"))


def _column(texts: "list[str]") -> np.ndarray:
    for kind in (np.int64, np.float64):
        try:
            return np.array([kind(text) for text in texts], kind)
        except (ValueError, OverflowError):
            pass
    return np.array(texts)
