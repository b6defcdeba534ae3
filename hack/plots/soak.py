#!/usr/bin/env python3
"""Draws the measurements of a soak test as an SVG: a panel for each figure.

    env FLUXNETES_TEST_LONG=1 FLUXNETES_TEST_SOAK=soak.json hack/test 'Soak.*'
    hack/plots/soak.py <soak.json >docs/queue-soak.svg
"""

import json
import sys

from growth import line, text

WIDTH, HEIGHT = 300, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 30, 34


def round_up(value):
    for step in (1, 2, 2.5, 5, 10):
        scale = 10 ** max(0, len(str(int(value))) - 1)
        if value <= step * scale:
            return step * scale
    return value


def panel(name, samples, at):
    most = round_up(max(sample[name] for sample in samples) * 1.05)
    last = samples[-1]["seconds"]

    def x(seconds):
        return at + LEFT + seconds / last * (WIDTH - LEFT - RIGHT)

    def y(value):
        return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM)

    yield text(at + (WIDTH + LEFT) / 2, 18, name, "middle", "bold")
    for share in (0, 0.5, 1):
        yield line(at + LEFT, y(share * most), at + WIDTH - RIGHT,
                   y(share * most), "#ddd")
        yield text(at + LEFT - 6, y(share * most) + 4, f"{share * most:g}", "end")
    for minute in range(0, int(last // 60) + 1, 2):
        yield text(x(minute * 60), HEIGHT - BOTTOM + 16, f"{minute} min", "middle")
    points = " ".join(f"{x(sample['seconds']):.1f},{y(sample[name]):.1f}"
                      for sample in samples)
    yield (f'<polyline points="{points}" fill="none" stroke="#1b6ca8" '
           'stroke-width="1.2"/>')


def main():
    samples = [json.loads(row) for row in sys.stdin]
    if not samples:
        sys.exit("there is nothing to draw")
    names = [name for name in samples[0] if name != "seconds"]
    width = WIDTH * len(names)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
          f'height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}" '
          'font-family="sans-serif" font-size="11">')
    print(f'<rect width="{width}" height="{HEIGHT}" fill="white"/>')
    for place, name in enumerate(names):
        print("\n".join(panel(name, samples, place * WIDTH)))
    print("</svg>")


if __name__ == "__main__":
    main()
