#!/usr/bin/env python3
"""Draws the CPUs held by gangs over time, a panel for each scheduler, as an SVG.

    hack/benchmark -o json experiments | hack/plots/held.py >FILE.svg

Reads objects with experiment, scheduler, cpus and held: a list of times with the
CPUs held from then on by complete gangs and by incomplete ones. The rest was
free. All panels of an experiment have the same time axis.
"""

import json
import sys

from growth import line, text

WIDTH, HEIGHT, NAMES, RIGHT, GAP, HEAD, FOOT = 860, 64, 190, 20, 14, 34, 34
WHOLE, PART = "#1b6ca8", "#c1440e"
# A frozen experiment is drawn this much longer than the others.
FROZEN_SHARE = 1.05


def mark_step(end):
    """Returns the seconds between ticks of the axis, for five to ten ticks."""
    step = 10
    while end / step > 10:
        step = step * 2 if str(step)[0] in "15" else step * 5 // 2
    return step


class Experiment:
    def __init__(self, name, panels, top):
        self.name, self.panels, self.top = name, panels, top
        ends = [panel["held"][-1][0] for panel in panels if self.ends(panel)]
        self.end = FROZEN_SHARE * max(
            ends or [panel["held"][-1][0] for panel in panels if panel["held"]])

    @staticmethod
    def ends(panel):
        return bool(panel["held"]) and not any(panel["held"][-1][1:])

    @property
    def height(self):
        return HEAD + len(self.panels) * (HEIGHT + GAP) + FOOT

    def x(self, time):
        return NAMES + min(time / self.end, 1) * (WIDTH - NAMES - RIGHT)

    def draw(self):
        yield text(NAMES, self.top + 22, self.name, weight="bold")
        y = self.top + HEAD
        for panel in self.panels:
            yield from self.draw_panel(panel, y)
            y += HEIGHT + GAP
        for time in range(0, int(self.end) + 1, mark_step(self.end)):
            x = self.x(time)
            yield line(x, y - GAP, x, y - GAP + 4, "#555")
            yield text(x, y - GAP + 16, f"{time:,} s", anchor="middle")

    def draw_panel(self, panel, y):
        yield text(NAMES - 10, y + HEIGHT / 2, panel["scheduler"], anchor="end")
        if not self.ends(panel):
            yield text(NAMES - 10, y + HEIGHT / 2 + 15, "never ends",
                       anchor="end")
        yield (f'<rect x="{NAMES}" y="{y}" width="{WIDTH - NAMES - RIGHT}" '
               f'height="{HEIGHT}" fill="#eeeeee"/>')
        scale = HEIGHT / panel["cpus"]
        moments = panel["held"] + [[self.end, 0, 0]]
        areas = {WHOLE: [], PART: []}
        for (start, whole, part), (end, _, _) in zip(moments, moments[1:]):
            left, right = self.x(start), self.x(end)
            if right - left < 0.01:
                continue
            bottom = y + HEIGHT
            for colour, below, height in ((WHOLE, 0, whole), (PART, whole, part)):
                if height:
                    areas[colour].append(
                        f"M{left:.2f},{bottom - below * scale:.1f}"
                        f"H{right:.2f}v{-height * scale:.1f}H{left:.2f}z")
        for colour, parts in areas.items():
            if parts:
                yield f'<path d="{"".join(parts)}" fill="{colour}"/>'


def main():
    panels = [json.loads(row) for row in sys.stdin if row.startswith("{")]
    panels = [panel for panel in panels if "held" in panel]
    if not panels:
        sys.exit("nobody held anything")
    experiments, top = [], 0
    for name in dict.fromkeys(panel["experiment"] for panel in panels):
        experiment = Experiment(
            name, [panel for panel in panels if panel["experiment"] == name], top)
        experiments.append(experiment)
        top += experiment.height
    height = top + 20
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
          f'height="{height}" viewBox="0 0 {WIDTH} {height}" '
          'font-family="sans-serif" font-size="11">')
    print(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    for experiment in experiments:
        print("\n".join(experiment.draw()))
    for place, (colour, name) in enumerate(
            [(WHOLE, "cpus of gangs that are whole"),
             (PART, "of gangs in part"), ("#eeeeee", "free")]):
        x = NAMES + 200 * place
        print(f'<rect x="{x}" y="{top - 2}" width="12" height="12" '
              f'fill="{colour}"/>')
        print(text(x + 18, top + 8, name))
    print("</svg>")


if __name__ == "__main__":
    main()
