#!/usr/bin/env python3
"""Compares the queue policies on drawn jobs, in simulations.

    hack/benchmark policies [--jobs N] [--seeds N] [--nodes N,...]
                            [--loads L,...] [--estimate E]

Jobs are of Lublin's and Feitelson's model (2003), as large as the machine, whose
nodes have one cpu; durations are said to be up to E times as long as they are
(3; 1: they are exact). Each cell is simulated with so many seeds, the same for
each policy. Rows are the mean bounded slowdown, the longest wait of a job and
that which 1 % of the jobs have or exceed, in hours, and of the policies but the
first in how many of the runs its longest wait was below that of the policy
before it. The least and the most are those of the seeds. Prints a JSON object
per row.
"""

import argparse
import json
import statistics
import subprocess

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


def simulate(asked, nodes, load, policy, seed):
    drawn = f"jobs={asked.jobs},load={load:g},estimate={asked.estimate:g}"
    run = subprocess.run(
        [asked.program, "simulate", "--lublin", drawn, "--nodes", str(nodes),
         "--seed", str(seed), "--policy", policy, "-o", "json"],
        check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(run.stdout)


def row(name, unit, values):
    return {"row": name, "unit": unit, "value": statistics.median(values),
            "min": min(values), "max": max(values)}


def rows_of_cell(asked, nodes, load):
    before = None
    for policy in POLICIES:
        cell = f"{nodes} nodes, load {load:g}, {policy}"
        runs = [simulate(asked, nodes, load, policy, seed)
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
        before = longest


def main():
    asked = arguments()
    for nodes in asked.nodes:
        for load in asked.loads:
            for each in rows_of_cell(asked, nodes, load):
                print(json.dumps(each), flush=True)


if __name__ == "__main__":
    main()
