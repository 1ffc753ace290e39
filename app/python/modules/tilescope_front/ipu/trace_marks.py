# SPDX-License-Identifier: GPL-3.0-or-later
"""libpvti: marks that scripts set in a trace of the host. The profile has no such trace, which a line says."""
from .. import host, names


def _tell():
    host.tell_once("tilescope: libpvti's marks have no effect here: the profile has the trace of the programs (tilescope export --format trace)")


class TraceChannel:
    def __init__(self, name):
        self.name = name


class Tracepoint:
    """What a script marks from its beginning to its end."""

    def __init__(self, channel, label):
        _tell()
        self.channel, self.label = channel, label

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        """Errors of what is marked go on."""

    @staticmethod
    def begin(channel, label):
        _tell()

    @staticmethod
    def end(channel, label):
        _tell()

    event = end


class Series:
    def add(self, value):
        """A point of it."""


class Graph:
    """Series of numbers."""

    def __init__(self, name, unit=""):
        _tell()
        self.name, self.unit = name, unit

    def addSeries(self, name):  # pylint: disable=invalid-name
        return Series()


def add_names():
    names.module("libpvti", createTraceChannel=TraceChannel, Tracepoint=Tracepoint, Graph=Graph, TraceChannel=TraceChannel)
