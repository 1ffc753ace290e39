# SPDX-License-Identifier: GPL-3.0-or-later
"""pva.openTrace: what went on, as nested events of threads: compilation in wall time, epochs and engine runs in simulated
time."""

import tilescope as _tilescope

from ._absent import Lacking, Names
from ._memory import rows_of


class Event(Lacking):
    """Something that took time: timestamp and duration in microseconds of its thread's clock."""

    def __init__(self, label, channel, timestamp, duration):
        self.label, self.channel, self.timestamp, self.duration = label, channel, timestamp, duration
        self._children = []

    def children(self):
        return self._children

    def __repr__(self):
        return f"<pva.Event {self.label} {self.duration} us>"


class Trace(Lacking):
    """One process with two threads: 0 compiles, 1 is the device."""

    def __init__(self, path):
        report = _tilescope.open(path)
        threads = [Names(tid=tid, name=name, events=events) for tid, (name, events) in enumerate((
            ("compilation", _compilation(report)), ("device", _device(report))))]
        self.processes = [Names(pid=0, threads=threads)]


def _compilation(report):
    made, tops = {}, []
    for row in rows_of(report.sql("SELECT id, parent_id, name, start_us, duration_us FROM compile_event ORDER BY id")):
        event = made[int(row["id"])] = Event(str(row["name"]), "Compilation", float(row["start_us"]),
                                             float(row["duration_us"]))
        above = made.get(int(row["parent_id"]))
        (tops if above is None else above._children).append(event)
    return tops


def _device(report):
    """Epochs with their engine runs; what is no training stands by itself."""
    us = 1e6 / float(report.document["target"]["clock_hz"])
    found, epochs = [], {}
    for row in rows_of(report.sql("SELECT id, kind, epoch, start_cycle, cycles FROM execution ORDER BY id")):
        event = Event(f"{row['kind']} {row['id']}", "Execution", float(row["start_cycle"]) * us, float(row["cycles"]) * us)
        if row["kind"] != "train":
            found.append(event)
            continue
        epoch = epochs.get(int(row["epoch"]))
        if epoch is None:
            epoch = epochs[int(row["epoch"])] = Event(f"Epoch {int(row['epoch']) + 1}", "Training", event.timestamp, 0.0)
            found.append(epoch)
        epoch._children.append(event)
        epoch.duration = event.timestamp + event.duration - epoch.timestamp
    return found


def openTrace(path):  # pylint: disable=invalid-name
    """Opens the events of a profile."""
    return Trace(path)
