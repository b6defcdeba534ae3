#!/usr/bin/env python3
"""Draws rows of a benchmark as bars, one panel per unit, as an SVG.

    hack/benchmark -o json kubernetes | hack/plots/bars.py >FILE.svg

A bar is the median, the line on it the minimum and the maximum of the runs.
Marks across it are other values of the same run: the limit (dashed; green if it
was reached, else red), the value without the library (bare), and the peer.
"""

import json
import sys

from growth import line, text
from rows import number, verdict

WIDTH, NAMES, BAR, GAP, HEAD = 860, 390, 13, 8, 40
RIGHT = 90
MARKS = {"bare": "#7a4b94", "peer": "#c1440e"}
VERDICTS = {"reached": "#3a7d34", "MISSED": "#b00020", "": "#555555"}


class Panel:
    def __init__(self, unit, rows, top):
        self.unit, self.rows, self.top = unit, rows, top
        figures = [row[key] for row in rows
                   for key in ("max", "limit", "bare", "peer") if key in row]
        self.scale = (WIDTH - NAMES - RIGHT) / (max(figures) or 1)

    @property
    def height(self):
        return HEAD + len(self.rows) * (BAR + GAP)

    def x(self, value):
        return NAMES + max(value, 0) * self.scale

    def draw(self):
        yield text(NAMES, self.top + 22, self.unit, weight="bold")
        for place, row in enumerate(self.rows):
            yield from self.draw_row(
                row, self.top + HEAD - 10 + place * (BAR + GAP))

    def draw_row(self, row, y):
        colour = VERDICTS[verdict(row)]
        middle = y + BAR / 2
        yield text(NAMES - 8, y + BAR - 2, row["row"], anchor="end")
        yield (f'<rect x="{NAMES}" y="{y:.1f}" height="{BAR}" '
               f'width="{self.x(row["value"]) - NAMES:.1f}" fill="#1b6ca8"/>')
        yield line(self.x(row["min"]), middle, self.x(row["max"]), middle,
                   "#111111")
        for key, mark in MARKS.items():
            if key in row:
                x = self.x(row[key])
                yield line(x, y - 2, x, y + BAR + 2, mark)
        if "limit" in row:
            x = self.x(row["limit"])
            yield line(x, y - 3, x, y + BAR + 3, colour).replace(
                "/>", ' stroke-width="2" stroke-dasharray="3 2"/>')
        yield text(WIDTH - RIGHT + 10, y + BAR - 2, number(row["value"]))


def main():
    rows = [json.loads(row) for row in sys.stdin if row.startswith("{")]
    if not rows:
        sys.exit("there are no rows")
    panels, top = [], 0
    for unit in dict.fromkeys(row["unit"] for row in rows):
        panel = Panel(unit, [row for row in rows if row["unit"] == unit], top)
        panels.append(panel)
        top += panel.height
    height = top + 34
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
          f'height="{height}" viewBox="0 0 {WIDTH} {height}" '
          'font-family="sans-serif" font-size="11">')
    print(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    for panel in panels:
        print("\n".join(panel.draw()))
    legend = [("peer", MARKS["peer"]), ("bare", MARKS["bare"]),
              ("limit, reached", VERDICTS["reached"]),
              ("limit, missed", VERDICTS["MISSED"])]
    for place, (name, colour) in enumerate(legend):
        x = NAMES + 110 * place
        print(line(x, top + 16, x + 16, top + 16, colour))
        print(text(x + 20, top + 20, name))
    print("</svg>")


if __name__ == "__main__":
    main()
