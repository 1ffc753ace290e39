# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the bytes of a tile's memory lie: of each category, at the step when the tile holds the most."""
from functools import cached_property
from types import SimpleNamespace

from ._absent import Lacking

# libpva's categories: a profile that has nothing of one has 0 bytes of it.
CATEGORIES = frozenset((
    "constant", "controlCode", "controlId", "controlTable", "copyDescriptor", "globalExchangeCode", "globalExchangePacketHeader",
    "globalMessage", "hostExchangeCode", "hostExchangePacketHeader", "hostMessage", "instrumentationResults",
    "internalExchangeCode", "message", "multipleSharing", "rearrangement", "sharedCodeStorage", "sharedDataStorage", "stack",
    "variable", "vectorListDescriptor", "vertexCode", "vertexFieldData", "vertexInstanceState"))


class RegionBytes(Lacking):
    """Bytes of a category in one region: alone at their addresses, or where others lie at other steps."""

    def __init__(self, non_overlapped=0, overlapped=0):
        self.nonOverlapped, self.overlapped = non_overlapped, overlapped


class CategoryBytes(Lacking):
    """Bytes of one category on a tile, in all and by region."""

    _lacks = dict.fromkeys(("nonInterleaved", "interleaved", "overflowed"), "this one has no addresses of its variables")

    def __init__(self, total, regions=None):
        self.total = total
        self._regions = regions if total else lambda: [RegionBytes() for _ in range(3)]

    @property
    def nonInterleaved(self):  # pylint: disable=invalid-name
        return self._regions()[0]

    @property
    def interleaved(self):
        return self._regions()[1]

    @property
    def overflowed(self):
        return self._regions()[2]


class Categories(SimpleNamespace):
    """By libpva's names: what the profile has as attributes, and 0 bytes of libpva's others."""

    def __getattr__(self, name):
        if name in CATEGORIES:
            return CategoryBytes(0)
        raise AttributeError(f"{name} is none of libpva's categories of memory: {', '.join(sorted(CATEGORIES))}")


class Layout(Lacking):
    """What lies where on a tile."""

    def __init__(self, variables, bytes_per_tile, interleaved_bytes):
        self._variables = variables
        self._bounds = None if interleaved_bytes is None else (0, bytes_per_tile - interleaved_bytes, bytes_per_tile, float("inf"))

    @cached_property
    def _live_and_other(self):
        """The variables that are live at the step when the most is, and the others."""
        change = {}
        for each in self._variables:
            if not each.alwaysLive:
                span = each.equivalenceClass.steps[0]
                change[span.start] = change.get(span.start, 0) + each.bytes
                change[span.end + 1] = change.get(span.end + 1, 0) - each.bytes
        peak, most, now = -1, 0, 0
        for step in sorted(change):
            now += change[step]
            if now > most:
                peak, most = step, now
        live, other = [], []
        for each in self._variables:
            at_peak = each.alwaysLive or each.equivalenceClass.steps[0].start <= peak <= each.equivalenceClass.steps[0].end
            (live if at_peak else other).append(each)
        return live, other

    @cached_property
    def _by_category(self):
        """Bytes of each category that is live there: not interleaved, interleaved, beyond the tile's memory."""
        live, other = self._live_and_other
        taken = _merged((each.offset, each.offset + each.bytes) for each in other)
        made = {}
        for each in live:
            regions = made.setdefault(each.category, [RegionBytes() for _ in range(3)])
            for region, begin, end in zip(regions, self._bounds, self._bounds[1:]):
                here = (max(each.offset, begin), min(each.offset + each.bytes, end))
                if here[0] < here[1]:
                    shared = sum(max(0, min(here[1], last) - max(here[0], first)) for first, last in taken)
                    region.overlapped += shared
                    region.nonOverlapped += here[1] - here[0] - shared
        return made

    def regions_of(self, category):
        """Bytes of a category, in each of the three regions."""
        if self._bounds is None or any(each.offset is None for each in self._variables) or not self._variables:
            raise AttributeError("no addresses")
        return self._by_category.get(category) or [RegionBytes() for _ in range(3)]


def _merged(spans):
    merged = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged
