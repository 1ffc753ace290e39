# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the bytes of a tile's memory lie: of each category, at the step when the tile holds the most (tile_regions)."""
from ._absent import Lacking, Names


class RegionBytes(Lacking):
    """Bytes of a category in one region: alone at their addresses, or where others lie at other steps."""

    def __init__(self, non_overlapped=0, overlapped=0):
        self.nonOverlapped, self.overlapped = non_overlapped, overlapped


class CategoryBytes(Lacking):
    """Bytes of one category on a tile, in all and by region."""

    _lacks = dict.fromkeys(("nonInterleaved", "interleaved", "overflowed"), "this one has no addresses of its variables")

    def __init__(self, total, regions):
        self.total = total
        self._regions = regions if total else dict

    @property
    def nonInterleaved(self):  # pylint: disable=invalid-name
        return self._of("nonInterleaved")

    @property
    def interleaved(self):
        return self._of("interleaved")

    @property
    def overflowed(self):
        return self._of("overflowed")

    def _of(self, region):
        return self._regions().get(region) or RegionBytes()


class Categories(Names):
    """By libpva's names."""


class Regions:
    """Of one tile: by category, then by region."""

    def __init__(self, rows):
        self._by_category = {}
        for row in rows:
            regions = self._by_category.setdefault(str(row["category"]), {})
            regions[str(row["region"])] = RegionBytes(int(row["nonOverlapped"]), int(row["overlapped"]))

    def of(self, category):
        """AttributeError where the profile has no addresses."""
        if not self._by_category:
            raise AttributeError("no addresses")
        return self._by_category.get(category, {})
