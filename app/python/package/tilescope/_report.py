# SPDX-License-Identifier: GPL-3.0-or-later
"""A profile: figures, tables, numbers of every tile, verdicts."""
from __future__ import annotations

import dataclasses
import difflib
import html
import json
import os
import tempfile
from functools import cached_property
from typing import TYPE_CHECKING, Any, Union
from xml.etree import ElementTree

import numpy as np

from . import _pictures
from ._program import Error, document, run

if TYPE_CHECKING:
    import pandas

Path = Union[str, "os.PathLike[str]"]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure that people read (page "figures"). `value` is None where the profile has none."""

    name: str
    value: float | None
    unit: str


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How one limit of a budget came out."""

    metric: str
    met: bool
    detail: str


class Report:
    """A profile file, open for reading."""

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        self.document: dict[str, Any] = document("report", self.path)

    def __repr__(self) -> str:
        return f"<tilescope.Report {self.path}: {self['run.workload']}, {self['run.status']}>"

    def __getitem__(self, key: str) -> Any:
        """A part of the report by its dotted path, as budgets name it: "timing.step_us", "layers.0.cycles"."""
        value: Any = self.document
        for part in key.split("."):
            names = list(value) if isinstance(value, dict) else []
            if isinstance(value, list):
                value = self._entry(value, part, key)
            elif part in names:
                value = value[part]
            else:
                near = difflib.get_close_matches(part, names, 1)
                raise KeyError(f"{key}: there is no {part}" + (f"; the nearest is {near[0]}" if near else ""))
        return value

    @staticmethod
    def _entry(entries: list[Any], part: str, key: str) -> Any:
        if part.lstrip("-").isdigit() and -len(entries) <= int(part) < len(entries):
            return entries[int(part)]
        for each in entries:
            if isinstance(each, dict) and each.get("name") == part:
                return each
        raise KeyError(f"{key}: there is no entry {part} of {len(entries)}")

    @cached_property
    def _figures(self) -> dict[str, Figure]:
        rows = document("compare", self.path, self.path)["headline"]
        return {row["name"]: Figure(row["name"], row["base"], row["unit"]) for row in rows}

    def figures(self) -> list[Figure]:
        """The figures that comparisons begin with, each with its unit."""
        return list(self._figures.values())

    def figure(self, name: str) -> float | None:
        """One of them: "step time", "throughput" …"""
        if name not in self._figures:
            near = difflib.get_close_matches(name, self._figures, 1)
            raise KeyError(f"there is no figure {name!r}" + (f"; the nearest is {near[0]!r}" if near else ""))
        return self._figures[name].value

    def sql(self, question: str) -> dict[str, np.ndarray]:
        """The columns of an answer in SQL, with `tile_values` and `trace` (page "profile file")."""
        rows = document("query", self.path, question)
        return {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else {})}

    def tables(self) -> list[str]:
        """The names of tables and views."""
        return [str(name) for name in self.sql(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name")["name"]]

    def table(self, name: str) -> dict[str, np.ndarray]:
        """The columns of a table or a view, as NumPy arrays."""
        if name not in self.tables():
            near = difflib.get_close_matches(name, self.tables(), 1)
            raise KeyError(f"there is no table {name!r}" + (f"; the nearest is {near[0]!r}" if near else ""))
        return self.sql(f'SELECT * FROM "{name}"')

    def frame(self, name: str) -> "pandas.DataFrame":
        """A table for pandas, which must be installed."""
        import pandas
        return pandas.DataFrame(self.table(name))

    def tiles(self, entity: str, metric: str, entity_id: int = 0, ipu: int = 0) -> np.ndarray:
        """A number of every tile: tiles("memory", "total"), tiles("variable", "bytes", entity_id=7). Of length 0 where
        the profile has none for that entity on that IPU; KeyError for names and IPUs that it has not at all."""
        found = self._tiles(entity, metric, entity_id, ipu)
        if not len(found):
            self._among("entity", entity)
            self._among("metric", metric, f"WHERE entity = {_literal(entity)}")
            self._among("ipu", ipu)
        return found

    def _tiles(self, entity: str, metric: str, entity_id: int = 0, ipu: int = 0) -> np.ndarray:
        """The same; of length 0 for whatever the profile has not."""
        of = ", ".join(map(_literal, (entity, entity_id, ipu, metric)))
        return self.sql(f"SELECT value FROM tile_values({of}) ORDER BY tile").get("value", np.zeros(0, np.int64))

    def _among(self, column: str, wanted: Any, where: str = "") -> None:
        """That arrays of tiles have this in a column."""
        known = self.sql(f"SELECT DISTINCT {column} AS name FROM tile_array {where} ORDER BY 1").get("name", [])
        if wanted not in list(known):
            raise KeyError(f"there are no tiles of {column} {wanted!r}; there are {', '.join(map(str, known)) or 'none'}")

    def check(self, budget: Path | dict[str, Any], baseline: Path | Report | None = None) -> list[Verdict]:
        """The verdicts on a budget: a file, or its document."""
        with tempfile.TemporaryDirectory() as folder:
            if isinstance(budget, dict):
                file = os.path.join(folder, "budget.json")
                with _open(file, "w", encoding="utf-8") as text:
                    json.dump(budget, text)
                budget = file
            verdicts = os.path.join(folder, "verdicts.xml")
            against = [] if baseline is None else ["--baseline", path_of(baseline)]
            run("check", self.path, "--budget", budget, "--junit", verdicts, *against, accept=(0, 1))
            return [_verdict(case) for case in ElementTree.parse(verdicts).getroot().iter("testcase")]

    def memory_picture(self, ipu: int = 0) -> _pictures.Picture:
        """Every tile's bytes, and what is always live of them."""
        return _pictures.tiles(self.tiles("memory", "total", ipu=ipu), self.tiles("memory", "always_live", ipu=ipu),
                               self["target.bytes_per_tile"])

    def time_picture(self) -> _pictures.Picture:
        """The share of each phase in the IPUs' cycles."""
        return _pictures.shares({name: cycles for name, cycles in self["timing.by_phase"].items()
                                 if isinstance(cycles, (int, float))})

    def liveness_picture(self, ipu: int = 0) -> _pictures.Picture:
        """The live bytes of each program step."""
        self._among("ipu", ipu)
        rows = self.sql("SELECT always_live_bytes + not_always_live_bytes AS bytes, always_live_bytes AS always FROM "
                        f"liveness WHERE ipu = {int(ipu)} ORDER BY step")
        empty = np.zeros(0)
        return _pictures.line(rows.get("bytes", empty), rows.get("always", empty))

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(f.name)}</td><td style='text-align:right'>{f.value:,.6g}</td><td>"
                       f"{html.escape(f.unit)}</td></tr>" for f in self.figures() if f.value is not None)
        return (f"<p><b>{html.escape(str(self['run.workload']))}</b>, {html.escape(str(self['run.status']))}</p>"
                f"<table>{rows}</table>")


class Comparison:
    """What differs between two profiles."""

    def __init__(self, base: Path | Report, new: Path | Report) -> None:
        self.base, self.new = path_of(base), path_of(new)
        self.document: dict[str, Any] = document("compare", self.base, self.new)

    def figures(self) -> list[dict[str, Any]]:
        """Each with name, unit, base, new, change and percent."""
        return list(self.document["headline"])

    def __repr__(self) -> str:
        return run("compare", self.base, self.new)

    def _repr_html_(self) -> str:
        def text(value: float | None) -> str:
            return "" if value is None else f"{value:,.6g}"
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(each)}</td>" for each in (
            row["name"], text(row["base"]), text(row["new"]), text(row["percent"]) + " %", row["unit"])) + "</tr>"
            for row in self.figures())
        return f"<table><tr><th>figure</th><th>base</th><th>new</th><th>change</th><th>unit</th></tr>{rows}</table>"


def path_of(profile: Path | Report) -> str:
    return profile.path if isinstance(profile, Report) else os.fspath(profile)


def _literal(value: Any) -> str:
    """As SQL writes it."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(int(value))


def _verdict(case: ElementTree.Element) -> Verdict:
    broken = case.find("failure")
    broken = broken if broken is not None else case.find("error")
    return Verdict(case.get("name", ""), broken is None, "" if broken is None else broken.get("message", ""))


_open = open


def open(path: Path) -> Report:  # pylint: disable=redefined-builtin
    """Opens a profile. Errors: Error for what is no profile."""
    if not isinstance(path, (str, os.PathLike)):
        raise Error(f"open() takes the path of a profile, and got {path!r}")
    if not os.path.exists(path):
        raise Error(f"{os.fspath(path)}: there is no such file; check the path")
    return Report(path)


def compare(base: Path | Report, new: Path | Report) -> Comparison:
    """What differs between two profiles, and by how much."""
    return Comparison(base, new)
