"""The simulator: setups in as mappings, YAML text or files; results out as mappings and numpy arrays.

A setup is what docs/reference/setup.md describes. From Python it may also hold, without files of its own:

    network.topology.links   [("h0", "s0", "100 Gbps", "500 ns"), ...]: a graph of hosts h0, h1, ... and switches s0, ...
    traffic                  an N x N array: bytes from host i to host j, all at once (only for flows())
    workload.layers          a list of mappings

Every function returns a Run, and takes these arguments:

    set         keys of the setup to change, such as {"network.backend": "flow"}
    out         a folder for the results; a temporary one if there is none, which goes with the Run
    overwrite   replace another run in that folder
    progress    whether a line shows how far the run is; by default on terminals and in notebooks
    max_wall, max_sim_time
                stop after so many seconds, or at a simulated time such as "10 ms", and return what has finished:
                run.complete is False then

Ctrl-C ends a run and raises KeyboardInterrupt. With `out`, the folder keeps what the run had.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from overture._native import OvertureError
from overture._running import run_program
from overture._setups import Setup
from overture.run import Run

__all__ = ["Run", "bench_collective", "flows", "simulate", "study", "sweep"]


def _limits(max_wall: float, max_sim_time: str = "") -> "list[str]":
    wall = ["--max-wall", f"{max_wall:g}"] if max_wall else []
    return [*wall, *(["--max-sim-time", max_sim_time] if max_sim_time else [])]


def simulate(
    setup: "Mapping[str, Any] | str | os.PathLike[str]",
    *,
    set: "Mapping[str, Any] | None" = None,
    out: "str | os.PathLike[str] | None" = None,
    report: bool = True,
    all_npus: bool = False,
    why: bool = True,
    max_wall: float = 0,
    max_sim_time: str = "",
    overwrite: bool = False,
    progress: "bool | None" = None,
) -> Run:
    """Predicts the iteration time of a training setup, as `overture simulate` does; the digest is the same.

    Args:
        setup: a mapping, YAML text, or a file.
        set: keys of the setup to change, such as {"network.backend": "flow"}.
        out: a folder for the results; a temporary one if there is none.
        report: whether the page is made, and links and traffic are recorded for it.
        all_npus: simulate every NPU even where all do the same.
        why: whether to try what would make the run faster.
        max_wall: stop after so many seconds and return what has finished; 0: never.
        max_sim_time: stop at this simulated time, such as "10 ms".
        overwrite: replace another run in the folder.
        progress: show a line; by default on terminals and in notebooks.
    """
    given = Setup(setup, set)
    chosen = [*([] if report else ["--no-report"]), *(["--simulate-all-npus"] if all_npus else []), *([] if why else ["--no-why"])]
    return run_program(["simulate", *given.arguments(), *chosen, *_limits(max_wall, max_sim_time)], out,
                       what="simulate", progress=progress, overwrite=overwrite, given=given)


def flows(
    setup: "Mapping[str, Any] | str | os.PathLike[str]",
    *,
    flows: Any = None,
    set: "Mapping[str, Any] | None" = None,
    out: "str | os.PathLike[str] | None" = None,
    backend: str = "",
    why: bool = True,
    max_wall: float = 0,
    max_sim_time: str = "",
    overwrite: bool = False,
    progress: "bool | None" = None,
) -> Run:
    """Runs flows on a network, as `overture flows` does; table("fct") has their completion times.

    The flows are the setup's traffic, or `flows`: an N x N array of bytes from host i to host j; columns src, dst, bytes
    and, where flows do not all begin at 0, start_ns (a mapping of arrays, or a pandas.DataFrame); or a file.
    `backend` is a model in place of network.backend; "ns3" asks Debian's ns-3, for completion times only.
    Other arguments are those of simulate().
    """
    given = Setup(setup, set)
    if flows is not None:
        given.set_flows(flows)
    chosen = [*(["--flows", given.flows] if given.flows else []), *(["--backend", backend] if backend else []), *([] if why else ["--no-why"])]
    return run_program(["flows", *given.arguments(), *chosen, *_limits(max_wall, max_sim_time), "--no-report"], out,
                       what="flows", progress=progress, overwrite=overwrite, given=given)


def bench_collective(
    setup: "Mapping[str, Any] | str | os.PathLike[str]",
    collective: str = "all_reduce",
    *,
    algorithm: str = "",
    first: str = "1 KiB",
    last: str = "64 MiB",
    factor: int = 4,
    chunks: "int | None" = None,
    seeds: int = 1,
    set: "Mapping[str, Any] | None" = None,
    out: "str | os.PathLike[str] | None" = None,
    max_wall: float = 0,
    overwrite: bool = False,
    progress: "bool | None" = None,
) -> Run:
    """Times a collective on any network; table("collective") has sizes, times and bandwidths, as nccl-tests prints them.

    Sizes go from `first` to `last`, each `factor` times the one before. Other arguments are those of simulate().
    """
    given = Setup(setup, set)
    chosen = (["--algorithm", algorithm] if algorithm else []) + (["--chunks", str(chunks)] if chunks else [])
    return run_program(
        ["bench", "collective", *given.arguments(), "--collective", collective, *chosen,
         "-b", str(first), "-e", str(last), "-f", str(factor), "--seeds", str(seeds), *_limits(max_wall), "--no-report"],
        out, what=collective, progress=progress, overwrite=overwrite, given=given)


def _flags(options: "Mapping[str, Any]") -> "list[str]":
    """nodes=[16, 128] is --nodes 16,128; explain=True is --explain."""
    flags = []
    for key, value in options.items():
        if value is None or value is False:
            continue
        flags.append("--" + key.replace("_", "-"))
        if value is not True:
            several = isinstance(value, (list, tuple, range))
            flags.append(",".join(map(str, value)) if several else str(value))
    return flags


def study(
    name: str,
    *arguments: str,
    out: "str | os.PathLike[str] | None" = None,
    overwrite: bool = False,
    progress: "bool | None" = None,
    **options: Any,
) -> Run:
    """Runs a published study, as `overture study NAME` does.

    Options of the command line are keywords: study("opera-dlrm", nodes=[16], models="A", explain=True) is
    `overture study opera-dlrm --nodes 16 --models A --explain`. Further arguments are passed on as they are.
    """
    if not isinstance(name, str) or name.startswith("-"):
        raise OvertureError("study: has no name\n  such as opera-dlrm, astra-tutorial or hoti-dlrm")
    return run_program(["study", name, *arguments, *_flags(options)], out, what=name, progress=progress, overwrite=overwrite)


def sweep(
    sweep: "Mapping[str, Any] | str | os.PathLike[str]",
    *arguments: str,
    set: "Mapping[str, Any] | None" = None,
    out: "str | os.PathLike[str] | None" = None,
    overwrite: bool = False,
    progress: "bool | None" = None,
    **options: Any,
) -> Run:
    """Runs one setup many times with other keys, as `overture sweep` does; table("sweep") has a row per run.

    `sweep` is a mapping, YAML text or a file; its `setup` may be a mapping as well. Options of the command line are
    keywords, such as jobs=2.
    """
    inner = None
    if isinstance(sweep, Mapping) and isinstance(sweep.get("setup"), Mapping):
        inner = Setup(sweep["setup"])
        sweep = {**sweep, "setup": inner.file}
    given = Setup(sweep, set)
    return run_program(["sweep", *given.arguments(), *arguments, *_flags(options)], out, what="sweep", progress=progress,
                       overwrite=overwrite, given=given)
