#!/usr/bin/env python3
"""Draws rows of a benchmark that have figure, series and x as an SVG.

    hack/benchmark -o json matcher_growth | hack/plots/growth.py >FILE.svg

Both axes are logarithmic; a figure is a panel, a series a line in it, the range
of the runs a bar. Values are microseconds if they have a unit.
"""

import json
import math
import sys
from xml.sax.saxutils import escape

TITLES = {"nodes": ("One match, by nodes", "nodes of 32 cores"),
          "reservations": ("One match, by reservations", "jobs before it"),
          "pending": ("A cycle in which nothing fits", "requests that wait")}
PANELS_PER_ROW = 3
COLOURS = ["#777777", "#1b6ca8", "#c1440e", "#3a7d34", "#7a4b94"]
WIDTH, HEIGHT = 340, 250
LEFT, RIGHT, TOP, BOTTOM = 62, 28, 34, 48


def value_text(value, unit):
    return time_text(value) if unit else f"{value:,g}"


def time_text(microseconds):
    for unit, scale in (("s", 1e6), ("ms", 1e3), ("us", 1)):
        if microseconds >= scale:
            return f"{microseconds / scale:g} {unit}"
    return f"{microseconds * 1e3:g} ns"


def decades(low, high):
    return [10.0 ** power for power in
            range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


class Panel:
    def __init__(self, figure, rows, at):
        self.figure, self.rows, self.at = figure, rows, at
        marks = decades(min(row["min"] for row in rows),
                        max(row["max"] for row in rows))
        if len(marks) == 1:
            marks.append(marks[0] * 10)
        self.y_marks = marks
        xs = sorted({row["x"] for row in rows})
        self.x_low, self.x_high = xs[0], xs[-1]
        self.x_marks = xs if len(xs) <= 6 else [
            x for x in xs if math.log2(x / xs[0]).is_integer()]

    def x(self, value):
        share = (0.5 if self.x_low == self.x_high else
                 math.log(value / self.x_low) / math.log(self.x_high / self.x_low))
        return self.at + LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        low, high = self.y_marks[0], self.y_marks[-1]
        share = math.log(value / low) / math.log(high / low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def draw(self):
        title, below = TITLES.get(self.figure, (self.figure, "load"))
        middle = self.at + (WIDTH + LEFT) / 2
        yield text(middle, 18, title, anchor="middle", weight="bold")
        yield text(middle, HEIGHT - 8, below, anchor="middle")
        for mark in self.y_marks:
            y = self.y(mark)
            yield line(self.at + LEFT, y, self.at + WIDTH - RIGHT, y, "#ddd")
            yield text(self.at + LEFT - 6, y + 4,
                       value_text(mark, self.rows[0]["unit"]), anchor="end")
        for mark in self.x_marks:
            x = self.x(mark)
            yield line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 4, "#555")
            yield text(x, HEIGHT - BOTTOM + 18, f"{mark:,}", anchor="middle")
        names = list(dict.fromkeys(row["series"] for row in self.rows))
        for colour, name in zip(COLOURS, names):
            yield from self.draw_series(colour, [row for row in self.rows
                                                 if row["series"] == name])
        for place, (colour, name) in enumerate(zip(COLOURS, names)):
            y = HEIGHT + 14 + 16 * place
            yield line(self.at + LEFT, y - 4, self.at + LEFT + 18, y - 4, colour)
            yield text(self.at + LEFT + 24, y, name)

    def draw_series(self, colour, rows):
        points = " ".join(f"{self.x(row['x']):.1f},{self.y(row['value']):.1f}"
                          for row in rows)
        yield (f'<polyline points="{points}" fill="none" stroke="{colour}" '
               'stroke-width="1.6"/>')
        for row in rows:
            x = self.x(row["x"])
            yield line(x, self.y(row["min"]), x, self.y(row["max"]), colour)
            yield (f'<circle cx="{x:.1f}" cy="{self.y(row["value"]):.1f}" '
                   f'r="2.6" fill="{colour}"/>')


def line(x1, y1, x2, y2, colour):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}"/>')


def text(x, y, words, anchor="start", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-weight="{weight}">{escape(words)}</text>')


def main():
    rows = [json.loads(row) for row in sys.stdin if row.startswith("{")]
    rows = [row for row in rows if "figure" in row]
    if not rows:
        sys.exit("there are no rows with a figure")
    figures = list(dict.fromkeys(row["figure"] for row in rows))
    columns = min(len(figures), PANELS_PER_ROW)
    panel_height = HEIGHT + 96
    width = WIDTH * columns
    height = panel_height * -(-len(figures) // columns)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
          f'height="{height}" viewBox="0 0 {width} {height}" '
          'font-family="sans-serif" font-size="11">')
    print(f'<rect width="{width}" height="{height}" fill="white"/>')
    for place, figure in enumerate(figures):
        panel = Panel(figure, [row for row in rows if row["figure"] == figure],
                      place % columns * WIDTH)
        print(f'<g transform="translate(0 {place // columns * panel_height})">')
        print("\n".join(panel.draw()))
        print("</g>")
    print("</svg>")


if __name__ == "__main__":
    main()
