"""Setups in every form that users have them in, as files for the program."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from overture._native import OvertureError


class Folder:
    """A temporary folder that goes when nobody holds it any more."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="overture-")
        weakref.finalize(self, shutil.rmtree, self.name, True)


class Setup:
    """A setup of any form, with what it cannot hold itself in files of a temporary folder.

    A mapping or a text names its files from the current folder, as a program would.
    """

    def __init__(self, given: Any, changes: "Mapping[str, Any] | None" = None):
        self.folder = Folder()
        self.overrides = [f"{key}={_value(value)}" for key, value in (changes or {}).items()]
        self.flows = ""
        self.written_here = True
        if isinstance(given, Mapping):
            self.text = _json(self._without_arrays(given))
        elif isinstance(given, str) and _is_text(given):
            self.text = given
        elif isinstance(given, (str, os.PathLike)):
            self.written_here = False
            self.text, self.file = "", os.fspath(given)
            if not os.path.isfile(self.file):
                why = "Is a directory" if os.path.isdir(self.file) else "No such file or directory"
                raise OvertureError(f"{self.file}: {why}\n  a setup is a mapping, YAML text or the name of a file")
        else:
            raise OvertureError(f"setup: is {type(given).__name__}\n  give a mapping, YAML text or the name of a file")
        if self.written_here:
            self.file = self._write_setup()

    def arguments(self) -> "list[str]":
        """The setup's file and its changed keys, as the program takes them."""
        return [self.file, *(one for override in self.overrides for one in ("-s", override))]

    def set_flows(self, given: Any) -> None:
        """Flows in place of the setup's traffic."""
        if isinstance(given, (str, os.PathLike)):
            self.flows = os.fspath(given)
        else:
            self.flows = self._write("flows.csv", _flow_list(given))

    def told(self, wrong: str) -> str:
        """What the program said; of a setup that is no file of the user's, without the name of its file."""
        wrong = wrong.strip().removeprefix("error: ").replace(os.path.join(self.folder.name, "flows.csv"), "traffic")
        if not self.written_here:
            return wrong
        wrong = wrong.replace(os.path.join(self.folder.name, "links.txt"), "network.topology.links")
        file = re.escape(self.file)
        line = r"line \1: " if "\n" in self.text else ""  # a mapping is a single line, which nobody has written
        return re.sub(file + ": ", "", re.sub(file + r":(\d+): ", line, wrong))

    def _without_arrays(self, given: "Mapping[str, Any]") -> "dict[str, Any]":
        setup = {key: copy.deepcopy(value) for key, value in given.items() if key != "traffic"}
        network = setup.get("network")
        topology = network.get("topology") if isinstance(network, dict) else None
        if isinstance(topology, dict) and "links" in topology:
            topology["file"] = self._write("links.txt", _graph(topology.pop("links")))
        traffic = given.get("traffic")
        if isinstance(traffic, Mapping):
            setup["traffic"] = dict(traffic)
        elif traffic is not None:
            self.set_flows(traffic)
        return setup

    def _write_setup(self) -> str:
        """Deep in the folder, so that there is room for links to what the setup names, `../clicks.ovt` too."""
        inner = os.path.join(self.folder.name, "a", "b", "c", "d")
        os.makedirs(inner)
        text = " ".join([self.text, *self.overrides])
        for token in {*re.findall(r"[^\s\"',:=\[\]{}]+", text), *re.findall(r'"([^"]+)"', text)}:
            _link(token, inner)
        file = os.path.join(inner, "setup.yaml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.text)
        return file

    def _write(self, name: str, text: str) -> str:
        file = os.path.join(self.folder.name, name)
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        return file


def _link(token: str, folder: str) -> None:
    """If the token is the relative name of a file here, the same name is made to lead there from the folder."""
    if os.path.isabs(token) or not os.path.exists(token):
        return
    ups = token[: len(token) - len(re.sub(r"^(?:\.{1,2}/+)*", "", token))]
    first = token[len(ups):].split("/")[0]
    if first in ("", ".", "..", "setup.yaml") or ups.count("..") > 3:
        return
    link = os.path.join(folder, ups, first)
    if not os.path.lexists(link):
        os.symlink(os.path.abspath(ups + first), link)


def _is_text(given: str) -> bool:
    """YAML or JSON, and not the name of a file."""
    return "\n" in given or (not os.path.exists(given) and re.search(r"^\s*\{|:(\s|$)", given) is not None)


def plain(value: Any) -> Any:
    """numpy's numbers and arrays, tensors and paths as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (Sequence, range)):
        return list(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise OvertureError(f"setup: {value!r} is {type(value).__name__}\n  a setup holds mappings, lists, text and numbers")


def _json(value: Any) -> str:
    return json.dumps(value, default=plain)


def _value(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _graph(links: "Sequence[Sequence[Any]]") -> str:
    """The text of a graph file."""
    count = {"h": 0, "s": 0}
    lines = []
    for number, link in enumerate(links):
        if isinstance(link, str) or not 4 <= len(link) <= 5:
            raise OvertureError(
                f"network.topology.links: link {number} is {link!r}\n"
                '  a link is two nodes, rate and delay, such as ("h0", "s0", "100 Gbps", "500 ns")'
            )
        a, b, rate, delay, *tier = link
        for node in (str(a), str(b)):
            if node[:1] not in count or not node[1:].isdigit():
                raise OvertureError(f'network.topology.links: unknown node "{node}"\n  hosts are h0, h1, ..., switches s0, s1, ...')
            count[node[0]] = max(count[node[0]], int(node[1:]) + 1)
        lines.append(" ".join(map(str, ["link", a, b, rate, delay, *tier])))
    return "\n".join([f"hosts {count['h']}", f"switches {count['s']}", *lines]) + "\n"


_COLUMNS = ("src", "dst", "bytes", "start_ns")


def _flow_list(given: Any) -> str:
    """A file of flows: from a matrix of bytes, or from columns (a mapping of arrays, or a frame)."""
    if hasattr(given, "columns") or isinstance(given, Mapping):
        rows = _rows({name: given[name] for name in given})
    else:
        rows = _cells(np.asarray(given))
    return "\n".join([",".join(_COLUMNS), *(",".join(map(str, row)) for row in rows)]) + "\n"


def _rows(given: "dict[str, Any]") -> "list[tuple]":
    if set(given) | {"start_ns"} != set(_COLUMNS):
        raise OvertureError(f"flows: has the columns {', '.join(map(str, given))}\n  give src, dst, bytes and, if you like, start_ns")
    given.setdefault("start_ns", np.zeros(len(given["src"]), np.int64))
    columns = [np.asarray(given[name]) for name in _COLUMNS]
    if len({one.shape for one in columns}) != 1 or columns[0].ndim != 1 or any(one.dtype.kind not in "iu" for one in columns):
        raise OvertureError("flows: columns are not equally long arrays of whole numbers")
    return list(zip(*(one.tolist() for one in columns)))


def _cells(matrix: np.ndarray) -> "list[tuple]":
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise OvertureError("traffic: is not a square array of bytes from host i to host j")
    if matrix.dtype.kind not in "iuf" or not np.isfinite(matrix).all() or (matrix < 0).any():
        raise OvertureError("traffic: holds something that is no number of bytes")
    return [(i, j, int(matrix[i, j]), 0) for i, j in zip(*map(np.ndarray.tolist, np.nonzero(matrix))) if i != j]
