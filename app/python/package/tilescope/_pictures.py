# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures as SVG, which notebooks show; colours that hold on light and dark ground."""
from __future__ import annotations

import html
from typing import Mapping

import numpy as np

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 720, 220, 70, 12, 24
STRONG, WEAK, LIMIT = "#3b82c4", "#9cc3e6", "#c2413b"
PALETTE = ("#3b82c4", "#d98a2b", "#5a9e4b", "#8a6bbf", "#c2413b", "#7f7f7f")


class Picture:
    """An SVG. A notebook shows it; save() writes it."""

    def __init__(self, body: str, title: str, height: int = HEIGHT) -> None:
        self.svg = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
                    f'height="{height}" font-family="sans-serif" font-size="12" role="img">'
                    f"<title>{html.escape(title)}</title>{body}</svg>")

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#808080">{html.escape(text)}</text>'


def _bytes(value: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{value:.4g} {unit}"
        value /= 1024
    return ""


def _area(values: np.ndarray, most: float, colour: str) -> str:
    """Steps from value to value, above a base line; at most one for each point of the picture."""
    parts = np.array_split(values, min(len(values), WIDTH - LEFT - 10))
    heights = np.array([part.max() for part in parts]) / most * (HEIGHT - TOP - BOTTOM)
    step, ground = (WIDTH - LEFT - 10) / len(parts), HEIGHT - BOTTOM
    points = "".join(f" L{LEFT + i * step:.1f},{ground - h:.1f} L{LEFT + (i + 1) * step:.1f},{ground - h:.1f}"
                     for i, h in enumerate(heights))
    return f'<path d="M{LEFT},{ground}{points} L{WIDTH - 10},{ground} Z" fill="{colour}"/>'


def _axis(most: float, below: str) -> str:
    ground = HEIGHT - BOTTOM
    return (f'<path d="M{LEFT},{TOP} V{ground} H{WIDTH - 10}" fill="none" stroke="#808080"/>'
            + _text(LEFT - 6, TOP + 10, _bytes(most), "end") + _text(LEFT - 6, ground, "0", "end")
            + _text(WIDTH - 10, HEIGHT - 8, below, "end"))


def tiles(total: np.ndarray, always: np.ndarray, limit: float) -> Picture:
    if len(total) == 0:
        return Picture(_text(LEFT, 40, "the profile has no memory of tiles"), "Memory by tile")
    fits = limit < 3 * total.max()  # else it would press the tiles flat
    most = max(float(total.max()), float(limit)) if fits else float(total.max()) or 1.0
    y = HEIGHT - BOTTOM - limit / most * (HEIGHT - TOP - BOTTOM)
    line = f'<path d="M{LEFT},{y:.1f} H{WIDTH - 10}" stroke="{LIMIT}" stroke-dasharray="4 3"/>' if fits else ""
    key = _text(LEFT, HEIGHT - 8, "light: at the tile's peak, dark: always live" + (
        ", dashed: its memory" if fits else f"; of {_bytes(limit)}"))
    return Picture(_area(total, most, WEAK) + _area(always, most, STRONG) + line + _axis(most, f"{len(total):,} tiles") + key,
                   "Memory by tile")


def line(values: np.ndarray, always: np.ndarray) -> Picture:
    if len(values) == 0:
        return Picture(_text(LEFT, 40, "the profile has no liveness"), "Live bytes")
    most = float(values.max()) or 1.0
    key = _text(LEFT, HEIGHT - 8, "light: live, dark: always live")
    return Picture(_area(values, most, WEAK) + _area(always, most, STRONG) + _axis(most, f"{len(values):,} program steps") + key,
                   "Live bytes")


def shares(values: Mapping[str, float]) -> Picture:
    total, rows = sum(values.values()) or 1.0, []
    for i, (name, value) in enumerate(values.items()):
        y, width = 10 + 26 * i, value / total * (WIDTH - 220)
        rows.append(_text(100, y + 14, name.replace("_", " "), "end") + _text(112 + width, y + 14, f"{value / total:.1%}")
                    + f'<rect x="106" y="{y}" width="{max(width, 0.5):.1f}" height="18" fill="{PALETTE[i % len(PALETTE)]}"/>')
    return Picture("".join(rows), "Time by phase", 20 + 26 * max(len(values), 1))
