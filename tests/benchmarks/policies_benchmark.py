#!/usr/bin/env python3
"""Compares the queue policies on generated jobs, in simulations.

    hack/benchmark policies [--jobs N] [--seeds N] [--nodes N,...]
                            [--loads L,...] [--estimate E]

Jobs follow Lublin's and Feitelson's model (2003), with sizes up to the machine's,
whose nodes have one CPU; requested durations are up to E times the run times
(3; 1: exact). Each combination is simulated with several seeds, the same for each
policy. Rows are the mean bounded slowdown, the longest wait of a job and the 99th
percentile of waits, in hours; and, for all policies but the first: the number of
runs in which its longest wait was below that of the previous policy, the number
of jobs that started later than with the first policy, and the longest such delay,
in hours. Minimum and maximum are over the seeds. Prints a JSON object per row.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile

POLICIES = ("fcfs", "easy", "conservative")
MEASURES = {
    "mean bounded slowdown": ("", lambda run: run["boundedSlowdown"]),
    "longest wait": ("h", lambda run: run["wait"]["max"] / 3600),
    "wait, p99": ("h", lambda run: run["wait"]["p99"] / 3600),
}
LONGEST = "longest wait"


def numbers(kind):
    return lambda text: [kind(part) for part in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--nodes", type=numbers(int),
                        default=[128, 256, 512, 1024, 2048, 4096])
    parser.add_argument("--loads", type=numbers(float),
                        default=[0.5, 0.65, 0.8, 0.95])
    parser.add_argument("--estimate", type=float, default=3)
    parser.add_argument("--program", required=True, help="fluxnetes")
    return parser.parse_args()


# Adds the start time of each job to the figures.
def simulate(asked, nodes, load, policy, seed, rows):
    drawn = f"jobs={asked.jobs},load={load:g},estimate={asked.estimate:g}"
    run = subprocess.run(
        [asked.program, "simulate", "--lublin", drawn, "--nodes", str(nodes),
         "--seed", str(seed), "--policy", policy, "-o", "json", "--csv", rows],
        check=True, stdout=subprocess.PIPE, text=True)
    with open(rows, encoding="utf-8") as file:
        starts = [int(job["start"]) for job in csv.DictReader(file)]
    return json.loads(run.stdout) | {"starts": starts}


def row(name, unit, values):
    return {"row": name, "unit": unit, "value": statistics.median(values),
            "min": min(values), "max": max(values)}


# By how many seconds jobs started later than in another run, for delayed jobs.
def delays(run, other):
    return [mine - theirs for mine, theirs in zip(run["starts"], other["starts"])
            if mine > theirs]


def rows_of_cell(asked, nodes, load, scratch):
    first = before = None
    for policy in POLICIES:
        cell = f"{nodes} nodes, load {load:g}, {policy}"
        runs = [simulate(asked, nodes, load, policy, seed, scratch / "rows.csv")
                for seed in range(1, asked.seeds + 1)]
        for measure, (unit, of) in MEASURES.items():
            yield row(f"{measure}, {cell}", unit, [of(run) for run in runs]) | {
                "figure": f"{measure}, {nodes:,} nodes", "series": policy,
                "x": load}
        longest = [MEASURES[LONGEST][1](run) for run in runs]
        if before:
            below = sum(a < b for a, b in zip(longest, before)) / len(longest)
            yield row(f"{LONGEST} below that of the one before, {cell}",
                      "of runs", [below])
            late = [delays(*pair) for pair in zip(runs, first)]
            yield row(f"later than by {POLICIES[0]}, {cell}", "jobs",
                      [len(each) for each in late])
            yield row(f"most later than by {POLICIES[0]}, {cell}", "h",
                      [max(each, default=0) / 3600 for each in late])
        first = first or runs
        before = longest


def main():
    asked = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        for nodes in asked.nodes:
            for load in asked.loads:
                for each in rows_of_cell(asked, nodes, load,
                                         pathlib.Path(scratch)):
                    print(json.dumps(each), flush=True)


if __name__ == "__main__":
    main()
