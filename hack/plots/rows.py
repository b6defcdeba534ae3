#!/usr/bin/env python3
"""Prints the results of a benchmark: as a table with the machine, or as rows.

Standard input is Google Benchmark's JSON (with repetitions), or a JSON object
per line with row, value, unit, min, max and perhaps limit, bare (the same
statements without the library), peer or elsewhere. A limit is a lower bound for
rates per second, ratios (x) and numbers of ended gangs, else an upper bound.
Google benchmarks set these values as counters of the same names. Objects without
a row are for plots and left out of the table.
"""

import argparse
import json
import pathlib
import platform
import re
import statistics
import subprocess
import sys

# The run time of a Google benchmark, which is part of its name.
SETTINGS = re.compile("/(min_time|iterations):.*")
EXTRAS = ("limit", "bare", "peer", "elsewhere")


def rows_of_google(report):
    runs = {}
    for run in report["benchmarks"]:
        if run["run_type"] == "iteration":
            name = SETTINGS.sub("", run["run_name"])
            runs.setdefault(name, []).append(run)
    for name, repeated in runs.items():
        rate = "items_per_second" in repeated[0]
        values = [run["items_per_second" if rate else "real_time"]
                  for run in repeated]
        row = {"row": name, "value": statistics.median(values),
               "unit": "1/s" if rate else repeated[0]["time_unit"],
               "min": min(values), "max": max(values)}
        row |= {key: repeated[0][key] for key in EXTRAS if key in repeated[0]}
        yield row


def read_rows(text):
    try:
        return list(rows_of_google(json.loads(text)))
    except (json.JSONDecodeError, KeyError):
        return [json.loads(line) for line in text.splitlines()
                if line.startswith("{")]


def machine():
    cpus = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    memory = pathlib.Path("/proc/meminfo").read_text(encoding="utf-8")
    model = next((line.partition(":")[2].strip() for line in cpus.split("\n")
                  if line.startswith("model name")), platform.machine())
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True,
        text=True, check=False).stdout.strip()
    return (f"{cpus.count('processor' + chr(9))} x {model}, "
            f"{int(memory.split()[1]) >> 20} GiB, "
            f"Linux {platform.release()}, commit {commit or 'unknown'}")


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def verdict(row):
    if "limit" not in row:
        return ""
    least = row["unit"].endswith(("/s", "x", " ended"))
    met = row["value"] >= row["limit"] if least else row["value"] <= row["limit"]
    return "reached" if met else "MISSED"


def table(rows):
    extras = [key for key in EXTRAS if any(key in row for row in rows)]
    lines = [("", "median", "unit", "least", "most", *extras, "")]
    lines += [(row["row"], number(row["value"]), row["unit"],
               number(row["min"]), number(row["max"]),
               *(number(row[key]) if key in row else "" for key in extras),
               verdict(row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        cells = [cell.ljust(width) if index in (0, 2, 5 + len(extras)) else cell.rjust(width)
                 for index, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", choices=["table", "json"], default="table")
    arguments = parser.parse_args()
    rows = read_rows(sys.stdin.read())
    if not rows:
        sys.exit("the benchmark measured nothing")
    if arguments.output == "json":
        for row in rows:
            print(json.dumps(row))
    else:
        print(machine())
        table([row for row in rows if "row" in row])


if __name__ == "__main__":
    main()
