"""Runs the `overture` program in a process of its own, with a line of progress, until it ends or Ctrl-C comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

from overture._native import OvertureError
from overture._setups import Folder, Setup
from overture.program import path as program_path
from overture.run import Run

_CUT_SHORT = 3  # the exit code of a run that a limit stopped, or that can never end: there are results


def run_program(
    arguments: "list[str]",
    folder: Any,
    *,
    what: str,
    progress: "bool | None" = None,
    overwrite: bool = False,
    given: "Setup | None" = None,
) -> Run:
    """Runs the program, with its results in a folder: a temporary one if `folder` is None."""
    keep = Folder() if folder is None else None
    folder = os.path.abspath(os.fspath(keep.name if keep else folder))
    command = [program_path(), *arguments, *(["--overwrite"] if overwrite else []), "-o", folder]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    shows = _Progress(progress, what, folder)
    try:
        said, wrong = _wait(process, shows)
    except KeyboardInterrupt:
        _end(process, 1.0 if keep else 5.0)
        raise KeyboardInterrupt(_kept(what, folder, keep)) from None
    except BaseException:
        _end(process, 1.0)
        raise
    finally:
        shows.end()
    if process.returncode not in (0, _CUT_SHORT) or not os.path.exists(os.path.join(folder, "summary.json")):
        raise OvertureError(given.told(wrong) if given else wrong.strip().removeprefix("error: ") or _how(process.returncode))
    return Run(folder, keep, said + wrong)


def _wait(process: subprocess.Popen, shows: "_Progress") -> "tuple[str, str]":
    while True:
        try:
            return process.communicate(timeout=0.2)
        except subprocess.TimeoutExpired:
            shows()


def _end(process: subprocess.Popen, patience: float) -> None:
    """On a terminal the program has heard of Ctrl-C itself; it keeps what it has. A second signal ends it at once."""
    for wait in (patience, 0.5):
        process.terminate()
        try:
            process.communicate(timeout=wait)
            return
        except subprocess.TimeoutExpired:
            pass
    process.kill()
    process.communicate()


def _kept(what: str, folder: str, keep: Any) -> str:
    if keep is None and os.path.exists(os.path.join(folder, "summary.json")):
        return f"{what} was interrupted; what it had is in {folder}"
    return f"{what} was interrupted" + ("; out=FOLDER would keep what it has" if keep else "; it had no results yet")


def _how(code: int) -> str:
    if code < 0:
        return f"the overture program was ended by {signal.Signals(-code).name}"
    return f"the overture program ended with {code}"


class _Progress:
    """A line that shows how far a run is: on a terminal and in a notebook, but not in a log."""

    def __init__(self, wanted: "bool | None", what: str, folder: str):
        notebook = "ipykernel" in sys.modules
        self.on = (sys.stderr.isatty() or notebook) if wanted is None else wanted
        self.what = what
        self.file = os.path.join(folder, "progress.json")
        self.longest = 0
        self.began = time.monotonic()

    def __call__(self) -> None:
        if self.on:
            text = f"{self.what}: {time.monotonic() - self.began:.0f} s{self._so_far()}"
            self.longest = max(self.longest, len(text))
            print("\r" + text.ljust(self.longest), end="", file=sys.stderr, flush=True)

    def _so_far(self) -> str:
        """What the program tells in the file that it keeps meanwhile."""
        try:
            with open(self.file, encoding="utf-8") as file:
                told = json.load(file)
        except (OSError, ValueError):
            return ""
        total = f" of {told['total']:,}" if told.get("total") else ""
        left = f", {told['seconds_left']:.0f} s left" if "seconds_left" in told else ""
        return f", {told.get('done', 0):,}{total} {told.get('what', '')}{left}"

    def end(self) -> None:
        if self.longest > 0:
            print("\r" + " " * self.longest + "\r", end="", file=sys.stderr, flush=True)
